// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fp/env.h"
#include "fp/format.h"

// Taking a finite number apart and rounding an exact value into a format: the two ends of every
// operation of this layer.
namespace cuvette::fp {

/// A finite number: (-1)^sign * significand * 2^exponent; significand 0 is zero.
struct Finite {
  bool sign = false;
  int exponent = 0;
  uint64_t significand = 0;
};

/// `x` is no NaN and no infinity.
template <class F>
constexpr Finite decode(BitsOf<F> x) {
  const int field = static_cast<int>(magnitude<F>(x) >> F::kFractionBits);
  const uint64_t fraction = x & F::kFractionMask;
  const int lsb = -F::kBias - F::kFractionBits;
  if (field == 0) return {sign_of<F>(x), 1 + lsb, fraction};
  return {sign_of<F>(x), field + lsb, fraction | uint64_t{F::kMinNormal}};
}

/// An operand as the operation sees it: subnormals flushed, or reported when they are used as such.
template <class F>
constexpr BitsOf<F> take_operand(BitsOf<F> x, Env& env) {
  if (!is_subnormal<F>(x)) [[likely]]
    return x;
  if (env.flush_in) return zero<F>(sign_of<F>(x));
  raise(env, kInputDenormal);
  return x;
}

namespace detail {

template <class W>
constexpr int width_of() {
  return static_cast<int>(sizeof(W) * 8);
}

/// Index of the highest one bit; `x` is not zero.
constexpr int top_bit(uint64_t x) {
  return 63 - std::countl_zero(x);
}
constexpr int top_bit(Uint128 x) {
  const auto hi = static_cast<uint64_t>(x >> 64);
  return hi != 0 ? 64 + top_bit(hi) : top_bit(static_cast<uint64_t>(x));
}

/// x / 2^shift with every lost one bit ored into the lowest bit; shift >= 0.
template <class W>
constexpr W shift_right_sticky(W x, int shift) {
  if (shift == 0) return x;
  if (shift >= width_of<W>()) return x != 0 ? W{1} : W{0};
  const W kept = x >> shift;
  return (kept << shift) != x ? kept | W{1} : kept;
}

/// True if a magnitude whose dropped part is `rest`, `half` being half a unit, goes up by one unit.
template <class W>
constexpr bool rounds_up(Round round, bool sign, bool odd, W rest, W half) {
  switch (round) {
    case Round::NearestEven:
      return rest > half || (rest == half && odd);
    case Round::PlusInf:
      return rest != 0 && !sign;
    case Round::MinusInf:
      return rest != 0 && sign;
    case Round::Zero:
      break;
  }
  return false;
}

/// x / 2^shift (shift >= 1) rounded to an integer; `inexact` is set when something was lost.
template <class W>
constexpr W shift_right_round(W x, int shift, Round round, bool sign, bool& inexact) {
  if (shift >= width_of<W>()) {  // half a unit lies above the word: come down, two bits of it stay
    x = shift_right_sticky(x, shift - width_of<W>() + 2);
    shift = width_of<W>() - 2;
  }
  const W kept = x >> shift;
  const W rest = x - (kept << shift);
  if (rest != 0) inexact = true;
  const bool odd = (kept & W{1}) != 0;
  return kept + (rounds_up<W>(round, sign, odd, rest, W{1} << (shift - 1)) ? W{1} : W{0});
}

template <class F>
constexpr BitsOf<F> overflow(bool sign, Env& env) {
  raise(env, kOverflow | kInexact);
  // FP16_OVFL clamps whatever the rounding mode says; true infinities do not come here.
  const bool small = F::kBits == 8 || (F::kBits == 16 && F::kExponentBits == 5);
  if (small && env.fp16_ovfl) return with_sign<F>(sign, F::kMaxFinite);
  if constexpr (!F::kIeee) return F::kDefaultNan;
  const bool away =
      env.round == Round::NearestEven || env.round == (sign ? Round::MinusInf : Round::PlusInf);
  return with_sign<F>(sign, away ? F::kInfinity : F::kMaxFinite);
}

}  // namespace detail

/// The exact value (-1)^sign * significand * 2^exponent rounded into F by env.round. `significand`
/// is not zero; its lowest bit may be a sticky bit if it has at least kPrecision + 2 bits.
/// Tininess is detected after rounding, with an unbounded exponent (IEEE 754-2008 7.5).
template <class F, class W>
constexpr BitsOf<F> round_pack(bool sign, int exponent, W significand, Env& env) {
  using detail::shift_right_round;
  const int e = exponent + detail::top_bit(significand);  // of the leading bit
  bool tiny = e < F::kMinExponent;
  if (e == F::kMinExponent - 1) {
    // Only here can rounding at full precision carry up to the smallest normal.
    const int drop = e - F::kFractionBits - exponent;
    bool ignored = false;
    if (drop > 0) {
      const W kept = shift_right_round(significand, drop, env.round, sign, ignored);
      tiny = (kept >> F::kPrecision) == 0;
    }
  }
  if (tiny && env.flush_out) {
    raise(env, kUnderflow | kInexact);
    return zero<F>(sign);
  }
  const int scale = e > F::kMinExponent ? e : F::kMinExponent;  // exponent the result is aligned to
  if (scale > F::kMaxExponent) return detail::overflow<F>(sign, env);
  const int drop = scale - F::kFractionBits - exponent;
  bool inexact = false;
  uint64_t kept = 0;
  if (drop <= 0) {
    kept = static_cast<uint64_t>(significand << -drop);
  } else {
    kept = static_cast<uint64_t>(shift_right_round(significand, drop, env.round, sign, inexact));
  }
  // A carry out of the significand moves into the exponent field by itself.
  const uint64_t field = static_cast<uint64_t>(scale + F::kBias - 1);
  const uint64_t packed = (field << F::kFractionBits) + kept;
  if (packed > F::kMaxFinite) return detail::overflow<F>(sign, env);
  if (inexact) raise(env, tiny ? kInexact | kUnderflow : kInexact);
  if (!F::kIeee && packed == 0) return 0;
  return with_sign<F>(sign, static_cast<BitsOf<F>>(packed));
}

/// The NaN an operation returns: the first NaN operand, quieted. Call it when at least one of the
/// operands, given in the order src0, src1, src2, is a NaN. A signaling one raises invalid.
template <class F, class... Operands>
constexpr BitsOf<F> propagate_nan(Env& env, Operands... operands) {
  if ((is_signaling<F>(operands) || ...)) raise(env, kInvalid);
  BitsOf<F> result = F::kDefaultNan;
  // Stops at the first NaN; the value of the fold itself does not matter.
  static_cast<void>(((is_nan<F>(operands) ? (result = quieted<F>(operands), true) : false) || ...));
  return result;
}

/// Invalid operation without a NaN operand.
template <class F>
constexpr BitsOf<F> invalid_result(Env& env) {
  raise(env, kInvalid);
  return F::kDefaultNan;
}

}  // namespace cuvette::fp
