// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "hsa/kernel_info.h"

namespace cuvette::hsa {

/// The 64-byte kernel descriptor of code object v3 and later, as LLVM 19 writes it for gfx9.
struct KernelDescriptor {
  uint32_t group_segment_fixed_size = 0;
  uint32_t private_segment_fixed_size = 0;
  uint32_t kernarg_size = 0;
  uint32_t reserved0 = 0;
  int64_t kernel_code_entry_byte_offset =
      0;  ///< from the descriptor; the entry is 256-byte aligned
  uint8_t reserved1[20] = {};
  uint32_t compute_pgm_rsrc3 = 0;
  uint32_t compute_pgm_rsrc1 = 0;
  uint32_t compute_pgm_rsrc2 = 0;
  uint16_t kernel_code_properties = 0;
  uint16_t kernarg_preload = 0;  ///< bits 6:0 dwords, 15:7 offset in dwords
  uint32_t reserved3 = 0;
};
static_assert(sizeof(KernelDescriptor) == 64, "layout");
static_assert(offsetof(KernelDescriptor, kernel_code_entry_byte_offset) == 16, "layout");
static_assert(offsetof(KernelDescriptor, compute_pgm_rsrc3) == 44, "layout");
static_assert(offsetof(KernelDescriptor, kernel_code_properties) == 56, "layout");

/// Reserved bits of COMPUTE_PGM_RSRC1 and 2.
inline constexpr uint32_t kRsrc1Reserved = 0xf8000000;
inline constexpr uint32_t kRsrc2Reserved = 0x80000000;

/// Fills everything of KernelInfo that a descriptor at `address` says. Errors: reserved bits set,
/// entry not 256-byte aligned, wave32.
base::Result<KernelInfo> decode_kernel_descriptor(const KernelDescriptor& descriptor,
                                                  uint64_t address, const TargetId& target);

}  // namespace cuvette::hsa
