// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/llvm_oracle_client.h"

namespace {

using cuvette::oracle::LlvmOracle;
using ::testing::ElementsAre;
using Status = LlvmOracle::Status;

// v_add_f32 v0, v1, v2: VOP2 opcode 1, VDST 0, VSRC1 2, SRC0 256 + 1 (MI100 ISA 13.3.1).
constexpr uint32_t kAddF32 = (1u << 25) | (0u << 17) | (2u << 9) | 257u;

TEST(LlvmOracle, Ping) {
  LlvmOracle oracle;
  EXPECT_THAT(oracle.exchange({"ping", "ping"}), ElementsAre("pong", "pong"));
}

TEST(LlvmOracle, DisassemblesOneInstruction) {
  LlvmOracle oracle;
  const auto result = oracle.disassemble("gfx908", std::vector<uint32_t>{kAddF32, 0xbf810000u});
  EXPECT_EQ(result.status, Status::Ok);
  EXPECT_EQ(result.bytes, 4u);
  EXPECT_EQ(result.text, "v_add_f32_e32 v0, v1, v2");
}

TEST(LlvmOracle, AssemblesOneInstruction) {
  LlvmOracle oracle;
  const auto replies = oracle.assemble(
      "gfx900", {"v_add_f32 v0, v1, v2", "v_nonsense v0", "s_mov_b32 s0, 0x12345678",
                 "v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]"});
  ASSERT_EQ(replies.size(), 4u);
  EXPECT_THAT(replies[0].words, ElementsAre(kAddF32));
  EXPECT_EQ(replies[1].status, Status::Fail);
  EXPECT_EQ(replies[1].message, "invalid instruction");
  // SOP1 s_mov_b32 (opcode 0), SDST 0, SSRC0 255 = literal (MI100 ISA 13.1.3).
  EXPECT_THAT(replies[2].words, ElementsAre(0xbe8000ffu, 0x12345678u));
  EXPECT_EQ(replies[3].status, Status::Fail) << "gfx900 has no matrix core";
}

TEST(LlvmOracle, IllegalWordsFail) {
  LlvmOracle oracle;
  // SOPP opcode 127 does not exist.
  EXPECT_EQ(oracle.disassemble("gfx908", std::vector<uint32_t>{0xbfff0000u}).status, Status::Fail);
}

TEST(LlvmOracle, BadRequestsAreNamed) {
  LlvmOracle oracle;
  EXPECT_THAT(oracle.exchange({"X", "D gfx7777 bf810000", "D gfx900 zz", "D gfx900"}),
              ElementsAre("bad request", "bad target", "bad word", "bad request: no argument"));
}

TEST(LlvmOracle, SurvivesCrashingWords) {
  LlvmOracle oracle;
  const std::vector<uint32_t> crashing = {0x020004f9u, 0x06070601u};
  const std::vector<uint32_t> good = {kAddF32};
  const auto results =
      oracle.disassemble("gfx900", {good, crashing, good, crashing, crashing, good});
  ASSERT_EQ(results.size(), 6u);
  for (size_t i : {0u, 2u, 5u}) {
    EXPECT_EQ(results[i].status, Status::Ok) << i;
    EXPECT_EQ(results[i].text, "v_add_f32_e32 v0, v1, v2") << i;
  }
  for (size_t i : {1u, 3u, 4u}) EXPECT_EQ(results[i].status, Status::Crash) << i;
  EXPECT_EQ(oracle.crashes(), 3u);
}

TEST(LlvmOracle, AnswersInOrderWhateverTheBatch) {
  constexpr uint64_t kSeed = 20240607;
  std::mt19937_64 random(kSeed);
  std::vector<std::vector<uint32_t>> cases;
  // VOP1 to VOP3 and scalar words; every thousandth case is a known one.
  for (unsigned i = 0; i < 100000; ++i) {
    if (i % 1000 == 0) {
      cases.push_back({kAddF32});
    } else {
      const uint64_t bits = random();
      cases.push_back({static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)});
    }
  }
  LlvmOracle oracle;
  const auto results = oracle.disassemble("gfx908", cases);
  ASSERT_EQ(results.size(), cases.size());
  unsigned ok = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    if (i % 1000 == 0) {
      ASSERT_EQ(results[i].text, "v_add_f32_e32 v0, v1, v2") << "case " << i << " seed " << kSeed;
    }
    ok += results[i].status == Status::Ok;
  }
  EXPECT_GT(ok, 1000u);
  EXPECT_LT(ok, 100000u);
}

}  // namespace
