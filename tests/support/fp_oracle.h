// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include <mpfr.h>

#include "fp/env.h"
#include "fp/format.h"
#include "test_vectors.h"

// Expected floating-point results from MPFR: exact operands, one rounding at the precision of the
// format with unbounded exponent, then the range of the format (mpfr_check_range and
// mpfr_subnormalize). Only format constants and the Env struct of the layer under test are used.
namespace cuvette::fp::oracle {

class Number {
 public:
  explicit Number(int precision = 64) { mpfr_init2(value_, precision); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  mpfr_ptr get() { return value_; }
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

inline mpfr_rnd_t rounding(Round r) {
  constexpr mpfr_rnd_t kMap[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};
  return kMap[static_cast<unsigned>(r)];
}

template <class F>
int field_of(uint64_t bits) {
  return static_cast<int>((bits >> F::kFractionBits) & ((uint64_t{1} << F::kExponentBits) - 1));
}
template <class F>
uint64_t fraction_of(uint64_t bits) {
  return bits & ((uint64_t{1} << F::kFractionBits) - 1);
}
template <class F>
bool negative(uint64_t bits) {
  return ((bits >> (F::kBits - 1)) & 1) != 0;
}
template <class F>
bool nan(uint64_t bits) {
  if (!F::kIeee) return bits == 0x80;
  return field_of<F>(bits) == F::kMaxField && fraction_of<F>(bits) != 0;
}
template <class F>
bool quiet(uint64_t bits) {
  return !F::kIeee || ((bits >> (F::kFractionBits - 1)) & 1) != 0;
}
template <class F>
bool signaling(uint64_t bits) {
  return nan<F>(bits) && !quiet<F>(bits);
}
template <class F>
bool subnormal(uint64_t bits) {
  return field_of<F>(bits) == 0 && fraction_of<F>(bits) != 0;
}
template <class F>
uint64_t sign_bit() {
  return uint64_t{1} << (F::kBits - 1);
}

/// The exact value; `out` has at least 64 bits.
template <class F>
void load(mpfr_ptr out, uint64_t bits) {
  const int field = field_of<F>(bits);
  const uint64_t fraction = fraction_of<F>(bits);
  const int sign = negative<F>(bits) ? -1 : 1;
  if (nan<F>(bits)) {
    mpfr_set_nan(out);
    return;
  }
  if (F::kIeee && field == F::kMaxField) {
    mpfr_set_inf(out, sign);
    return;
  }
  const uint64_t m = field == 0 ? fraction : fraction | (uint64_t{1} << F::kFractionBits);
  if (m == 0) {
    mpfr_set_zero(out, sign);
    return;
  }
  mpfr_set_ui_2exp(out, m, (field == 0 ? 1 : field) - F::kBias - F::kFractionBits, MPFR_RNDN);
  if (sign < 0) mpfr_neg(out, out, MPFR_RNDN);
}

/// The pattern of a value that F holds exactly.
template <class F>
uint64_t store(mpfr_ptr value) {
  const uint64_t sign = mpfr_signbit(value) ? sign_bit<F>() : 0;
  if (mpfr_nan_p(value)) return F::kDefaultNan;
  if (mpfr_inf_p(value)) return F::kIeee ? sign | F::kInfinity : uint64_t{0x80};
  if (mpfr_zero_p(value)) return F::kIeee ? sign : 0;
  const int e = static_cast<int>(mpfr_get_exp(value)) - 1;
  const int scale = e < F::kMinExponent ? F::kMinExponent : e;
  static Number scaled(64);
  mpfr_mul_2si(scaled, value, F::kFractionBits - scale, MPFR_RNDN);
  mpfr_abs(scaled, scaled, MPFR_RNDN);
  const uint64_t m = mpfr_get_ui(scaled, MPFR_RNDN);
  if (e < F::kMinExponent) return sign | m;
  const auto field = static_cast<uint64_t>(e + F::kBias);
  return sign | (field << F::kFractionBits) | (m - (uint64_t{1} << F::kFractionBits));
}

struct Expected {
  uint64_t bits = 0;
  unsigned flags = 0;
  bool operator==(const Expected&) const = default;
};

/// `r` holds a result rounded at kPrecision bits with unbounded exponent, `ternary` says where the
/// exact value lies. Gives the pattern and the overflow, underflow and inexact flags.
template <class F>
Expected finish(mpfr_ptr r, int ternary, const Env& env) {
  Expected out;
  if (!mpfr_regular_p(r)) {
    out.bits = store<F>(r);
    return out;
  }
  const bool tiny = mpfr_get_exp(r) - 1 < F::kMinExponent;
  const uint64_t sign = mpfr_signbit(r) ? sign_bit<F>() : 0;
  if (tiny && env.flush_out) return {F::kIeee ? sign : 0, kUnderflow | kInexact};
  const mpfr_exp_t emin = mpfr_get_emin();
  const mpfr_exp_t emax = mpfr_get_emax();
  mpfr_set_emin(F::kMinExponent - F::kFractionBits + 1);
  mpfr_set_emax(F::kMaxExponent + 1);
  mpfr_clear_overflow();
  ternary = mpfr_check_range(r, ternary, rounding(env.round));
  ternary = mpfr_subnormalize(r, ternary, rounding(env.round));
  const bool overflow = mpfr_overflow_p() != 0;
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  out.bits = store<F>(r);
  if (overflow && !F::kIeee) out.bits = 0x80;  // no infinity, whatever the rounding mode
  constexpr bool kClamps = F::kBits == 8 || (F::kBits == 16 && F::kExponentBits == 5);
  if (overflow && kClamps && env.fp16_ovfl) {
    const uint64_t largest = F::kIeee ? F::kInfinity - 1 : 0x7f;
    out.bits = sign | largest;
  }
  if (overflow) out.flags |= kOverflow | kInexact;
  if (ternary != 0) out.flags |= tiny ? kInexact | kUnderflow : kInexact;
  return out;
}

/// Operands as the operation sees them; `flags` gets the input-denormal bit.
template <class F>
uint64_t seen(uint64_t bits, const Env& env, unsigned& flags) {
  if (!subnormal<F>(bits)) return bits;
  if (env.flush_in) return F::kIeee ? bits & sign_bit<F>() : 0;
  flags |= kInputDenormal;
  return bits;
}

/// An operation of `count` operands, `op(r, operand values, rounding)` returning the ternary value.
template <class F, class Op>
Expected expect(Op op, const uint64_t* operands, unsigned count, const Env& env) {
  static Number values[3];
  static Number result(F::kPrecision);
  unsigned flags = 0;
  bool any_nan = false;
  uint64_t first_nan = 0;
  for (unsigned i = 0; i < count; ++i) {
    const uint64_t x = seen<F>(operands[i], env, flags);
    if (nan<F>(x)) {
      if (!any_nan) first_nan = x | (uint64_t{1} << (F::kFractionBits - 1));
      any_nan = true;
      if (signaling<F>(x)) flags |= kInvalid;
    }
    load<F>(values[i], x);
  }
  if (any_nan) return {first_nan, flags};
  mpfr_clear_divby0();
  const int ternary = op(result.get(), values, rounding(env.round));
  if (mpfr_divby0_p()) flags |= kDivideByZero;
  if (mpfr_nan_p(result.get())) return {F::kDefaultNan, flags | kInvalid};
  Expected out = finish<F>(result, ternary, env);
  out.flags |= flags;
  return out;
}

/// Patterns weighted toward corners. Deterministic for a seed on every platform.
template <class F>
class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  uint64_t bits() { return random_(); }
  unsigned below(unsigned n) { return static_cast<unsigned>((random_() >> 32) % n); }
  static uint64_t mask() { return ~uint64_t{0} >> (64 - F::kBits); }

  uint64_t pattern() {
    const uint64_t sign = (random_() & 1) != 0 ? sign_bit<F>() : 0;
    switch (below(8)) {
      case 0:
        return special();
      case 1:
        return sign | (random_() & fraction_mask());  // subnormal
      case 2:
        return sign | field(below(F::kPrecision + 4)) | fraction();
      case 3:
        return sign | field(F::kMaxField - 1 - static_cast<int>(below(4))) | fraction();
      case 4:
        return sign | field(F::kBias - F::kPrecision + static_cast<int>(below(2 * F::kPrecision))) |
               fraction();
      default:
        break;
    }
    return sign | field(static_cast<int>(below(F::kMaxField))) | fraction();
  }

  /// A partner of `a`: near it in value, at an alignment distance, at a product near the ends of
  /// the range, or unrelated.
  uint64_t partner(uint64_t a) {
    const int e = field_of<F>(a);
    const uint64_t sign = (random_() & 1) != 0 ? sign_bit<F>() : 0;
    switch (below(6)) {
      case 0:
        return ((a ^ (random_() & sign_bit<F>())) + below(5) - 2) & mask();
      case 1:
        return sign |
               field(e + static_cast<int>(below(2 * F::kPrecision + 8)) - F::kPrecision - 4) |
               fraction();
      case 2:
        return sign |
               field(F::kBias + 1 - e + static_cast<int>(below(2 * F::kPrecision)) -
                     F::kPrecision) |
               fraction();
      case 3:
        return sign | field(2 * F::kBias - e + F::kBias - 2 + static_cast<int>(below(5))) |
               fraction();
      default:
        break;
    }
    return pattern();
  }

  uint64_t fraction_mask() { return (uint64_t{1} << F::kFractionBits) - 1; }

  /// Uniform, sparse (few ones) or a run of ones: halfway cases live among the last two.
  uint64_t fraction() {
    uint64_t f = random_();
    switch (below(4)) {
      case 0:
        f = (uint64_t{1} << below(F::kFractionBits)) | (uint64_t{1} << below(F::kFractionBits));
        break;
      case 1:
        f = ~uint64_t{0} << below(F::kFractionBits);
        break;
      case 2:
        f = ~(~uint64_t{0} << below(F::kFractionBits));
        break;
      default:
        break;
    }
    return f & fraction_mask();
  }

  uint64_t special() {
    const uint64_t inf = uint64_t{F::kMaxField} << F::kFractionBits;
    const uint64_t min_normal = uint64_t{1} << F::kFractionBits;
    const uint64_t one = uint64_t{F::kBias} << F::kFractionBits;
    const uint64_t table[] = {
        0,       1,       2,       min_normal - 1,  min_normal, min_normal + 1,
        one - 1, one,     one + 1, inf - 1,         inf,        inf | min_normal >> 1,
        inf | 1, inf + 5, inf - 2, one + min_normal};
    const uint64_t sign = (random_() & 1) != 0 ? sign_bit<F>() : 0;
    return (sign | table[below(16)]) & mask();
  }

 private:
  uint64_t field(int e) {
    const int clamped = e < 0 ? 0 : e > F::kMaxField - 1 ? F::kMaxField - 1 : e;
    return static_cast<uint64_t>(clamped) << F::kFractionBits;
  }
  std::mt19937_64 random_;
};

inline Env make_env(Round round, unsigned flush) {
  Env env;
  env.round = round;
  env.flush_in = (flush & 1) != 0;
  env.flush_out = (flush & 2) != 0;
  return env;
}

inline std::string describe(const Env& env) {
  return "round " + std::to_string(static_cast<int>(env.round)) + " flush_in " +
         std::to_string(env.flush_in) + " flush_out " + std::to_string(env.flush_out) +
         " fp16_ovfl " + std::to_string(env.fp16_ovfl);
}

inline constexpr Round kRounds[] = {Round::NearestEven, Round::PlusInf, Round::MinusInf,
                                    Round::Zero};

/// Vectors of binary and ternary operations per format and rounding mode, all flush settings mixed.
inline const int kVectors = test::vectors(100'000);
/// Vectors of unary operations per format, rounding mode and flush setting.
inline const int kUnaryVectors = test::vectors(25'000);

}  // namespace cuvette::fp::oracle
