// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "fp/arith.h"

// V_RCP, V_RSQ, V_SQRT (Vega ISA VOP1 rows 34 to 40 and 61 to 63). The manual bounds the error (1
// ULP for F32, 0.51 ULP for F16, 2^29 ULP for F64) and lists special cases; this model returns the
// correctly rounded nearest value whatever MODE.FP_ROUND says: status "defined". The F32 forms
// flush subnormal operands and results always; F16 and F64 obey the flush bits of the Env.
namespace cuvette::fp {

/// 1 / sqrt(x), correctly rounded by env.round; -0 gives -infinity. Negative numbers are invalid.
template <class F>
constexpr BitsOf<F> rsqrt(BitsOf<F> a, Env& env) {
  a = take_operand<F>(a, env);
  if (is_nan<F>(a)) return propagate_nan<F>(env, a);
  if (is_zero<F>(a)) {
    raise(env, kDivideByZero);
    return infinity<F>(sign_of<F>(a));
  }
  if (sign_of<F>(a)) return invalid_result<F>(env);
  if (is_infinity<F>(a)) return zero<F>(false);
  Finite x = decode<F>(a);
  // x = m * 2^e with e even; m has kPrecision or one more bits.
  const int up = F::kFractionBits - detail::top_bit(x.significand);
  uint64_t m = x.significand << up;
  int e = x.exponent - up;
  if ((e & 1) != 0) {
    m <<= 1;
    --e;
  }
  // floor(sqrt(floor(q))) = floor(sqrt(q)), so the root of the integer quotient 2^(2n) / m is exact
  // down to its last bit. 2n - kPrecision >= 2 * (kPrecision + 2) bits of quotient are wanted. The
  // division goes in two steps, as 2^(2n) does not fit into 128 bits for F64.
  constexpr int kHalf = (3 * F::kPrecision + 6) / 2;  // n
  constexpr int kLow = 2 * kHalf > 110 ? 2 * kHalf - 110 : 0;
  const Uint128 numerator = Uint128{1} << (2 * kHalf - kLow);
  const Uint128 high = numerator / m;
  const Uint128 rest = numerator % m;
  const Uint128 quotient = (high << kLow) + (rest << kLow) / m;
  Uint128 root = detail::integer_sqrt<Uint128>(quotient);
  // The result is exact for powers of four only: then m is a power of two with an even exponent.
  const bool exact = (m & (m - 1)) == 0 && (detail::top_bit(m) & 1) == 0;
  if (!exact) root |= 1;
  return round_pack<F, Uint128>(false, -kHalf - e / 2, root, env);
}

namespace detail {

/// Runs `operation` with the Env of a machine function that obeys the flush bits: nearest even.
template <class F, class Operation>
constexpr BitsOf<F> machine_function_as_mode(BitsOf<F> a, Env& env, Operation operation) {
  Env inner = env;
  inner.round = Round::NearestEven;
  const BitsOf<F> result = operation(a, inner);
  env.flags = inner.flags;
  // An invalid operand gives the negative default NaN here (the examples of the manual).
  return is_nan<F>(result) && !is_nan<F>(a) ? with_sign<F>(true, F::kDefaultNan) : result;
}

/// The same with F32 always flushed.
template <class F, class Operation>
constexpr BitsOf<F> machine_function(BitsOf<F> a, Env& env, Operation operation) {
  Env inner = env;
  if constexpr (std::is_same_v<F, F32>) inner.flush_in = inner.flush_out = true;
  const BitsOf<F> result = machine_function_as_mode<F>(a, inner, operation);
  env.flags = inner.flags;
  return result;
}

}  // namespace detail

template <class F>
constexpr BitsOf<F> v_rcp(BitsOf<F> a, Env& env) {
  return detail::machine_function<F>(
      a, env, [](BitsOf<F> x, Env& inner) { return div<F>(F::kOne, x, inner); });
}
template <class F>
constexpr BitsOf<F> v_rsq(BitsOf<F> a, Env& env) {
  return detail::machine_function<F>(a, env,
                                     [](BitsOf<F> x, Env& inner) { return rsqrt<F>(x, inner); });
}
template <class F>
constexpr BitsOf<F> v_sqrt(BitsOf<F> a, Env& env) {
  return detail::machine_function<F>(a, env,
                                     [](BitsOf<F> x, Env& inner) { return sqrt<F>(x, inner); });
}

}  // namespace cuvette::fp
