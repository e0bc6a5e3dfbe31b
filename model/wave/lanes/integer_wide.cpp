// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "wave/lanes/families.h"
#include "wave/lanes/integer_ops.h"

// Multiplies, 24-bit operands, carries and 64-bit integers (Vega ISA 12.6, 12.9).
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using S = isa::SemanticId;
__extension__ using Int128 = __int128;

/// Vega ISA leaves the sign extension out of the I24 rows (isa_notes erratum 4).
int64_t i24(uint32_t v) {
  return base::sign_extend(v & 0xffffff, 24);
}
uint64_t u24(uint32_t v) {
  return v & 0xffffff;
}

uint32_t mad_i24(uint32_t a, uint32_t b, uint32_t c) {
  return as_u32(i24(a) * i24(b)) + c;
}
uint32_t mad_i24_sat(uint32_t a, uint32_t b, uint32_t c) {
  return static_cast<uint32_t>(saturate<int32_t>(i24(a) * i24(b) + as_i32(c)));
}
uint32_t mad_u24(uint32_t a, uint32_t b, uint32_t c) {
  return base::lo32(u24(a) * u24(b) + c);
}
uint32_t mad_u24_sat(uint32_t a, uint32_t b, uint32_t c) {
  return saturate<uint32_t>(static_cast<int64_t>(u24(a) * u24(b) + c));
}

/// A sum or difference of 32-bit words as an exact value: carry or borrow is what leaves 0..2^32-1.
using CarryFn = int64_t (*)(int64_t a, int64_t b, int64_t carry);

constexpr CarryFn kAdd = [](int64_t a, int64_t b, int64_t c) { return a + b + c; };
constexpr CarryFn kSub = [](int64_t a, int64_t b, int64_t c) { return a - b - c; };
constexpr CarryFn kSubrev = [](int64_t a, int64_t b, int64_t c) { return b - a - c; };

/// The same in 32 bits, of which a vector has twice as many.
template <CarryFn Fn>
Marked<uint32_t> in_words(uint32_t a, uint32_t b, uint32_t carry) {
  if (Fn == kSubrev) std::swap(a, b);
  if (Fn == kAdd) {
    const uint32_t sum = a + b, d = sum + carry;
    return {d, (sum < a) != (d < sum)};
  }
  const uint32_t difference = a - b, d = difference - carry;
  return {d, (a < b) != (difference < carry)};
}

template <CarryFn Fn, bool CarryIn>
CUVETTE_LEVEL void row_carry(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  const MaskBits carries(CarryIn ? op.mask_in : 0);
  const bool clamp = clamps(op);
  each_marked32(op, result, [&](unsigned lane) -> Marked<uint32_t> {
    const uint32_t carry = carries.at(lane);
    const uint32_t a = in.b32(0, lane), b = in.b32(1, lane);
    if constexpr (CUVETTE_LANES_LEVEL != 0) return in_words<Fn>(a, b, carry);
    const int64_t exact = Fn(a, b, carry);
    const bool leaves = exact < 0 || exact > int64_t{0xffffffff};
    return {clamp ? saturate<uint32_t>(exact) : as_u32(exact), leaves};
  });
}
template <CarryFn Fn, bool CarryIn>
constexpr Row kCarry = lane_row<row_carry<Fn, CarryIn>>;

/// The carry out is bit 64 of the 65-bit sum.
CUVETTE_LEVEL void mad_u64_u32(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  const bool clamp = clamps(op);
  each_marked64(op, result, [&](unsigned lane) -> Marked<uint64_t> {
    const uint64_t product = uint64_t{in.b32(0, lane)} * in.b32(1, lane);
    const uint64_t sum = product + in.b64(2, lane);
    const bool carry = sum < product;
    return {clamp && carry ? ~uint64_t{0} : sum, carry};
  });
}

/// The same of signed numbers: bit 64 is the sign of the exact sum.
CUVETTE_LEVEL void mad_i64_i32(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  const bool clamp = clamps(op);
  each_marked64(op, result, [&](unsigned lane) -> Marked<uint64_t> {
    const int64_t product = int64_t{as_i32(in.b32(0, lane))} * as_i32(in.b32(1, lane));
    if constexpr (CUVETTE_LANES_LEVEL != 0) {
      const auto a = static_cast<uint64_t>(product);
      const uint64_t b = in.b64(2, lane), wrapped = a + b;
      // The sign of the wrapped sum, turned around where it has overflowed.
      return {wrapped, (wrapped ^ ((a ^ wrapped) & (b ^ wrapped))) >> 63 != 0};
    }
    const Int128 sum = Int128{product} + static_cast<int64_t>(in.b64(2, lane));
    constexpr Int128 kMin = std::numeric_limits<int64_t>::min();
    constexpr Int128 kMax = std::numeric_limits<int64_t>::max();
    return {static_cast<uint64_t>(clamp ? std::clamp<Int128>(sum, kMin, kMax) : sum), sum < 0};
  });
}

using Shift64 = uint64_t (*)(uint64_t value, unsigned count);

template <Shift64 Fn>
CUVETTE_LEVEL void shift64_rev(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  each64(op, result, [&](unsigned lane) { return Fn(in.b64(1, lane), in.b32(0, lane) & 63); });
}

/// gfx942: (S0 << S1[2:0]) + S2. The assembler of this row allows shifts up to 4; larger ones act
/// as the three bits say.
CUVETTE_LEVEL void lshl_add_u64(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  each64(op, result, [&](unsigned lane) {
    return (in.b64(0, lane) << (in.b32(1, lane) & 7)) + in.b64(2, lane);
  });
}

constexpr Entry kEntries[] = {
    {S::v_mul_i32_i24,
     row32_clamp<2, [](uint32_t a, uint32_t b) { return as_u32(i24(a) * i24(b)); },
                 [](uint32_t a, uint32_t b) { return mad_i24_sat(a, b, 0); }>},
    {S::v_mul_hi_i32_i24,
     row32<2, [](uint32_t a, uint32_t b) { return as_u32((i24(a) * i24(b)) >> 32); }>},
    {S::v_mul_u32_u24,
     row32_clamp<2, [](uint32_t a, uint32_t b) { return base::lo32(u24(a) * u24(b)); },
                 [](uint32_t a, uint32_t b) { return mad_u24_sat(a, b, 0); }>},
    {S::v_mul_hi_u32_u24,
     row32<2, [](uint32_t a, uint32_t b) { return base::hi32(u24(a) * u24(b)); }>},
    {S::v_mad_i32_i24, row32_clamp<3, mad_i24, mad_i24_sat>},
    {S::v_mad_u32_u24, row32_clamp<3, mad_u24, mad_u24_sat>},
    {S::v_mul_lo_u32, row32<2, [](uint32_t a, uint32_t b) { return a * b; }>},
    {S::v_mul_hi_u32, row32<2, [](uint32_t a, uint32_t b) { return base::hi32(uint64_t{a} * b); }>},
    {S::v_mul_hi_i32,
     row32<2,
           [](uint32_t a, uint32_t b) { return as_u32((int64_t{as_i32(a)} * as_i32(b)) >> 32); }>},

    {S::v_add_co_u32, kCarry<kAdd, false>},
    {S::v_sub_co_u32, kCarry<kSub, false>},
    {S::v_subrev_co_u32, kCarry<kSubrev, false>},
    {S::v_addc_co_u32, kCarry<kAdd, true>},
    {S::v_subb_co_u32, kCarry<kSub, true>},
    {S::v_subbrev_co_u32, kCarry<kSubrev, true>},

    {S::v_mad_u64_u32, lane_row<mad_u64_u32>},
    {S::v_mad_i64_i32, lane_row<mad_i64_i32>},
    {S::v_lshlrev_b64, lane_row<shift64_rev<[](uint64_t v, unsigned n) { return v << n; }>>},
    {S::v_lshrrev_b64, lane_row<shift64_rev<[](uint64_t v, unsigned n) { return (v >> n); }>>},
    {S::v_ashrrev_i64, lane_row<shift64_rev<[](uint64_t v, unsigned n) {
       return static_cast<uint64_t>(static_cast<int64_t>(v) >> n);
     }>>},
    {S::v_lshl_add_u64, lane_row<lshl_add_u64>},
};

}  // namespace

EntryList integer_wide() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
