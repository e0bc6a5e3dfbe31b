// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/result.h"
#include "hsail/module.h"

namespace cuvette::finalizer {

/// One formal argument in the kernarg segment (HSAIL PRM 4.21). Bytes from the segment base.
struct KernargSlot {
  hsail::CodeRef variable = 0;
  uint64_t offset = 0, bytes = 0, align = 1;
};

/// Where the variables of one kernel lie.
struct KernelLayout {
  std::vector<KernargSlot> arguments;                ///< in declaration order
  uint64_t kernarg_bytes = 0;                        ///< end of the last argument
  std::map<hsail::CodeRef, uint32_t> group_offsets;  ///< static group variables the kernel uses
  uint32_t group_bytes = 0;                          ///< end of the last group variable
  uint32_t group_align = 4;
};

/// Lays out kernel `kernel` of `module`. Group variables: every one declared in the kernel and
/// every module-scope one it names, in the order of their entries, each at its alignment. Errors:
/// static group memory above 64 KiB.
base::Result<KernelLayout> layout_kernel(const hsail::Module& module, hsail::CodeRef kernel);

/// One past the last entry of an executable.
hsail::CodeRef executable_end(const hsail::Module& module, hsail::CodeRef executable);

}  // namespace cuvette::finalizer
