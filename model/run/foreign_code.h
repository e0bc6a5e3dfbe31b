// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Code in forms that compilers write and that are not run as they are, recognised by their
/// content.
namespace cuvette::run {

/// Text with a kernel of OpenCL C and no module directive of HSAIL.
bool is_opencl(const std::vector<uint8_t>& bytes);

/// Form of a file (LLVM bitcode, IR and packages, AMDGPU assembly, HIP source, SPIR-V, archives,
/// offload bundles of text) and the command that makes a code object of it, as an error's words.
/// Empty: none of these.
std::string foreign_form(const std::vector<uint8_t>& bytes, const std::string& file);

}  // namespace cuvette::run
