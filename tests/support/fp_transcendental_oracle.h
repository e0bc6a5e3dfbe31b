// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "fp_oracle.h"

// Expected values of the machine functions: the special cases of Vega ISA VOP1 rows 32 to 42 and 61
// to 76 by hand, everything else from MPFR.
namespace cuvette::fp::oracle {

enum class Function { Exp, Log, Sin, Cos, Rcp, Rsq, Sqrt };
inline constexpr Function kFunctions[] = {Function::Exp, Function::Log, Function::Sin,
                                          Function::Cos, Function::Rcp, Function::Rsq,
                                          Function::Sqrt};
inline constexpr const char* kFunctionNames[] = {"exp", "log", "sin", "cos", "rcp", "rsq", "sqrt"};
inline const char* name_of(Function f) {
  return kFunctionNames[static_cast<unsigned>(f)];
}

/// The exact function; sine and cosine take turns.
inline int call_mpfr(Function f, mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rnd) {
  switch (f) {
    case Function::Exp:
      // Beyond the exponents of MPFR: any number far outside the format does.
      if (mpfr_cmp_si(x, 4096) > 0 || mpfr_cmp_si(x, -4096) < 0)
        return mpfr_set_si_2exp(out, 3, mpfr_signbit(x) ? -4096 : 4096, rnd);
      return mpfr_exp2(out, x, rnd);
    case Function::Log:
      return mpfr_log2(out, x, rnd);
    case Function::Sin:
      return mpfr_sinu(out, x, 1, rnd);
    case Function::Cos:
      return mpfr_cosu(out, x, 1, rnd);
    case Function::Rcp:
      return mpfr_ui_div(out, 1, x, rnd);
    case Function::Rsq:
      return mpfr_rec_sqrt(out, x, rnd);
    case Function::Sqrt:
      return mpfr_sqrt(out, x, rnd);
  }
  return 0;
}

struct MachineExpected {
  Expected nearest;      ///< the nearest value and the flags that go with it
  bool special = false;  ///< a case the manual (or this model's page) fixes: no tolerance
};

/// `env` carries the flush bits of MODE; its rounding is ignored, as these functions do.
template <class F>
MachineExpected machine_expected(Function f, uint64_t bits, Env env) {
  const bool trigonometric = f == Function::Sin || f == Function::Cos;
  env.round = Round::NearestEven;
  if (F::kBits == 32 && !trigonometric) env.flush_in = env.flush_out = true;
  const uint64_t sign = sign_bit<F>();
  const uint64_t infinity = uint64_t{F::kMaxField} << F::kFractionBits;
  const uint64_t quiet_bit = uint64_t{1} << (F::kFractionBits - 1);
  const uint64_t one = uint64_t{F::kBias} << F::kFractionBits;
  const uint64_t invalid = sign | infinity | quiet_bit;
  unsigned flags = 0;
  const uint64_t x = seen<F>(bits, env, flags);
  if (nan<F>(x))
    return {{x | quiet_bit, flags | (signaling<F>(x) ? unsigned{kInvalid} : 0u)}, true};
  const uint64_t mag = x & ~sign;
  const bool minus = x != mag;
  const bool zero = mag == 0, inf = mag == infinity;
  const auto is = [&](uint64_t value, unsigned more = 0) {
    return MachineExpected{{value, flags | more}, true};
  };
  switch (f) {
    case Function::Exp:
      if (inf) return is(minus ? 0 : infinity);
      if (zero) return is(one);
      break;
    case Function::Log:
      if (zero) return is(sign | infinity, kDivideByZero);
      if (minus) return is(invalid, kInvalid);
      if (inf) return is(infinity);
      if (x == one) return is(0);
      break;
    case Function::Sin:
    case Function::Cos: {
      const bool cosine = f == Function::Cos;
      if (inf) return is(invalid, kInvalid);
      if (zero) return is(cosine ? one : x);
      if (mag > one + (uint64_t{8} << F::kFractionBits)) return is(cosine ? one : 0);  // 256
      break;
    }
    case Function::Rcp:
      if (inf) return is(x & sign);
      if (zero) return is(x | infinity, kDivideByZero);
      break;
    case Function::Rsq:
      if (zero) return is(x | infinity, kDivideByZero);
      if (minus) return is(invalid, kInvalid);
      if (inf) return is(0);
      break;
    case Function::Sqrt:
      if (zero) return is(x);
      if (minus) return is(invalid, kInvalid);
      if (inf) return is(infinity);
      break;
  }
  static Number value, result(F::kPrecision);
  load<F>(value, x);
  const int ternary = call_mpfr(f, result, value, MPFR_RNDN);
  if (mpfr_zero_p(result.get()) && ternary == 0) return is(0);  // sine and cosine of quarter turns
  Expected out = finish<F>(result, ternary, env);
  out.flags |= flags;
  return {out, false};
}

/// |result - exact| in units in the last place of the exact value's binade; infinity for a wrong
/// class. `bits` is an ordinary operand, `result` finite.
template <class F>
double error_in_ulp(Function f, uint64_t bits, uint64_t result) {
  static Number value(64), exact(200), got(200);
  load<F>(value, bits);
  call_mpfr(f, exact, value, MPFR_RNDN);
  if (nan<F>(result) || !mpfr_regular_p(exact.get())) return INFINITY;
  load<F>(got, result);
  const int e = static_cast<int>(mpfr_get_exp(exact.get())) - 1;
  const int scale = e < F::kMinExponent ? F::kMinExponent : e;
  mpfr_sub(got, got, exact, MPFR_RNDN);
  mpfr_mul_2si(got, got, F::kFractionBits - scale, MPFR_RNDN);
  return std::fabs(mpfr_get_d(got, MPFR_RNDN));
}

}  // namespace cuvette::fp::oracle
