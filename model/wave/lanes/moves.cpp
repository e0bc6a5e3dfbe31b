// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "wave/lanes/families.h"
#include "wave/lanes/float_ops.h"

// Moves, selects, packing and lane counts (Vega ISA 12.6, 12.7, 12.9).
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using S = isa::SemanticId;

/// abs and neg of V_CNDMASK are sign-bit edits of the selected operand.
CUVETTE_LEVEL void cndmask(const LaneOp& op, LaneResult& result) {
#if CUVETTE_LANES_LEVEL == 0
  const FloatSources in(op);
  each32(op, result,
         [&](unsigned lane) { return in.get<F32>(base::bit(op.mask_in, lane) ? 1 : 0, lane); });
#else
  Bits d[kParts];
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const unsigned first = part * kWidth;
    d[part] =
        blend(mask_of(op.mask_in, first), load(op.src[0][0] + first), load(op.src[1][0] + first));
  }
  put_parts(op, result.dst[0], d);
#endif
}

CUVETTE_LEVEL void mov_b64(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  each64(op, result, [&](unsigned lane) { return in.b64(0, lane); });
}

/// S1 plus the ones of S0 at lanes below this one; `Base` is the first lane S0 stands for.
template <unsigned Base>
CUVETTE_LEVEL void mbcnt(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  each32(op, result, [&](unsigned lane) {
    const uint64_t below = base::low_mask(op.first_lane + lane) >> Base;
    const uint32_t ones = in.b32(0, lane) & base::lo32(below);
    return in.b32(1, lane) + static_cast<uint32_t>(std::popcount(ones));
  });
}

CUVETTE_LEVEL void pack_f16(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  each32(op, result, [&](unsigned lane) {
    const uint32_t lo = in.get<F16>(0, lane);
    const uint32_t hi = in.get<F16>(1, lane);
    return lo | (hi << 16);
  });
}

/// The shader engines that 32-pixel tiles of a rectangle fall on (Vega ISA 12.7 row 55). S0 holds
/// {x_min, y_min, x_max, y_max}, two tile bits each; ranges wrap.
uint32_t screen_partition(uint32_t select) {
  const auto tile = [&](unsigned n) { return (select >> (2 * n)) & 3; };
  const uint32_t x_min = tile(3), y_min = tile(2), x_max = tile(1), y_max = tile(0);
  uint32_t mask = 0;
  for (uint32_t x = 0; x <= ((x_max - x_min) & 3); ++x) {
    for (uint32_t y = 0; y <= ((y_max - y_min) & 3); ++y) {
      const uint32_t tx = (x_min + x) & 3;
      const uint32_t ty = (y_min + y) & 3;
      const uint32_t engine = (((tx & 1) ^ (ty >> 1)) << 1) | ((ty & 1) ^ (tx >> 1));
      mask |= 1u << engine;
    }
  }
  return mask;
}

constexpr Entry kEntries[] = {
    {S::v_mov_b32, row32<1, [](uint32_t a) { return a; }>},
    {S::v_mov_b64, lane_row<mov_b64>},
    {S::v_cndmask_b32, lane_row<cndmask>},
    {S::v_mbcnt_lo_u32_b32, lane_row<mbcnt<0>>},
    {S::v_mbcnt_hi_u32_b32, lane_row<mbcnt<32>>},
    {S::v_pack_b32_f16, lane_row<pack_f16>},
    {S::v_screen_partition_4se_b32, row32<1, screen_partition>},
};

}  // namespace

EntryList moves() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
