// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Instructions of extension amd:gcn that are there for time: sleep and priority change the cycles
// of engine ca, and no result.
#include <array>
#include <cstring>

#include "ca_testing.h"

namespace cuvette {
namespace {

using namespace testing_support;

/// Eight waves of one work-group; `body` has the wave's number in $s1. Each work-item leaves the
/// sum of a loop, its wave the clock behind it and the cycles that `body` took.
run::DispatchFile dispatch(const std::string& body) {
  std::string text = R"(code:
  hsail: |
    module &m:1:0:$full:$large:$default;
    extension "amd:gcn";
    prog kernel &k(kernarg_u64 %sums, kernarg_u64 %clocks)
    {
    	workitemid_u32 $s0, 0;
    	shr_u32 $s1, $s0, 6;
    	clock_u64 $d4;
    	BODY
    	clock_u64 $d5;
    	sub_u64 $d4, $d5, $d4;
    	mov_b32 $s2, 0;
    	mov_b32 $s3, $s0;
    @loop:
    	mad_u32 $s3, $s3, 5, 1;
    	xor_b32 $s3, $s3, $s2;
    	add_u32 $s2, $s2, 1;
    	cmp_lt_b1_u32 $c0, $s2, 300;
    	cbr_b1 $c0, @loop;
    	clock_u64 $d3;
    	ld_kernarg_align(8)_u64 $d0, [%sums];
    	shl_u32 $s4, $s0, 2;
    	cvt_u64_u32 $d1, $s4;
    	add_u64 $d0, $d0, $d1;
    	st_global_u32 $s3, [$d0];
    	ld_kernarg_align(8)_u64 $d0, [%clocks];
    	shl_u32 $s4, $s1, 4;
    	cvt_u64_u32 $d1, $s4;
    	add_u64 $d0, $d0, $d1;
    	st_v2_global_u64 ($d3, $d4), [$d0];
    };
kernel: "&k"
grid: [512]
workgroup: [512]
args:
  - buffer: {name: sums, type: u32, count: 512}
  - buffer: {name: clocks, type: u64, count: 16}
)";
  text.replace(text.find("BODY"), 4, body);
  auto file = run::parse_dispatch_file(text, "gcn.yaml");
  EXPECT_TRUE(file.ok()) << file.error().str();
  return *file;
}

struct Times {
  std::vector<uint8_t> sums;
  struct Wave {
    uint64_t end = 0, body = 0;
  };
  std::array<Wave, 8> waves{};
};

Times times(const std::string& body) {
  const auto file = dispatch(body);
  const auto result = on_plain(file, description("small"), {});
  EXPECT_EQ(result.buffers.at("sums"), on_golden(file).buffers.at("sums"));
  Times t{result.buffers.at("sums"), {}};
  std::memcpy(t.waves.data(), result.buffers.at("clocks").data(), sizeof t.waves);
  return t;
}

TEST(CaGcn, SleepTakesItsTime) {
  const Times none = times("nop;");
  const Times ten = times("amd_gcn_sleep_u32 10;");
  const Times hundred = times("amd_gcn_sleep_u32 100;");
  const Times varied = times("mad_u32 $s5, $s1, 8, 4;\n    \tamd_gcn_sleep_u32 $s5;");
  const auto slept = [](const Times& t, unsigned wave, uint64_t least) {
    constexpr uint64_t kBesides = 1000;  // instructions, their cache
    EXPECT_GE(t.waves[wave].body, 64 * least) << wave;
    EXPECT_LE(t.waves[wave].body, 64 * least + kBesides) << wave;
  };
  for (unsigned wave = 0; wave < 8; ++wave) {
    slept(none, wave, 0);
    slept(ten, wave, 10);
    slept(hundred, wave, 100);
    slept(varied, wave, 8 * wave + 4);
  }
  for (const Times* t : {&ten, &hundred, &varied}) EXPECT_EQ(t->sums, none.sums);
}

/// The wave with the higher priority ends first of two that share a SIMD.
TEST(CaGcn, PriorityIsServedFirst) {
  const auto with = [](const char* compare) {
    return times(std::string("cmp_") + compare +
                 "_b1_u32 $c1, $s1, 4;\n    \tmov_b32 $s5, 0;\n    \tcbr_b1 $c1, @low;\n"
                 "    \tmov_b32 $s5, 3;\n    @low:\n    \tamd_gcn_priority_u32 $s5;");
  };
  const Times last = with("lt");
  const Times first = with("ge");
  for (unsigned wave = 0; wave < 4; ++wave) {
    EXPECT_LT(last.waves[wave + 4].end, last.waves[wave].end) << wave;
    EXPECT_LT(first.waves[wave].end, first.waves[wave + 4].end) << wave;
  }
  EXPECT_EQ(first.sums, last.sums);
}

}  // namespace
}  // namespace cuvette
