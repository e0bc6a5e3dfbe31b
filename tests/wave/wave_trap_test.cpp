// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Entering and leaving the trap handler (MI100 ISA 3.5, 3.10): enabled exceptions, single stepping,
// saving the context, S_TRAP and S_RFE.
#include <vector>

#include <gtest/gtest.h>

#include "isa/decode.h"
#include "wave/execute.h"
#include "wave/trap.h"

namespace cuvette::wave {
namespace {

constexpr uint32_t kPriv = 1u << 5, kTrapEn = 1u << 6;
constexpr uint32_t kDebug = 1u << 11;
constexpr uint64_t kPc = 0x123456789a00, kHandler = 0x7000000000;
constexpr unsigned kTtmp = 108;

// Words from LLVM's assembler for gfx908.
const std::vector<uint32_t> kRcp = {0x7e024500};                      // v_rcp_f32 v1, v0
const std::vector<uint32_t> kRcpLong = {0xd1620001, 0x00000100};      // v_rcp_f32_e64 v1, v0
const std::vector<uint32_t> kRcpIflag = {0x7e024700};                 // v_rcp_iflag_f32 v1, v0
const std::vector<uint32_t> kSqrt = {0x7e024f00};                     // v_sqrt_f32 v1, v0
const std::vector<uint32_t> kAdd = {0x020200f2};                      // v_add_f32 v1, 1.0, v0
const std::vector<uint32_t> kMul = {0x0a020100};                      // v_mul_f32 v1, v0, v0
const std::vector<uint32_t> kRfe = {0xbe801f6c};                      // s_rfe_b64 ttmp[0:1]
const std::vector<uint32_t> kMove = {0xbe8d0087};                     // s_mov_b32 s13, 7
const std::vector<uint32_t> kTrap = {0xbf920007};                     // s_trap 7
const std::vector<uint32_t> kEnd = {0xbf810000};                      // s_endpgm
const std::vector<uint32_t> kBranch = {0xbf820004};                   // s_branch 4
const std::vector<uint32_t> kSaveContext = {0xba000283, 0x00000001};  // TRAPSTS.SAVECTX = 1

struct Machine {
  std::vector<LaneRow> rows{8};
  WaveState wave;
  Outcome outcome;

  Machine() {
    for (LaneRow& row : rows) row.fill(0);
    wave.v.arch = rows.data();
    wave.v.arch_count = 8;
    wave.alloc.vgprs = 8;
    wave.s.mode.raw = kDefaultMode;
    wave.s.status = kTrapEn;
    wave.s.tba = kHandler;
    wave.s.set_exec(~uint64_t{0});
  }
  void enable(uint32_t exceptions) { wave.s.mode.raw |= exceptions << 12; }
  /// One instruction at `pc`.
  void run(const std::vector<uint32_t>& words, uint64_t pc = kPc) {
    const isa::Decoded decoded = isa::decode(isa::Target::Gfx908, words.data(), words.size());
    ASSERT_EQ(decoded.status, isa::DecodeStatus::Legal);
    wave.s.pc = pc + 4 * words.size();
    MemoryOp op;
    outcome = execute(wave, decoded.instruction, op);
  }
  bool in_handler() const { return (wave.s.status & kPriv) != 0; }
  uint64_t saved() const { return wave.s.pair(kTtmp); }
};

/// {0, pc_rewind, HT = 0, trap id 0, PC}.
uint64_t saved_state(uint64_t pc, uint64_t rewind) {
  return rewind << 57 | pc;
}

TEST(Traps, EachExceptionHasItsEnable) {
  struct Cause {
    const std::vector<uint32_t>& words;
    uint32_t operand;
    unsigned bit;
  };
  const Cause causes[] = {
      {kSqrt, 0xc0800000, 0},      // sqrt(-4): invalid
      {kAdd, 0x00000001, 1},       // a subnormal operand, kept
      {kRcp, 0x00000000, 2},       // 1 / 0
      {kMul, 0x7f000000, 3},       // overflow
      {kMul, 0x00800001, 4},       // underflow
      {kAdd, 0x33000000, 5},       // 1 + 2^-25 is inexact
      {kRcpIflag, 0x00000000, 6},  // integer division by zero
  };
  for (const Cause& cause : causes) {
    for (unsigned enabled = 0; enabled < 9; ++enabled) {
      Machine m;
      m.enable(1u << enabled);
      m.rows[0][17] = cause.operand;
      m.rows[0][5] = 0x40000000;  // the other lanes compute with 2 or 0
      m.wave.s.set_exec(uint64_t{1} << 17);
      m.run(cause.words);
      // Overflow and underflow come with inexact, a subnormal operand here too.
      const bool with_inexact = cause.bit == 3 || cause.bit == 4 || cause.bit == 1;
      const bool traps = enabled == cause.bit || (with_inexact && enabled == 5);
      EXPECT_EQ(m.in_handler(), traps) << cause.bit << " enabled " << enabled;
      EXPECT_EQ(m.outcome.event == Event::Trap, traps);
      EXPECT_TRUE((m.wave.s.trapsts & 1u << cause.bit) != 0);
      EXPECT_EQ(m.wave.s.pc, traps ? kHandler : kPc + 4);
      EXPECT_EQ(m.saved(), traps ? saved_state(kPc + 4, 1) : 0);
    }
  }
}

TEST(Traps, FaultingInstructionIsRewindDwordsBack) {
  Machine m;
  m.enable(4);
  m.run(kRcpLong);
  EXPECT_EQ(m.saved(), saved_state(kPc + 8, 2));
  EXPECT_EQ(m.rows[1][0], 0x7f800000u) << "the result is written";
}

TEST(Traps, StickyBitsTrapOnlyWhenRaisedAgain) {
  Machine m;
  m.enable(4);
  m.wave.s.trapsts = 4;
  m.run(kAdd);  // 1 + 0: nothing happens
  EXPECT_FALSE(m.in_handler());
  EXPECT_EQ(m.wave.s.trapsts, 4u);
  m.run(kRcp);
  EXPECT_TRUE(m.in_handler());
  EXPECT_EQ(m.wave.s.trapsts, 4u);
}

TEST(Traps, NeedAHandlerThatIsNotRunning) {
  for (const uint32_t status : {0u, kTrapEn | kPriv}) {
    Machine m;
    m.enable(4);
    m.wave.s.status = status;
    m.wave.s.mode.raw |= kDebug;
    m.run(kRcp);
    EXPECT_EQ(m.wave.s.pc, kPc + 4);
    EXPECT_EQ(m.wave.s.status, status);
    EXPECT_EQ(m.saved(), 0u);
    EXPECT_EQ(m.wave.s.trapsts, 4u);
  }
}

TEST(Traps, ReturnGoesOnBehindTheInstruction) {
  Machine m;
  m.enable(4);
  m.run(kRcp);
  ASSERT_TRUE(m.in_handler());
  m.run(kRfe, kHandler);
  EXPECT_FALSE(m.in_handler());
  EXPECT_EQ(m.wave.s.pc, kPc + 4);
}

TEST(Traps, SingleStep) {
  for (const auto* words : {&kMove, &kRcp, &kSaveContext}) {
    Machine m;
    m.wave.s.mode.raw |= kDebug;
    m.run(*words);
    EXPECT_TRUE(m.in_handler());
    EXPECT_EQ(m.saved(), saved_state(kPc + 4 * words->size(), 0));
  }
  Machine branch;
  branch.wave.s.mode.raw |= kDebug;
  branch.run(kBranch);
  EXPECT_EQ(branch.saved(), saved_state(kPc + 4 + 16, 0));
  Machine end;
  end.wave.s.mode.raw |= kDebug;
  end.run(kEnd);
  EXPECT_EQ(end.outcome.event, Event::EndProgram);
  EXPECT_FALSE(end.in_handler());
  Machine trap;  // its own trap, not a second one
  trap.wave.s.mode.raw |= kDebug;
  trap.run(kTrap);
  EXPECT_EQ(trap.saved(), uint64_t{7} << 48 | kPc);
}

TEST(Traps, SaveContextRequest) {
  Machine m;
  m.run(kSaveContext);
  EXPECT_TRUE(m.in_handler());
  EXPECT_EQ(m.saved(), saved_state(kPc + 8, 0));
  m.run(kRfe, kHandler);
  m.run(kMove, kPc + 8);  // the bit still stands, and asks no second time
  EXPECT_FALSE(m.in_handler());
}

TEST(Traps, MemoryViolationIsImprecise) {
  Machine m;
  m.wave.s.pc = kPc;
  EXPECT_FALSE(take_exception_trap(m.wave, kMemViol, 0));
  m.enable(0x100);
  EXPECT_TRUE(take_exception_trap(m.wave, kMemViol, 0));
  EXPECT_EQ(m.saved(), saved_state(kPc, 0));
  EXPECT_EQ(m.wave.s.pc, kHandler);
}

}  // namespace
}  // namespace cuvette::wave
