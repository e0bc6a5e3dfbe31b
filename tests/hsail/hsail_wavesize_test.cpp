// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// WAVESIZE of the interpreter: what depends on it, against closed forms of the PRM's words, for
// every size.
#include "hsail_support.h"

namespace cuvette::hsail {
namespace {

using namespace testing;

constexpr uint32_t kGroupItems = 600;  // of one work-group: no multiple of a wavefront from 16 on

class WaveSize : public ::testing::TestWithParam<uint32_t> {
 protected:
  /// Runs one work-group whose work-items have their flattened id in $s0 and the address of `words`
  /// words of their own in $d1.
  std::vector<uint32_t> run(const std::string& body, unsigned words, const std::string& extra = "",
                            uint32_t items = kGroupItems) {
    const Module m = module_of(extra +
                               "\tld_kernarg_u64 $d0, [%out];\n\tcurrentworkitemflatid_u32 $s0;\n"
                               "\tmul_u32 $s1, $s0, " +
                               std::to_string(4 * words) +
                               ";\n\tcvt_u64_u32 $d1, $s1;\n\tadd_u64 $d1, $d0, $d1;\n" + body);
    TestMemory memory;
    const uint64_t out = memory.add(size_t{4} * words * items);
    Machine::Options options;
    options.wavesize = GetParam();
    Machine machine(m, memory, {}, options);
    const auto status =
        machine.run(dispatch(m, "&k", {items, 1, 1}, {items, 1, 1}, Kernarg().add(out)));
    error_ = status.ok() ? "" : status.error().str();
    return memory.values<uint32_t>(out);
  }

  uint32_t wave_of(uint32_t item) const { return item / GetParam(); }
  /// The work-items of a wavefront.
  std::pair<uint32_t, uint32_t> range(uint32_t wave, uint32_t items = kGroupItems) const {
    return {wave * GetParam(), std::min(items, (wave + 1) * GetParam())};
  }

  std::string error_;
};

/// 2.6: consecutive work-items; lane and wavefront by division.
TEST_P(WaveSize, Identities) {
  const auto out =
      run("\tlaneid_u32 $s2;\n\tst_global_u32 $s2, [$d1];\n\tmov_b32 $s2, WAVESIZE;\n"
          "\tst_global_u32 $s2, [$d1+4];\n\twaveid_u32 $s2;\n\tst_global_u32 $s2, [$d1+8];\n"
          "\tmaxwaveid_u32 $s2;\n\tst_global_u32 $s2, [$d1+12];\n",
          4);
  ASSERT_EQ(error_, "");
  for (uint32_t i = 0; i < kGroupItems; ++i) {
    ASSERT_EQ(out[4 * i], i % GetParam()) << i;
    ASSERT_EQ(out[4 * i + 1], GetParam()) << i;
    ASSERT_EQ(out[4 * i + 2], wave_of(i)) << i;
    // Four work-groups of up to 1024 work-items.
    ASSERT_EQ(out[4 * i + 3], 4096 / GetParam() - 1) << i;
  }
}

/// 9.4: the active work-items of the wavefront only; here those that are no multiple of 3.
TEST_P(WaveSize, CountIdAndMask) {
  const auto out = run(
      "\trem_u32 $s2, $s0, 3;\n\tcmp_eq_b1_u32 $c0, $s2, 0;\n\tcbr_b1 $c0, @out;\n"
      "\tand_b32 $s3, $s0, 1;\n\tcmp_ne_b1_u32 $c1, $s3, 0;\n\tactivelanecount_u32_b1 $s4, $c1;\n"
      "\tst_global_u32 $s4, [$d1];\n\tactivelaneid_u32 $s4;\n\tst_global_u32 $s4, [$d1+4];\n"
      "\tactivelanemask_v4_b64_b1 ($d2, $d3, $d4, $d5), $c1;\n\tst_global_u64 $d2, [$d1+8];\n"
      "\tst_global_u64 $d3, [$d1+16];\n\tst_global_u64 $d4, [$d1+24];\n"
      "\tst_global_u64 $d5, [$d1+32];\n@out:\n",
      10);
  ASSERT_EQ(error_, "");
  for (uint32_t i = 0; i < kGroupItems; ++i) {
    const auto [first, end] = range(wave_of(i));
    uint32_t odd = 0;
    uint32_t earlier = 0;
    uint32_t mask[8] = {};
    for (uint32_t j = first; j < end; ++j) {
      if (j % 3 == 0) continue;
      earlier += j < i ? 1 : 0;
      if (j % 2 == 0) continue;
      ++odd;
      mask[(j - first) / 32] |= 1u << (j - first) % 32;
    }
    const bool active = i % 3 != 0;
    ASSERT_EQ(out[10 * i], active ? odd : 0) << i;
    ASSERT_EQ(out[10 * i + 1], active ? earlier : 0) << i;
    for (uint32_t w = 0; w < 8; ++w) ASSERT_EQ(out[10 * i + 2 + w], active ? mask[w] : 0) << i;
  }
}

/// As b1 a constant is true where it is not 0 (decisions.md D61), and WAVESIZE never is.
TEST_P(WaveSize, AsOneBit) {
  const auto out =
      run("\tcvt_u32_b1 $s2, WAVESIZE;\n\tst_global_u32 $s2, [$d1];\n\tmov_b1 $c0, WAVESIZE;\n"
          "\tcvt_u32_b1 $s2, $c0;\n\tst_global_u32 $s2, [$d1+4];\n"
          "\tcmov_b32 $s2, WAVESIZE, 1, 0;\n\tst_global_u32 $s2, [$d1+8];\n"
          "\tactivelanecount_u32_b1 $s2, WAVESIZE;\n\tst_global_u32 $s2, [$d1+12];\n"
          "\tmov_b32 $s2, 1;\n\tcbr_b1 WAVESIZE, @x;\n\tmov_b32 $s2, 0;\n@x:\n"
          "\tst_global_u32 $s2, [$d1+16];\n",
          5);
  ASSERT_EQ(error_, "");
  for (size_t i = 0; i < out.size(); ++i) {
    const bool count = i % 5 == 3;  // of the wavefront
    const auto [first, end] = range(wave_of(static_cast<uint32_t>(i / 5)));
    ASSERT_EQ(out[i], count ? end - first : 1) << i;
  }
}

/// 9.4: lane ids modulo WAVESIZE; the identity where the source is not active.
TEST_P(WaveSize, Permute) {
  const auto out = run(
      "\trem_u32 $s2, $s0, 5;\n\tcmp_eq_b1_u32 $c0, $s2, 4;\n\tcbr_b1 $c0, @out;\n"
      "\tlaneid_u32 $s3;\n\tsub_u32 $s4, 1000, $s3;\n\tmul_u32 $s5, $s0, 7;\n\tmov_b32 $s6, 9999;\n"
      "\tactivelanepermute_b32 $s7, $s5, $s4, $s6, 0;\n\tst_global_u32 $s7, [$d1];\n"
      "\tadd_u32 $s4, $s3, 300;\n\tcmp_eq_b1_u32 $c1, $s2, 0;\n\tmov_b64 $d4, 0x123456789abcdef0;\n"
      "\tcvt_u64_u32 $d3, $s0;\n\tmul_u64 $d3, $d3, 0x100000001;\n"
      "\tactivelanepermute_b64 $d5, $d3, $s4, $d4, $c1;\n\tst_global_u64 $d5, [$d1+4];\n@out:\n",
      3);
  ASSERT_EQ(error_, "");
  const uint32_t n = GetParam();
  for (uint32_t i = 0; i < kGroupItems; ++i) {
    const uint32_t first = wave_of(i) * n;
    const uint32_t lane = i % n;
    const auto active = [](uint32_t item) { return item < kGroupItems && item % 5 != 4; };
    if (!active(i)) continue;
    const uint32_t from = first + (1000 - lane) % n;
    ASSERT_EQ(out[3 * i], active(from) ? 7 * from : 9999) << i;
    const uint32_t other = first + (lane + 300) % n;
    const bool identity = !active(other) || i % 5 == 0;
    ASSERT_EQ(out[3 * i + 1], identity ? 0x9abcdef0 : other) << i;
    ASSERT_EQ(out[3 * i + 2], identity ? 0x12345678 : other) << i;
  }
}

/// Divergent branches and functions: each work-item goes its own way, whatever the wavefront.
TEST_P(WaveSize, Divergence) {
  const auto out =
      run("\tmov_b32 $s2, $s0;\n\tmov_b32 $s3, 0;\n@again:\n\tcmp_eq_b1_u32 $c0, $s2, 0;\n"
          "\tcbr_b1 $c0, @done;\n\tand_b32 $s4, $s2, 1;\n\tadd_u32 $s3, $s3, $s4;\n"
          "\tshr_u32 $s2, $s2, 1;\n\tbr @again;\n@done:\n\tand_b32 $s4, $s0, 3;\n"
          "\tsbr_u32 $s4 [@a, @b, @c, @a];\n@a:\n\tadd_u32 $s3, $s3, 100;\n\tbr @end;\n"
          "@b:\n\tadd_u32 $s3, $s3, 200;\n\tbr @end;\n@c:\n\tadd_u32 $s3, $s3, 300;\n@end:\n"
          "\tst_global_u32 $s3, [$d1];\n",
          1);
  ASSERT_EQ(error_, "");
  for (uint32_t i = 0; i < kGroupItems; ++i) {
    const uint32_t way[] = {100, 200, 300, 100};
    ASSERT_EQ(out[i], static_cast<uint32_t>(__builtin_popcount(i)) + way[i % 4]) << i;
  }
}

/// Barriers join wavefronts: each work-item reads what the next wavefront but one has stored.
TEST_P(WaveSize, Barriers) {
  const auto out =
      run("\tmul_u32 $s2, $s0, 4;\n\tst_group_u32 $s0, [%x][$s2];\n\tbarrier;\n\twavebarrier;\n"
          "\tbarrier_width(WAVESIZE);\n\tbarrier_width(8);\n"
          "\tadd_u32 $s3, $s0, 300;\n\trem_u32 $s3, $s3, 600;\n\tmul_u32 $s3, $s3, 4;\n"
          "\tld_group_u32 $s4, [%x][$s3];\n\tst_global_u32 $s4, [$d1];\n",
          1, "\tgroup_u32 %x[600];\n");
  ASSERT_EQ(error_, "");
  for (uint32_t i = 0; i < kGroupItems; ++i) ASSERT_EQ(out[i], (i + 300) % 600);
}

/// 9.2 counts wavefronts: those with an even number join and meet, twice.
TEST_P(WaveSize, Fbarriers) {
  const auto out = run(
      "\tcmp_ne_b1_u32 $c0, $s0, 0;\n\tcbr_b1 $c0, @ready;\n\tinitfbar %f;\n@ready:\n\tbarrier;\n"
      "\tdiv_u32 $s2, $s0, WAVESIZE;\n\tand_b32 $s2, $s2, 1;\n\tcmp_eq_b1_u32 $c1, $s2, 1;\n"
      "\tcbr_b1 $c1, @odd;\n\tjoinfbar %f;\n@odd:\n\tbarrier;\n\tcbr_b1 $c1, @out;\n"
      "\tatomicnoret_add_group_rlx_wg_u32 [%n], 1;\n\twaitfbar %f;\n\tld_group_u32 $s3, [%n];\n"
      "\twaitfbar %f;\n\tleavefbar %f;\n\tst_global_u32 $s3, [$d1];\n@out:\n\tbarrier;\n"
      "\tcbr_b1 $c0, @end;\n\treleasefbar %f;\n@end:\n",
      1, "\tgroup_u32 %n;\n\tfbarrier %f;\n");
  ASSERT_EQ(error_, "");
  uint32_t members = 0;
  for (uint32_t i = 0; i < kGroupItems; ++i) members += wave_of(i) % 2 == 0 ? 1 : 0;
  for (uint32_t i = 0; i < kGroupItems; ++i)
    ASSERT_EQ(out[i], wave_of(i) % 2 == 0 ? members : 0) << i;
}

/// 9.1: the divergence that a barrier does not allow begins with the wavefront.
TEST_P(WaveSize, DivergentWavebarrier) {
  run("\tcmp_lt_b1_u32 $c0, $s0, 32;\n\tcbr_b1 $c0, @skip;\n\twavebarrier;\n@skip:\n", 1);
  EXPECT_EQ(error_.find("wavebarrier in divergent control flow") != std::string::npos,
            GetParam() > 32)
      << error_;
}

/// 13.5: directives with WAVESIZE, and wavefronts that have to be whole.
TEST_P(WaveSize, Directives) {
  const uint32_t n = GetParam();
  run("", 1, "\trequiredworkgroupsize WAVESIZE, 1, 1;\n", n);
  EXPECT_EQ(error_, "");
  run("", 1, "\tmaxflatworkgroupsize WAVESIZE;\n", n);
  EXPECT_EQ(error_, "");
  run("", 1, "\tmaxflatworkgroupsize WAVESIZE;\n", n + 1);
  EXPECT_NE(error_.find("maxflatworkgroupsize allows " + std::to_string(n)), std::string::npos);
  run("", 1, "\trequirenopartialwavefronts;\n", 3 * n);
  EXPECT_EQ(error_, "");
  run("", 1, "\trequirenopartialwavefronts;\n", 3 * n + 1);
  EXPECT_EQ(error_.find("requirenopartialwavefronts") != std::string::npos, n != 1) << error_;
}

/// Only the interpreter's own count of undefined lanes and of wavefronts depends on the size here.
TEST_P(WaveSize, UndefinedLanes) {
  const Module m = module_of(
      "\tcurrentworkitemflatid_u32 $s0;\n\tand_b32 $s1, $s0, 1;\n"
      "\tdiv_u32 $s2, 5, $s1;\n");
  TestMemory memory;
  const uint64_t out = memory.add(4);
  Machine::Options options;
  options.wavesize = GetParam();
  Machine machine(m, memory, {}, options);
  ASSERT_TRUE(machine.run(dispatch(m, "&k", {300, 1, 1}, {300, 1, 1}, Kernarg().add(out))).ok());
  ASSERT_EQ(machine.undefined_uses().size(), 1u);
  EXPECT_EQ(machine.undefined_uses()[0].lanes, 150u);
  EXPECT_EQ(machine.wavefronts(), (300 + GetParam() - 1) / GetParam());
}

INSTANTIATE_TEST_SUITE_P(Powers, WaveSize, ::testing::Values(1, 2, 4, 8, 16, 32, 64, 128, 256));

TEST(WaveSizeErrors, NoPowerOfTwo) {
  for (const unsigned n : {0u, 3u, 48u, 512u}) {
    const Module m = module_of("\tret;\n");
    TestMemory memory;
    Machine::Options options;
    options.wavesize = n;
    Machine machine(m, memory, {}, options);
    const auto status =
        machine.run(dispatch(m, "&k", {1, 1, 1}, {1, 1, 1}, Kernarg().add(uint64_t{0})));
    ASSERT_FALSE(status.ok()) << n;
    EXPECT_EQ(status.error().what,
              "WAVESIZE " + std::to_string(n) + ", expected a power of two from 1 to 256");
  }
}

TEST(WaveSizeErrors, MatrixInstructions) {
  const auto m = load_text(
      "module &m:1:1:$full:$large:$default;\nextension \"cuvette:mfma\";\n"
      "prog kernel &k()\n{\n\trequirenopartialwavefronts;\n"
      "\tcuvette:mfma_16x16x4_f32_f32 ($s4, $s5, $s6, $s7), $s0, $s1, 0f00000000, 0;\n};\n",
      "t.hsail");
  ASSERT_TRUE(m.ok()) << m.error().str();
  TestMemory memory;
  Machine::Options options;
  options.wavesize = 32;
  Machine machine(*m, memory, {}, options);
  const auto status = machine.run(dispatch(*m, "&k", {64, 1, 1}, {64, 1, 1}, Kernarg()));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().str(),
            "t.hsail:6:2: error: matrix instructions need a WAVESIZE of 64, not 32");
}

}  // namespace
}  // namespace cuvette::hsail
