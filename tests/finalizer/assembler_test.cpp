// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/assembler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/llvm_oracle_client.h"

namespace {

using cuvette::finalizer::assemble;
using cuvette::finalizer::Assembler;
using cuvette::finalizer::find_target;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Targets, FeaturesThatAreNamedAndThatAreNot) {
  // decisions.md D16.
  const std::pair<const char*, const char*> expected[] = {
      {"gfx900", "-xnack"},
      {"gfx906", "-sramecc,-xnack"},
      {"gfx908", "+sramecc,-xnack"},
      {"gfx90a", "+sramecc,-xnack"},
      {"gfx942:sramecc+:xnack-", "+sramecc,-xnack"},
      {"gfx900:xnack+", "+xnack"},
      {"gfx908:sramecc-", "-sramecc,-xnack"},
      {"gfx90a:xnack+", "+sramecc,+xnack"},
      {"gfx942:xnack+:sramecc-", "-sramecc,+xnack"}};
  for (const auto& [name, features] : expected) {
    auto target = find_target(name);
    ASSERT_TRUE(target.ok()) << name;
    EXPECT_EQ(target->features, features) << name;
    EXPECT_EQ(target->name, std::string(name).substr(0, 6));
  }
  auto unknown = find_target("gfx1100");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().what, HasSubstr("gfx900, gfx906, gfx908, gfx90a"));
  EXPECT_FALSE(find_target("gfx900:sramecc-").ok());
}

// Words by hand from the encodings: SOPK s_movk_i32 is 0xb0000000 | sdst << 16 | simm; SOP2
// s_sub_u32 opcode 1; SOPC s_cmp_lg_u32 opcode 7; SOPP s_cbranch_scc1 opcode 5, s_endpgm opcode 1.
TEST(AssemblerTest, BranchesToLabels) {
  auto words =
      assemble({"s_movk_i32 s0, 3", "loop:", "  s_sub_u32 s0, s0, 1 ; count", "s_cmp_lg_u32 s0, 0",
                "s_cbranch_scc1 loop", "", "s_branch end // skip", "s_nop 0", "end: s_endpgm"},
               "gfx908");
  ASSERT_TRUE(words.ok()) << words.error().str();
  EXPECT_THAT(*words, ElementsAre(0xb0000003u, 0x80808100u, 0xbf078000u, 0xbf85fffdu, 0xbf820001u,
                                  0xbf800000u, 0xbf810000u));
}

TEST(AssemblerTest, EmptyTextIsNoWords) {
  auto words = assemble({}, "gfx900");
  ASSERT_TRUE(words.ok()) << words.error().str();
  EXPECT_TRUE(words->empty());
}

TEST(AssemblerTest, LocalLabels) {
  auto words = assemble({".Lx:", "s_branch .Lx"}, "gfx942");
  ASSERT_TRUE(words.ok()) << words.error().str();
  EXPECT_THAT(*words, ElementsAre(0xbf82ffffu));
}

struct BadText {
  std::vector<std::string> lines;
  const char* what;
  uint32_t line, column;
};

TEST(AssemblerTest, ErrorsHaveAPlace) {
  const BadText cases[] = {
      {{"s_nop 0", "v_nonsense v0"}, "invalid instruction", 2, 1},
      {{"s_nop 0", "", "  v_add_f32 v0, v1"}, "too few operands for instruction", 3, 3},
      {{"v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]"}, "not supported on this GPU", 1, 1},
      {{"s_nop 0", "s_branch nowhere"}, "undefined label 'nowhere'", 2, 1},
      {{"s_mov_b32 s0, elsewhere"}, "symbol 'elsewhere' is not defined", 0, 0},
      {{".incbin \"/etc/hostname\""}, "quoted text", 1, 9},
      {{"s_nop 0", "x: y : .LONG 7"}, "directives are not accepted", 2, 8},
      {{"/* */ .space 99"}, "block comments", 1, 1},
      {{"s_nop 0\n.space 99"}, "control character", 1, 8},
      {{"a:", "a:"}, "already defined", 2, 1},
  };
  for (const BadText& bad : cases) {
    auto assembler = Assembler::create("gfx900");
    ASSERT_TRUE(assembler.ok());
    auto words = assembler->assemble(bad.lines, "case.s");
    ASSERT_FALSE(words.ok()) << bad.what;
    EXPECT_THAT(words.error().what, HasSubstr(bad.what));
    EXPECT_EQ(words.error().where.file, "case.s");
    EXPECT_EQ(words.error().where.line, bad.line) << bad.what;
    EXPECT_EQ(words.error().where.column, bad.column) << bad.what;
  }
}

TEST(AssemblerTest, UnknownTarget) {
  auto words = assemble({"s_nop 0"}, "gfx10");
  ASSERT_FALSE(words.ok());
  EXPECT_THAT(words.error().what, HasSubstr("unknown target 'gfx10'"));
}

TEST(AssemblerTest, OneAssemblerManyTexts) {
  auto assembler = Assembler::create("gfx90a");
  ASSERT_TRUE(assembler.ok());
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(assembler->assemble({"bad"}).ok());
    auto words = assembler->assemble({"here: s_branch here"});
    ASSERT_TRUE(words.ok()) << words.error().str();
    EXPECT_THAT(*words, ElementsAre(0xbf82ffffu));
  }
}

// The child disassembles what the assembler made: text -> words -> the same text.
TEST(AssemblerTest, AgreesWithTheDisassembler) {
  cuvette::oracle::LlvmOracle oracle;
  const char* texts[] = {
      "v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31]",
      "global_load_dword v1, v[2:3], off offset:16", "ds_write_b64 v4, v[6:7] offset:8",
      "v_add_u16_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0"};
  for (const char* text : texts) {
    auto words = assemble({text}, "gfx908");
    ASSERT_TRUE(words.ok()) << words.error().str();
    EXPECT_THAT(oracle.disassemble("gfx908", *words).text, StartsWith(text));
  }
}

}  // namespace
