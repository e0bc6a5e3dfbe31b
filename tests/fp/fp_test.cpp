// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Special values, NaN rules and flags by hand and from the manuals' examples. Random vectors
// against MPFR: fp_mpfr_test, fp_convert_mpfr_test, fp_matrix_test; against the host: fp_host_test.
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "fp/arith.h"
#include "fp/compare.h"
#include "fp/convert.h"
#include "fp/integral.h"
#include "fp/modifiers.h"
#include "fp/reciprocal.h"

namespace cuvette::fp {
namespace {

TEST(Format, Constants) {
  EXPECT_EQ(F32::kDefaultNan, 0x7fc00000u);
  EXPECT_EQ(F16::kDefaultNan, 0x7e00);
  EXPECT_EQ(BF16::kDefaultNan, 0x7fc0);
  EXPECT_EQ(F64::kDefaultNan, 0x7ff8000000000000u);
  EXPECT_EQ(F16::kMaxFinite, 0x7bff);
  EXPECT_EQ(F32::kOne, 0x3f800000u);
  EXPECT_EQ(FP8::kDefaultNan, 0x80);
  EXPECT_EQ(F32::kMaxExponent, 127);
  EXPECT_EQ(F32::kMinExponent, -126);
  EXPECT_EQ(FP8::kMaxExponent, 7);
  EXPECT_EQ(BF8::kMaxExponent, 15);
}

TEST(Nan, FirstOperandWins) {
  Env env;
  EXPECT_EQ(add<F32>(0x7fc00001, 0xffc00002, env), 0x7fc00001u);
  EXPECT_EQ(add<F32>(0x3f800000, 0xffc00002, env), 0xffc00002u);
  EXPECT_EQ(env.flags, 0);
  EXPECT_EQ(add<F32>(0x7fc00001, 0xff800002, env), 0x7fc00001u);  // src1 signals, src0 is returned
  EXPECT_EQ(env.flags, kInvalid);
  env.flags = 0;
  EXPECT_EQ(sub<F32>(0x3f800000, 0xff800002, env), 0xffc00002u);  // the sign of src1 stays
  EXPECT_EQ(env.flags, kInvalid);
  env.flags = 0;
  EXPECT_EQ(fma<F32>(0x3f800000, 0x7fc00005, 0x7fc00006, env), 0x7fc00005u);
  EXPECT_EQ(fma<F32>(0x7f800000, 0, 0xffc00006, env), 0xffc00006u);
  EXPECT_EQ(env.flags, 0);  // 0 * infinity beside a quiet NaN raises nothing
  EXPECT_EQ(mad<F32>(0x7f800000, 0, 0xffc00006, env), 0xffc00006u);
}

TEST(Nan, InvalidGivesPositiveDefault) {
  Env env;
  EXPECT_EQ(add<F32>(0x7f800000, 0xff800000, env), 0x7fc00000u);
  EXPECT_EQ(mul<F16>(0x7c00, 0x8000, env), 0x7e00);
  EXPECT_EQ(div<F64>(0, 0, env), 0x7ff8000000000000u);
  EXPECT_EQ(sqrt<F32>(0xbf800000, env), 0x7fc00000u);
  EXPECT_EQ(fma<F32>(0x7f800000, 0x3f800000, 0xff800000, env), 0x7fc00000u);
  EXPECT_EQ(env.flags, kInvalid);
}

TEST(Nan, ConversionKeepsSignAndTopPayload) {
  Env env;
  EXPECT_EQ((convert<F16, F32>(0xffc02000, env)), 0xfe01);
  EXPECT_EQ((convert<F32, F16>(0x7e01, env)), 0x7fc02000u);
  EXPECT_EQ(env.flags, 0);
  EXPECT_EQ((convert<F32, F64>(0x7ff0000000000001, env)), 0x7fc00000u);  // payload falls off
  EXPECT_EQ(env.flags, kInvalid);
}

TEST(Flags, AccumulateAndClassify) {
  Env env;
  EXPECT_EQ(div<F32>(0x3f800000, 0, env), 0x7f800000u);
  EXPECT_EQ(env.flags, kDivideByZero);
  mul<F32>(0x7f000000, 0x7f000000, env);
  EXPECT_EQ(env.flags, kDivideByZero | kOverflow | kInexact);
  Env tiny;
  EXPECT_EQ(mul<F32>(0x00800000, 0x3f000000, tiny), 0x00400000u);  // exact subnormal
  EXPECT_EQ(tiny.flags, 0);
  tiny.flush_out = true;
  EXPECT_EQ(mul<F32>(0x80800000, 0x3f000000, tiny), 0x80000000u);  // flushed, sign kept
  EXPECT_EQ(tiny.flags, kUnderflow | kInexact);
}

// (2 - 2^-23) * 2^-127: at 24 bits and without exponent limit it stays below 2^-126, so it is tiny,
// although as a subnormal it rounds up to 2^-126.
TEST(Flags, TininessIsDetectedAfterRounding) {
  Env env;
  EXPECT_EQ(mul<F32>(0x3fffffff, 0x00400000, env), 0x00800000u);
  EXPECT_EQ(env.flags, kUnderflow | kInexact | kInputDenormal);
  Env flush;
  flush.flush_out = true;
  EXPECT_EQ(mul<F32>(0x3fffffff, 0x00400000, flush), 0u);
  // (2 - 2^-24) * 2^-127, from F64, rounds to 2^-126 at full precision: not tiny.
  Env converted;
  converted.flush_out = true;
  EXPECT_EQ((convert<F32, F64>(0x380ffffff0000000, converted)), 0x00800000u);
  EXPECT_EQ(converted.flags, kInexact);
}

TEST(Overflow, Fp16Ovfl) {
  Env env;
  env.fp16_ovfl = true;
  EXPECT_EQ((convert<F16, F32>(0xc7800000, env)), 0xfbff);  // -65536
  EXPECT_EQ(env.flags, kOverflow | kInexact);
  EXPECT_EQ(add<F16>(0x7bff, 0x7bff, env), 0x7bff);
  EXPECT_EQ((convert<F16, F32>(0x7f800000, env)), 0x7c00);  // a true infinity stays
  EXPECT_EQ((convert<FP8, F32>(0x43c80000, env)), 0x7f);    // 400 -> 240
  EXPECT_EQ((convert<BF16, F32>(0x7f7fffff, env)), 0x7f80);
  env.fp16_ovfl = false;
  EXPECT_EQ((convert<FP8, F32>(0x43c80000, env)), 0x80);
  EXPECT_EQ((convert<FP8, F32>(0x43700000, env)), 0x7f);  // 240
  EXPECT_EQ((convert<F32, FP8>(0x7f, env)), 0x43700000u);
  EXPECT_EQ((convert<F32, BF8>(0x7f, env)), 0x47600000u);  // 57344
  EXPECT_EQ((convert<FP8, F32>(0x80000000, env)), 0);      // no minus zero
}

TEST(Machine, ExamplesOfTheManual) {  // Vega ISA VOP1 rows 34, 36, 39, 61 to 63
  struct Row {
    uint32_t in, rcp, rsq, sqrt;
  };
  constexpr Row kF32[] = {{0xff800000, 0x80000000, 0xffc00000, 0xffc00000},
                          {0x80000000, 0xff800000, 0xff800000, 0x80000000},
                          {0x00000000, 0x7f800000, 0x7f800000, 0x00000000},
                          {0x40800000, 0x3e800000, 0x3f000000, 0x40000000},
                          {0x7f800000, 0x00000000, 0x00000000, 0x7f800000}};
  constexpr Row kF16[] = {{0xfc00, 0x8000, 0xfe00, 0xfe00},
                          {0x8000, 0xfc00, 0xfc00, 0x8000},
                          {0x0000, 0x7c00, 0x7c00, 0x0000},
                          {0x4400, 0x3400, 0x3800, 0x4000},
                          {0x7c00, 0x0000, 0x0000, 0x7c00}};
  Env env;
  for (const Row& r : kF32) {
    EXPECT_EQ(v_rcp<F32>(r.in, env), r.rcp);
    EXPECT_EQ(v_rsq<F32>(r.in, env), r.rsq);
    EXPECT_EQ(v_sqrt<F32>(r.in, env), r.sqrt);
  }
  for (const Row& r : kF16) {
    const auto x = static_cast<uint16_t>(r.in);
    EXPECT_EQ(v_rcp<F16>(x, env), r.rcp);
    EXPECT_EQ(v_rsq<F16>(x, env), r.rsq);
    EXPECT_EQ(v_sqrt<F16>(x, env), r.sqrt);
  }
  EXPECT_EQ(v_rcp<F32>(0xc0000000, env), 0xbf000000u);
  // F32 flushes in and out; F16 does not.
  EXPECT_EQ(v_rcp<F32>(0x80000001, env), 0xff800000u);
  EXPECT_EQ(v_rcp<F32>(0x7f000000, env), 0x00000000u);
  EXPECT_EQ(v_rcp<F16>(0x7800, env), 0x0200);
}

float to_float(uint32_t bits) {
  float f = 0;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}

constexpr uint32_t kSpecials[] = {0,          0x80000000, 1,          0x80000001, 0x3f800000,
                                  0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                  0x7fc00001, 0xffc00002, 0x7f800003, 0xff800004, 0x3f800001};

bool host_nan(uint32_t x) {
  return (x & 0x7fffffff) > 0x7f800000;
}
bool host_signaling(uint32_t x) {
  return host_nan(x) && (x & 0x00400000) == 0;
}

// The rows of Vega ISA VOP2 10 and 11 as decision lists over host comparisons.
uint32_t manual_min_max(uint32_t a, uint32_t b, bool ieee, bool want_min) {
  if (ieee && host_signaling(a)) return a | 0x00400000;
  if (ieee && host_signaling(b)) return b | 0x00400000;
  if (host_nan(a)) return b;
  if (host_nan(b)) return a;
  if (a == 0 && b == 0x80000000) return want_min ? b : a;
  if (a == 0x80000000 && b == 0) return want_min ? a : b;
  if (want_min) return to_float(a) < to_float(b) ? a : b;
  return to_float(a) > to_float(b) ? a : b;
}

TEST(MinMax, MachineRules) {
  for (uint32_t a : kSpecials) {
    for (uint32_t b : kSpecials) {
      for (bool ieee : {false, true}) {
        Env env;
        env.ieee = ieee;
        EXPECT_EQ(fp::min<F32>(a, b, env), manual_min_max(a, b, ieee, true)) << a << " " << b;
        EXPECT_EQ(fp::max<F32>(a, b, env), manual_min_max(a, b, ieee, false)) << a << " " << b;
        const bool invalid = ieee && (host_signaling(a) || host_signaling(b));
        EXPECT_EQ(env.flags & kInvalid, invalid ? kInvalid : 0);
      }
    }
  }
  Env flush;
  flush.flush_in = true;
  EXPECT_EQ(fp::min<F32>(0x00000001, 0x3f800000, flush), 0u);
}

TEST(MinMax, HsailRules) {
  for (uint32_t a : kSpecials) {
    for (uint32_t b : kSpecials) {
      uint32_t low = manual_min_max(a, b, false, true);
      uint32_t high = manual_min_max(a, b, false, false);
      // A signaling NaN, or NaNs only: the first NaN, quiet (HSAIL PRM 5.11.2, 4.19.4).
      if (host_signaling(a) || host_signaling(b) || (host_nan(a) && host_nan(b))) {
        low = high = (host_nan(a) ? a : b) | 0x00400000;
      }
      Env env;
      EXPECT_EQ(min_num<F32>(a, b, env), low) << a << " " << b;
      EXPECT_EQ(max_num<F32>(a, b, env), high) << a << " " << b;
      const bool invalid = host_signaling(a) || host_signaling(b);
      EXPECT_EQ(env.flags & kInvalid, invalid ? kInvalid : 0);
    }
  }
}

TEST(Classify, TenClasses) {
  EXPECT_EQ(classify<F32>(0x7f800001), 0x001);
  EXPECT_EQ(classify<F32>(0xffc00000), 0x002);
  EXPECT_EQ(classify<F32>(0xff800000), 0x004);
  EXPECT_EQ(classify<F32>(0xff7fffff), 0x008);
  EXPECT_EQ(classify<F32>(0x807fffff), 0x010);
  EXPECT_EQ(classify<F32>(0x80000000), 0x020);
  EXPECT_EQ(classify<F32>(0x00000000), 0x040);
  EXPECT_EQ(classify<F32>(0x00000001), 0x080);
  EXPECT_EQ(classify<F32>(0x00800000), 0x100);
  EXPECT_EQ(classify<F32>(0x7f800000), 0x200);
  EXPECT_EQ(classify<F16>(0x7c01), 0x001);
  EXPECT_EQ(classify<F16>(0x83ff), 0x010);
  EXPECT_EQ(classify<F64>(0x0010000000000000), 0x100);
}

// The host classifies every F16 value after an exact conversion of its fields.
TEST(Classify, AllHalfPatterns) {
  for (unsigned x = 0; x < 65536; ++x) {
    const unsigned field = (x >> 10) & 31;
    const unsigned fraction = x & 1023;
    const bool negative = x >= 0x8000;
    unsigned want = 0;
    if (field == 31 && fraction != 0) {
      want = fraction >= 512 ? 2 : 1;
    } else {
      const int positive_bit = field == 31 ? 9 : field != 0 ? 8 : fraction != 0 ? 7 : 6;
      want = 1u << (negative ? 11 - positive_bit : positive_bit);
    }
    ASSERT_EQ(classify<F16>(static_cast<uint16_t>(x)), want) << x;
  }
}

TEST(Modifiers, OmodNeedsFlushAndNoIeee) {
  Env env;
  env.flush_out = true;
  EXPECT_EQ(apply_omod<F32>(0x3f800000, Omod::Times4, env), 0x3f800000u);  // IEEE is on
  env.ieee = false;
  EXPECT_EQ(apply_omod<F32>(0x3f800000, Omod::Times4, env), 0x40800000u);
  EXPECT_EQ(apply_omod<F32>(0x80000000, Omod::Times2, env), 0u);
  EXPECT_EQ(apply_omod<F32>(0x80800000, Omod::Half, env), 0u);
  env.flush_out = false;
  EXPECT_EQ(apply_omod<F32>(0x3f800000, Omod::Times4, env), 0x3f800000u);
  EXPECT_EQ(apply_clamp<F32>(0x7fc00000, true), 0u);
  EXPECT_EQ(apply_clamp<F32>(0x7fc00000, false), 0x7fc00000u);
  EXPECT_EQ(apply_clamp<F32>(0x7f800000, false), 0x3f800000u);
  EXPECT_EQ(fp::neg<F32>(0x7f800001), 0xff800001u);
  EXPECT_EQ(fp::abs<F16>(0xfe01), 0x7e01);
}

}  // namespace
}  // namespace cuvette::fp
