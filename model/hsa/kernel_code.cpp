// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/kernel_code.h"

#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "base/bits.h"

namespace cuvette::hsa {
namespace {

constexpr uint32_t kCodePropertiesReserved = 0xff80fc00;  // bits 463:458 and 479:471 of the object
constexpr uint8_t kMaxAlignmentLog2 = 16;

base::Error wrong(const char* field, uint64_t value, const std::string& expected) {
  return base::Error(
      fmt::format("amd_kernel_code_t: {} is {:#x}, expected {}", field, value, expected));
}

base::Status check(const AmdKernelCode& c, const TargetId& target) {
  if (c.amd_code_version_major != 1) {
    return wrong("amd_code_version_major", c.amd_code_version_major, "1");
  }
  if (c.amd_machine_kind != static_cast<uint16_t>(MachineKind::Amdgpu))
    return wrong("amd_machine_kind", c.amd_machine_kind, "1 (AMDGPU)");
  auto machine = target_from_isa_version(c.amd_machine_version_major, c.amd_machine_version_minor,
                                         c.amd_machine_version_stepping);
  if (!machine) return machine.error();
  if (machine->processor != target.processor) {
    return wrong("amd_machine_version_stepping", c.amd_machine_version_stepping,
                 facts(target.processor).name);
  }
  if (c.wavefront_size != 6) return wrong("wavefront_size", c.wavefront_size, "6 (64 lanes)");
  if ((c.compute_pgm_rsrc1 & kRsrc1Reserved) != 0) {
    return wrong("compute_pgm_rsrc1", c.compute_pgm_rsrc1, "bits 31:27 to be 0");
  }
  if ((c.compute_pgm_rsrc2 & kRsrc2Reserved) != 0) {
    return wrong("compute_pgm_rsrc2", c.compute_pgm_rsrc2, "bit 31 to be 0");
  }
  if ((c.kernel_code_properties & kCodePropertiesReserved) != 0) {
    return wrong("kernel_code_properties", c.kernel_code_properties, "reserved bits to be 0");
  }
  if (base::bit(c.kernel_code_properties, kPropertyOrderedAppendGds)) {
    return base::Error("amd_kernel_code_t: ordered append (GDS) is unsupported");
  }
  if (c.kernarg_segment_alignment > kMaxAlignmentLog2) {
    return wrong("kernarg_segment_alignment", c.kernarg_segment_alignment, "at most 16 (log2)");
  }
  if (c.kernarg_segment_byte_size > std::numeric_limits<uint32_t>::max()) {
    return wrong("kernarg_segment_byte_size", c.kernarg_segment_byte_size, "less than 4 GiB");
  }
  return {};
}

}  // namespace

base::Result<KernelInfo> decode_kernel_code(const AmdKernelCode& c, uint64_t address,
                                            const TargetId& target) {
  if (auto status = check(c, target); !status) return status.error();
  KernelInfo info;
  info.target = target;
  info.code_object = 2;
  info.descriptor = address;
  info.entry = address + static_cast<uint64_t>(c.kernel_code_entry_byte_offset);
  if (info.entry % 256 != 0) {
    return wrong("kernel_code_entry_byte_offset",
                 static_cast<uint64_t>(c.kernel_code_entry_byte_offset), "256-byte alignment");
  }
  info.group_bytes = c.workgroup_group_segment_byte_size;
  info.private_bytes = c.workitem_private_segment_byte_size;
  info.kernarg_bytes = static_cast<uint32_t>(c.kernarg_segment_byte_size);
  info.kernarg_alignment = uint32_t{1} << c.kernarg_segment_alignment;
  info.gds_bytes = c.gds_segment_byte_size;
  info.dynamic_stack = base::bit(c.kernel_code_properties, kPropertyIsDynamicCallstack);
  info.rsrc1 = decode_rsrc1(c.compute_pgm_rsrc1);
  info.rsrc2 = decode_rsrc2(c.compute_pgm_rsrc2);
  info.user_sgprs = decode_user_sgprs(c.kernel_code_properties);
  if (auto status = set_register_counts(info); !status) return status.error();
  return info;
}

AmdKernelCode encode_kernel_code(const KernelDescriptor& d, const KernelMetadata& m,
                                 const TargetId& target) {
  constexpr uint32_t kUserSgprEnables = 0x7f;  // the same bits in both forms
  constexpr unsigned kUsesDynamicStack = 11;   // of the descriptor's properties
  constexpr uint32_t kElementOf4Bytes = 1;
  const ProcessorFacts& processor = facts(target.processor);
  const bool xnack = target.xnack == Feature::On;
  AmdKernelCode c;
  c.amd_code_version_minor = 2;
  c.amd_machine_version_major = processor.isa_major;
  c.amd_machine_version_minor = processor.isa_minor;
  c.amd_machine_version_stepping = isa_stepping(target);
  c.compute_pgm_rsrc1 = d.compute_pgm_rsrc1;
  c.compute_pgm_rsrc2 = d.compute_pgm_rsrc2;
  c.kernel_code_properties =
      (d.kernel_code_properties & kUserSgprEnables) |
      kElementOf4Bytes << kPropertyPrivateElementSize | 1u << kPropertyIsPtr64 |
      uint32_t{base::bit(d.kernel_code_properties, kUsesDynamicStack) || m.uses_dynamic_stack}
          << kPropertyIsDynamicCallstack |
      uint32_t{xnack} << kPropertyIsXnackEnabled;
  c.workitem_private_segment_byte_size = d.private_segment_fixed_size;
  c.workgroup_group_segment_byte_size = d.group_segment_fixed_size;
  c.kernarg_segment_byte_size = d.kernarg_size;
  c.wavefront_sgpr_count = static_cast<uint16_t>(m.sgpr_count);
  c.workitem_vgpr_count = static_cast<uint16_t>(m.vgpr_count);
  // Never below 16 bytes.
  const auto alignment = static_cast<uint64_t>(std::max<uint64_t>(m.kernarg_alignment, 16));
  c.kernarg_segment_alignment = static_cast<uint8_t>(std::bit_width(alignment) - 1);
  return c;
}

}  // namespace cuvette::hsa
