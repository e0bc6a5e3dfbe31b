// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "hsa/kernel_descriptor.h"
#include "hsa/kernel_info.h"
#include "hsa/metadata.h"

namespace cuvette::hsa {

/// amd_kernel_code_t, the 256 bytes before the code of a v2 kernel (Compute ABI, "AMD Kernel
/// Code").
struct AmdKernelCode {
  uint32_t amd_code_version_major = 1;
  uint32_t amd_code_version_minor = 1;
  uint16_t amd_machine_kind = 1;
  uint16_t amd_machine_version_major = 0;
  uint16_t amd_machine_version_minor = 0;
  uint16_t amd_machine_version_stepping = 0;
  int64_t kernel_code_entry_byte_offset = 256;
  int64_t kernel_code_prefetch_byte_offset = 0;
  uint64_t kernel_code_prefetch_byte_size = 0;
  uint64_t max_scratch_backing_memory_byte_size = 0;
  uint32_t compute_pgm_rsrc1 = 0;
  uint32_t compute_pgm_rsrc2 = 0;
  uint32_t kernel_code_properties = 0;  ///< enables and flags, bits 479:448 of the object
  uint32_t workitem_private_segment_byte_size = 0;
  uint32_t workgroup_group_segment_byte_size = 0;
  uint32_t gds_segment_byte_size = 0;
  uint64_t kernarg_segment_byte_size = 0;
  uint32_t workgroup_fbarrier_count = 0;
  uint16_t wavefront_sgpr_count = 0;
  uint16_t workitem_vgpr_count = 0;
  uint16_t reserved_vgpr_first = 0;
  uint16_t reserved_vgpr_count = 0;
  uint16_t reserved_sgpr_first = 0;
  uint16_t reserved_sgpr_count = 0;
  uint16_t debug_wavefront_private_segment_offset_sgpr = 0;
  uint16_t debug_private_segment_buffer_sgpr = 0;
  uint8_t kernarg_segment_alignment = 4;  ///< log2, as the three below
  uint8_t group_segment_alignment = 4;
  uint8_t private_segment_alignment = 4;
  uint8_t wavefront_size = 6;
  uint32_t call_convention = 0xffffffff;
  uint8_t reserved[12] = {};
  uint64_t runtime_loader_kernel_symbol = 0;
  uint8_t control_directive[128] = {};
};
static_assert(sizeof(AmdKernelCode) == 256, "layout");
static_assert(offsetof(AmdKernelCode, compute_pgm_rsrc1) == 48, "layout");
static_assert(offsetof(AmdKernelCode, kernarg_segment_byte_size) == 72, "layout");
static_assert(offsetof(AmdKernelCode, runtime_loader_kernel_symbol) == 120, "layout");

/// Positions inside kernel_code_properties of amd_kernel_code_t.
constexpr unsigned kPropertyOrderedAppendGds = 16;
constexpr unsigned kPropertyPrivateElementSize = 17;  ///< 2 bits
constexpr unsigned kPropertyIsPtr64 = 19;
constexpr unsigned kPropertyIsDynamicCallstack = 20;
constexpr unsigned kPropertyIsDebugEnabled = 21;
constexpr unsigned kPropertyIsXnackEnabled = 22;

/// Fills everything of KernelInfo that the object at `address` says. Errors: other major version or
/// machine kind, machine version of another processor, reserved bits, wave size other than 64,
/// ordered append, misaligned entry.
base::Result<KernelInfo> decode_kernel_code(const AmdKernelCode& code, uint64_t address,
                                            const TargetId& target);

/// The other way: the object of a kernel of gfx900 or gfx906 that has a descriptor. The code
/// follows the object.
AmdKernelCode encode_kernel_code(const KernelDescriptor& descriptor, const KernelMetadata& metadata,
                                 const TargetId& target);

}  // namespace cuvette::hsa
