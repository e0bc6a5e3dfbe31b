// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fp/round.h"

// Comparison, minimum and maximum, classification.
namespace cuvette::fp {

enum class Ordering : uint8_t { Less, Equal, Greater, Unordered };

/// Orders two numbers; zeros of both signs are equal. A signaling NaN is invalid, with `signaling`
/// (the CLAMP bit of V_CMP, the signaling HSAIL forms) a quiet one is too.
template <class F>
constexpr Ordering compare(BitsOf<F> a, BitsOf<F> b, Env& env, bool signaling = false) {
  a = take_operand<F>(a, env);
  b = take_operand<F>(b, env);
  if (is_nan<F>(a) || is_nan<F>(b)) {
    if (signaling || is_signaling<F>(a) || is_signaling<F>(b)) raise(env, kInvalid);
    return Ordering::Unordered;
  }
  if (a == b || (is_zero<F>(a) && is_zero<F>(b))) return Ordering::Equal;
  if (sign_of<F>(a) != sign_of<F>(b)) return sign_of<F>(a) ? Ordering::Less : Ordering::Greater;
  return (a < b) != sign_of<F>(a) ? Ordering::Less : Ordering::Greater;
}

namespace detail {

/// a < b for numbers, with -0 < +0.
template <class F>
constexpr bool totally_less(BitsOf<F> a, BitsOf<F> b) {
  if (sign_of<F>(a) != sign_of<F>(b)) return sign_of<F>(a);
  return a != b && (a < b) != sign_of<F>(a);
}

template <class F>
constexpr BitsOf<F> flush_result(BitsOf<F> x, Env& env) {
  if (!env.flush_out || !is_subnormal<F>(x)) return x;
  raise(env, kUnderflow | kInexact);
  return zero<F>(sign_of<F>(x));
}

template <class F>
constexpr BitsOf<F> select_machine(BitsOf<F> a, BitsOf<F> b, bool want_less, Env& env) {
  a = take_operand<F>(a, env);
  b = take_operand<F>(b, env);
  if (env.ieee && (is_signaling<F>(a) || is_signaling<F>(b))) {
    raise(env, kInvalid);
    return quieted<F>(is_signaling<F>(a) ? a : b);
  }
  if (is_nan<F>(a)) return is_nan<F>(b) ? b : flush_result<F>(b, env);
  if (is_nan<F>(b)) return flush_result<F>(a, env);
  return flush_result<F>(totally_less<F>(a, b) == want_less ? a : b, env);
}

template <class F>
constexpr BitsOf<F> select_num(BitsOf<F> a, BitsOf<F> b, bool want_less, Env& env) {
  a = take_operand<F>(a, env);
  b = take_operand<F>(b, env);
  const bool both = is_nan<F>(a) && is_nan<F>(b);
  if (both || is_signaling<F>(a) || is_signaling<F>(b)) return propagate_nan<F>(env, a, b);
  if (is_nan<F>(a)) return flush_result<F>(b, env);
  if (is_nan<F>(b)) return flush_result<F>(a, env);
  return flush_result<F>(totally_less<F>(a, b) == want_less ? a : b, env);
}

}  // namespace detail

/// V_MIN, V_MAX (Vega ISA VOP2 rows 10, 11): with MODE.IEEE a signaling NaN (first src0) is
/// returned quieted; otherwise the operand that is no NaN wins, of two NaNs src1, unchanged. -0 <
/// +0.
template <class F>
constexpr BitsOf<F> min(BitsOf<F> a, BitsOf<F> b, Env& env) {
  return detail::select_machine<F>(a, b, true, env);
}
template <class F>
constexpr BitsOf<F> max(BitsOf<F> a, BitsOf<F> b, Env& env) {
  return detail::select_machine<F>(a, b, false, env);
}

/// HSAIL min, max (HSAIL PRM 5.11, IEEE 754-2008 minNum): a quiet NaN loses to a number; with a
/// signaling NaN or two NaNs the first NaN operand is returned quieted. -0 < +0.
template <class F>
constexpr BitsOf<F> min_num(BitsOf<F> a, BitsOf<F> b, Env& env) {
  return detail::select_num<F>(a, b, true, env);
}
template <class F>
constexpr BitsOf<F> max_num(BitsOf<F> a, BitsOf<F> b, Env& env) {
  return detail::select_num<F>(a, b, false, env);
}

/// The ten classes of V_CMP_CLASS (Vega ISA VOPC row 16), also those of HSAIL class.
enum Class : uint16_t {
  kSignalingNan = 1 << 0,
  kQuietNan = 1 << 1,
  kNegativeInfinity = 1 << 2,
  kNegativeNormal = 1 << 3,
  kNegativeSubnormal = 1 << 4,
  kNegativeZero = 1 << 5,
  kPositiveZero = 1 << 6,
  kPositiveSubnormal = 1 << 7,
  kPositiveNormal = 1 << 8,
  kPositiveInfinity = 1 << 9,
};

/// The one class bit of `x`: a look at the bits, nothing is flushed or raised.
template <class F>
constexpr uint16_t classify(BitsOf<F> x) {
  if (is_nan<F>(x)) return is_signaling<F>(x) ? kSignalingNan : kQuietNan;
  const bool negative = sign_of<F>(x);
  if (is_infinity<F>(x)) return negative ? kNegativeInfinity : kPositiveInfinity;
  if (is_zero<F>(x)) return negative ? kNegativeZero : kPositiveZero;
  if (is_subnormal<F>(x)) return negative ? kNegativeSubnormal : kPositiveSubnormal;
  return negative ? kNegativeNormal : kPositiveNormal;
}

}  // namespace cuvette::fp
