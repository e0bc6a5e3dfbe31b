// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail_case.h"
#include "hsail_exceptions.h"

// Exceptions, debugtrap and where a wavefront is (HSAIL PRM 11.2, 11.4, chapter 12).
namespace cuvette::hsail {
namespace {

using hsail_exceptions::Case;
using hsail_exceptions::kCases;
using testing::Kernarg;
using testing::Ledger;
using testing::TestMemory;

struct Ran {
  std::string error;
  std::vector<uint32_t> words;
};

Ran run_case(const std::string& text, const std::vector<uint64_t>& in = {0, 0, 0},
             std::array<uint32_t, 3> grid = {1, 1, 1}, std::array<uint32_t, 3> group = {1, 1, 1},
             size_t words = 4) {
  const auto module = load_text(text, "case.hsail");
  EXPECT_TRUE(module.ok()) << text << (module.ok() ? "" : module.error().str());
  if (!module.ok()) return {"no module", std::vector<uint32_t>(words)};
  TestMemory memory;
  const uint64_t input = memory.add_values(in);
  const uint64_t out = memory.add(4 * words);
  Machine machine(*module, memory, {});
  const auto status =
      machine.run(testing::dispatch(*module, "&k", grid, group, Kernarg().add(input).add(out)));
  return {status.ok() ? "" : status.error().str(), memory.values<uint32_t>(out)};
}

TEST(Exceptions, EveryInstruction) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.body);
    const Ran r = run_case(hsail_exceptions::kernel(c), {c.in[0], c.in[1], c.in[2]});
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.words.at(0), c.expected) << std::hex << c.in[0] << " " << c.in[1];
    if (!HasFailure()) Ledger::cover(c.ids);
  }
  if (!HasFailure()) Ledger::cover("HI-283 HL-248 HL-255 HL-167 HL-325");
}

/// With ftz a tiny result underflows although it is exact (12.2).
TEST(Exceptions, FlushedResultsUnderflow) {
  const Case c{"", "mul_ftz_f32 $s0, $s1, $s2;", {0x00800000, 0x3f000000, 0}, 0};
  const Ran r = run_case(hsail_exceptions::kernel(c), {c.in[0], c.in[1], 0});
  EXPECT_EQ(r.words.at(0) & hsail_exceptions::kUnderflow, hsail_exceptions::kUnderflow);
  EXPECT_EQ(r.words.at(1), 0u);
}

/// Only what the directive names is detected; what it does not name changes nothing (4.19.5).
TEST(Exceptions, OnlyEnabledOnes) {
  const Case c{"", "mul_f32 $s0, $s1, $s2;", {0x7f7fffff, 0x40000000, 0}, 0};
  EXPECT_EQ(run_case(hsail_exceptions::kernel(c, 16), {c.in[0], c.in[1], 0}).words.at(0), 16u);
  EXPECT_EQ(run_case(hsail_exceptions::kernel(c, 3), {c.in[0], c.in[1], 0}).words.at(0), 0u);
  EXPECT_EQ(run_case(hsail_exceptions::kernel(c, 0), {c.in[0], c.in[1], 0}).words.at(0), 0u);
  EXPECT_EQ(run_case(hsail_exceptions::kernel(c, 3), {c.in[0], c.in[1], 0}).words.at(1),
            0x7f800000u);
  if (!HasFailure()) Ledger::cover("HL-174");
}

TEST(Exceptions, SetAndClear) {
  const auto after = [](const std::string& body) {
    const Case c{"", body.c_str(), {0, 0, 0}, 0};
    return run_case(hsail_exceptions::kernel(c)).words.at(0);
  };
  EXPECT_EQ(after("setdetectexcept_u32 21;"), 21u);
  EXPECT_EQ(after("setdetectexcept_u32 21; setdetectexcept_u32 2;"), 23u);
  EXPECT_EQ(after("setdetectexcept_u32 31; cleardetectexcept_u32 5;"), 26u);
  EXPECT_EQ(after("setdetectexcept_u32 0xffffffff;"), 31u) << "other bits are ignored";
  EXPECT_EQ(after("setdetectexcept_u32 31; cleardetectexcept_u32 0xffffffe0;"), 31u);
  EXPECT_EQ(after("div_f32 $s0, 0f3f800000, 0f00000000; cleardetectexcept_u32 2;"), 0u);
  if (!HasFailure()) Ledger::cover("HI-282 HI-284");
}

/// The field belongs to the wavefront: one lane's exception shows in all of it and in no other
/// (11.2.3).
TEST(Exceptions, OfTheWavefront) {
  const std::string text =
      "module &m:1:0:$full:$large:$default;\n"
      "prog kernel &k(kernarg_u64 %in, kernarg_u64 %out)\n{\nenabledetectexceptions 31;\n"
      "ld_kernarg_u64 $d9, [%out];\nworkitemabsid_u32 $s1, 0;\n"
      "cmp_ne_b1_u32 $c0, $s1, 3;\ncbr_b1 $c0, @rest;\n"
      "div_f32 $s0, 0f3f800000, 0f00000000;\n@rest:\n"
      "getdetectexcept_u32 $s8;\nshl_u32 $s1, $s1, 2;\ncvt_u64_u32 $d1, $s1;\n"
      "add_u64 $d9, $d9, $d1;\nst_global_u32 $s8, [$d9];\n};\n";
  const Ran r = run_case(text, {0, 0, 0}, {128, 1, 1}, {128, 1, 1}, 128);
  ASSERT_EQ(r.error, "");
  for (uint32_t i = 0; i < 128; ++i) {
    EXPECT_EQ(r.words[i], i < 64 ? 2u : 0u) << i;
  }
}

TEST(Exceptions, BreakStopsTheDispatch) {
  const Case c{"", "mul_f32 $s0, $s1, $s2;", {0x7f7fffff, 0x40000000, 0}, 0};
  const Ran stopped = run_case(hsail_exceptions::kernel(c, 0, 4), {c.in[0], c.in[1], 0});
  EXPECT_NE(stopped.error.find("case.hsail:11:1"), std::string::npos) << stopped.error;
  EXPECT_NE(stopped.error.find("exception enabled for BREAK: overflow"), std::string::npos);
  EXPECT_EQ(run_case(hsail_exceptions::kernel(c, 0, 3), {c.in[0], c.in[1], 0}).error, "");
  if (!HasFailure()) Ledger::cover("HL-256 HL-258");
}

TEST(Exceptions, DebugTrap) {
  const Case c{"", "debugtrap_u32 $s1;", {77, 0, 0}, 0};
  const Ran r = run_case(hsail_exceptions::kernel(c), {77, 0, 0});
  EXPECT_NE(r.error.find("debugtrap with the value 77"), std::string::npos) << r.error;
  EXPECT_EQ(r.words.at(0), 0u) << "nothing behind it runs";
  if (!HasFailure()) Ledger::cover("HI-293 HL-257");
}

/// 11.4: numbers up to the largest ones, and different for wavefronts that run at the same time.
TEST(Misc, WhereAWavefrontIs) {
  const std::string text =
      "module &m:1:0:$full:$large:$default;\n"
      "prog kernel &k(kernarg_u64 %in, kernarg_u64 %out)\n{\n"
      "ld_kernarg_u64 $d9, [%out];\nworkitemabsid_u32 $s1, 0;\nshr_u32 $s1, $s1, 6;\n"
      "shl_u32 $s1, $s1, 4;\ncvt_u64_u32 $d1, $s1;\nadd_u64 $d9, $d9, $d1;\n"
      "cuid_u32 $s2;\nmaxcuid_u32 $s3;\nwaveid_u32 $s4;\nmaxwaveid_u32 $s5;\n"
      "st_v4_global_u32 ($s2, $s3, $s4, $s5), [$d9];\nbarrier;\n};\n";
  const Ran r = run_case(text, {0, 0, 0}, {1024, 1, 1}, {256, 1, 1}, 64);
  ASSERT_EQ(r.error, "");
  std::set<uint32_t> waves;
  for (size_t w = 0; w < 16; ++w) {
    EXPECT_LE(r.words[4 * w], r.words[4 * w + 1]);
    EXPECT_LE(r.words[4 * w + 2], r.words[4 * w + 3]);
    waves.insert(r.words[4 * w + 2]);
  }
  EXPECT_EQ(waves.size(), 16u) << "four work-groups of four wavefronts run together";
  if (!HasFailure()) Ledger::cover("HI-292 HI-299 HI-300 HI-303");
}

}  // namespace
}  // namespace cuvette::hsail
