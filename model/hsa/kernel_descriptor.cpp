// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/kernel_descriptor.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/bits.h"

namespace cuvette::hsa {
namespace {

constexpr uint32_t kRsrc3Fields = 0x0001003f;
constexpr uint16_t kPropertiesReserved = 0xf380;
constexpr unsigned kWave32 = 10;
constexpr unsigned kDynamicStack = 11;

base::Status check_reserved(const KernelDescriptor& d, const ProcessorFacts& processor) {
  const bool padding =
      d.reserved0 == 0 && d.reserved3 == 0 &&
      std::all_of(std::begin(d.reserved1), std::end(d.reserved1), [](uint8_t b) { return b == 0; });
  const uint32_t rsrc3_fields = processor.unified_vgprs ? kRsrc3Fields : 0;
  const struct {
    const char* field;
    bool good;
  } rules[] = {
      {"reserved bytes", padding},
      {"compute_pgm_rsrc1", (d.compute_pgm_rsrc1 & kRsrc1Reserved) == 0},
      {"compute_pgm_rsrc2", (d.compute_pgm_rsrc2 & kRsrc2Reserved) == 0},
      {"compute_pgm_rsrc3", (d.compute_pgm_rsrc3 & ~rsrc3_fields) == 0},
      {"kernel_code_properties", (d.kernel_code_properties & kPropertiesReserved) == 0},
      {"kernarg_preload", d.kernarg_preload == 0 || processor.kernarg_preload},
  };
  for (const auto& rule : rules) {
    if (!rule.good) {
      return base::Error(
          fmt::format("kernel descriptor: {}: reserved bits set, expected 0", rule.field));
    }
  }
  return {};
}

}  // namespace

base::Result<KernelInfo> decode_kernel_descriptor(const KernelDescriptor& d, uint64_t address,
                                                  const TargetId& target) {
  if (auto status = check_reserved(d, facts(target.processor)); !status) return status.error();
  if (base::bit(d.kernel_code_properties, kWave32)) {
    return base::Error("kernel descriptor: wavefront size 32, expected 64");
  }
  KernelInfo info;
  info.target = target;
  info.descriptor = address;
  info.entry = address + static_cast<uint64_t>(d.kernel_code_entry_byte_offset);
  if (info.entry % 256 != 0) {
    return base::Error(fmt::format(
        "kernel descriptor: entry {:#x} from the descriptor, expected 256-byte alignment",
        d.kernel_code_entry_byte_offset));
  }
  info.group_bytes = d.group_segment_fixed_size;
  info.private_bytes = d.private_segment_fixed_size;
  info.kernarg_bytes = d.kernarg_size;
  info.dynamic_stack = base::bit(d.kernel_code_properties, kDynamicStack);
  info.rsrc1 = decode_rsrc1(d.compute_pgm_rsrc1);
  info.rsrc2 = decode_rsrc2(d.compute_pgm_rsrc2);
  info.rsrc3 = decode_rsrc3(d.compute_pgm_rsrc3);
  info.user_sgprs = decode_user_sgprs(d.kernel_code_properties);
  decode_kernarg_preload(d.kernarg_preload, info);
  if (auto status = set_register_counts(info); !status) return status.error();
  return info;
}

}  // namespace cuvette::hsa
