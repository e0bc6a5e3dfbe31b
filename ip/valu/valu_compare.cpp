// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/valu_compare.h"

#include <bit>

namespace cuvette::ip {
namespace {

/// Lanes of `write` that differ, as a mask.
uint16_t different_lanes(const valu::Response& a, const valu::Response& b, uint16_t write) {
  unsigned differ = 0;
  for (unsigned l = 0; l < valu::kLanes; ++l) {
    differ |= static_cast<unsigned>(a.dst[l] != b.dst[l]) << l;
  }
  return static_cast<uint16_t>(differ & write);
}

}  // namespace

std::optional<ValuDifference> compare(const valu::Response& want, const valu::Response& actual,
                                      ValuCounts& counts) {
  ++counts.responses;
  if (actual.id != want.id) {
    return ValuDifference{"id", -1, want.id, actual.id};
  }
  if (actual.beat != want.beat || actual.pass != want.pass) {
    return ValuDifference{"beat", -1, want.beat + 4u * want.pass, actual.beat + 4u * actual.pass};
  }
  ++counts.sampled;
  ++counts.write_sets;
  ++counts.flags;
  if (actual.write != want.write) {
    return ValuDifference{"write", -1, want.write, actual.write};
  }
  if (actual.has_mask != want.has_mask) {
    return ValuDifference{"has_mask", -1, want.has_mask, actual.has_mask};
  }
  if (want.has_mask) {
    ++counts.masks;
    if (actual.mask != want.mask) {
      return ValuDifference{"mask", -1, want.mask, actual.mask};
    }
  }
  counts.lanes += static_cast<unsigned>(std::popcount(want.write));
  if (const uint16_t differ = different_lanes(actual, want, want.write); differ != 0) {
    const int lane = std::countr_zero(differ);
    return ValuDifference{"dst", lane, want.dst[lane], actual.dst[lane]};
  }
  if (actual.flags != want.flags) {
    return ValuDifference{"flags", -1, want.flags, actual.flags};
  }
  return std::nullopt;
}

}  // namespace cuvette::ip
