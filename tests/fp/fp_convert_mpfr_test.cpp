// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Conversions, integral rounding, exponent functions and output modifiers against MPFR.
#include <algorithm>

#include <gtest/gtest.h>

#include "fp/convert.h"
#include "fp/integral.h"
#include "fp/modifiers.h"
#include "fp_oracle.h"

namespace cuvette::fp {
namespace {

using oracle::Expected;
using oracle::Generator;
using oracle::kRounds;
using oracle::kVectors;
using oracle::Number;

template <class F>
BitsOf<F> in(uint64_t x) {
  return static_cast<BitsOf<F>>(x);
}

/// Counts differences and prints the first few.
class Checker {
 public:
  explicit Checker(const char* name) : name_(name) {}
  ~Checker() { EXPECT_EQ(failures_, 0) << name_; }
  void operator()(uint64_t operand, const Env& env, const Expected& want, uint64_t got,
                  unsigned flags) {
    if (want.bits == got && want.flags == flags) return;
    if (++failures_ > 5) return;
    ADD_FAILURE() << name_ << " " << oracle::describe(env) << std::hex << " operand " << operand
                  << " expected " << want.bits << " flags " << want.flags << " got " << got
                  << " flags " << flags;
  }

 private:
  const char* name_;
  int failures_ = 0;
};

template <class To, class From>
Expected expect_convert(uint64_t x, const Env& env) {
  static Number value;
  static Number result(To::kPrecision);
  unsigned flags = 0;
  x = oracle::seen<From>(x, env, flags);
  if (oracle::nan<From>(x)) {
    if (oracle::signaling<From>(x)) flags |= kInvalid;
    if (!To::kIeee) return {0x80, flags};
    if (!From::kIeee) return {To::kDefaultNan, flags};
    // Sign, then the payload aligned at its top, then the quiet bit.
    const uint64_t top_aligned = oracle::fraction_of<From>(x) << (64 - From::kFractionBits);
    const uint64_t payload = top_aligned >> (64 - To::kFractionBits);
    const uint64_t sign = oracle::negative<From>(x) ? oracle::sign_bit<To>() : 0;
    return {sign | To::kDefaultNan | payload, flags};
  }
  oracle::load<From>(value, x);
  const int ternary = mpfr_set(result, value, oracle::rounding(env.round));
  Expected e = oracle::finish<To>(result, ternary, env);
  e.flags |= flags;
  return e;
}

template <class To, class From>
void check_conversion(uint64_t x, const Env& env, Checker& check) {
  Env used = env;
  const uint64_t got = convert<To, From>(in<From>(x), used);
  check(x, env, expect_convert<To, From>(x, env), got, used.flags);
}

/// Every pattern of a small source format, all modes and flush settings.
template <class To, class From>
void run_exhaustive(const char* name) {
  Checker check(name);
  for (Round round : kRounds) {
    for (unsigned flush = 0; flush < 4; ++flush) {
      Env env = oracle::make_env(round, flush);
      for (uint64_t x = 0; x < (uint64_t{1} << From::kBits); ++x) {
        check_conversion<To, From>(x, env, check);
      }
    }
  }
}

/// Around every value of a small target format: the value, the midpoint to the next one, and one
/// and two source units beside each.
template <class To, class From>
void run_narrowing(const char* name) {
  Checker check(name);
  for (Round round : kRounds) {
    for (unsigned variant = 0; variant < 3; ++variant) {
      Env env = oracle::make_env(round, variant == 1 ? 3 : 0);
      env.fp16_ovfl = variant == 2;
      for (uint64_t x = 0; x < (uint64_t{1} << To::kBits);
           x += To::kBits == 16 && variant != 0 ? 7 : 1) {
        if (oracle::nan<To>(x)) continue;
        static Number value;
        oracle::load<To>(value, x);
        const uint64_t base = oracle::store<From>(value);
        const uint64_t half = uint64_t{1} << (From::kFractionBits - To::kFractionBits - 1);
        for (uint64_t y : {base - 2, base - 1, base, base + 1, base + half - 1, base + half,
                           base + half + 1, base + half / 2}) {
          check_conversion<To, From>(y & Generator<From>::mask(), env, check);
        }
      }
    }
  }
}

template <class To, class From>
void run_random(const char* name, uint64_t seed) {
  Checker check(name);
  for (Round round : kRounds) {
    Generator<From> random(seed);
    for (int i = 0; i < kVectors; ++i) {
      Env env = oracle::make_env(round, random.below(4));
      env.fp16_ovfl = random.below(8) == 0;
      uint64_t x = random.pattern();
      if (random.below(2) != 0) {
        // An exponent in or just outside the range of the target.
        const int reach = To::kMaxExponent - To::kMinExponent + To::kPrecision + 8;
        const int e = To::kMinExponent - To::kPrecision - 3 +
                      static_cast<int>(random.below(static_cast<unsigned>(reach)));
        const int field = std::clamp(e + From::kBias, 0, From::kMaxField - 1);
        x = (x & ~oracle::sign_bit<From>() & random.fraction_mask()) |
            (static_cast<uint64_t>(field) << From::kFractionBits) | (x & oracle::sign_bit<From>());
      }
      check_conversion<To, From>(x, env, check);
    }
  }
}

TEST(Convert, WideningAllPatterns) {
  run_exhaustive<F32, F16>("f16 to f32");
  run_exhaustive<F64, F16>("f16 to f64");
  run_exhaustive<F32, BF16>("bf16 to f32");
  run_exhaustive<F32, FP8>("fp8 to f32");
  run_exhaustive<F32, BF8>("bf8 to f32");
  run_exhaustive<F16, FP8>("fp8 to f16");
}
TEST(Convert, SixteenBitAllPatterns) {
  run_exhaustive<BF16, F16>("f16 to bf16");
  run_exhaustive<F16, BF16>("bf16 to f16");
  run_exhaustive<F16, F16>("canonicalize f16");
  run_exhaustive<BF16, BF16>("canonicalize bf16");
  run_exhaustive<FP8, F16>("f16 to fp8");
  run_exhaustive<BF8, F16>("f16 to bf8");
}
TEST(Convert, NarrowingAroundEveryTargetValue) {
  run_narrowing<F16, F32>("f32 to f16");
  run_narrowing<F16, F64>("f64 to f16");
  run_narrowing<BF16, F32>("f32 to bf16");
  run_narrowing<FP8, F32>("f32 to fp8");
  run_narrowing<BF8, F32>("f32 to bf8");
}
TEST(Convert, Random) {
  run_random<F16, F32>("f32 to f16", 31);
  run_random<BF16, F32>("f32 to bf16", 32);
  run_random<F32, F64>("f64 to f32", 33);
  run_random<F16, F64>("f64 to f16", 34);
  run_random<F64, F32>("f32 to f64", 35);
  run_random<FP8, F32>("f32 to fp8", 36);
  run_random<BF8, F32>("f32 to bf8", 37);
  run_random<F32, F32>("canonicalize f32", 38);
  run_random<F64, F64>("canonicalize f64", 39);
}

// ---- Integers
// ------------------------------------------------------------------------------------

template <class F>
void check_to_int(uint64_t x, unsigned width, bool is_signed, Round round, const Env& env,
                  Checker& check) {
  static Number value(1200);
  static Number lowest;
  static Number highest;
  unsigned flags = 0;
  const uint64_t seen = oracle::seen<F>(x, env, flags);
  oracle::load<F>(value, seen);
  const bool nan = oracle::nan<F>(seen);
  bool inexact = false;
  if (!nan) {
    inexact = mpfr_rint(value, value, oracle::rounding(round)) != 0;
  }
  const uint64_t all = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const uint64_t min = is_signed ? ~(all >> 1) : 0;
  const uint64_t max = is_signed ? all >> 1 : all;
  // An unsigned result starts at minus zero: any negative integer lies below it.
  mpfr_set_sj(lowest, is_signed ? static_cast<int64_t>(min) : 0, MPFR_RNDN);
  mpfr_set_uj(highest, max, MPFR_RNDN);
  Expected saturated;
  uint64_t wrapped = 0;
  if (nan) {
    flags |= kInvalid;
  } else if (mpfr_less_p(value.get(), lowest.get()) || mpfr_greater_p(value.get(), highest.get())) {
    flags |= kInvalid;
    saturated.bits = mpfr_signbit(value.get()) ? min : max;
    if (!mpfr_inf_p(value.get())) {
      mpz_t z;
      mpz_init(z);
      mpfr_get_z(z, value, MPFR_RNDN);
      mpz_fdiv_r_2exp(z, z, width);
      wrapped = mpz_get_ui(z);
      mpz_clear(z);
    }
  } else {
    if (inexact) flags |= kInexact;
    saturated.bits = is_signed ? static_cast<uint64_t>(mpfr_get_sj(value, MPFR_RNDN))
                               : mpfr_get_uj(value, MPFR_RNDN);
    wrapped = saturated.bits;
  }
  if (is_signed && ((wrapped >> (width - 1)) & 1) != 0) wrapped |= ~all;
  saturated.flags = flags;
  Env used = env;
  uint64_t got = to_int<F>(in<F>(x), width, is_signed, round, used, true);
  check(x, env, saturated, got, used.flags);
  used = env;
  got = to_int<F>(in<F>(x), width, is_signed, round, used, false);
  check(x, env, {wrapped, flags}, got, used.flags);
}

template <class F>
void run_to_int(const char* name, uint64_t seed, int count) {
  Checker check(name);
  for (Round round : kRounds) {
    Generator<F> random(seed);
    for (unsigned width : {8u, 16u, 32u, 64u}) {
      for (int i = 0; i < count; ++i) {
        // The rounding of the Env must not matter: only the argument does.
        const Env env = oracle::make_env(kRounds[random.below(4)], random.below(4));
        uint64_t x = random.pattern();
        if (F::kBits == 16) {
          x = static_cast<uint64_t>(i);
        } else if (random.below(4) != 0) {
          const uint64_t e = uint64_t{F::kBias} - 3 + random.below(70);
          x = (random.bits() & oracle::sign_bit<F>()) | (e << F::kFractionBits) | random.fraction();
        }
        check_to_int<F>(x, width, random.below(2) != 0, round, env, check);
      }
    }
  }
}

TEST(Integers, FromFloat) {
  run_to_int<F16>("f16 to int", 41, 65536);
  run_to_int<BF16>("bf16 to int", 42, 65536);
  run_to_int<F32>("f32 to int", 43, oracle::kUnaryVectors);
  run_to_int<F64>("f64 to int", 44, oracle::kUnaryVectors);
}

template <class F, class Int>
void run_from_int(const char* name, uint64_t seed) {
  Checker check(name);
  Number value;
  Number result(F::kPrecision);
  for (Round round : kRounds) {
    Generator<F64> random(seed);
    const Env env = oracle::make_env(round, 0);
    for (int i = 0; i < oracle::kUnaryVectors; ++i) {
      // Lengths of all sizes; runs of ones and sparse ones give halfway cases.
      uint64_t bits = random.bits();
      if (random.below(2) != 0)
        bits = (uint64_t{1} << random.below(64)) | (random.bits() & 3) |
               (uint64_t{1} << random.below(64));
      if (random.below(4) == 0) bits = ~bits;
      const Int x = static_cast<Int>(bits >> random.below(64));
      if (std::is_signed_v<Int>) {
        mpfr_set_sj(value, static_cast<int64_t>(x), MPFR_RNDN);
      } else {
        mpfr_set_uj(value, static_cast<uint64_t>(x), MPFR_RNDN);
      }
      const int ternary = mpfr_set(result, value, oracle::rounding(round));
      const Expected want = oracle::finish<F>(result, ternary, env);
      Env used = env;
      const uint64_t got = from_int<F>(x, used);
      check(static_cast<uint64_t>(x), env, want, got, used.flags);
    }
  }
}

TEST(Integers, ToFloat) {
  run_from_int<F16, int16_t>("i16 to f16", 51);
  run_from_int<F16, uint16_t>("u16 to f16", 52);
  run_from_int<F16, int64_t>("i64 to f16", 53);
  run_from_int<F32, int32_t>("i32 to f32", 54);
  run_from_int<F32, uint32_t>("u32 to f32", 55);
  run_from_int<F32, uint64_t>("u64 to f32", 56);
  run_from_int<F64, int32_t>("i32 to f64", 57);
  run_from_int<F64, int64_t>("i64 to f64", 58);
  run_from_int<F64, uint64_t>("u64 to f64", 59);
  run_from_int<BF16, int32_t>("i32 to bf16", 60);
}

// ---- Functions of one value
// ------------------------------------------------------------------------

template <class F>
class Unary : public testing::Test {};
using Formats = testing::Types<F16, BF16, F32, F64>;
TYPED_TEST_SUITE(Unary, Formats);

/// All 16-bit patterns, or random ones, in every rounding mode and flush setting.
template <class F, class Body>
void for_patterns(uint64_t seed, Body body) {
  for (Round round : kRounds) {
    Generator<F> random(seed);
    for (unsigned flush = 0; flush < 4; ++flush) {
      const int count = F::kBits == 16 ? 65536 : oracle::kUnaryVectors;
      for (int i = 0; i < count; ++i) {
        body(F::kBits == 16 ? static_cast<uint64_t>(i) : random.pattern(),
             oracle::make_env(round, flush), random);
      }
    }
  }
}

/// The quieted NaN with its flags when `x` is one.
template <class F>
bool nan_case(uint64_t x, unsigned flags, Expected& want) {
  if (!oracle::nan<F>(x)) return false;
  want.bits = x | (uint64_t{1} << (F::kFractionBits - 1));
  want.flags = flags | (oracle::signaling<F>(x) ? unsigned{kInvalid} : 0u);
  return true;
}

TYPED_TEST(Unary, RoundToIntegral) {
  using F = TypeParam;
  Checker check("round to integral");
  Number value;
  for_patterns<F>(71, [&](uint64_t x, const Env& env, Generator<F>&) {
    unsigned flags = 0;
    const uint64_t seen = oracle::seen<F>(x, env, flags);
    Expected want;
    if (!nan_case<F>(seen, flags, want)) {
      oracle::load<F>(value, seen);
      mpfr_rint(value, value, oracle::rounding(env.round));
      want = {oracle::store<F>(value), flags};
    }
    Env used = env;
    const uint64_t got = round_to_integral<F>(in<F>(x), env.round, used);
    check(x, env, want, got, used.flags);
  });
}

TYPED_TEST(Unary, Fract) {
  using F = TypeParam;
  Checker machine("fract");
  Checker hsail("fract of HSAIL");
  Number value(1200);
  Number whole(1200);
  Number result(F::kPrecision);
  const uint64_t below_one = (uint64_t{F::kBias} << F::kFractionBits) - 1;
  for_patterns<F>(72, [&](uint64_t x, const Env& env, Generator<F>&) {
    unsigned flags = 0;
    const uint64_t seen = oracle::seen<F>(x, env, flags);
    Expected want;
    Expected want_hsail;
    const uint64_t sign = seen & oracle::sign_bit<F>();
    oracle::load<F>(value, seen);
    if (nan_case<F>(seen, flags, want)) {
      want_hsail = want;
    } else if (mpfr_inf_p(value.get())) {
      want = {F::kDefaultNan, flags | kInvalid};
      want_hsail = {sign, flags};
    } else {
      mpfr_floor(whole, value);
      const int ternary = mpfr_sub(result, value, whole, oracle::rounding(env.round));
      want = oracle::finish<F>(result, ternary, env);
      if (mpfr_cmp_ui(result.get(), 1) >= 0) want.bits = below_one;
      want.flags |= flags;
      want_hsail = mpfr_zero_p(value.get()) ? Expected{sign, flags} : want;
    }
    Env used = env;
    uint64_t got = fract<F>(in<F>(x), used);
    machine(x, env, want, got, used.flags);
    used = env;
    got = fract_hsail<F>(in<F>(x), used);
    hsail(x, env, want_hsail, got, used.flags);
  });
}

TYPED_TEST(Unary, LdexpAndFrexp) {
  using F = TypeParam;
  Checker check_ldexp("ldexp");
  Checker check_mant("frexp_mant");
  Checker check_exp("frexp_exp");
  Number value;
  Number result(F::kPrecision);
  constexpr int kReach = F::kMaxExponent + F::kPrecision + 2;
  // MPFR starts with exponents of 30 bits, the argument of ldexp has 32.
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  for_patterns<F>(73, [&](uint64_t x, const Env& env, Generator<F>& random) {
    int32_t by = static_cast<int32_t>(random.below(4 * kReach)) - 2 * kReach;
    if (random.below(16) == 0) by = static_cast<int32_t>(random.bits());
    unsigned flags = 0;
    const uint64_t seen = oracle::seen<F>(x, env, flags);
    oracle::load<F>(value, seen);
    Expected want;
    Expected mant;
    Expected exponent{0, flags};
    if (nan_case<F>(seen, flags, want)) {
      mant = want;
      exponent.flags = want.flags;
    } else {
      mpfr_set(result, value, MPFR_RNDN);
      mpfr_mul_2si(result, result, by, MPFR_RNDN);
      want = oracle::finish<F>(result, 0, env);
      want.flags |= flags;
      mpfr_exp_t e = 0;
      if (mpfr_regular_p(value.get())) mpfr_frexp(&e, result, value, MPFR_RNDN);
      mant = {mpfr_regular_p(value.get()) ? oracle::store<F>(result) : seen, flags};
      exponent.bits = static_cast<uint32_t>(e);
    }
    Env used = env;
    uint64_t got = ldexp<F>(in<F>(x), by, used);
    check_ldexp(x, env, want, got, used.flags);
    used = env;
    got = frexp_mant<F>(in<F>(x), used);
    check_mant(x, env, mant, got, used.flags);
    used = env;
    got = static_cast<uint32_t>(frexp_exp<F>(in<F>(x), used));
    check_exp(x, env, exponent, got, used.flags);
  });
}

TYPED_TEST(Unary, OutputModifiers) {
  using F = TypeParam;
  Checker check_omod("omod");
  Checker check_clamp("clamp");
  Number value;
  Number result(F::kPrecision);
  for_patterns<F>(74, [&](uint64_t x, const Env& plain, Generator<F>& random) {
    Env env = plain;
    env.ieee = random.below(4) == 0;
    const auto omod = static_cast<Omod>(random.below(4));
    Expected want{x, 0};
    oracle::load<F>(value, x);
    if (omod != Omod::None && env.flush_out && !env.ieee && mpfr_number_p(value.get())) {
      constexpr double kFactor[] = {1, 2, 4, 0.5};
      const int ternary =
          mpfr_mul_d(result, value, kFactor[static_cast<int>(omod)], oracle::rounding(env.round));
      want = oracle::finish<F>(result, ternary, env);
      if (want.bits == oracle::sign_bit<F>()) want.bits = 0;
    }
    Env used = env;
    uint64_t got = apply_omod<F>(in<F>(x), omod, used);
    check_omod(x, env, want, got, used.flags);

    const bool dx10 = random.below(2) != 0;
    Expected clamped{x, 0};
    if (mpfr_nan_p(value.get())) {
      if (dx10) clamped.bits = 0;
    } else if (mpfr_sgn(value.get()) <= 0) {
      clamped.bits = 0;
    } else if (mpfr_cmp_ui(value.get(), 1) > 0) {
      clamped.bits = uint64_t{F::kBias} << F::kFractionBits;
    }
    got = apply_clamp<F>(in<F>(x), dx10);
    check_clamp(x, env, clamped, got, 0);
  });
}

}  // namespace
}  // namespace cuvette::fp
