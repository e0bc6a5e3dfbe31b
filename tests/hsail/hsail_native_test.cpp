// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <random>

#include "hsail_case.h"

// Native floating-point instructions (HSAIL PRM 5.14): their accuracy is up to the implementation,
// ours is stated in hsail.md and held against long double functions of the C library.
namespace cuvette::hsail {
namespace {

using namespace testing;

constexpr uint32_t kNativeItems = 4096;
constexpr unsigned kNativeSeed = 5140;

/// `instruction` on every input: "nsin_f32".
std::vector<float> results(const std::string& instruction, const std::vector<float>& in) {
  const Module m = module_of(
      "\tworkitemabsid_u32 $s0, 0;\n\tcvt_u64_u32 $d0, $s0;\n\tshl_u64 $d0, $d0, 2;\n"
      "\tld_kernarg_u64 $d1, [%in];\n\tadd_u64 $d1, $d1, $d0;\n"
      "\tld_kernarg_u64 $d2, [%out];\n\tadd_u64 $d2, $d2, $d0;\n"
      "\tld_global_f32 $s1, [$d1];\n\t" +
          instruction + " $s2, $s1;\n\tst_global_f32 $s2, [$d2];\n",
      "kernarg_u64 %in, kernarg_u64 %out");
  TestMemory memory;
  const uint64_t from = memory.add_values(in);
  const uint64_t to = memory.add(4 * in.size());
  run(m, memory,
      dispatch(m, "&k", {static_cast<uint32_t>(in.size()), 1, 1}, {256, 1, 1},
               Kernarg().add(from).add(to)));
  return memory.values<float>(to);
}

std::vector<float> uniform(float low, float high) {
  std::mt19937 random(kNativeSeed);
  std::uniform_real_distribution<float> values(low, high);
  std::vector<float> out(kNativeItems);
  for (float& x : out) x = values(random);
  return out;
}

/// The unit in the last place of an f32 at `x`.
long double ulp(long double x) {
  return std::ldexp(1.0L, std::max(std::ilogb(x), -126) - 23);
}

TEST(Native, SineAndCosine) {
  // Inside 256 turns: the product with 1 / (2 pi) is off by a relative 2^-23 at most.
  const auto in = uniform(-1600, 1600);
  const auto sine = results("nsin_f32", in);
  const auto cosine = results("ncos_f32", in);
  for (size_t i = 0; i < in.size(); ++i) {
    const long double bound = std::ldexp(std::fabs(static_cast<long double>(in[i])), -23) + 0x1p-23;
    ASSERT_LE(std::fabs(sine[i] - std::sin(static_cast<long double>(in[i]))), bound) << in[i];
    ASSERT_LE(std::fabs(cosine[i] - std::cos(static_cast<long double>(in[i]))), bound) << in[i];
  }
  // Small angles keep their relative accuracy, and the sign of zero.
  const auto small = results("nsin_f32", {1e-20f, -3e-8f, 0.0f, -0.0f});
  EXPECT_LE(std::fabs(small[0] - 1e-20f), 3 * ulp(1e-20L));
  EXPECT_LE(std::fabs(small[1] + 3e-8f), 3 * ulp(3e-8L));
  EXPECT_EQ(f32(small[2]), 0u);
  EXPECT_EQ(f32(small[3]), 0x80000000u);
  // Beyond: between -1 and 1, whole turns are taken off.
  for (const float x : results("nsin_f32", uniform(2000, 1e9f))) ASSERT_LE(std::fabs(x), 1.0f);
  const auto special = results("ncos_f32", {0.0f, INFINITY, NAN});
  EXPECT_EQ(special[0], 1.0f);
  EXPECT_TRUE(std::isnan(special[1]));
  EXPECT_TRUE(std::isnan(special[2]));
  if (!HasFailure()) Ledger::cover("HI-105 HI-111");
}

TEST(Native, ExponentialAndLogarithm) {
  const auto powers = uniform(-126, 128);
  const auto exponential = results("nexp2_f32", powers);
  for (size_t i = 0; i < powers.size(); ++i) {
    const long double exact = std::exp2(static_cast<long double>(powers[i]));
    ASSERT_LE(std::fabs(exponential[i] - exact), ulp(exact)) << powers[i];
  }
  const auto numbers = uniform(1e-30f, 1e4f);
  const auto logarithm = results("nlog2_f32", numbers);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const long double exact = std::log2(static_cast<long double>(numbers[i]));
    ASSERT_LE(std::fabs(logarithm[i] - exact), ulp(exact)) << numbers[i];
  }
  EXPECT_EQ(results("nexp2_f32", {-INFINITY, 3.0f}), (std::vector<float>{0.0f, 8.0f}));
  const auto special = results("nlog2_f32", {0.0f, 8.0f, -1.0f});
  EXPECT_EQ(special[0], -INFINITY);
  EXPECT_EQ(special[1], 3.0f);
  EXPECT_TRUE(std::isnan(special[2]));
  if (!HasFailure()) Ledger::cover("HI-106 HI-108");
}

}  // namespace
}  // namespace cuvette::hsail
