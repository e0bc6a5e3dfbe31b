// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Exp, log, sin, cos, rcp, rsq, sqrt as the machine has them: every F16 number, ten thousand F32
// and F64 numbers per function and mode, against MPFR; the examples of the manual. The whole of
// F32: fp_exhaustive.
#include <algorithm>
#include <cstdio>

#include <gtest/gtest.h>

#include "fp/convert.h"
#include "fp/transcendental.h"
#include "fp_transcendental_oracle.h"

namespace cuvette::fp {
namespace {

using oracle::Function;

template <class F>
BitsOf<F> call(Function f, BitsOf<F> x, Env& env) {
  if constexpr (F::kBits < 64) {
    if (f == Function::Exp) return v_exp<F>(x, env);
    if (f == Function::Log) return v_log<F>(x, env);
    if (f == Function::Sin) return v_sin<F>(x, env);
    if (f == Function::Cos) return v_cos<F>(x, env);
  }
  if (f == Function::Rcp) return v_rcp<F>(x, env);
  if (f == Function::Rsq) return v_rsq<F>(x, env);
  return v_sqrt<F>(x, env);
}

/// Bounds of transcendentals.md in units in the last place; 0.5 is correct rounding. The
/// manual allows 0.51 for F16, 1 for F32 and 2^29 for F64.
template <class F>
double bound(Function f) {
  if (F::kBits == 32 && f == Function::Log) return 0.505;
  if (F::kBits == 32 && f <= Function::Cos) return 0.501;
  return 0.5;
}

/// The largest error seen, or a failure.
template <class F>
void check(Function f, uint64_t bits, const Env& env, double& worst) {
  const oracle::MachineExpected expected = oracle::machine_expected<F>(f, bits, env);
  Env used = env;
  const uint64_t got = call<F>(f, static_cast<BitsOf<F>>(bits), used);
  const auto where = [&] {
    char text[160];
    std::snprintf(text, sizeof text, "%s of %#llx: %#llx flags %#x, expected %#llx flags %#x; ",
                  oracle::name_of(f), static_cast<unsigned long long>(bits),
                  static_cast<unsigned long long>(got), used.flags,
                  static_cast<unsigned long long>(expected.nearest.bits), expected.nearest.flags);
    return text + oracle::describe(env);
  };
  ASSERT_EQ(used.flags, expected.nearest.flags) << where();
  if (got == expected.nearest.bits) return;
  ASSERT_FALSE(expected.special) << where();
  const double error = oracle::error_in_ulp<F>(f, bits, got);
  worst = std::max(worst, error);
  ASSERT_LE(error, bound<F>(f)) << where();
}

TEST(Transcendental, EveryF16) {
  for (const Function f : oracle::kFunctions) {
    double worst = 0.5;
    for (unsigned flush = 0; flush < 4; ++flush) {
      for (unsigned x = 0; x < 0x10000; ++x) {
        // The rounding mode takes no part, so any will do.
        const Env env = oracle::make_env(oracle::kRounds[(x >> 3) & 3], flush);
        check<F16>(f, x, env, worst);
        if (HasFatalFailure()) return;
      }
    }
    std::printf("  %s f16: at most %.6f ulp\n", oracle::name_of(f), worst);
  }
}

TEST(Transcendental, F16OverflowClamps) {
  Env env;
  env.fp16_ovfl = true;
  EXPECT_EQ(v_exp<F16>(0x4c00, env), 0x7bff);  // 2^16
  EXPECT_EQ(env.flags, kOverflow | kInexact);
  EXPECT_EQ(v_exp<F16>(0x7c00, env), 0x7c00);  // a true infinity stays
  EXPECT_EQ(v_log<F16>(0x0000, env), 0xfc00);
}

/// Numbers where a function is difficult, and anything.
template <class F>
uint64_t directed(Function f, oracle::Generator<F>& random) {
  const uint64_t sign = (random.bits() & 1) != 0 ? oracle::sign_bit<F>() : 0;
  const auto near = [&](double value, unsigned distance) {
    Env env;
    const uint64_t bits = convert<F, F64>(std::bit_cast<uint64_t>(value), env);
    return (bits + random.below(2 * distance + 1) - distance) & oracle::Generator<F>::mask();
  };
  switch (random.below(4)) {
    case 0:
      return random.pattern();
    case 1: {  // around the points where the exact value is simple, and the ends of the range
      if (f == Function::Exp) return near(static_cast<int>(random.below(300)) - 150, 40);
      if (f == Function::Sin || f == Function::Cos) {
        return sign ^ near(random.below(1030) / 4.0, 40);
      }
      return near(std::ldexp(1.0, static_cast<int>(random.below(40)) - 20), 2000);
    }
    case 2: {  // around the borders of table segments
      if (f == Function::Exp) return near((static_cast<int>(random.below(8192)) - 4096) / 64.0, 3);
      if (f == Function::Sin || f == Function::Cos) {
        return sign ^ near(random.below(1024) / 256.0, 3);
      }
      return near(0.75 + random.below(49) / 64.0, 3);
    }
    default:
      break;
  }
  const double uniform = static_cast<double>(random.bits() >> 11) * 0x1p-53;
  if (f == Function::Exp) return near(uniform * 280 - 152, 1);
  if (f == Function::Sin || f == Function::Cos) return sign ^ near(uniform * 256, 1);
  return near(0.7 + uniform * 0.85, 1);
}

template <class F>
void random_numbers(Function f, uint64_t seed) {
  constexpr unsigned kCount = 10'000;
  double worst = 0.5;
  for (unsigned mode = 0; mode < 16; ++mode) {
    oracle::Generator<F> random(seed + mode);
    const Env env = oracle::make_env(oracle::kRounds[mode & 3], mode >> 2);
    for (unsigned n = 0; n < kCount; ++n) {
      check<F>(f, directed<F>(f, random), env, worst);
      if (::testing::Test::HasFatalFailure()) {
        ADD_FAILURE() << "seed " << seed + mode << " vector " << n;
        return;
      }
    }
  }
  std::printf("  %s f%d: at most %.6f ulp\n", oracle::name_of(f), F::kBits, worst);
}

TEST(Transcendental, RandomF32) {
  for (const Function f : oracle::kFunctions) {
    random_numbers<F32>(f, 20261120);
    if (HasFailure()) return;
  }
}

TEST(Transcendental, RandomF64) {
  for (const Function f : {Function::Rcp, Function::Rsq, Function::Sqrt}) {
    random_numbers<F64>(f, 20261121);
    if (HasFailure()) return;
  }
}

/// Vega ISA VOP1 rows 32 to 42.
TEST(Transcendental, ManualExamplesF32) {
  struct Example {
    Function f;
    uint32_t x, d;
  };
  using enum Function;
  const Example table[] = {
      {Exp, 0xff800000, 0x00000000},  {Exp, 0x80000000, 0x3f800000},
      {Exp, 0x7f800000, 0x7f800000},  {Log, 0xff800000, 0xffc00000},
      {Log, 0xbf800000, 0xffc00000},  {Log, 0x80000000, 0xff800000},
      {Log, 0x00000000, 0xff800000},  {Log, 0x3f800000, 0x00000000},
      {Log, 0x7f800000, 0x7f800000},  {Rcp, 0xff800000, 0x80000000},
      {Rcp, 0xc0000000, 0xbf000000},  {Rcp, 0x80000000, 0xff800000},
      {Rcp, 0x00000000, 0x7f800000},  {Rcp, 0x7f800000, 0x00000000},
      {Rsq, 0xff800000, 0xffc00000},  {Rsq, 0x80000000, 0xff800000},
      {Rsq, 0x00000000, 0x7f800000},  {Rsq, 0x40800000, 0x3f000000},
      {Rsq, 0x7f800000, 0x00000000},  {Sqrt, 0xff800000, 0xffc00000},
      {Sqrt, 0x80000000, 0x80000000}, {Sqrt, 0x00000000, 0x00000000},
      {Sqrt, 0x40800000, 0x40000000}, {Sqrt, 0x7f800000, 0x7f800000},
      {Sin, 0xff800000, 0xffc00000},  {Sin, 0xff7fffff, 0x00000000},
      {Sin, 0x80000000, 0x80000000},  {Sin, 0x3e800000, 0x3f800000},
      {Sin, 0x7f800000, 0xffc00000},  {Cos, 0xff800000, 0xffc00000},
      {Cos, 0xff7fffff, 0x3f800000},  {Cos, 0x80000000, 0x3f800000},
      {Cos, 0x3e800000, 0x00000000},  {Cos, 0x7f800000, 0xffc00000},
  };
  for (const Example& e : table) {
    Env env;
    EXPECT_EQ(call<F32>(e.f, e.x, env), e.d) << oracle::name_of(e.f) << std::hex << " " << e.x;
  }
}

/// Vega ISA VOP1 rows 61 to 65, 73, 74.
TEST(Transcendental, ManualExamplesF16) {
  struct Example {
    Function f;
    uint16_t x, d;
  };
  using enum Function;
  const Example table[] = {
      {Rcp, 0xfc00, 0x8000},  {Rcp, 0xc000, 0xb800},  {Rcp, 0x8000, 0xfc00},
      {Rcp, 0x0000, 0x7c00},  {Rcp, 0x7c00, 0x0000},  {Sqrt, 0xfc00, 0xfe00},
      {Sqrt, 0x8000, 0x8000}, {Sqrt, 0x0000, 0x0000}, {Sqrt, 0x4400, 0x4000},
      {Sqrt, 0x7c00, 0x7c00}, {Rsq, 0xfc00, 0xfe00},  {Rsq, 0x8000, 0xfc00},
      {Rsq, 0x0000, 0x7c00},  {Rsq, 0x4400, 0x3800},  {Rsq, 0x7c00, 0x0000},
      {Log, 0xfc00, 0xfe00},  {Log, 0xbc00, 0xfe00},  {Log, 0x8000, 0xfc00},
      {Log, 0x0000, 0xfc00},  {Log, 0x3c00, 0x0000},  {Log, 0x7c00, 0x7c00},
      {Exp, 0xfc00, 0x0000},  {Exp, 0x8000, 0x3c00},  {Exp, 0x7c00, 0x7c00},
      {Sin, 0xfc00, 0xfe00},  {Sin, 0xfbff, 0x0000},  {Sin, 0x8000, 0x8000},
      {Sin, 0x3400, 0x3c00},  {Sin, 0x7bff, 0x0000},  {Sin, 0x7c00, 0xfe00},
      {Cos, 0xfc00, 0xfe00},  {Cos, 0xfbff, 0x3c00},  {Cos, 0x8000, 0x3c00},
      {Cos, 0x3400, 0x0000},  {Cos, 0x7bff, 0x3c00},  {Cos, 0x7c00, 0xfe00},
  };
  for (const Example& e : table) {
    Env env;
    EXPECT_EQ(call<F16>(e.f, e.x, env), e.d) << oracle::name_of(e.f) << std::hex << " " << e.x;
  }
}

/// F32 subnormals: flushed by all but sine and cosine, which do as MODE says.
TEST(Transcendental, Subnormals) {
  Env kept;
  EXPECT_EQ(v_exp<F32>(0x80000001, kept), 0x3f800000u);
  EXPECT_EQ(v_exp<F32>(0xc2fe0000, kept), 0u);  // 2^-127 has no normal form
  EXPECT_EQ(v_log<F32>(0x007fffff, kept), 0xff800000u);
  EXPECT_EQ(v_sin<F32>(0x00000001, kept), 0x00000006u);  // 2 pi units of 2^-149
  EXPECT_EQ(v_sin<F32>(0x80000002, kept), 0x8000000du);
  EXPECT_EQ(v_cos<F32>(0x00000001, kept), 0x3f800000u);
  Env flushed;
  flushed.flush_in = flushed.flush_out = true;
  EXPECT_EQ(v_sin<F32>(0x80000002, flushed), 0x80000000u);
}

}  // namespace
}  // namespace cuvette::fp
