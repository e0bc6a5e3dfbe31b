// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The probe door's answers, as text, against values computed by hand, on every engine that is
// built.
#include <gtest/gtest.h>

#include "run/probe.h"

namespace cuvette::run {
namespace {

using nlohmann::json;

struct Case {
  const char* what;
  const char* object;
  const char* expected;  ///< keys of the answer; a register given as one value has it in all lanes
  /// Engine name in answers of rtl: "tlm" without work for lanes and matrix core, no answer for
  /// what has no RTL there.
  const char* on_rtl = "rtl";
};

const Case kCases[] = {
    {"sum of constants",
     R"({"asm":["v_add_f32 v0, v1, v2"],"vgpr":{"1":"0x3f800000","2":"0x40000000"},
        "read":["v0","exec","trapsts","mode"]})",
     R"({"v0":"0x40400000","exec":"0xffffffffffffffff","trapsts":"0x00000000","mode":"0x000003f0"})"},
    // 1 + 2^-24 is halfway to the next number: up when rounding up, and inexact (bit 5).
    {"rounding mode", R"({"asm":["v_add_f32 v0, v1, v2"],"vgpr":{"1":"0x3f800000","2":"0x33800000"},
        "mode":{"round_f32":1},"read":["v0","trapsts"]})",
     R"({"v0":"0x3f800001","trapsts":"0x00000020"})"},
    {"nothing enabled", R"({"asm":["v_add_u32 v0, 1, v0"],"vgpr":{"0":7},"exec":0,"read":["v0"]})",
     R"({"v0":"0x00000007"})"},
    // 10 + 9 + ... + 1
    {"loop", R"({"asm":["s_mov_b32 s0, 10","s_mov_b32 s1, 0","l:","s_add_u32 s1, s1, s0",
        "s_sub_u32 s0, s0, 1","s_cmp_lg_u32 s0, 0","s_cbranch_scc1 l"],"read":["s0","s1","scc"]})",
     R"({"s0":"0x00000000","s1":"0x00000037","scc":0})", "tlm"},
    // SCC is the carry out of 32 bits.
    {"carry", R"({"asm":["s_add_u32 s2, s0, s1","s_addc_u32 s3, s3, 0"],
        "sgpr":{"0":"0xffffffff","1":"2"},"read":["s2","s3","scc"]})",
     R"({"s2":"0x00000001","s3":"0x00000001","scc":0})", "tlm"},
    // Disabled lanes give 0 bits.
    {"compare", R"({"asm":["v_cmp_gt_u32 vcc, v0, v1"],"vgpr":{"0":5,"1":4},"exec":"0xf0f0",
        "vcc":"0xffffffffffffffff","read":["vcc"]})",
     R"({"vcc":"0x000000000000f0f0"})"},
    {"lane to SGPR",
     R"({"asm":["v_readfirstlane_b32 s3, v0"],"vgpr":{"0":"0xabcd"},"read":["s3"]})",
     R"({"s3":"0x0000abcd"})", nullptr},
    {"M0 and special registers", R"({"asm":["s_mov_b32 m0, 0x1234","s_mov_b64 exec, 3",
        "s_mov_b64 vcc, -1"],"read":["m0","exec","vcc"]})",
     R"({"m0":"0x00001234","exec":"0x0000000000000003","vcc":"0xffffffffffffffff"})", "tlm"},
    // 64 lanes add 3 to one word that was 1.
    {"LDS", R"({"asm":["ds_add_u32 v0, v1 offset:4","s_waitcnt 0","ds_read_b32 v2, v0 offset:4"],
        "vgpr":{"1":3},"lds":{"4":"01000000"},"read":["v2","lds:0:8"]})",
     R"({"v2":"0x000000c1","lds:0:8":"00000000c1000000"})", "tlm"},
    {"store and load", R"({"asm":["global_load_dword v2, v[0:1], off","s_waitcnt 0",
        "v_add_u32 v2, 1, v2","global_store_dword v[0:1], v2, off offset:8"],
        "vgpr":{"0":"0x100000"},"mem":{"0x100000":"ff000000"},"read":["v2","mem:0x100000:12","trapsts"]})",
     R"({"v2":"0x00000100","mem:0x100000:12":"ff0000000000000000010000","trapsts":"0x00000000"})"},
    {"atomic", R"({"asm":["global_atomic_add v[0:1], v2, off"],"vgpr":{"0":"0x100000","2":2},
        "exec":"0x7","mem":{"0x100000":"01000000"},"read":["mem:0x100000:4"]})",
     R"({"mem:0x100000:4":"07000000"})", "tlm"},
    {"scalar store",
     R"({"asm":["s_mov_b32 s0, 0x100000","s_store_dword s2, s[0:1], 0x4","s_dcache_wb"],
        "sgpr":{"2":"0x01020304"},"read":["mem:0x100000:8"]})",
     R"({"mem:0x100000:8":"0000000004030201"})", "tlm"},
    // A dword drops its two lowest address bits, in a swizzled buffer too (MI100 ISA 9.1.7): it is
    // not spread over two elements.
    {"misaligned swizzled buffer",
     R"({"asm":["buffer_store_dword v1, v0, s[4:7], 0 offen"],"exec":1,"vgpr":{"1":"0x04030201"},
        "sgpr":{"4":"0x100002","5":"0x80040000","6":"0x1000","7":"0x20000"},
        "read":["mem:0x100000:8","mem:0x100020:4","trapsts"]})",
     R"({"mem:0x100000:8":"0102030400000000","mem:0x100020:4":"00000000","trapsts":"0x00000000"})",
     "tlm"},
    // No page there: 0 is loaded, MEM_VIOL is bit 8.
    {"violation", R"({"asm":["global_load_dword v2, v[0:1], off"],"vgpr":{"0":64,"1":7,"2":9},
        "exec":"0xffffffffffffffff","read":["v2","trapsts"]})",
     R"({"v2":"0x00000000","trapsts":"0x00000100"})", "tlm"},
    {"scalar violation", R"({"asm":["s_load_dword s4, s[0:1], 0x0"],"sgpr":{"1":7,"4":9},
        "read":["s4","trapsts"]})",
     R"({"s4":"0x00000000","trapsts":"0x00000100"})", "tlm"},
    {"AccVGPR", R"({"asm":["v_accvgpr_read_b32 v0, a7","v_accvgpr_write_b32 a8, v1"],
        "agpr":{"7":"0x12345678"},"vgpr":{"1":5},"read":["v0","a8"]})",
     R"({"v0":"0x12345678","a8":"0x00000005"})", nullptr},
    // 1 * 2 + 3 in each element.
    {"matrix", R"({"asm":["v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]"],
        "vgpr":{"0":"0x3f800000","1":"0x40000000"},"agpr":{"0":"0x40400000","3":"0x40400000"},
        "read":["a0","a1","a3"]})",
     R"({"a0":"0x40a00000","a1":"0x40000000","a3":"0x40a00000"})"},
    // The same on another target.
    {"matrix of gfx90a", R"({"asm":["v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]"],"target":"gfx90a",
        "vgpr":{"0":"0x3f800000","1":"0x40000000"},"agpr":{"0":"0x40400000"},"read":["a0"]})",
     R"({"a0":"0x40a00000"})"},
    // Four times 2 * 3, and 1, in doubles.
    {"doubles", R"({"asm":["v_mfma_f64_4x4x4f64 a[0:1], v[0:1], v[2:3], a[0:1]"],"target":"gfx90a",
        "vgpr":{"1":"0x40000000","3":"0x40080000"},"agpr":{"1":"0x3ff00000"},"read":["a0","a1"]})",
     R"({"a0":"0x00000000","a1":"0x40390000"})"},
    // In both registers 1 * 1 + 2^-133 * 2^127, the subnormal factor taken for 0; and 1.
    {"flushed bfloat16", R"({"asm":["v_mfma_f32_4x4x4bf16_1k a[0:3], v[0:1], v[2:3], a[0:3]"],
        "target":"gfx90a","vgpr":{"0":"0x00013f80","1":"0x00013f80","2":"0x7f003f80","3":"0x7f003f80"},
        "agpr":{"0":"0x3f800000"},"read":["a0"]})",
     R"({"a0":"0x40400000"})"},
    // 2 * 2, 3 * 3
    {"packed F32", R"({"asm":["v_pk_mul_f32 v[0:1], v[2:3], v[2:3]"],"target":"gfx90a",
        "vgpr":{"2":"0x40000000","3":"0x40400000"},"read":["v0","v1"]})",
     R"({"v0":"0x40800000","v1":"0x41100000"})"},
    // 1 and -2 as 8-bit floats; 2 * 3 + 1 in halves.
    {"FP8 of the valu", R"({"asm":["v_cvt_pk_fp8_f32 v0, v1, v2"],"target":"gfx942",
        "vgpr":{"1":"0x3f800000","2":"0xc0000000"},"read":["v0"]})",
     R"({"v0":"0x0000c840"})"},
    {"mixed precision", R"({"asm":["v_mad_mixlo_f16 v0, v1, v2, v3"],"target":"gfx900",
        "vgpr":{"1":"0x40000000","2":"0x40400000","3":"0x3f800000"},"read":["v0"]})",
     R"({"v0":"0x00004700"})"},
    // docs/reference/decisions.md D53: 2^-20 is no half.
    {"subnormal half", R"({"asm":["v_mad_mixlo_f16 v0, v1, v2, 0 op_sel_hi:[1,1,0]"],
        "target":"gfx900","vgpr":{"0":"0xabcd0000","1":"0x1400","2":"0x1400"},"read":["v0"]})",
     R"({"v0":"0xabcd0000"})"},
    // D52: -2^-24 * 2^-14, of which gfx90a sees nothing; V_FMA_MIX follows MODE.
    {"dot of subnormal halves", R"({"asm":["v_dot2_f32_f16 v0, v1, v2, 0",
        "v_dot2c_f32_f16 v3, v1, v2","v_fma_mix_f32 v4, v1, v2, 0 op_sel_hi:[1,1,0]"],
        "target":"gfx90a","mode":{"denorm_f32":3,"denorm_f64":3},
        "vgpr":{"1":"0x8001","2":"0x0400"},"read":["v0","v3","v4"]})",
     R"({"v0":"0x00000000","v3":"0x00000000","v4":"0xac800000"})"},
    {"dot of subnormal halves, MODE flushes", R"({"asm":["v_dot2_f32_f16 v0, v1, v2, 0",
        "v_dot2c_f32_f16 v3, v1, v2","v_fma_mix_f32 v4, v1, v2, 0 op_sel_hi:[1,1,0]"],
        "target":"gfx942","mode":{"denorm_f32":0,"denorm_f64":0},
        "vgpr":{"1":"0x8001","2":"0x0400"},"read":["v0","v3","v4"]})",
     R"({"v0":"0xac800000","v3":"0xac800000","v4":"0x00000000"})"},
    // D55: no row is written, each has carries; lane 0 of a row has no source.
    {"carry-out under a row mask", R"({"asm":[
        "v_add_co_u32_dpp v0, vcc, v1, v2 row_shr:1 row_mask:0x0 bank_mask:0xf"],
        "vgpr":{"0":"7","1":"0xffffffff","2":"1"},"vcc":"0x1","read":["v0","vcc"]})",
     R"({"v0":"0x00000007","vcc":"0xfffefffefffeffff"})"},
    // Eight times (1 + 2^-11, cut to 1) * 1, and 1/2.
    {"XF32", R"({"asm":["v_mfma_f32_16x16x8_xf32 a[0:3], v[0:1], v[2:3], a[0:3]"],"target":"gfx942",
        "vgpr":{"0":"0x3f801000","1":"0x3f801000","2":"0x3f800000","3":"0x3f800000"},
        "agpr":{"0":"0x3f000000"},"read":["a0"]})",
     R"({"a0":"0x41080000"})"},
    // 32 times 1 * 1/2 (FP8 with bias 8, BF8 with bias 16), and 1.
    {"FP8 with BF8", R"({"asm":["v_mfma_f32_16x16x32_fp8_bf8 a[0:3], v[0:1], v[2:3], a[0:3]"],
        "target":"gfx942","vgpr":{"0":"0x40404040","1":"0x40404040","2":"0x3c3c3c3c","3":"0x3c3c3c3c"},
        "agpr":{"0":"0x3f800000"},"read":["a0"]})",
     R"({"a0":"0x41880000"})"},
    // Eight groups of four: positions 0 and 1 hold 2 and 1.
    {"sparse", R"({"asm":["v_smfmac_f32_16x16x32_f16 a[0:3], v[0:1], v[2:5], v6"],"target":"gfx942",
        "vgpr":{"0":"0x3c004000","1":"0x3c004000","2":"0x40003c00","3":"0x40003c00","4":"0x40003c00",
        "5":"0x40003c00","6":"0x44444444"},"agpr":{"0":"0x3f800000"},"read":["a0"]})",
     R"({"a0":"0x42040000"})"},
    // Both of a group at position 0: the higher one is there, 1 * 1, and 1.
    {"sparse, one position", R"({"asm":["v_smfmac_f32_16x16x32_f16 a[0:3], v[0:1], v[2:5], v6"],
        "target":"gfx942","vgpr":{"0":"0x3c004000","1":"0x3c004000","2":"0x40003c00","3":"0x40003c00",
        "4":"0x40003c00","5":"0x40003c00"},"agpr":{"0":"0x3f800000"},"read":["a0"]})",
     R"({"a0":"0x41100000"})"},
    // 1 + 1 in half precision.
    {"half precision", R"({"asm":["v_add_f16 v0, v1, v1"],"vgpr":{"1":"0x3c00"},"read":["v0"]})",
     R"({"v0":"0x00004000"})"},
    // A two-dimensional image of floats at 0x100000 (MI100 ISA tables 45): texel (1, 0).
    {"image", R"({"asm":["image_load v0, v[2:3], s[4:11] dmask:0x1 unorm"],"vgpr":{"2":1},
        "sgpr":{"4":"0x1000","5":"0x1c400000","6":"0x1c007","7":"0x90000fac","8":"0x1e000"},
        "mem":{"0x100000":"000000000000803f"},"read":["v0"]})",
     R"({"v0":"0x3f800000"})", "tlm"},
};

class Answers : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto made = Probe::create(GetParam());
    ASSERT_TRUE(made.ok()) << made.error().str();
    probe_ = std::move(made).value();
  }
  json ask(json object) {
    if (!object.contains("id")) object["id"] = "case";
    if (!object.contains("target")) object["target"] = "gfx908";
    return json::parse(probe_->answer(object).dump());
  }
  std::unique_ptr<Probe> probe_;
};

TEST_P(Answers, ByHand) {
  for (const Case& c : kCases) {
    const json answer = ask(json::parse(c.object));
    const std::string engine = GetParam();
    if (engine == "rtl" && c.on_rtl == nullptr) {
      EXPECT_EQ(answer["status"], "unsupported") << c.what << answer;
      EXPECT_FALSE(answer.contains("executed_by")) << c.what;
      continue;
    }
    ASSERT_EQ(answer["status"], "ok") << c.what << answer;
    EXPECT_EQ(answer["executed_by"], engine == "rtl" ? c.on_rtl : engine) << c.what;
    EXPECT_EQ(answer["approximate"], json::array());
    const json expected = json::parse(c.expected);
    for (const auto& [key, value] : expected.items()) {
      const bool row = (key[0] == 'v' || key[0] == 'a') && key != "vcc";
      EXPECT_EQ(answer[key], row ? json(std::vector<json>(64, value)) : value)
          << c.what << " " << key;
    }
  }
}

/// Lane moves, register copies and the like are work of the simd, which the valu's RTL is not.
TEST_P(Answers, WhatHasNoRtlIsNamed) {
  const std::pair<const char*, const char*> rows[] = {
      {"v_nop", "v_nop"},
      {"v_readlane_b32", "v_readlane_b32 s0, v0, 3"},
      {"v_readfirstlane_b32", "v_readfirstlane_b32 s0, v0"},
      {"v_writelane_b32", "v_writelane_b32 v0, s0, 3"},
      {"v_swap_b32", "v_swap_b32 v0, v1"},
      {"v_accvgpr_read_b32", "v_accvgpr_read_b32 v0, a0"},
      {"v_accvgpr_write_b32", "v_accvgpr_write_b32 a0, v0"},
  };
  for (const auto& [mnemonic, text] : rows) {
    const json answer = ask({{"asm", {"v_mov_b32 v1, 1", text}}, {"read", {"v0"}}});
    if (std::string(GetParam()) != "rtl") {
      EXPECT_EQ(answer["status"], "ok") << answer;
      continue;
    }
    EXPECT_EQ(answer["status"], "unsupported") << answer;
    EXPECT_EQ(answer["error"], std::string(mnemonic) + ": no RTL of this engine has it");
  }
}

/// gfx900 and gfx906 have none.
TEST_P(Answers, AccVgprsOfTargetsWithout) {
  for (const char* target : {"gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"}) {
    const std::string name(target);
    const bool without = name == "gfx900" || name == "gfx906";
    const json read = ask({{"asm", "s_nop 0"}, {"target", target}, {"read", {"v0", "a0"}}});
    EXPECT_EQ(read["status"], without ? "error" : "ok") << name;
    const json set = ask({{"asm", "s_nop 0"}, {"target", target}, {"agpr", {{"3", 1}}}});
    EXPECT_EQ(set["status"], without ? "error" : "ok") << name;
    if (!without) continue;
    EXPECT_EQ(read["error"], "read: unknown name 'a0': " + name + " has no AccVGPRs");
    EXPECT_EQ(set["error"], "agpr: " + name + " has no AccVGPRs");
    EXPECT_EQ(ask({{"asm", "s_nop 0"}, {"target", target}, {"agpr", json::object()}})["status"],
              "ok");
  }
}

TEST_P(Answers, StoppedCases) {
  EXPECT_EQ(ask({{"asm", "l: s_branch l"}})["error"], "more than 100000 instructions");
  const json illegal = ask({{"code", "ffffffff"}});
  EXPECT_EQ(illegal["status"], "error");
  EXPECT_NE(illegal["error"].get<std::string>().find("illegal instruction"), std::string::npos);
  const json halted = ask({{"asm", "s_sethalt 1"}});
  EXPECT_EQ(halted["status"], "error");
  const json message = ask({{"asm", "s_sendmsghalt 1"}});
  EXPECT_EQ(message["status"], "error");
  EXPECT_EQ(ask({{"asm", "s_sethalt 0"}})["status"], "ok");
  EXPECT_EQ(ask({{"asm", "s_nop 0"}, {"colour", 1}})["status"], "error");
  // v_mov_b32 v0, and no literal.
  const json cut = ask({{"code", "bf800000 7e0002ff"}, {"read", {"v0"}}});
  EXPECT_EQ(cut["status"], "error");
  EXPECT_NE(cut["error"].get<std::string>().find("within the instruction at byte 4"),
            std::string::npos)
      << cut;
  const json whole = ask({{"code", "bf800000 7e0002ff bf8c0000"}, {"read", {"v0"}}});
  EXPECT_EQ(whole["v0"], json(std::vector<json>(64, "0xbf8c0000")));
}

/// Registers, LDS and memory that one case leaves are no part of the next one.
TEST_P(Answers, CasesAreIndependent) {
  const json first = {
      {"asm",
       {"s_mov_b32 s5, 1", "v_mov_b32 v9, 1", "v_mov_b32 v1, 8", "ds_write_b32 v1, v1",
        "v_mov_b32 v2, 0x100000", "v_mov_b32 v3, 0", "global_store_dword v[2:3], v1, off"}},
      {"agpr", {{"9", 1}}},
      {"read", {"mem:0x100000:4"}}};
  EXPECT_EQ(ask(first)["mem:0x100000:4"], "08000000");
  const json second =
      ask({{"asm", "s_nop 0"}, {"read", {"s5", "v9", "a9", "lds:8:4", "mem:0x100000:4", "vcc"}}});
  EXPECT_EQ(second["s5"], "0x00000000");
  EXPECT_EQ(second["v9"], json(std::vector<json>(64, "0x00000000")));
  EXPECT_EQ(second["a9"], json(std::vector<json>(64, "0x00000000")));
  EXPECT_EQ(second["lds:8:4"], "00000000");
  EXPECT_EQ(second["mem:0x100000:4"], "00000000");
  EXPECT_EQ(second["vcc"], "0x0000000000000000");
}

const char* const kEngines[] = {
    "golden",
    "tlm",
#ifdef CUVETTE_WITH_RTL
    "rtl",
#endif
};
INSTANTIATE_TEST_SUITE_P(Engines, Answers, ::testing::ValuesIn(kEngines),
                         [](const auto& p) { return std::string(p.param); });

TEST(ProbeEngines, ThoseOfThisBuild) {
  for (const char* engine : kEngines) EXPECT_TRUE(Probe::built(engine)) << engine;
#ifndef CUVETTE_WITH_RTL
  EXPECT_FALSE(Probe::built("rtl"));
#endif
}

/// Effects that time shows and golden does not have.
TEST(ProbeTime, ClockRunsOnTheComputeUnit) {
  auto probe = Probe::create("tlm");
  ASSERT_TRUE(probe.ok());
  const json answer =
      json::parse((*probe)
                      ->answer({{"id", 1},
                                {"target", "gfx908"},
                                {"asm",
                                 {"s_memtime s[0:1]", "s_waitcnt lgkmcnt(0)", "s_memtime s[2:3]",
                                  "s_waitcnt lgkmcnt(0)", "s_cmp_gt_u32 s2, s0"}},
                                {"read", {"scc"}}})
                      .dump());
  EXPECT_EQ(answer["scc"], 1);
}

}  // namespace
}  // namespace cuvette::run
