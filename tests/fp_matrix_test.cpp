// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Matrix dot products against the published algorithm evaluated with exact MPFR sums and explicit
// truncations, and against cases worked out by hand.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "fp/matrix.h"
#include "fp_matrix_oracle.h"

namespace cuvette::fp {
namespace {

using matrix_oracle::draw;
using matrix_oracle::expect_dot;
using matrix_oracle::kNan;
using matrix_oracle::op_fma;
using matrix_oracle::Words;
using oracle::expect;
using oracle::Generator;
using oracle::kVectors;

template <class A, class B>
void run(const char* name, const DotAlgorithm& g, unsigned k, uint64_t seed) {
  Generator<A> ra(seed);
  Generator<B> rb(seed + 1);
  Generator<F32> rd(seed + 2);
  int failures = 0;
  int finite = 0;
  const int count = test::vectors(100'000);
  for (int n = 0; n < count; ++n) {
    const auto [a, b, d] = draw(ra, rb, rd, k);
    const uint32_t want = expect_dot(g, a.data(), b.data(), k, d);
    const uint32_t got = dot_accumulate(g, a.data(), b.data(), k, d);
    if (!oracle::nan<F32>(want) && (want & 0x7fffffff) != 0x7f800000) ++finite;
    if (want == got) continue;
    if (++failures > 3) continue;
    std::string operands;
    char text[40];
    for (unsigned i = 0; i < k; ++i) {
      std::snprintf(text, sizeof text, " %x*%x", a[i], b[i]);
      operands += text;
    }
    ADD_FAILURE() << name << std::hex << operands << " d " << d << " expected " << want << " got "
                  << got;
  }
  EXPECT_EQ(failures, 0) << name << " seed " << seed;
  EXPECT_GT(finite, count / 2) << name << ": too few vectors say anything about the arithmetic";
}

TEST(MatrixDot, Chain) {
  run<F32, F32>("f32", kDotF32, 4, 101);
}
TEST(MatrixDot, PairwiseKept) {
  run<F16, F16>("gfx908 f16", kDotF16Gfx908, 8, 104);
  run<BF16, BF16>("gfx908 bf16", kDotBf16Gfx908, 4, 107);
}
TEST(MatrixDot, PairwiseFlushed) {
  run<F16, F16>("gfx90a f16", kDotF16Gfx90a, 8, 110);
  run<BF16, BF16>("gfx90a bf16", kDotBf16Gfx90a, 4, 113);
  run<BF16, BF16>("gfx90a bf16_1k", kDotBf16K1Gfx90a, 8, 116);
}
TEST(MatrixDot, Fused) {
  run<F16, F16>("gfx942 f16 k16", kDotF16Gfx942, 16, 119);
  run<F16, F16>("gfx942 f16 k4", kDotF16Gfx942, 4, 122);
  run<BF16, BF16>("gfx942 bf16 k8", kDotBf16Gfx942, 8, 125);
  run<BF16, BF16>("gfx942 bf16 k4", kDotBf16Gfx942, 4, 128);
  run<F32, F32>("gfx942 xf32 k8", kDotXf32Gfx942, 8, 131);
}
TEST(MatrixDot, FusedEvenOdd) {
  run<FP8, FP8>("gfx942 fp8 fp8", dot_8bit_gfx942(false, false), 32, 134);
  run<FP8, BF8>("gfx942 fp8 bf8", dot_8bit_gfx942(false, true), 16, 137);
  run<BF8, FP8>("gfx942 bf8 fp8", dot_8bit_gfx942(true, false), 16, 140);
  run<BF8, BF8>("gfx942 bf8 bf8", dot_8bit_gfx942(true, true), 32, 143);
}

TEST(MatrixDot, F64Chain) {
  Generator<F64> random(146);
  int failures = 0;
  for (int n = 0; n < oracle::kUnaryVectors; ++n) {
    uint64_t a[4];
    uint64_t b[4];
    for (int i = 0; i < 4; ++i) {
      a[i] = random.pattern();
      b[i] = random.partner(a[i]);
    }
    const uint64_t d = random.partner(a[0]);
    uint64_t want = d;
    for (int i = 0; i < 4; ++i) {
      const uint64_t v[] = {a[i], b[i], want};
      want = expect<F64>(op_fma, v, 3, Env{}).bits;
    }
    if (oracle::nan<F64>(want)) want = 0x7ff8000000000000;
    if (dot_accumulate_f64(a, b, 4, d) != want) ++failures;
  }
  EXPECT_EQ(failures, 0) << "seed 146";
}

TEST(MatrixDot, I8WrapsAndIgnoresUpperBits) {
  Generator<F32> random(147);
  for (int n = 0; n < 10000; ++n) {
    Words a(32);
    Words b(32);
    const auto d = static_cast<uint32_t>(random.bits());
    int64_t want = d;
    for (unsigned i = 0; i < 32; ++i) {
      a[i] = static_cast<uint32_t>(random.bits());
      b[i] = static_cast<uint32_t>(random.bits());
      const int64_t x = static_cast<int64_t>(a[i] & 0xff) - ((a[i] & 0x80) != 0 ? 256 : 0);
      const int64_t y = static_cast<int64_t>(b[i] & 0xff) - ((b[i] & 0x80) != 0 ? 256 : 0);
      want += x * y;
    }
    ASSERT_EQ(dot_accumulate_i8(a.data(), b.data(), 32, d), static_cast<uint32_t>(want));
  }
}

// ---- By hand
// -----------------------------------------------------------------------------------------

uint32_t dot(const DotAlgorithm& g, const Words& a, const Words& b, uint32_t d) {
  return dot_accumulate(g, a.data(), b.data(), static_cast<unsigned>(a.size()), d);
}

TEST(MatrixDotByHand, FusedRoundsAddendDown) {
  // 1*1 + (-2^-30): d is rounded down to -2^-24 at the exponent of the products; 1 - 2^-24 is
  // exact.
  EXPECT_EQ(dot(kDotF16Gfx942, {0x3c00, 0, 0, 0}, {0x3c00, 0, 0, 0}, 0xb0800000), 0x3f7fffffu);
  // A positive one disappears.
  EXPECT_EQ(dot(kDotF16Gfx942, {0x3c00, 0, 0, 0}, {0x3c00, 0, 0, 0}, 0x30800000), 0x3f800000u);
  // The chain of fused multiply-adds gives one for both.
  EXPECT_EQ(dot(kDotF32, {0x3f800000}, {0x3f800000}, 0xb0800000), 0x3f800000u);
}

TEST(MatrixDotByHand, FusedTruncatesProducts) {
  // 2048*2048 = 2^22; 2^-1 * 2^-2 = 2^-3 lies 25 below and is cut; 2^-1 * 2^-1 lies 24 below: kept,
  // and 2^22 + 2^-2 rounds to 2^22 in F32; the difference shows after 2^22 is taken away by d.
  EXPECT_EQ(dot(kDotF16Gfx942, {0x6800, 0x3800, 0, 0}, {0x6800, 0x3400, 0, 0}, 0xca800000), 0u);
  EXPECT_EQ(dot(kDotF16Gfx942, {0x6800, 0x3800, 0, 0}, {0x6800, 0x3800, 0, 0}, 0xca800000),
            0x3e800000u);
}

TEST(MatrixDotByHand, OrderOfPairwiseGroups) {
  // (2^24*1 + 1*1) + (-2^24*1 + 1*1): each pair loses its one, the sum is 0 (RNE: 2^24 + 1 -> 2^24;
  // -2^24 + 1 is exact in F32: -16777215). So 2^24 - 16777215 = 1.
  const Words a{0x4b80, 0x3f80, 0xcb80, 0x3f80};
  const Words b{0x3f80, 0x3f80, 0x3f80, 0x3f80};
  EXPECT_EQ(dot(kDotBf16K1Gfx90a, a, b, 0), 0x3f800000u);
  // In groups of two: d = 2^24, then d + (-16777215) = 1. With d = 1: 1 + 2^24 -> 2^24, then 1.
  EXPECT_EQ(dot(kDotBf16Gfx90a, a, b, 0x3f800000), 0x3f800000u);
  // In one group of four the same d gives 1 + 1 = 2.
  EXPECT_EQ(dot(kDotBf16K1Gfx90a, a, b, 0x3f800000), 0x40000000u);
}

TEST(MatrixDotByHand, FlushOnlyOnGfx90a) {
  // The smallest F16 subnormal 2^-24 times one.
  EXPECT_EQ(dot(kDotF16Gfx908, {1, 0, 0, 0}, {0x3c00, 0, 0, 0}, 0), 0x33800000u);
  EXPECT_EQ(dot(kDotF16Gfx90a, {1, 0, 0, 0}, {0x3c00, 0, 0, 0}, 0), 0u);
  // A subnormal C.
  EXPECT_EQ(dot(kDotF16Gfx908, {0, 0, 0, 0}, {0, 0, 0, 0}, 5), 5u);
  EXPECT_EQ(dot(kDotF16Gfx90a, {0, 0, 0, 0}, {0, 0, 0, 0}, 0x80000005), 0u);
}

TEST(MatrixDotByHand, FlushedStepsKeepTheirSign) {
  // Four products of -2^-100 * 2^-30 and an addend -0: kept, they are -2^-128; flushed, each is -0.
  const Words a(4, 0x8d80), b(4, 0x3080);
  EXPECT_EQ(dot(kDotBf16Gfx908, a, b, 0x80000000), 0x80200000u);
  EXPECT_EQ(dot(kDotBf16Gfx90a, a, b, 0x80000000), 0x80000000u);
}

TEST(MatrixDotByHand, SpecialValues) {
  const Words zero4{0, 0, 0, 0};
  EXPECT_EQ(dot(kDotF16Gfx942, {0x7c00, 0, 0, 0}, {0x3c00, 0, 0, 0}, 0), 0x7f800000u);
  EXPECT_EQ(dot(kDotF16Gfx942, {0x7c00, 0, 0, 0}, zero4, 0), kNan);
  EXPECT_EQ(dot(kDotF16Gfx942, {0x7c00, 0xfc00, 0, 0}, {0x3c00, 0x3c00, 0, 0}, 0), kNan);
  EXPECT_EQ(dot(kDotF16Gfx942, zero4, zero4, 0xff812345), kNan);
  EXPECT_EQ(dot(kDotF16Gfx908, {0xfe01, 0, 0, 0}, {0x3c00, 0, 0, 0}, 0), kNan);
  // bf16 2^64 * 2^64 = 2^128: infinity, although -2^127 is added.
  EXPECT_EQ(dot(kDotBf16Gfx942, {0x5f80, 0, 0, 0}, {0x5f80, 0, 0, 0}, 0xff000000), 0x7f800000u);
  EXPECT_EQ(dot(kDotBf16Gfx942, {0x5f80, 0xdf80, 0, 0}, {0x5f80, 0x5f80, 0, 0}, 0), kNan);
  // fnuz: 0x80 is NaN; 0x7f is 240 in FP8 and 57344 in BF8.
  Words a(16, 0);
  Words b(16, 0);
  a[0] = 0x80;
  EXPECT_EQ(dot(dot_8bit_gfx942(false, false), a, b, 0), kNan);
  a[0] = 0x7f;
  b[0] = 0x40;  // one in FP8
  EXPECT_EQ(dot(dot_8bit_gfx942(false, false), a, b, 0), 0x43700000u);
  EXPECT_EQ(dot(dot_8bit_gfx942(true, false), a, b, 0), 0x47600000u);
}

TEST(MatrixDotByHand, Xf32DropsThirteenBits) {
  // 1 + 2^-10 + 2^-11 loses 2^-11.
  EXPECT_EQ(dot(kDotXf32Gfx942, {0x3f803000, 0, 0, 0}, {0x3f800000, 0, 0, 0}, 0), 0x3f802000u);
}

TEST(MatrixDotByHand, EightBitDropsSmallAddend) {
  // 1 * 1 and d = -2^-26: 26 below the product exponent, dropped. At -2^-25 it is still rounded
  // down to -2^-24.
  Words a(16, 0);
  Words b(16, 0);
  a[0] = b[0] = 0x40;
  const DotAlgorithm fp8 = dot_8bit_gfx942(false, false);
  EXPECT_EQ(dot(fp8, a, b, 0xb2800000), 0x3f800000u);
  EXPECT_EQ(dot(fp8, a, b, 0xb3000000), 0x3f7fffffu);
}

}  // namespace
}  // namespace cuvette::fp
