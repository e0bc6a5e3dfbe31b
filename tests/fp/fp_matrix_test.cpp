// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Matrix dot products of layer fp against the restatement in whole numbers (matrix_restatement.h),
// against the inputs that mfma_numerics.md lists, and against cases worked out by hand.
#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fp/matrix.h"
#include "matrix_groups.h"
#include "matrix_restatement.h"
#include "test_vectors.h"

namespace cuvette::fp {
namespace {

using restatement::Algorithm;
using restatement::Format;
using restatement::Group;
using restatement::Groups;
using restatement::Kind;
using restatement::Listed;
using restatement::Part;
using Words = std::vector<uint32_t>;

constexpr uint32_t kNan = 0x7fc00000;

/// A row of the page's table; `k`: products of one group.
struct Named {
  const char* name;
  Part part;
  Format a, b;
  unsigned k;
  DotAlgorithm algorithm;
};

const Named kFormats[] = {
    {"f32", Part::Gfx908, Format::F32, Format::F32, 1, kDotF32},
    {"gfx908_f16", Part::Gfx908, Format::F16, Format::F16, 4, kDotF16Gfx908},
    {"gfx908_bf16", Part::Gfx908, Format::Bf16, Format::Bf16, 2, kDotBf16Gfx908},
    {"gfx90a_f16", Part::Gfx90a, Format::F16, Format::F16, 4, kDotF16Gfx90a},
    {"gfx90a_bf16", Part::Gfx90a, Format::Bf16, Format::Bf16, 2, kDotBf16Gfx90a},
    {"gfx90a_bf16_1k", Part::Gfx90a, Format::Bf16K1, Format::Bf16K1, 4, kDotBf16K1Gfx90a},
    {"gfx942_f16", Part::Gfx942, Format::F16, Format::F16, 8, kDotF16Gfx942},
    {"gfx942_bf16", Part::Gfx942, Format::Bf16, Format::Bf16, 8, kDotBf16Gfx942},
    {"gfx942_f16_k4", Part::Gfx942, Format::F16, Format::F16, 4, kDotF16Gfx942},
    {"gfx942_bf16_k4", Part::Gfx942, Format::Bf16, Format::Bf16, 4, kDotBf16Gfx942},
    {"gfx942_xf32", Part::Gfx942, Format::Xf32, Format::Xf32, 4, kDotXf32Gfx942},
    {"gfx942_fp8_fp8", Part::Gfx942, Format::Fp8, Format::Fp8, 16, dot_8bit_gfx942(false, false)},
    {"gfx942_fp8_bf8", Part::Gfx942, Format::Fp8, Format::Bf8, 16, dot_8bit_gfx942(false, true)},
    {"gfx942_bf8_fp8", Part::Gfx942, Format::Bf8, Format::Fp8, 16, dot_8bit_gfx942(true, false)},
    {"gfx942_bf8_bf8", Part::Gfx942, Format::Bf8, Format::Bf8, 16, dot_8bit_gfx942(true, true)},
};

Words words(const std::vector<uint64_t>& patterns) {
  return {patterns.begin(), patterns.end()};
}

std::string text_of(const Group& g) {
  std::string text;
  char part[48];
  for (size_t i = 0; i < g.a.size(); ++i) {
    std::snprintf(part, sizeof part, " %llx*%llx", static_cast<unsigned long long>(g.a[i]),
                  static_cast<unsigned long long>(g.b[i]));
    text += part;
  }
  std::snprintf(part, sizeof part, "; d %llx", static_cast<unsigned long long>(g.d));
  return text + part;
}

class MatrixDot : public ::testing::TestWithParam<Named> {
 protected:
  /// Runs `count` groups, of all kinds in turn, `length` of them in a result.
  void run(int count, unsigned length, uint64_t seed) {
    const Named& n = GetParam();
    Groups groups(seed, n.a, n.b);
    const unsigned k = n.k * length;
    const restatement::Rule rule = restatement::rule_of(n.part, n.a, n.b, n.k);
    int failures = 0;
    std::array<int, restatement::kKinds> plain{};  // finite and not zero
    const int results = count / static_cast<int>(length);
    for (int i = 0; i < results; ++i) {
      const auto kind = static_cast<size_t>(i) % restatement::kKinds;
      const Group g = groups.draw(static_cast<Kind>(kind), k);
      const auto want = restatement::element(rule, g.a.data(), g.b.data(), k, g.d);
      const auto got = dot_accumulate(n.algorithm, words(g.a).data(), words(g.b).data(), k,
                                      static_cast<uint32_t>(g.d));
      if ((want & 0x7f800000) != 0x7f800000 && (want & 0x7fffffff) != 0) ++plain[kind];
      if (want == got || ++failures > 3) continue;
      ADD_FAILURE() << "kind " << kind << text_of(g) << std::hex << ": expected " << want
                    << ", got " << got;
    }
    EXPECT_EQ(failures, 0) << "seed " << seed;
    // Long sums meet an infinity or a NaN more often than not.
    for (size_t kind = 0; kind < plain.size() && length == 1; ++kind) {
      EXPECT_GT(plain[kind], results / static_cast<int>(restatement::kKinds) / 6)
          << "kind " << kind << ": too few results say anything";
    }
  }
};

TEST_P(MatrixDot, RandomGroups) {
  run(test::vectors(40'000), 1, 101);
}
INSTANTIATE_TEST_SUITE_P(Formats, MatrixDot, ::testing::ValuesIn(kFormats),
                         [](const auto& i) { return std::string(i.param.name); });

/// d of a group is the result of the one before. Instructions of fewer products than a group have
/// one.
class MatrixChains : public MatrixDot {};

std::vector<Named> formats_of_chains() {
  std::vector<Named> out;
  for (const Named& n : kFormats) {
    if (n.k == n.algorithm.group) out.push_back(n);
  }
  return out;
}

TEST_P(MatrixChains, RandomGroups) {
  run(test::vectors(40'000) / 4, 2, 103);
}

INSTANTIATE_TEST_SUITE_P(Formats, MatrixChains, ::testing::ValuesIn(formats_of_chains()),
                         [](const auto& i) { return std::string(i.param.name); });

/// The inputs at the end of the page, and others worked out by hand.
class MatrixListed : public ::testing::TestWithParam<Listed> {};

TEST_P(MatrixListed, HasItsResult) {
  const Listed& row = GetParam();
  for (const Named& n : kFormats) {
    if (n.part != row.part || n.a != row.format || n.b != row.format) continue;
    const unsigned k = std::max(n.k, static_cast<unsigned>(row.a.size()));
    const Group g = group_of(row, k);
    EXPECT_EQ(dot_accumulate(n.algorithm, words(g.a).data(), words(g.b).data(), k,
                             static_cast<uint32_t>(g.d)),
              row.want)
        << n.name;
    // The judge of the random groups has the same.
    EXPECT_EQ(restatement::element(restatement::rule_of(n.part, n.a, n.b, k), g.a.data(),
                                   g.b.data(), k, g.d),
              row.want)
        << n.name;
  }
}

INSTANTIATE_TEST_SUITE_P(ByHand, MatrixListed, ::testing::ValuesIn(restatement::worked_out()),
                         [](const auto& i) { return std::string(i.param.name); });
INSTANTIATE_TEST_SUITE_P(Page, MatrixListed, ::testing::ValuesIn(restatement::listed()),
                         [](const auto& i) { return std::string(i.param.name); });

TEST(MatrixDotOthers, F64Chain) {
  constexpr unsigned kLength = 4;
  Groups groups(146, Format::F64, Format::F64);
  const auto rule = restatement::rule_of(Part::Gfx90a, Format::F64, Format::F64, kLength);
  int failures = 0;
  for (int n = 0; n < test::vectors(40'000); ++n) {
    const Group g = groups.draw(static_cast<Kind>(n % restatement::kKinds), kLength);
    const uint64_t want = restatement::element(rule, g.a.data(), g.b.data(), kLength, g.d);
    const uint64_t got = dot_accumulate_f64(g.a.data(), g.b.data(), kLength, g.d);
    if (want == got || ++failures > 3) continue;
    ADD_FAILURE() << text_of(g) << std::hex << ": expected " << want << ", got " << got;
  }
  EXPECT_EQ(failures, 0) << "seed 146";
}

TEST(MatrixDotOthers, I8WrapsAndIgnoresUpperBits) {
  std::mt19937_64 random(147);
  const auto rule = restatement::rule_of(Part::Gfx908, Format::I8, Format::I8, 32);
  for (int n = 0; n < 10000; ++n) {
    std::vector<uint64_t> a(32), b(32);
    for (unsigned i = 0; i < 32; ++i) {
      a[i] = static_cast<uint32_t>(random());
      b[i] = static_cast<uint32_t>(random());
    }
    const auto d = static_cast<uint32_t>(random());
    ASSERT_EQ(dot_accumulate_i8(words(a).data(), words(b).data(), 32, d),
              restatement::element(rule, a.data(), b.data(), 32, d));
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
  // 2^-126 - 1.5 * 2^-126 = -2^-127, a subnormal number: a minus zero on gfx90a.
  const Words a{0x0080, 0}, b{0x3f80, 0};
  EXPECT_EQ(dot(kDotBf16Gfx908, a, b, 0x80c00000), 0x80400000u);
  EXPECT_EQ(dot(kDotBf16Gfx90a, a, b, 0x80c00000), 0x80000000u);
  // Its zero products keep their sign, but d and the other factors have none to add it to.
  EXPECT_EQ(dot(kDotF16Gfx90a, Words(4, 0x0001), Words(4, 0xbc00), 0x80000000), 0u);
}

TEST(MatrixDotByHand, ExactGroupsRoundOnce) {
  // 2^30 + 2^-24 * 2^-24 - 2^30 of F16 with d = 2^-49: the sum is 1.5 * 2^-48.
  EXPECT_EQ(dot(kDotF16Gfx908, {0x7800, 1, 0x7800, 0}, {0x7800, 1, 0xf800, 0}, 0x27000000),
            0x27c00000u);
  // A tie of d that the smallest of all products decides, up and down.
  EXPECT_EQ(dot(kDotF16Gfx908, {0x3c00, 1, 0, 0}, {0x0800, 1, 0, 0}, 0x45000000), 0x45000001u);
  EXPECT_EQ(dot(kDotF16Gfx908, {0x3c00, 1, 0, 0}, {0x0800, 0x8001, 0, 0}, 0x45000000), 0x45000000u);
  // Products beyond the range are none until they are rounded.
  EXPECT_EQ(dot(kDotBf16Gfx908, {0x7f00, 0}, {0x7f00, 0}, 0), 0x7f800000u);
  EXPECT_EQ(dot(kDotBf16Gfx908, {0x7f00, 0x7f00}, {0x7f00, 0xff00}, 0x00000001), 0x00000001u);
  // -2^-133 * 2^-133: a negative sum that rounds to zero.
  EXPECT_EQ(dot(kDotBf16Gfx908, {1, 0}, {0x8001, 0}, 0), 0x80000000u);
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
  EXPECT_EQ(dot(kDotXf32Gfx942, {0x7f800001, 0, 0, 0}, {0x3f800000, 0, 0, 0}, 0), kNan);
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
  // An infinite one never is.
  EXPECT_EQ(dot(fp8, a, b, 0xff800000), 0xff800000u);
}

}  // namespace
}  // namespace cuvette::fp
