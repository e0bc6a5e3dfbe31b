// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "hsa/target.h"

namespace cuvette::run {

/// Compiles a file of OpenCL C 2.0 to a code object v5 with the clang of the machine that the
/// program runs on: the one that CUVETTE_CLANG names, or clang-19, clang or ROCm's where it has the
/// target amdgcn. AMD's device libraries are those of HIP_DEVICE_LIB_PATH, of the system or of
/// ROCm. Errors: no such compiler or libraries, with the command to run elsewhere; the first error
/// of the compiler, at its place.
base::Result<std::vector<uint8_t>> compile_opencl(const std::string& file,
                                                  const hsa::TargetId& target);

}  // namespace cuvette::run
