// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "fp/round.h"

// Correctly rounded IEEE arithmetic on bit patterns. Operands are flushed and results rounded and
// flushed as the Env says; NaN rules: docs/reference/floating_point.md.
namespace cuvette::fp {

namespace detail {

/// A sum that is exactly zero although its terms are not both zeros of one sign (IEEE 754 6.3).
template <class F>
constexpr BitsOf<F> cancelled(const Env& env) {
  return zero<F>(env.round == Round::MinusInf);
}

/// The rounded sum of two non-zero terms (-1)^s * m * 2^e.
template <class F, class W>
constexpr BitsOf<F> add_terms(bool sign_a, int ea, W ma, bool sign_b, int eb, W mb, Env& env) {
  // Both leading bits go to the second highest position. When the exponents then differ by two or
  // more, the sum loses at most one leading bit and the sticky bit stays far below the rounding
  // point; when they differ by less, nothing is lost.
  constexpr int kTop = width_of<W>() - 2;
  const int up_a = kTop - top_bit(ma);
  const int up_b = kTop - top_bit(mb);
  ma <<= up_a;
  mb <<= up_b;
  ea -= up_a;
  eb -= up_b;
  if (ea < eb || (ea == eb && ma < mb)) {
    std::swap(sign_a, sign_b);
    std::swap(ea, eb);
    std::swap(ma, mb);
  }
  mb = shift_right_sticky(mb, ea - eb);
  if (sign_a == sign_b) return round_pack<F, W>(sign_a, ea, ma + mb, env);
  const W difference = ma - mb;
  if (difference == 0) return cancelled<F>(env);
  return round_pack<F, W>(sign_a, ea, difference, env);
}

/// The sum of two numbers already taken as operands.
template <class F>
constexpr BitsOf<F> add_taken(BitsOf<F> a, BitsOf<F> b, Env& env) {
  static_assert(F::kIeee, "the 8-bit formats have no arithmetic");
  if (is_nan<F>(a) || is_nan<F>(b)) return propagate_nan<F>(env, a, b);
  if (is_infinity<F>(a)) return is_infinity<F>(b) && a != b ? invalid_result<F>(env) : a;
  if (is_infinity<F>(b)) return b;
  const Finite x = decode<F>(a);
  const Finite y = decode<F>(b);
  if (x.significand == 0) {
    if (y.significand == 0) return a == b ? a : cancelled<F>(env);
    return round_pack<F>(y.sign, y.exponent, y.significand, env);
  }
  if (y.significand == 0) return round_pack<F>(x.sign, x.exponent, x.significand, env);
  return add_terms<F, uint64_t>(x.sign, x.exponent, x.significand, y.sign, y.exponent,
                                y.significand, env);
}

/// The product of two numbers already taken as operands.
template <class F>
constexpr BitsOf<F> mul_taken(BitsOf<F> a, BitsOf<F> b, Env& env) {
  static_assert(F::kIeee, "the 8-bit formats have no arithmetic");
  using Wide = typename F::Wide;
  if (is_nan<F>(a) || is_nan<F>(b)) return propagate_nan<F>(env, a, b);
  const bool sign = sign_of<F>(a) != sign_of<F>(b);
  if (is_infinity<F>(a) || is_infinity<F>(b)) {
    return is_zero<F>(a) || is_zero<F>(b) ? invalid_result<F>(env) : infinity<F>(sign);
  }
  const Finite x = decode<F>(a);
  const Finite y = decode<F>(b);
  if (x.significand == 0 || y.significand == 0) return zero<F>(sign);
  return round_pack<F, Wide>(sign, x.exponent + y.exponent,
                             static_cast<Wide>(x.significand) * y.significand, env);
}

}  // namespace detail

template <class F>
constexpr BitsOf<F> add(BitsOf<F> a, BitsOf<F> b, Env& env) {
  a = take_operand<F>(a, env);
  b = take_operand<F>(b, env);
  return detail::add_taken<F>(a, b, env);
}

/// a - b. A NaN in b keeps its sign.
template <class F>
constexpr BitsOf<F> sub(BitsOf<F> a, BitsOf<F> b, Env& env) {
  return add<F>(a, is_nan<F>(b) ? b : static_cast<BitsOf<F>>(b ^ F::kSignBit), env);
}

template <class F>
constexpr BitsOf<F> mul(BitsOf<F> a, BitsOf<F> b, Env& env) {
  a = take_operand<F>(a, env);
  b = take_operand<F>(b, env);
  return detail::mul_taken<F>(a, b, env);
}

/// a * b + c with one rounding. 0 * infinity + NaN returns the NaN without raising invalid.
template <class F>
constexpr BitsOf<F> fma(BitsOf<F> a, BitsOf<F> b, BitsOf<F> c, Env& env) {
  static_assert(F::kIeee, "the 8-bit formats have no arithmetic");
  using Wide = typename F::Wide;
  a = take_operand<F>(a, env);
  b = take_operand<F>(b, env);
  c = take_operand<F>(c, env);
  if (is_nan<F>(a) || is_nan<F>(b) || is_nan<F>(c)) return propagate_nan<F>(env, a, b, c);
  const bool sign = sign_of<F>(a) != sign_of<F>(b);
  if (is_infinity<F>(a) || is_infinity<F>(b)) {
    if (is_zero<F>(a) || is_zero<F>(b)) return invalid_result<F>(env);
    if (is_infinity<F>(c) && sign_of<F>(c) != sign) return invalid_result<F>(env);
    return infinity<F>(sign);
  }
  if (is_infinity<F>(c)) return c;
  const Finite x = decode<F>(a);
  const Finite y = decode<F>(b);
  const Finite z = decode<F>(c);
  const Wide product = static_cast<Wide>(x.significand) * y.significand;
  if (product == 0) {
    if (z.significand != 0) return round_pack<F>(z.sign, z.exponent, z.significand, env);
    return sign == z.sign ? zero<F>(sign) : detail::cancelled<F>(env);
  }
  const int exponent = x.exponent + y.exponent;
  if (z.significand == 0) return round_pack<F, Wide>(sign, exponent, product, env);
  return detail::add_terms<F, Wide>(sign, exponent, product, z.sign, z.exponent,
                                    static_cast<Wide>(z.significand), env);
}

/// a * b + c with two roundings (V_MAD, HSAIL mad). The product is rounded and flushed like any
/// result; as it is no operand, a subnormal one is neither flushed again nor reported.
template <class F>
constexpr BitsOf<F> mad(BitsOf<F> a, BitsOf<F> b, BitsOf<F> c, Env& env) {
  a = take_operand<F>(a, env);
  b = take_operand<F>(b, env);
  c = take_operand<F>(c, env);
  if (is_nan<F>(a) || is_nan<F>(b) || is_nan<F>(c)) return propagate_nan<F>(env, a, b, c);
  return detail::add_taken<F>(detail::mul_taken<F>(a, b, env), c, env);
}

template <class F>
constexpr BitsOf<F> div(BitsOf<F> a, BitsOf<F> b, Env& env) {
  static_assert(F::kIeee, "the 8-bit formats have no arithmetic");
  using Wide = typename F::Wide;
  a = take_operand<F>(a, env);
  b = take_operand<F>(b, env);
  if (is_nan<F>(a) || is_nan<F>(b)) return propagate_nan<F>(env, a, b);
  const bool sign = sign_of<F>(a) != sign_of<F>(b);
  if (is_infinity<F>(a)) return is_infinity<F>(b) ? invalid_result<F>(env) : infinity<F>(sign);
  if (is_infinity<F>(b)) return zero<F>(sign);
  if (is_zero<F>(b)) {
    if (is_zero<F>(a)) return invalid_result<F>(env);
    raise(env, kDivideByZero);
    return infinity<F>(sign);
  }
  if (is_zero<F>(a)) return zero<F>(sign);
  Finite x = decode<F>(a);
  Finite y = decode<F>(b);
  // Both significands to kPrecision bits, so that the quotient has kPrecision + 2 or + 3 bits.
  const int up_x = F::kFractionBits - detail::top_bit(x.significand);
  const int up_y = F::kFractionBits - detail::top_bit(y.significand);
  x.significand <<= up_x;
  y.significand <<= up_y;
  constexpr int kShift = F::kPrecision + 2;
  const Wide numerator = static_cast<Wide>(x.significand) << kShift;
  Wide quotient = numerator / y.significand;
  if (quotient * y.significand != numerator) quotient |= 1;
  return round_pack<F, Wide>(sign, (x.exponent - up_x) - (y.exponent - up_y) - kShift, quotient,
                             env);
}

namespace detail {

/// The integer part of the square root, bit by bit.
template <class W>
constexpr W integer_sqrt(W x) {
  W root = 0;
  if (x == 0) return root;
  for (W bit = W{1} << (top_bit(x) & ~1); bit != 0; bit >>= 2) {
    if (x >= root + bit) {
      x -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  return root;
}

}  // namespace detail

/// Square root; minus zero returns itself, any other negative operand is invalid.
template <class F>
constexpr BitsOf<F> sqrt(BitsOf<F> a, Env& env) {
  static_assert(F::kIeee, "the 8-bit formats have no arithmetic");
  using Wide = typename F::Wide;
  a = take_operand<F>(a, env);
  if (is_nan<F>(a)) return propagate_nan<F>(env, a);
  if (is_zero<F>(a)) return a;
  if (sign_of<F>(a)) return invalid_result<F>(env);
  if (is_infinity<F>(a)) return a;
  const Finite x = decode<F>(a);
  // The radicand gets an even exponent and 2 * (kPrecision + 2) bits or one less.
  int up = 2 * (F::kPrecision + 2) - 1 - detail::top_bit(x.significand);
  if (((x.exponent - up) & 1) != 0) --up;
  const Wide radicand = static_cast<Wide>(x.significand) << up;
  Wide root = detail::integer_sqrt<Wide>(radicand);
  if (root * root != radicand) root |= 1;
  return round_pack<F, Wide>(false, (x.exponent - up) / 2, root, env);
}

}  // namespace cuvette::fp
