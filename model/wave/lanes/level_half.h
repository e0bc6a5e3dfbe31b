// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <type_traits>

#include "wave/lanes/level_convert.h"

#if CUVETTE_VECTOR_BYTES > 16

// Loops over the lanes of a level for F16 arithmetic by way of F32. Lanes whose sources and result
// are zeros or normal numbers are the host's: what F32 rounds first has more than twice the bits of
// an F16 and two more, so that the second rounding gives the bits of one, and in them no flag but
// inexact can be raised. Other lanes are done over by the row's lane function.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

/// Lanes that are the host's: enabled ones, until a number of theirs is not ordinary.
class OrdinaryLanes {
 public:
  CUVETTE_INLINE OrdinaryLanes(uint64_t exec, unsigned part)
      : lanes_(mask_of(exec, part * kWidth)) {}
  /// An F16 in the low half of each lane as F32.
  CUVETTE_INLINE Bits widen(Bits half) {
    const Bits magnitude = half & 0x7fff;
    const Mask nonzero = mask_from(magnitude != 0);
    lanes_ &= mask_from(magnitude - 0x0400 < 0x7800) | ~nonzero;
    return keep(nonzero, (magnitude << 13) + 0x38000000) | ((half & 0x8000) << 16);
  }
  /// F32 rounded to F16, in the low half of each lane.
  CUVETTE_INLINE Bits narrow(Bits x) {
    constexpr uint32_t kLeast = 0x38800000, kLargest = 0x477fe000;
    const Bits magnitude = x & 0x7fffffff;
    lanes_ &= mask_from(magnitude - kLeast <= kLargest - kLeast) | mask_from(magnitude == 0);
    return half_of(of(x));
  }
  /// Takes back lanes with a NaN; true if there are any.
  CUVETTE_INLINE bool leave_nans(Bits x) {
    const Mask before = lanes_;
    lanes_ &= mask_from((x & 0x7fffffff) <= 0x7f800000);
    return lanes_of(before) != lanes_of(lanes_);
  }
  /// Takes back lanes with a subnormal F32.
  CUVETTE_INLINE void leave_subnormal(Bits x) {
    lanes_ &= mask_from((x & 0x7fffffff) - 1 >= 0x007fffff);
  }
  /// Zero in all other lanes, so that they raise nothing.
  CUVETTE_INLINE Bits of(Bits x) const { return keep(lanes_, x); }
  CUVETTE_INLINE uint64_t mask() const { return lanes_of(lanes_); }

 private:
  template <class Compared>
  CUVETTE_INLINE static Mask mask_from(Compared compared) {
#if CUVETTE_VECTOR_BYTES == 64
    return _mm512_movepi32_mask(as<__m512i>(compared));
#else
    return as<Mask>(compared);
#endif
  }

  Mask lanes_;
};

// Operations on F16 that have been widened: of(lanes, sources...).
template <class Op>
struct HalfBy {
  CUVETTE_INLINE static Bits of(OrdinaryLanes&, Bits a, Bits b) {
    return as<Bits>(Op::of(as<Floats>(a), as<Floats>(b)));
  }
};
/// Two roundings.
struct HalfMad {
  CUVETTE_INLINE static Bits of(OrdinaryLanes& lanes, Bits a, Bits b, Bits c) {
    const Bits product = lanes.widen(lanes.narrow(as<Bits>(as<Floats>(a) * as<Floats>(b))));
    return as<Bits>(as<Floats>(lanes.of(product)) + as<Floats>(lanes.of(c)));
  }
};
/// In F64, where the product is exact and the sum is, too, or has a last place far below the F16's;
/// then to F32 by rounding to odd.
struct HalfFma {
  CUVETTE_INLINE static HalfFloats rounded_to_odd(HalfFloats a, HalfFloats b, HalfFloats c) {
    constexpr uint64_t kBelow = 0x1fffffff;  // the last place of an F32
    const Doubles sum = __builtin_convertvector(a, Doubles) * __builtin_convertvector(b, Doubles) +
                        __builtin_convertvector(c, Doubles);
    const auto bits = as<Wide>(sum);
    const Wide sticky = ((bits & kBelow) + kBelow) & (kBelow + 1);
    return __builtin_convertvector(as<Doubles>((bits & ~kBelow) | sticky), HalfFloats);
  }
  CUVETTE_INLINE static Bits of(OrdinaryLanes&, Bits a, Bits b, Bits c) {
    HalfFloats x[3][2];
    const Bits sources[3] = {a, b, c};
    std::memcpy(x, sources, sizeof x);
    const HalfFloats sums[2] = {rounded_to_odd(x[0][0], x[1][0], x[2][0]),
                                rounded_to_odd(x[0][1], x[1][1], x[2][1])};
    Bits d;
    std::memcpy(&d, sums, sizeof d);
    return d;
  }
};
/// By the order of integers, -0 below +0.
template <bool Max>
struct HalfExtreme {
  CUVETTE_INLINE static Signed ordered(Bits x) {
    return as<Signed>(x) ^ ((as<Signed>(x) >> 31) & 0x7fffffff);
  }
  CUVETTE_INLINE static Bits of(OrdinaryLanes&, Bits a, Bits b) {
    const Signed x = ordered(a), y = ordered(b);
    const auto first = as<Signed>(Max ? x > y : x < y);
    return as<Bits>((as<Signed>(a) & first) | (as<Signed>(b) & ~first));
  }
};

/// An F16 of a register, in the low half of each lane.
struct HalfSource {
  unsigned shift = 0;  ///< 16: the high half
  uint32_t keep = ~0u, flip = 0;
  CUVETTE_INLINE Bits of(Bits x) const { return ((x >> shift) & keep) ^ flip; }
};

template <class Op, unsigned N>
CUVETTE_INLINE Bits half_result(OrdinaryLanes& lanes, const Bits (&half)[N]) {
  Bits x[N];
  CUVETTE_UNROLL
  for (unsigned s = 0; s < N; ++s) x[s] = lanes.widen(half[s]);
  CUVETTE_UNROLL
  for (unsigned s = 0; s < N; ++s) x[s] = lanes.of(x[s]);
  if constexpr (N == 2) return lanes.narrow(Op::of(lanes, x[0], x[1]));
  if constexpr (N == 3) return lanes.narrow(Op::of(lanes, x[0], x[1], x[2]));
}

/// Results of the lanes of `good` from `d`; those of other lanes by `soft`.
CUVETTE_INLINE void put_halves(const LaneOp& op, LaneResult& result, uint64_t good,
                               const uint32_t* d, SoftRow soft) {
  const uint64_t over = op.exec & ~good;
  if (over != 0) [[unlikely]] {
    return do_over(op, result, over, d, nullptr, soft);
  }
  put_row(op, result.dst[0], d);
}

/// An F16 in the low half of a register of sources `low`; Both: one in the high half, too, of
/// sources `high`.
template <class Op, bool Both, OtherHalf Other, unsigned N>
CUVETTE_INLINE void half_rows(const LaneOp& op, LaneResult& result, const uint32_t* const (&row)[N],
                              const HalfSource (&low)[N], const HalfSource (&high)[N],
                              SoftRow soft) {
  alignas(64) uint32_t d[kLanes];
  uint64_t good = 0;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    OrdinaryLanes lanes(op.exec, part);
    Bits lows[N], highs[N];
    for (unsigned s = 0; s < N; ++s) {
      const Bits x = load(row[s] + part * kWidth);
      lows[s] = low[s].of(x);
      highs[s] = high[s].of(x);
    }
    Bits value = half_result<Op, N>(lanes, lows);
    if (Both) value |= half_result<Op, N>(lanes, highs) << 16;
    if (Other == OtherHalf::Keep) value |= load(result.dst[0] + part * kWidth) & 0xffff0000;
    store(d + part * kWidth, value);
    good |= lanes.mask() << (part * kWidth);
  }
  put_halves(op, result, good, d, soft);
}

/// Both: the high result is of the high halves. Accumulates: the destination is the last source.
template <class Op, unsigned N, bool Accumulates, bool Both, OtherHalf Other, SoftRow Soft>
CUVETTE_LEVEL void half_row(const LaneOp& op, LaneResult& result) {
  const isa::Modifiers& mod = op.instruction->mod;
  const uint32_t* row[N];
  HalfSource low[N], high[N];
  for (unsigned s = 0; s < N; ++s) {
    const bool is_source = !Accumulates || s + 1 < N;
    row[s] = is_source ? op.src[s][0] : result.dst[0];
    const bool abs = is_source && base::bit(mod.abs, s), neg = is_source && base::bit(mod.neg, s);
    low[s] = {0, abs ? ~0x8000u : ~0u, neg ? 0x8000u : 0u};
    high[s] = low[s];
    high[s].shift = 16;
  }
  half_rows<Op, Both, Other>(op, result, row, low, high, Soft);
}

/// VOP3P on F16: the selects pick the half of each source and the sign it has.
template <class Op, unsigned N, SoftRow Soft>
CUVETTE_LEVEL void packed_half_row(const LaneOp& op, LaneResult& result) {
  const isa::Modifiers& mod = op.instruction->mod;
  const auto source = [](unsigned select, unsigned negate, unsigned s) {
    return HalfSource{base::bit(select, s) ? 16u : 0u, ~0u, base::bit(negate, s) ? 0x8000u : 0u};
  };
  const uint32_t* row[N];
  HalfSource low[N], high[N];
  for (unsigned s = 0; s < N; ++s) {
    row[s] = op.src[s][0];
    low[s] = source(mod.op_sel, mod.neg, s);
    high[s] = source(mod.op_sel_hi, mod.neg_hi, s);
  }
  half_rows<Op, true, OtherHalf::Zero>(op, result, row, low, high, Soft);
}

/// D = S0 * S1 + S2 in F32, of sources that are F32 or, by op_sel_hi, the half that op_sel names.
/// NEG_HI means abs.
template <bool Fused, MixResult Where, SoftRow Soft>
CUVETTE_LEVEL void mix_row(const LaneOp& op, LaneResult& result) {
  const isa::Modifiers& mod = op.instruction->mod;
  // One setting of MXCSR for the sum and for its half.
  if (Where != MixResult::F32 && op.mode.env_f32().round != op.mode.env_f16_f64().round) {
    return do_soft(Soft, op, result);
  }
  alignas(64) uint32_t d[kLanes];
  uint64_t good = 0;
  bool invalid = false;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    OrdinaryLanes lanes(op.exec, part);
    Bits x[3];
    for (unsigned s = 0; s < 3; ++s) {
      x[s] = load(op.src[s][0] + part * kWidth);
      if (base::bit(mod.op_sel_hi, s)) {
        x[s] = lanes.widen(x[s] >> (base::bit(mod.op_sel, s) ? 16 : 0));
      }
      if (base::bit(mod.neg_hi, s)) x[s] &= 0x7fffffff;
      if (base::bit(mod.neg, s)) x[s] ^= 0x80000000;
    }
    // With a NaN as the addend fp sees the NaN alone.
    if (!Fused) lanes.leave_nans(x[2]);
    const auto a = as<Floats>(lanes.of(x[0])), b = as<Floats>(lanes.of(x[1]));
    const auto c = as<Floats>(lanes.of(x[2]));
    Bits value = as<Bits>(std::conditional_t<Fused, HostFma, HostMad>::of(a, b, c));
    invalid |= lanes.leave_nans(value);
    if constexpr (Where != MixResult::F32) {
      const Bits half = lanes.narrow(value), old = load(result.dst[0] + part * kWidth);
      value = Where == MixResult::Low ? (old & 0xffff0000) | half : (old & 0xffff) | half << 16;
    }
    store(d + part * kWidth, value);
    good |= lanes.mask() << (part * kWidth);
  }
  if (invalid) drop_invalid();
  put_halves(op, result, good, d, Soft);
}

/// S2 + low * low, then + high * high, each rounded to F32, by the selects of VOP3P; Accumulates:
/// the destination is S2, and abs and neg are those of VOP2.
template <bool Accumulates, SoftRow Soft>
CUVETTE_LEVEL void dot2_row(const LaneOp& op, LaneResult& result) {
  const isa::Modifiers& mod = op.instruction->mod;
  alignas(64) uint32_t d[kLanes];
  uint64_t good = 0;
  bool invalid = false;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    OrdinaryLanes lanes(op.exec, part);
    Bits x[2][2];
    for (unsigned s = 0; s < 2; ++s) {
      const Bits word = load(op.src[s][0] + part * kWidth);
      for (unsigned n = 0; n < 2; ++n) {
        const bool high = Accumulates ? n != 0 : base::bit(n != 0 ? mod.op_sel_hi : mod.op_sel, s);
        Bits half = word >> (high ? 16 : 0);
        if (base::bit(mod.abs, s)) half &= 0x7fff;
        if (base::bit(Accumulates || n == 0 ? mod.neg : mod.neg_hi, s)) half ^= 0x8000;
        x[s][n] = lanes.widen(half);
      }
    }
    Bits sum = load((Accumulates ? result.dst[0] : op.src[2][0]) + part * kWidth);
    if (!Accumulates && base::bit(mod.neg, 2)) sum ^= 0x80000000;
    lanes.leave_subnormal(sum);
    sum = lanes.of(sum);
    for (unsigned n = 0; n < 2; ++n) {
      sum = as<Bits>(HostFma::of(as<Floats>(lanes.of(x[0][n])), as<Floats>(lanes.of(x[1][n])),
                                 as<Floats>(sum)));
    }
    invalid |= lanes.leave_nans(sum);
    store(d + part * kWidth, sum);
    good |= lanes.mask() << (part * kWidth);
  }
  if (invalid) drop_invalid();
  put_halves(op, result, good, d, Soft);
}

/// The level's rows of mixed precision.
template <LaneHandler Handler, HostMode Mode>
constexpr Row mixed_row() {
  Row row;
  row.plain = row.edited = level_function<Handler, Mode>;
  row.mode = Mode;
  row.packed = true;
  return row;
}

/// The level's rows for F16 operations.
template <class Op, unsigned N, bool Accumulates, bool Both, OtherHalf Other, SoftRow Soft>
constexpr Row host_half_row() {
  Row row;
  row.plain = row.edited =
      level_function<half_row<Op, N, Accumulates, Both, Other, Soft>, HostMode::F64>;
  row.mode = HostMode::F64;
  return row;
}
template <class Op, unsigned N, SoftRow Soft>
constexpr Row host_packed_half_row() {
  Row row;
  row.plain = level_function<packed_half_row<Op, N, Soft>, HostMode::F64>;
  row.mode = HostMode::F64;
  row.packed = true;
  return row;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME

#endif
