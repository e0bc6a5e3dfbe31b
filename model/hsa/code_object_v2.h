// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace cuvette::hsa {

/// Size of the amd_kernel_code_t before the code of a kernel in code object v2, in bytes.
constexpr size_t kKernelCodeRoom = 256;

/// Rewrites a linked code object v4 of gfx900 or gfx906 to v2, the form with amd_kernel_code_t:
/// every kernel has kKernelCodeRoom zero bytes, 256-byte aligned, right before its code. The
/// objects go there, the kernel symbols with them; the notes become those of v2 at the end of the
/// file; addresses and code stay. XNACK that may be either becomes off, v2 has no word for it.
/// Errors, with `file`: what parse_elf says, another version or processor, no room before a kernel,
/// no metadata.
base::Result<std::vector<uint8_t>> to_code_object_v2(const std::vector<uint8_t>& object,
                                                     const std::string& file);

}  // namespace cuvette::hsa
