// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Trap handlers in the compute unit (MI100 ISA 3.10): {TTMP1, TTMP0} holds the PC in bits 47:0, the
// trap id in 55:48 and in 60:57 how many dwords before that PC the cause stands.
#include <gtest/gtest.h>

#include "compute_unit_harness.h"
#include "hsa/queue_error.h"

namespace cuvette::compute_unit::testing {
namespace {

using Lines = std::vector<std::string>;

constexpr uint32_t kDivisionByZero = 1u << 2;
constexpr uint32_t kInexact = 1u << 5;
constexpr uint32_t kMemoryViolation = 1u << 8;

/// Words that programs here leave in the buffer s[0:1] points to.
enum Word : unsigned { kCalls, kPcLow, kPcHigh, kTrapsts, kResult, kMemory, kPriv, kWords };

/// Counts its calls in s10, keeps the last cause in s[11:12], TRAPSTS in s13, TMA in s14, and
/// `resume` says where to.
Lines handler(const Lines& resume) {
  Lines lines = {"s_add_u32 s10, s10, 1", "s_mov_b32 s11, ttmp0", "s_mov_b32 s12, ttmp1",
                 "s_getreg_b32 s13, hwreg(HW_REG_TRAPSTS)",
                 "s_getreg_b32 s14, hwreg(HW_REG_TMA_LO)"};
  lines.insert(lines.end(), resume.begin(), resume.end());
  lines.push_back("s_rfe_b64 ttmp[0:1]");
  return lines;
}

/// Behind every program: stores what the handler left, and STATUS.PRIV.
const Lines kReport = {
    "s_getreg_b32 s15, hwreg(HW_REG_STATUS, 5, 1)",
    "v_mov_b32 v20, 0",
    "v_mov_b32 v21, s10",
    "global_store_dword v20, v21, s[0:1]",
    "v_mov_b32 v22, s11",
    "global_store_dword v20, v22, s[0:1] offset:4",
    "v_mov_b32 v23, s12",
    "global_store_dword v20, v23, s[0:1] offset:8",
    "v_mov_b32 v24, s13",
    "global_store_dword v20, v24, s[0:1] offset:12",
    "global_store_dword v20, v1, s[0:1] offset:16",
    "v_mov_b32 v25, s14",
    "global_store_dword v20, v25, s[0:1] offset:20",
    "v_mov_b32 v26, s15",
    "global_store_dword v20, v26, s[0:1] offset:24",
    "s_endpgm",
};

struct Report {
  uint64_t pc = 0;  ///< of the program
  uint64_t told = 0;
  std::vector<uint32_t> word;
  spi::WaveDone done;
};

Report run(const Lines& program, uint32_t exceptions, const Lines& resume = {},
           bool present = true) {
  Machine m;
  const uint64_t buffer = m.buffer(256);
  Lines lines = program;
  lines.insert(lines.end(), kReport.begin(), kReport.end());
  Report r;
  const uint64_t at = m.load(handler(resume));
  r.pc = m.load(lines);
  Launch launch;
  launch.exec = 1;
  launch.sgpr = pointers({buffer});
  launch.sgpr.resize(16);
  launch.exceptions = exceptions;
  if (present) {
    launch.tba = at;
    launch.tma = 0x1234500;
  }
  m.launch(r.pc, launch);
  m.run();
  EXPECT_EQ(m.done.size(), 1u);
  if (!m.done.empty()) r.done = m.done.front();
  for (unsigned n = 0; n < kWords; ++n) r.word.push_back(m.word(buffer + 4 * n));
  r.told = uint64_t{r.word[kPcHigh]} << 32 | r.word[kPcLow];
  return r;
}

/// The answer is in EXEC; bit 31, for which handlers wait, is 0.
TEST(ComputeUnitTrap, AWaveHearsItsDoorbell) {
  Machine m;
  const uint64_t buffer = m.buffer(64);
  const uint64_t at =
      m.load({"s_mov_b64 exec, 0x80000000", "s_sendmsg 10", "s_mov_b32 s9, exec_lo",
              "s_mov_b32 s10, exec_hi", "s_mov_b64 exec, 1", "v_mov_b32 v4, 0", "v_mov_b32 v1, s9",
              "v_mov_b32 v2, s10", "global_store_dwordx2 v4, v[1:2], s[0:1]", "s_endpgm"});
  Launch launch;
  launch.sgpr = pointers({buffer});
  launch.doorbell = 0x3a5;
  m.launch(at, launch);
  m.run();
  ASSERT_EQ(m.done.size(), 1u);
  EXPECT_EQ(m.word(buffer), 0x3a5u);
  EXPECT_EQ(m.word(buffer + 4), 0u);
}

TEST(ComputeUnitTrap, STrapTellsItsIdAndPlace) {
  // The saved PC is that of S_TRAP; the handler steps over it.
  const Report r = run({"v_mov_b32 v1, 5", "s_trap 0x21"}, 0, {"s_add_u32 ttmp0, ttmp0, 4"});
  EXPECT_FALSE(r.done.error);
  EXPECT_EQ(r.word[kCalls], 1u);
  EXPECT_EQ(r.told, uint64_t{0x21} << 48 | (r.pc + 4));
  EXPECT_EQ(r.word[kMemory], 0x1234500u);
  EXPECT_EQ(r.word[kResult], 5u);
  EXPECT_EQ(r.word[kPriv], 0u) << "S_RFE_B64 ends the handler's privilege";
}

/// S_TRAP ends a wave that nobody handles it for, at S_TRAP itself (LLVM AMDGPUUsage, "Trap Handler
/// ABI": 2 llvm.trap, 3 llvm.debugtrap, 1 of HSA). Earlier effects stay; exceptions stay where
/// they are.
TEST(ComputeUnitTrap, WithoutAHandlerSTrapEndsTheWave) {
  const struct {
    const char* trap;
    const char* text;
  } cases[] = {{"s_trap 2", "trap 2 (abort: llvm.trap) without a trap handler, lanes 0 to 2, 5"},
               {"s_trap 3", "trap 3 (llvm.debugtrap) without a trap handler, lanes 0 to 2, 5"},
               {"s_trap 1", "trap 1 (HSA debugtrap) without a trap handler, lanes 0 to 2, 5"},
               {"s_trap 0x21", "trap 33 without a trap handler, lanes 0 to 2, 5"}};
  for (const auto& c : cases) {
    Machine m;
    const uint64_t buffer = m.buffer(64);
    const uint64_t at = m.load({"v_mov_b32 v4, 0", "v_mov_b32 v1, 7", "v_rcp_f32 v2, v4",
                                "global_store_dword v4, v1, s[0:1]", c.trap,
                                "global_store_dword v4, v4, s[0:1]", "s_endpgm"});
    Launch launch;
    launch.exec = 0x27;
    launch.sgpr = pointers({buffer});
    launch.trap_en = true;
    launch.exceptions = 0x7f;
    m.launch(at, launch);
    m.run();
    ASSERT_EQ(m.done.size(), 1u) << c.trap;
    EXPECT_TRUE(m.done[0].error) << c.trap;
    EXPECT_EQ(m.done[0].error_code, hsa::kQueueErrorException);
    EXPECT_EQ(m.done[0].error_pc, at + 20) << "4 and 4 and 4 and 8 bytes before it";
    EXPECT_NE(m.cu->failure().find(c.text), std::string::npos) << m.cu->failure();
    EXPECT_EQ(m.word(buffer), 7u);
  }
}

TEST(ComputeUnitTrap, WithoutTrapEnNothingHappens) {
  const Report r = run({"v_mov_b32 v1, 5", "s_trap 0x21", "v_rcp_f32 v2, v0"}, 0x7f, {}, false);
  EXPECT_FALSE(r.done.error);
  EXPECT_EQ(r.word[kCalls], 0u);
  EXPECT_EQ(r.word[kResult], 5u);
}

TEST(ComputeUnitTrap, ArithmeticExceptionsArePrecise) {
  // v0 is 0. Instructions behind the cause have not executed when the handler runs: it doubles v1.
  const Report r = run({"v_mov_b32 v1, 1", "v_rcp_f32 v2, v0", "v_add_u32 v1, v1, v1"},
                       kDivisionByZero, {"v_add_u32 v1, 10, v1"});
  EXPECT_EQ(r.word[kCalls], 1u);
  EXPECT_EQ(r.told, uint64_t{1} << 57 | (r.pc + 8));
  EXPECT_EQ(r.word[kResult], 22u);
  EXPECT_EQ(r.word[kTrapsts] & kDivisionByZero, kDivisionByZero);
}

TEST(ComputeUnitTrap, LongInstructionsRewindTwoDwords) {
  const Report r = run({"v_mov_b32 v1, 1", "v_rcp_f32_e64 v2, -v0"}, kDivisionByZero);
  EXPECT_EQ(r.word[kCalls], 1u);
  EXPECT_EQ(r.told, uint64_t{2} << 57 | (r.pc + 12));
}

TEST(ComputeUnitTrap, EveryCauseCallsAgainOthersDoNot) {
  const Lines twice = {"v_mov_b32 v1, 1", "v_rcp_f32 v2, v0", "v_rcp_f32 v3, v0"};
  EXPECT_EQ(run(twice, kDivisionByZero).word[kCalls], 2u);
  EXPECT_EQ(run(twice, kInexact).word[kCalls], 0u);
  EXPECT_EQ(run(twice, 0).word[kCalls], 0u);
  // Sticky in TRAPSTS, but raised by an earlier instruction.
  EXPECT_EQ(run({"v_rcp_f32 v2, v0", "v_mov_b32 v1, 1",
                 "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 9), 4", "v_mov_b32 v3, 1"},
                0)
                .word[kCalls],
            0u);
}

TEST(ComputeUnitTrap, ExceptionsInTheHandlerOnlyAccumulate) {
  const Report r = run({"v_mov_b32 v1, 1", "v_rcp_f32 v2, v0"}, kDivisionByZero,
                       {"v_rcp_f32 v3, v0", "s_nop 7"});
  EXPECT_EQ(r.word[kCalls], 1u);
  EXPECT_FALSE(r.done.error);
}

TEST(ComputeUnitTrap, MemoryViolationsReachTheHandler) {
  const Lines program = {"v_mov_b32 v4, 0",    "v_mov_b32 v5, 0",
                         "v_mov_b32 v1, 7",    "global_load_dword v1, v[4:5], off",
                         "s_waitcnt vmcnt(0)", "s_nop 3"};
  const Report r = run(program, kMemoryViolation);
  EXPECT_FALSE(r.done.error);
  EXPECT_EQ(r.word[kCalls], 1u);
  EXPECT_EQ(r.told >> 48, 0u) << "imprecise: nothing to rewind";
  EXPECT_GE(r.told, r.pc + 20);
  EXPECT_EQ(r.word[kTrapsts] & kMemoryViolation, kMemoryViolation);
  const Report stopped = run(program, 0);
  EXPECT_TRUE(stopped.done.error);
  EXPECT_EQ(stopped.done.error_code, hsa::kQueueErrorMemoryFault);
  const Report alone = run(program, kMemoryViolation, {}, false);
  EXPECT_TRUE(alone.done.error);
}

/// MI100 ISA 3.11: not reported for scalar accesses.
TEST(ComputeUnitTrap, ViolationsOfScalarLoadsEndTheWave) {
  const Report r = run({"s_load_dword s4, s[6:7], 0x0", "s_waitcnt lgkmcnt(0)"}, kMemoryViolation);
  EXPECT_TRUE(r.done.error);
  EXPECT_EQ(r.done.error_code, hsa::kQueueErrorMemoryFault);
  EXPECT_EQ(r.word[kCalls], 0u);
}

/// MODE.DEBUG (MI100 ISA table 8): behind the instruction that sets it, and those up to the one
/// that clears it.
TEST(ComputeUnitTrap, DebugCallsTheHandlerBehindEveryInstruction) {
  const Report r = run({"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 11, 1), 1", "v_mov_b32 v1, 5",
                        "s_nop 0", "v_rcp_f32 v2, v1", "v_add_u32 v1, v1, v1",
                        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 11, 1), 0"},
                       0);
  EXPECT_FALSE(r.done.error);
  EXPECT_EQ(r.word[kCalls], 5u);
  EXPECT_EQ(r.told, r.pc + 24);
  EXPECT_EQ(r.word[kResult], 10u);
}

/// MI100 ISA 3.10.1: a program may ask for the save of its context.
TEST(ComputeUnitTrap, SaveContextSetByTheProgramCallsTheHandler) {
  const Report r =
      run({"s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 10, 1), 1", "v_mov_b32 v1, 5"}, 0);
  EXPECT_FALSE(r.done.error);
  EXPECT_EQ(r.word[kCalls], 1u);
  EXPECT_EQ(r.told, r.pc + 8);
  EXPECT_EQ(r.word[kTrapsts] & 1u << 10, 1u << 10);
}

TEST(ComputeUnitTrap, AHandlerMayEndTheWave) {
  const Report r = run({"v_mov_b32 v1, 1", "s_trap 2"}, 0, {"s_endpgm"});
  EXPECT_FALSE(r.done.error);
  EXPECT_EQ(r.word[kCalls], 0u) << "the program has not gone on";
}

}  // namespace
}  // namespace cuvette::compute_unit::testing
