// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fp/reciprocal.h"
#include "fp/transcendental_tables.h"

// V_EXP, V_LOG, V_SIN and V_COS for F16 and F32 (Vega ISA VOP1 rows 32, 33, 41, 42, 64, 65, 73 to
// 76). The manual bounds the error of exp and log (1 ULP for F32, 0.51 ULP for F16) and lists
// special cases; the bits are this model's, by integer algorithms a circuit can repeat
// (docs/reference/transcendentals.md): status "defined".
namespace cuvette::fp {

namespace detail {

/// Fixed-point arguments count units of 2^-36, as the tables do.
inline constexpr int kPoint = table::kLsbBits;
inline constexpr int kOffsetBits = 30;  ///< fraction bits of the place within a segment

/// The cubic of a segment at `offset` in [0, 2^30); each product is cut down to a multiple of
/// 2^-36.
constexpr int64_t interpolate(const table::Cubic& segment, int64_t offset) {
  int64_t value = segment.c[3];
  for (const int order : {2, 1, 0}) {
    value = segment.c[order] + ((value * offset) >> kOffsetBits);
  }
  return value;
}

/// |x| in units of 2^-36, cut toward zero, for |x| < 2^27.
template <class F>
constexpr uint64_t fixed_magnitude(const Finite& x) {
  const int shift = x.exponent + kPoint;
  if (shift >= 0) return x.significand << shift;
  return shift > -64 ? x.significand >> -shift : 0;
}

/// Index of the leading bit of |x|; x is not zero.
constexpr int leading_exponent(const Finite& x) {
  return top_bit(x.significand) + x.exponent;
}

/// A value that no number of the format equals: one more bit keeps it from looking exact.
constexpr uint64_t inexact(uint64_t value) {
  return value << 1 | 1;
}

}  // namespace detail

/// 2^x. F is F16 or F32.
template <class F>
constexpr BitsOf<F> exp2(BitsOf<F> a, Env& env) {
  using namespace detail;
  a = take_operand<F>(a, env);
  if (is_nan<F>(a)) return propagate_nan<F>(env, a);
  if (is_infinity<F>(a)) return sign_of<F>(a) ? zero<F>(false) : a;
  if (is_zero<F>(a)) return F::kOne;
  const Finite x = decode<F>(a);
  constexpr int kFar = 512;  // 2^x is beyond either end of every format from here on
  if (leading_exponent(x) >= 9)
    return round_pack<F>(false, x.sign ? -kFar : kFar, uint64_t{1}, env);
  const uint64_t magnitude = fixed_magnitude<F>(x);
  const int64_t fixed = x.sign ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
  const auto whole = static_cast<int>(fixed >> kPoint);
  const int64_t fraction = fixed & ((int64_t{1} << kPoint) - 1);
  const bool integer = fraction == 0 && magnitude != 0;  // a magnitude cut to 0 was a tiny number
  if (integer) return round_pack<F>(false, whole, uint64_t{1}, env);
  const int64_t value = interpolate(table::kExp2[fraction >> kOffsetBits],
                                    fraction & ((int64_t{1} << kOffsetBits) - 1));
  return round_pack<F>(false, whole - kPoint - 1, inexact(static_cast<uint64_t>(value)), env);
}

/// log2(x); zeros give -infinity, negative numbers are invalid. F is F16 or F32.
template <class F>
constexpr BitsOf<F> log2(BitsOf<F> a, Env& env) {
  using namespace detail;
  a = take_operand<F>(a, env);
  if (is_nan<F>(a)) return propagate_nan<F>(env, a);
  if (is_zero<F>(a)) {
    raise(env, kDivideByZero);
    return infinity<F>(true);
  }
  if (sign_of<F>(a)) return invalid_result<F>(env);
  if (is_infinity<F>(a)) return a;
  const Finite x = decode<F>(a);
  // x = (1 + t / 2^24) * 2^e with 1 + t / 2^24 in [3/4, 3/2): near one e is 0, so that the result
  // is the product alone and keeps its relative accuracy.
  int e = leading_exponent(x);
  const auto m = static_cast<int64_t>(x.significand << (23 - top_bit(x.significand)));
  int64_t t = 2 * m - (int64_t{1} << 24);
  if (m >= int64_t{3} << 22) {
    t = m - (int64_t{1} << 24);
    ++e;
  }
  if (t == 0) {
    if (e == 0) return zero<F>(false);
    return round_pack<F>(e < 0, 0, static_cast<uint64_t>(e < 0 ? -e : e), env);
  }
  constexpr int kSegmentBits = 18;  // of t below the index
  const int64_t offset = (t & ((int64_t{1} << kSegmentBits) - 1)) << (kOffsetBits - kSegmentBits);
  const int64_t slope = interpolate(table::kLog2[(t >> kSegmentBits) + 16], offset);
  const int64_t product = t * slope;  // units of 2^-60
  constexpr int kCut = 20;
  const int64_t sum = e == 0 ? product : (int64_t{e} << (60 - kCut)) + (product >> kCut);
  const auto magnitude = static_cast<uint64_t>(sum < 0 ? -sum : sum);
  return round_pack<F>(sum < 0, e == 0 ? -61 : -61 + kCut, inexact(magnitude), env);
}

namespace detail {

/// sin(2 pi (x + quarter / 4)); x is finite and not zero.
template <class F>
constexpr BitsOf<F> sine_of_turns(const Finite& x, unsigned quarters, Env& env) {
  constexpr uint64_t kTurn = uint64_t{1} << kPoint;
  constexpr uint64_t kHalf = kTurn / 2;
  constexpr uint64_t kQuarter = kTurn / 4;
  const uint64_t magnitude = fixed_magnitude<F>(x);
  // Cosine is even: the sign of x counts only for the sine.
  const uint64_t phase = (magnitude + quarters * kQuarter) % kTurn;
  const uint64_t half = phase % kHalf;
  const uint64_t fixed = half > kQuarter ? kHalf - half : half;
  const bool sign = (phase >= kHalf) != (x.sign && quarters == 0);
  const int cut = -(x.exponent + kPoint);  // bits that 2^-36 does not reach; at most 24 matter
  const bool exact = cut <= 0 || (cut < 24 && x.significand >> cut << cut == x.significand);
  // A sine of less than 2^-36 turns or so: the argument keeps its own scale.
  const bool own_scale = !exact && quarters == 0;
  const uint64_t q = own_scale ? x.significand : fixed;
  const int scale = own_scale ? x.exponent : -kPoint;
  if (exact && q == 0) return zero<F>(false);
  if (fixed == kQuarter) {
    if (!exact) raise(env, kInexact);
    return with_sign<F>(sign, F::kOne);
  }
  constexpr int kSegmentBits = 28;  // of the argument below the index
  const auto offset =
      static_cast<int64_t>(fixed % (uint64_t{1} << kSegmentBits) << (kOffsetBits - kSegmentBits));
  const auto slope = static_cast<uint64_t>(interpolate(table::kSin[fixed >> kSegmentBits], offset));
  const Uint128 product = Uint128{q} * slope;
  return round_pack<F, Uint128>(sign, scale - kPoint - 1, product << 1 | 1, env);
}

/// Beyond this argument sine is +0 and cosine 1.
template <class F>
constexpr BitsOf<F> kTrigLimit = static_cast<BitsOf<F>>((F::kBias + 8) << F::kFractionBits);

}  // namespace detail

/// sin(2 pi x). F is F16 or F32.
template <class F>
constexpr BitsOf<F> sin_turns(BitsOf<F> a, Env& env) {
  a = take_operand<F>(a, env);
  if (is_nan<F>(a)) return propagate_nan<F>(env, a);
  if (is_infinity<F>(a)) return invalid_result<F>(env);
  if (is_zero<F>(a)) return a;
  if (magnitude<F>(a) > detail::kTrigLimit<F>) return zero<F>(false);
  return detail::sine_of_turns<F>(decode<F>(a), 0, env);
}

/// cos(2 pi x). F is F16 or F32.
template <class F>
constexpr BitsOf<F> cos_turns(BitsOf<F> a, Env& env) {
  a = take_operand<F>(a, env);
  if (is_nan<F>(a)) return propagate_nan<F>(env, a);
  if (is_infinity<F>(a)) return invalid_result<F>(env);
  if (is_zero<F>(a) || magnitude<F>(a) > detail::kTrigLimit<F>) return F::kOne;
  return detail::sine_of_turns<F>(decode<F>(a), 1, env);
}

template <class F>
constexpr BitsOf<F> v_exp(BitsOf<F> a, Env& env) {
  return detail::machine_function<F>(a, env,
                                     [](BitsOf<F> x, Env& inner) { return exp2<F>(x, inner); });
}
template <class F>
constexpr BitsOf<F> v_log(BitsOf<F> a, Env& env) {
  return detail::machine_function<F>(a, env,
                                     [](BitsOf<F> x, Env& inner) { return log2<F>(x, inner); });
}
/// Sine and cosine support subnormals in F32 too, as MODE says.
template <class F>
constexpr BitsOf<F> v_sin(BitsOf<F> a, Env& env) {
  return detail::machine_function_as_mode<F>(
      a, env, [](BitsOf<F> x, Env& inner) { return sin_turns<F>(x, inner); });
}
template <class F>
constexpr BitsOf<F> v_cos(BitsOf<F> a, Env& env) {
  return detail::machine_function_as_mode<F>(
      a, env, [](BitsOf<F> x, Env& inner) { return cos_turns<F>(x, inner); });
}

}  // namespace cuvette::fp
