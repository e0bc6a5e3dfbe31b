// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cosim_device.h"

// Code that waves change: the words of an instruction are what its fetch has seen.
namespace cuvette::golden {
namespace {

using namespace testing;

const Words kInvalidateCode{0xbf930000};  // s_icache_inv
const Words kWait{0xbf8c0000};            // s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
const Words kNop{0xbf800000};             // s_nop 0
const Words kMoveEight{0x7e060288};       // v_mov_b32 v3, 8
const Words kMoveNine{0x7e060289};        // v_mov_b32 v3, 9

/// A wave stores v_mov_b32 v3, 8 over its fourth instruction, v_mov_b32 v3, 7, and waits. The store
/// is declared where `declared` says so.
class CodeDevice : public Device {
 public:
  explicit CodeDevice(const Words& between, bool declared = true) {
    constexpr uint64_t kCode = 0x101000;  // of wave 1
    pointer = kCode + 4 * (kStore.size() + kWait.size() + between.size());
    start(1, kMoveEight[0], {kStore, kWait, between, kMove, kEnd});
    auto r = record(1);
    r.accesses.push_back(access(MemoryKind::Store, kMoveEight[0]));
    r.accesses[0].address = pointer;
    EXPECT_TRUE(retire(r)) << cosim->mismatch();
    if (declared) {
      EXPECT_TRUE(declare(1, 0, 1)) << cosim->mismatch();
    }
    EXPECT_TRUE(retire(record(1)) && retire(record(1))) << cosim->mismatch();
  }
  bool runs(const Words& words, uint32_t value) {
    auto r = record(1);
    std::copy(words.begin(), words.end(), r.instruction.words);
    r.vector_writes.push_back(v(3, value));
    return retire(r) && retire(record(1));
  }
  bool says(const char* text) const { return cosim->mismatch().find(text) != std::string::npos; }
};

TEST(CosimCode, ChangedCodeRunsBehindAnInvalidation) {
  CodeDevice d(kInvalidateCode);
  EXPECT_TRUE(d.runs(kMoveEight, 8)) << d.cosim->mismatch();
  EXPECT_TRUE(d.cosim->passed());
}

TEST(CosimCode, OldCodeDoesNot) {
  CodeDevice d(kInvalidateCode);
  EXPECT_FALSE(d.runs(kMove, 7));
  EXPECT_TRUE(d.says("fetch: load at 0x101010")) << d.cosim->mismatch();
  EXPECT_TRUE(d.says("0x7e060288")) << d.cosim->mismatch();
}

TEST(CosimCode, EitherMayRunWithoutAnInvalidation) {
  CodeDevice old(kNop), changed(kNop);
  EXPECT_TRUE(old.runs(kMove, 7)) << old.cosim->mismatch();
  EXPECT_TRUE(changed.runs(kMoveEight, 8)) << changed.cosim->mismatch();
}

TEST(CosimCode, WordsThatNobodyStoredDoNotRun) {
  CodeDevice d(kInvalidateCode);
  EXPECT_FALSE(d.runs(kMoveNine, 9));
  EXPECT_TRUE(d.says("fetch")) << d.cosim->mismatch();
}

TEST(CosimCode, ResultsAreThoseOfTheChangedCode) {
  CodeDevice d(kInvalidateCode);
  EXPECT_FALSE(d.runs(kMoveEight, 7));
  EXPECT_TRUE(d.says("v3")) << d.cosim->mismatch();
}

TEST(CosimCode, AStoreThatNobodySeesChangesNothing) {
  CodeDevice d(kInvalidateCode, false);
  EXPECT_TRUE(d.runs(kMove, 7)) << d.cosim->mismatch();
}

TEST(CosimCode, StepsAloneNeedOneLegalInstruction) {
  CodeDevice determined(kInvalidateCode), chosen(kNop);
  const auto record = determined.cosim->step(1);
  ASSERT_TRUE(record.ok()) << record.error().what;
  EXPECT_EQ(record->vector_writes.at(0).data[0], 8u);
  EXPECT_FALSE(chosen.cosim->step(1).ok());
  EXPECT_TRUE(chosen.says("several legal values")) << chosen.cosim->mismatch();
}

}  // namespace
}  // namespace cuvette::golden
