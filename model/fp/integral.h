// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "fp/arith.h"

// Integral values in floating point, fractions, exponents and significands.
namespace cuvette::fp {

/// `x` rounded to an integral value in the given direction. The sign stays also for zero; only a
/// signaling NaN raises anything (HSAIL PRM 5.11: no inexact).
template <class F>
constexpr BitsOf<F> round_to_integral(BitsOf<F> x, Round round, Env& env) {
  x = take_operand<F>(x, env);
  if (is_nan<F>(x)) return propagate_nan<F>(env, x);
  if (is_infinity<F>(x)) return x;
  const Finite v = decode<F>(x);
  if (v.significand == 0 || v.exponent >= 0) return x;
  bool ignored = false;
  const uint64_t integer =
      detail::shift_right_round(v.significand, -v.exponent, round, v.sign, ignored);
  if (integer == 0) return zero<F>(v.sign);
  return round_pack<F>(v.sign, 0, integer, env);  // exact: below 2^kPrecision
}

template <class F>
constexpr BitsOf<F> trunc(BitsOf<F> x, Env& env) {
  return round_to_integral<F>(x, Round::Zero, env);
}
template <class F>
constexpr BitsOf<F> ceil(BitsOf<F> x, Env& env) {
  return round_to_integral<F>(x, Round::PlusInf, env);
}
template <class F>
constexpr BitsOf<F> floor(BitsOf<F> x, Env& env) {
  return round_to_integral<F>(x, Round::MinusInf, env);
}
template <class F>
constexpr BitsOf<F> rndne(BitsOf<F> x, Env& env) {
  return round_to_integral<F>(x, Round::NearestEven, env);
}

namespace detail {

/// x - floor(x) rounded, but below one; `x` is finite and already taken as an operand.
template <class F>
constexpr BitsOf<F> finite_fract(BitsOf<F> x, Env& env) {
  Env inner = env;  // the floor is exact and its flags are none
  inner.flush_in = false;
  const BitsOf<F> whole = round_to_integral<F>(x, Round::MinusInf, inner);
  const BitsOf<F> part = add_taken<F>(x, static_cast<BitsOf<F>>(whole ^ F::kSignBit), env);
  return part >= F::kOne && !sign_of<F>(part) ? static_cast<BitsOf<F>>(F::kOne - 1) : part;
}

}  // namespace detail

/// V_FRACT (Vega ISA VOP1 row 27): x - floor(x), held below one. Infinities are invalid, and -0
/// gives the sum of two opposite zeros.
template <class F>
constexpr BitsOf<F> fract(BitsOf<F> x, Env& env) {
  x = take_operand<F>(x, env);
  if (is_nan<F>(x)) return propagate_nan<F>(env, x);
  if (is_infinity<F>(x)) return invalid_result<F>(env);
  return detail::finite_fract<F>(x, env);
}

/// HSAIL fract (HSAIL PRM 5.11.2): zeros give themselves, infinities a zero of their sign.
template <class F>
constexpr BitsOf<F> fract_hsail(BitsOf<F> x, Env& env) {
  x = take_operand<F>(x, env);
  if (is_nan<F>(x)) return propagate_nan<F>(env, x);
  if (is_zero<F>(x) || is_infinity<F>(x)) return zero<F>(sign_of<F>(x));
  return detail::finite_fract<F>(x, env);
}

/// x * 2^exponent with one rounding.
template <class F>
constexpr BitsOf<F> ldexp(BitsOf<F> x, int32_t exponent, Env& env) {
  x = take_operand<F>(x, env);
  if (is_nan<F>(x)) return propagate_nan<F>(env, x);
  if (is_infinity<F>(x) || is_zero<F>(x)) return x;
  const Finite v = decode<F>(x);
  constexpr int kEnough = 8192;  // beyond the whole range of every format
  const int by = std::clamp(exponent, -kEnough, kEnough);
  return round_pack<F>(v.sign, v.exponent + by, v.significand, env);
}

/// The significand in +-[0.5, 1); zeros and infinities return themselves, NaN quieted.
template <class F>
constexpr BitsOf<F> frexp_mant(BitsOf<F> x, Env& env) {
  x = take_operand<F>(x, env);
  if (is_nan<F>(x)) return propagate_nan<F>(env, x);
  if (is_infinity<F>(x) || is_zero<F>(x)) return x;
  const Finite v = decode<F>(x);
  return round_pack<F>(v.sign, -1 - detail::top_bit(v.significand), v.significand, env);
}

/// The exponent e with x = frexp_mant(x) * 2^e; 0 for zero, infinity and NaN.
template <class F>
constexpr int32_t frexp_exp(BitsOf<F> x, Env& env) {
  x = take_operand<F>(x, env);
  if (is_nan<F>(x) || is_infinity<F>(x) || is_zero<F>(x)) {
    if (is_signaling<F>(x)) raise(env, kInvalid);
    return 0;
  }
  const Finite v = decode<F>(x);
  return v.exponent + detail::top_bit(v.significand) + 1;
}

}  // namespace cuvette::fp
