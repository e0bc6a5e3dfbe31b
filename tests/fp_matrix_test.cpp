// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Matrix dot products against the published algorithm evaluated with exact MPFR sums and explicit
// truncations, and against cases worked out by hand.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "fp/matrix.h"
#include "fp_oracle.h"

namespace cuvette::fp {
namespace {

using oracle::expect;
using oracle::Generator;
using oracle::kVectors;
using oracle::Number;

constexpr int kExact = 1000;  // bits enough for any sum of products exactly
constexpr uint32_t kNan = 0x7fc00000;
using Words = std::vector<uint32_t>;

int op_add(mpfr_ptr r, Number* v, mpfr_rnd_t m) {
  return mpfr_add(r, v[0], v[1], m);
}
int op_mul(mpfr_ptr r, Number* v, mpfr_rnd_t m) {
  return mpfr_mul(r, v[0], v[1], m);
}
int op_fma(mpfr_ptr r, Number* v, mpfr_rnd_t m) {
  return mpfr_fma(r, v[0], v[1], v[2], m);
}

// ---- Expected values
// -------------------------------------------------------------------------------

/// Loads an element and tells its exponent by the rule of the fused method.
template <class F>
void load_factor(Number& out, int& exponent, uint32_t bits) {
  oracle::load<F>(out, bits);
  exponent = -126;
  if (mpfr_regular_p(out.get())) {
    exponent = std::max(static_cast<int>(mpfr_get_exp(out.get())) - 1, F::kMinExponent);
  }
}

/// value = round(value * 2^bits) / 2^bits toward zero or minus infinity.
void cut(Number& value, int bits, mpfr_rnd_t direction) {
  mpfr_mul_2si(value, value, bits, MPFR_RNDN);
  mpfr_rint(value, value, direction);
  mpfr_mul_2si(value, value, -bits, MPFR_RNDN);
}

void load_element(MatrixFormat f, Number& out, int& exponent, uint32_t bits) {
  switch (f) {
    case MatrixFormat::F16:
      return load_factor<F16>(out, exponent, bits);
    case MatrixFormat::BF16:
      return load_factor<BF16>(out, exponent, bits);
    case MatrixFormat::FP8:
      return load_factor<FP8>(out, exponent, bits);
    case MatrixFormat::BF8:
      return load_factor<BF8>(out, exponent, bits);
    case MatrixFormat::F32:
    case MatrixFormat::XF32:
      break;
  }
  load_factor<F32>(out, exponent, bits);
  if (f == MatrixFormat::XF32 && mpfr_regular_p(out.get())) {
    cut(out, 10 - exponent, MPFR_RNDZ);
    if (mpfr_zero_p(out.get())) exponent = -126;
  }
}

struct Sum {
  Number value{kExact};
  int exponent = 0;
};

uint32_t expect_fused_group(const DotAlgorithm& g, const uint32_t* a, const uint32_t* b,
                            unsigned count, uint32_t d) {
  static Number products[16] = {Number(kExact), Number(kExact), Number(kExact), Number(kExact),
                                Number(kExact), Number(kExact), Number(kExact), Number(kExact),
                                Number(kExact), Number(kExact), Number(kExact), Number(kExact),
                                Number(kExact), Number(kExact), Number(kExact), Number(kExact)};
  static Number x(kExact);
  static Number y(kExact);
  static Number c(kExact);
  int exponents[16] = {};
  int exponent_c = 0;
  load_factor<F32>(c, exponent_c, d);
  double in_double = mpfr_get_d(c, MPFR_RNDN);
  bool plus = false;
  bool minus = false;
  for (unsigned i = 0; i < count; ++i) {
    int ex = 0;
    int ey = 0;
    load_element(g.a, x, ex, a[i]);
    load_element(g.b, y, ey, b[i]);
    mpfr_mul(products[i], x, y, MPFR_RNDN);
    exponents[i] = ex + ey;
    in_double += mpfr_get_d(products[i], MPFR_RNDN);
    if (mpfr_regular_p(products[i].get()) && mpfr_get_exp(products[i].get()) > 128) {
      (mpfr_signbit(products[i].get()) ? minus : plus) = true;
    }
  }
  if (std::isnan(in_double) || (plus && minus && std::isfinite(in_double))) return kNan;
  if (std::isinf(in_double)) return in_double < 0 ? 0xff800000 : 0x7f800000;
  if (plus || minus) return minus ? 0xff800000 : 0x7f800000;

  const unsigned parts = g.method == MatrixMethod::FusedEvenOdd ? 2 : 1;
  static Sum sums[2];
  for (unsigned p = 0; p < parts; ++p) {
    sums[p].exponent = -10000;
    for (unsigned i = p; i < count; i += parts) {
      sums[p].exponent = std::max(sums[p].exponent, exponents[i]);
    }
    mpfr_set_zero(sums[p].value, 1);
    for (unsigned i = p; i < count; i += parts) {
      cut(products[i], 24 - sums[p].exponent, MPFR_RNDZ);
      mpfr_add(sums[p].value, sums[p].value, products[i], MPFR_RNDN);
    }
  }
  if (parts == 2) {
    const int common = std::max(sums[0].exponent, sums[1].exponent);
    cut(sums[0].value, 24 - common, MPFR_RNDD);
    cut(sums[1].value, 24 - common, MPFR_RNDD);
    mpfr_add(sums[0].value, sums[0].value, sums[1].value, MPFR_RNDN);
    sums[0].exponent = common;
  }
  const int top = std::max(sums[0].exponent, exponent_c);
  cut(sums[0].value, 31 - top, MPFR_RNDD);
  cut(c, 24 - top, MPFR_RNDD);
  if (parts == 2 && exponent_c < top - 25) mpfr_set_zero(c, 1);
  static Number result(24);
  const int ternary = mpfr_add(result, sums[0].value, c, MPFR_RNDN);
  if (mpfr_zero_p(result.get())) return 0;
  return static_cast<uint32_t>(oracle::finish<F32>(result, ternary, Env{}).bits);
}

uint32_t flushed(uint64_t bits, bool flush) {
  return static_cast<uint32_t>(flush && oracle::subnormal<F32>(bits) ? bits & 0x80000000 : bits);
}

/// The group as a recursion over halves; leaves are rounded products.
uint32_t expect_tree(const Words& leaves, size_t first, size_t count, bool flush) {
  if (count == 1) return leaves[first];
  const uint64_t v[] = {expect_tree(leaves, first, count / 2, flush),
                        expect_tree(leaves, first + count / 2, count / 2, flush)};
  return flushed(expect<F32>(op_add, v, 2, Env{}).bits, flush);
}

uint32_t widened(MatrixFormat f, uint32_t bits, bool flush) {
  static Number value(kExact);
  int ignored = 0;
  const bool small = f == MatrixFormat::F16    ? oracle::subnormal<F16>(bits)
                     : f == MatrixFormat::BF16 ? oracle::subnormal<BF16>(bits)
                                               : oracle::subnormal<F32>(bits);
  if (small && flush) return 0;
  load_element(f, value, ignored, bits);
  return static_cast<uint32_t>(oracle::store<F32>(value));
}

uint32_t expect_pairwise(const DotAlgorithm& g, const uint32_t* a, const uint32_t* b, unsigned k,
                         uint32_t d) {
  if (g.flush && oracle::subnormal<F32>(d)) d = 0;
  for (unsigned first = 0; first < k; first += g.group) {
    Words leaves;
    for (unsigned i = 0; i < g.group; ++i) {
      const uint64_t v[] = {widened(g.a, a[first + i], g.flush),
                            widened(g.b, b[first + i], g.flush)};
      leaves.push_back(flushed(expect<F32>(op_mul, v, 2, Env{}).bits, g.flush));
    }
    const uint64_t v[] = {d, expect_tree(leaves, 0, g.group, g.flush)};
    d = flushed(expect<F32>(op_add, v, 2, Env{}).bits, g.flush);
  }
  return oracle::nan<F32>(d) ? kNan : d;
}

uint32_t expect_dot(const DotAlgorithm& g, const uint32_t* a, const uint32_t* b, unsigned k,
                    uint32_t d) {
  if (g.method == MatrixMethod::Pairwise) return expect_pairwise(g, a, b, k, d);
  if (g.method == MatrixMethod::Chain) {
    for (unsigned i = 0; i < k; ++i) {
      const uint64_t v[] = {a[i], b[i], d};
      d = static_cast<uint32_t>(expect<F32>(op_fma, v, 3, Env{}).bits);
    }
    return oracle::nan<F32>(d) ? kNan : d;
  }
  for (unsigned first = 0; first < k; first += g.group) {
    d = expect_fused_group(g, a + first, b + first, std::min<unsigned>(g.group, k - first), d);
  }
  return d;
}

// ---- Random vectors
// --------------------------------------------------------------------------------

template <class F>
uint32_t element(Generator<F>& random, bool specials, int base, unsigned window) {
  if (specials) return static_cast<uint32_t>(random.pattern());
  if (random.below(12) == 0) return random.below(2) != 0 ? 0 : 1;  // zero or the smallest subnormal
  const int field = std::clamp(base + static_cast<int>(random.below(window)), 0,
                               F::kMaxField - (F::kIeee ? 1 : 0));
  return static_cast<uint32_t>((random.bits() & oracle::sign_bit<F>()) |
                               (static_cast<uint64_t>(field) << F::kFractionBits) |
                               random.fraction());
}

template <class A, class B>
void run(const char* name, const DotAlgorithm& g, unsigned k, uint64_t seed) {
  Generator<A> ra(seed);
  Generator<B> rb(seed + 1);
  Generator<F32> rd(seed + 2);
  int failures = 0;
  int finite = 0;
  const int count = test::vectors(100'000);
  for (int n = 0; n < count; ++n) {
    const bool specials = ra.below(8) == 0;
    const unsigned window = 1 + ra.below(ra.below(2) != 0 ? 40 : 6);
    const int base_a = static_cast<int>(ra.below(A::kMaxField));
    // Half the time products are near one, otherwise anywhere.
    const int base_b = rb.below(2) != 0 ? B::kBias - (base_a - A::kBias)
                                        : static_cast<int>(rb.below(B::kMaxField));
    Words a(k);
    Words b(k);
    for (unsigned i = 0; i < k; ++i) {
      a[i] = element<A>(ra, specials && ra.below(8) == 0, base_a, window);
      b[i] = element<B>(rb, specials && rb.below(8) == 0, base_b, window);
      // Cancellation: the opposite of an earlier product.
      if (i > 0 && ra.below(4) == 0) {
        const unsigned j = ra.below(i);
        a[i] = a[j] ^ static_cast<uint32_t>(oracle::sign_bit<A>());
        if (a[i] == 0x80 && A::kBits == 8) a[i] = 0;
        b[i] = b[j];
      }
    }
    const int near = base_a - A::kBias + base_b - B::kBias + F32::kBias;
    uint32_t d = element<F32>(rd, specials && rd.below(4) == 0,
                              near - 40 + static_cast<int>(rd.below(60)), 20);
    if (rd.below(16) == 0) d = 0x80000000u;
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
