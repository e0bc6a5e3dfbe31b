// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A trap handler in memory, on the golden machine: exceptions and memory violations reach it and
// the program goes on behind the cause.
#include <gtest/gtest.h>

#include "golden/wave.h"
#include "wave/operand.h"

namespace cuvette::golden {
namespace {

constexpr uint32_t kTrapEn = 1u << 6;

// Counts its calls in s10 and keeps what it was told in s[11:12]. Words from LLVM's assembler.
const std::vector<uint32_t> kHandler = {
    0x800a810a,  // s_add_u32 s10, s10, 1
    0xbe8b006c,  // s_mov_b32 s11, ttmp0
    0xbe8c006d,  // s_mov_b32 s12, ttmp1
    0xbe801f6c,  // s_rfe_b64 ttmp[0:1]
};
constexpr uint32_t kMove = 0xbe8d0087;  // s_mov_b32 s13, 7
constexpr uint32_t kEnd = 0xbf810000;   // s_endpgm

class Trap : public ::testing::Test {
 protected:
  /// Runs a program with exceptions enabled and a handler behind it.
  void run(std::vector<uint32_t> words, uint32_t enabled, bool micro_ops) {
    constexpr uint64_t kBytes = 4096;
    hsa::DeviceMemory memory;
    hsa::DeviceMemory::Options options;
    options.permitted = hsa::Access::Execute;
    base_ = *memory.allocate(kBytes, options);
    words.push_back(kMove);
    words.push_back(kEnd);
    ASSERT_TRUE(memory.poke(base_, words.data(), 4 * words.size()).ok());
    ASSERT_TRUE(memory.poke(base_ + kHandlerAt, kHandler.data(), 4 * kHandler.size()).ok());
    std::vector<hsa::CodeRange> functions = functions_;
    for (hsa::CodeRange& f : functions) {
      f.begin += base_;
      f.end += base_;
    }
    memory.space().code().add(std::move(functions));
    Program program(memory, isa::Target::Gfx908);
    MemoryPort port(memory);
    Workgroup group;
    group.waves = 1;
    Wave w(isa::Target::Gfx908, 8, 0);
    w.group = &group;
    w.uses_micro_ops = micro_ops;
    w.state.alloc.vgprs = 8;
    w.state.s.mode.raw = wave::kDefaultMode | enabled << 12;
    w.state.s.status = kTrapEn;
    w.state.s.tba = tba_offset_ != 0 ? base_ + tba_offset_ : 0;
    w.state.s.pc = base_;
    w.state.s.set_exec(1);
    w.run(100, program, port, nullptr);
    status_ = w.status;
    failure_ = w.failure;
    pc_ = w.state.s.pc;
    calls_ = w.state.s.sgpr[10];
    told_ = w.state.s.pair(11);
    went_on_ = w.state.s.sgpr[13] == 7;
    ended_in_handler_ = (w.state.s.status & wave::kStatusPriv) != 0;
  }

  static constexpr uint64_t kHandlerAt = 1024;
  uint64_t tba_offset_ = kHandlerAt;       // 0: no handler
  std::vector<hsa::CodeRange> functions_;  // by offset
  std::string failure_;
  uint64_t pc_ = 0;
  uint64_t base_ = 0, told_ = 0;
  WaveStatus status_ = WaveStatus::Running;
  unsigned calls_ = 0;
  bool went_on_ = false, ended_in_handler_ = false;
};

TEST_F(Trap, DivisionByZero) {
  const std::vector<uint32_t> program = {0x7e024500, 0x7e024500};  // v_rcp_f32 v1, v0: twice
  for (const bool micro_ops : {false, true}) {
    run(program, 4, micro_ops);
    EXPECT_EQ(status_, WaveStatus::Ended);
    EXPECT_EQ(calls_, 2u);
    EXPECT_EQ(told_, uint64_t{1} << 57 | (base_ + 8));
    EXPECT_TRUE(went_on_);
    EXPECT_FALSE(ended_in_handler_);
    run(program, 1, micro_ops);
    EXPECT_EQ(calls_, 0u);
    EXPECT_TRUE(went_on_);
  }
}

TEST_F(Trap, MemoryViolation) {
  // global_load_dword v3, v[4:5], off: address 0
  const std::vector<uint32_t> program = {0xdc508000, 0x037f0004};
  run(program, 0x100, true);
  EXPECT_EQ(status_, WaveStatus::Ended);
  EXPECT_EQ(calls_, 1u);
  EXPECT_EQ(told_, base_ + 8);
  EXPECT_TRUE(went_on_);
  run(program, 0, true);  // not enabled: the run fails
  EXPECT_EQ(status_, WaveStatus::Failed);
}

/// MI100 ISA 3.11: not reported for scalar accesses, also where a handler wants violations.
TEST_F(Trap, ScalarLoadFromNowhere) {
  run({0xc0020103, 0x00000000}, 0x100, true);  // s_load_dword s4, s[6:7], 0x0: address 0
  EXPECT_EQ(status_, WaveStatus::Failed);
  EXPECT_EQ(calls_, 0u);
}

/// Nobody handles S_TRAP: the wave ends there (LLVM AMDGPUUsage, "Trap Handler ABI").
TEST_F(Trap, WithoutAHandler) {
  const std::vector<uint32_t> program = {0xbf800000, 0xbf920002};  // s_nop 0; s_trap 2
  tba_offset_ = 0;
  for (const bool micro_ops : {false, true}) {
    run(program, 0x1ff, micro_ops);
    EXPECT_EQ(status_, WaveStatus::Failed);
    EXPECT_EQ(pc_, base_ + 4);
    EXPECT_NE(failure_.find("s_trap 2: trap 2 (abort: llvm.trap) without a trap handler, lane 0"),
              std::string::npos)
        << failure_;
    EXPECT_FALSE(went_on_);
  }
  // Exceptions that MODE wants to trap stay in TRAPSTS.
  run({0x7e024500}, 0x1ff, true);
  EXPECT_EQ(status_, WaveStatus::Ended);
  EXPECT_TRUE(went_on_);
}

/// Straight-line execution that comes behind the last instruction of a function has run past its
/// end; jumps lead anywhere.
TEST_F(Trap, PastTheEndOfAFunction) {
  const std::vector<uint32_t> falls = {0xbf800000, 0x7e020280, 0xbe8a0081};  // then kMove, kEnd
  tba_offset_ = 0;
  functions_ = {{0, 12, "first"}, {12, 20, "second"}};
  for (const bool micro_ops : {false, true}) {
    run(falls, 0, micro_ops);
    EXPECT_EQ(status_, WaveStatus::Failed);
    EXPECT_NE(failure_.find("runs past the end of the code of 'first'"), std::string::npos)
        << failure_;
    EXPECT_NE(failure_.find("into 'second'"), std::string::npos) << failure_;
    EXPECT_EQ(pc_, base_ + 12);
    EXPECT_FALSE(went_on_);
  }
  functions_ = {{0, 12, "first"}};
  run(falls, 0, true);
  EXPECT_NE(failure_.find("into what is no function"), std::string::npos) << failure_;
  functions_ = {{12, 20, "second"}};
  run(falls, 0, true);
  EXPECT_NE(failure_.find("from code without a symbol into 'second'"), std::string::npos)
      << failure_;
  // s_branch to the next instruction, which is the next function: a jump.
  functions_ = {{0, 12, "first"}, {12, 20, "second"}};
  for (const bool micro_ops : {false, true}) {
    run({0xbf800000, 0x7e020280, 0xbf820000}, 0, micro_ops);
    EXPECT_EQ(status_, WaveStatus::Ended) << failure_;
    EXPECT_TRUE(went_on_);
  }
  // s_cbranch_scc1 that is not taken, as the last one.
  run({0xbf800000, 0x7e020280, 0xbf850001}, 0, true);
  EXPECT_EQ(status_, WaveStatus::Failed);
}

}  // namespace
}  // namespace cuvette::golden
