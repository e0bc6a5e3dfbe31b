// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/dpp.h"

#include "base/bits.h"

namespace cuvette::wave {
namespace {

constexpr unsigned kLaneCount = 64;

int within_row(int row, int position) {
  return position >= 0 && position < 16 ? row + position : kNoLane;
}

}  // namespace

int dpp_source_lane(uint16_t ctrl, unsigned lane) {
  const int n = static_cast<int>(lane);
  const int row = n & 0x30;
  const int position = n & 15;
  const int count = ctrl & 15;
  if (ctrl <= 0xff) return (n & ~3) + ((ctrl >> (2 * (n & 3))) & 3);  // quad_perm
  switch (ctrl & 0x1f0) {
    case 0x100:
      return count == 0 ? kNoLane : within_row(row, position + count);  // row_shl
    case 0x110:
      return count == 0 ? kNoLane : within_row(row, position - count);  // row_shr
    case 0x120:
      return count == 0 ? kNoLane : row + ((position - count) & 15);  // row_ror
    case 0x150:
      return row + count;  // row_newbcast
    default:
      break;
  }
  switch (ctrl) {
    case 0x130:
      return n < 63 ? n + 1 : kNoLane;  // wave_shl
    case 0x134:
      return (n + 1) & 63;  // wave_rol
    case 0x138:
      return n - 1;  // wave_shr
    case 0x13c:
      return (n - 1) & 63;  // wave_ror
    case 0x140:
      return row + 15 - position;  // row_mirror
    case 0x141:
      return (n & ~7) + 7 - (n & 7);  // row_half_mirror
    case 0x142:
      return row - 1;  // row_bcast:15
    case 0x143:
      return n > 31 ? 31 : kNoLane;  // row_bcast:31
    default:
      return kNoLane;
  }
}

uint64_t dpp_selected(const isa::Modifiers& modifiers) {
  uint64_t lanes = 0;
  for (unsigned lane = 0; lane < kLaneCount; ++lane) {
    const bool selected = base::bit(modifiers.dpp_row_mask, lane / 16) &&
                          base::bit(modifiers.dpp_bank_mask, lane % 16 / 4);
    lanes |= uint64_t{selected} << lane;
  }
  return lanes;
}

DppRouting dpp_route(const isa::Modifiers& modifiers, uint64_t exec) {
  DppRouting routing{};
  for (unsigned lane = 0; lane < kLaneCount; ++lane) {
    const int source = dpp_source_lane(modifiers.dpp_ctrl, lane);
    const bool valid = source != kNoLane && base::bit(exec, static_cast<unsigned>(source));
    routing.source[lane] = static_cast<uint8_t>(valid ? source : 0);
    const uint64_t bit = uint64_t{1} << lane;
    if (!valid && modifiers.dpp_bound_ctrl) routing.zero |= bit;
    if (valid || modifiers.dpp_bound_ctrl) routing.work |= bit;
  }
  routing.work &= exec;
  routing.write = dpp_selected(modifiers) & routing.work;
  return routing;
}

}  // namespace cuvette::wave
