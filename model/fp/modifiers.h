// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fp/integral.h"

// Modifiers of the VALU encodings, in the order the hardware applies them: |x| and -x on operands;
// output multiplier, then clamp, on results.
namespace cuvette::fp {

/// Pure edits of the sign bit, on NaNs as well.
template <class F>
constexpr BitsOf<F> abs(BitsOf<F> x) {
  return magnitude<F>(x);
}
template <class F>
constexpr BitsOf<F> neg(BitsOf<F> x) {
  return static_cast<BitsOf<F>>(x ^ F::kSignBit);
}

/// The OMOD field of VOP3 and SDWA.
enum class Omod : uint8_t { None = 0, Times2 = 1, Times4 = 2, Half = 3 };

/// OMOD on a rounded result. It takes part only when results are flushed and MODE.IEEE is off; then
/// a tiny result becomes +0 and -0 becomes +0.
template <class F>
constexpr BitsOf<F> apply_omod(BitsOf<F> x, Omod omod, Env& env) {
  if (omod == Omod::None || !env.flush_out || env.ieee) return x;
  if (is_nan<F>(x) || is_infinity<F>(x)) return x;
  if (is_zero<F>(x)) return 0;
  const Finite v = decode<F>(x);
  const int by = omod == Omod::Times2 ? 1 : omod == Omod::Times4 ? 2 : -1;
  const BitsOf<F> scaled = round_pack<F>(v.sign, v.exponent + by, v.significand, env);
  return is_zero<F>(scaled) ? BitsOf<F>{0} : scaled;
}

/// CLAMP on a result: into [+0, 1]; a NaN becomes +0 with MODE.DX10_CLAMP and stays without.
template <class F>
constexpr BitsOf<F> apply_clamp(BitsOf<F> x, bool dx10_clamp) {
  if (is_nan<F>(x)) return dx10_clamp ? BitsOf<F>{0} : x;
  if (sign_of<F>(x)) return 0;
  return x > F::kOne ? F::kOne : x;
}

}  // namespace cuvette::fp
