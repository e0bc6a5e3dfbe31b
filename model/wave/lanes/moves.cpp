// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "base/mutant.h"
#include "wave/lanes/families.h"
#include "wave/lanes/float_ops.h"

// Moves, selects, packing and lane counts (Vega ISA 12.6, 12.7, 12.9).
namespace cuvette::wave::lanes {
namespace {

using S = isa::SemanticId;

/// The select of whole rows, by blocks like row32.
void select_rows(const LaneOp& op, LaneResult& result) {
  constexpr unsigned kBlock = 16;
  const uint32_t* const a = op.src[0][0];
  const uint32_t* const b = op.src[1][0];
  uint32_t* const dst = result.dst[0];
  for (unsigned first = 0; first < op.lanes; first += kBlock) {
    const auto take_b = static_cast<uint32_t>(op.mask_in >> first);
    const auto enabled = static_cast<uint32_t>(op.exec >> first);
    uint32_t block[kBlock];
    for (unsigned n = 0; n < kBlock; ++n) {
      const uint32_t value = (take_b & (1u << n)) != 0 ? b[first + n] : a[first + n];
      block[n] = (enabled & (1u << n)) != 0 ? value : dst[first + n];
    }
    for (unsigned n = 0; n < kBlock; ++n) dst[first + n] = block[n];
  }
}

/// abs and neg of V_CNDMASK are sign-bit edits of the selected operand.
void cndmask(const LaneOp& op, LaneResult& result) {
  const isa::Modifiers& mod = op.instruction->mod;
  if (!is_sdwa(op) && mod.abs == 0 && mod.neg == 0 && op.lanes % 16 == 0) {
    select_rows(op, result);
    return;
  }
  const FloatSources in(op);
  Sink out(op, result);
  for_active(op, [&](unsigned lane) {
    out.b32(lane, in.get<F32>(base::bit(op.mask_in, lane) ? 1 : 0, lane));
  });
}

void mov_b64(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  each64(op, result, [&](unsigned lane) { return in.b64(0, lane); });
}

/// S1 plus the ones of S0 at lanes below this one; `Base` is the first lane S0 stands for.
template <unsigned Base>
void mbcnt(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  Sink out(op, result);
  for_active(op, [&](unsigned lane) {
    const uint64_t below = base::low_mask(CUVETTE_SEMANTIC_MUTANT(46, op.first_lane + lane,
                                                                  op.first_lane + lane + 1)) >>
                           Base;
    const uint32_t ones = in.b32(0, lane) & base::lo32(below);
    out.b32(lane, in.b32(1, lane) + static_cast<uint32_t>(std::popcount(ones)));
  });
}

void pack_f16(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  Sink out(op, result);
  for_active(op, [&](unsigned lane) {
    const uint32_t lo = in.get<F16>(0, lane);
    const uint32_t hi = in.get<F16>(1, lane);
    out.b32(lane, lo | (hi << 16));
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
    {S::v_mov_b64, mov_b64},
    {S::v_cndmask_b32, cndmask},
    {S::v_mbcnt_lo_u32_b32, mbcnt<0>},
    {S::v_mbcnt_hi_u32_b32, mbcnt<32>},
    {S::v_pack_b32_f16, pack_f16},
    {S::v_screen_partition_4se_b32, row32<1, screen_partition>},
};

}  // namespace

EntryList moves() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes
