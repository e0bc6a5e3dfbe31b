// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Control of a compute unit's waves from outside: halt, inspection, continuation, end.
#include <gtest/gtest.h>

#include "compute_unit_harness.h"
#include "hsa/queue_error.h"

namespace cuvette::compute_unit::testing {
namespace {

using Lines = std::vector<std::string>;
using spi::WaveAction;
using spi::WaveCommand;

constexpr uint32_t kHalt = 1u << 13, kBarrier = 1u << 12;
constexpr uint32_t kMode = 0x11, kStatus = 0x12, kDebugPcLow = 0x18, kNextWord = 0x1a;

WaveCommand command(WaveAction action) {
  WaveCommand c;
  c.action = action;
  return c;
}

class DebugTest : public ::testing::Test {
 protected:
  void tell(const WaveCommand& c) { machine_.cu->debug.push(c, machine_.now + 1); }
  uint32_t look(uint32_t index, unsigned lane = 0, unsigned simd = 0, unsigned slot = 0) {
    const auto value = machine_.cu->inspect(simd, slot, index, lane);
    EXPECT_TRUE(value.has_value()) << index;
    return value.value_or(0xdeadbeef);
  }
  Machine machine_;
};

TEST_F(DebugTest, AWaveThatHaltsStaysForADebugger) {
  const uint64_t pc =
      machine_.load({"s_movk_i32 s8, 0x1234", "v_lshlrev_b32 v3, 2, v0", "s_mov_b64 vcc, 5",
                     "s_sethalt 1", "s_movk_i32 s9, 0x77", "s_endpgm"});
  tell(command(WaveAction::Attach));
  machine_.launch(pc);
  machine_.pass(5000);
  EXPECT_TRUE(machine_.done.empty());
  EXPECT_EQ(machine_.cu->next_event(), machine::kNever) << "nothing happens by itself";
  EXPECT_EQ(look(kStatus) & (kHalt | 1u << 16), kHalt | 1u << 16);
  EXPECT_EQ(look(kDebugPcLow), static_cast<uint32_t>(pc + 16)) << "behind S_SETHALT";
  EXPECT_EQ(look(kNextWord), 0xb0090077u);
  EXPECT_EQ(look(0x208), 0x1234u);
  EXPECT_EQ(look(0x209), 0u);
  EXPECT_EQ(look(0x26a), 5u) << "VCC";
  EXPECT_EQ(look(0x27f), 0xffffffffu) << "EXEC";
  EXPECT_EQ(look(0x403, 17), 68u);
  EXPECT_EQ(look(kMode) & 0xff, 0xf0u) << "FP_DENORM of all";
  EXPECT_FALSE(machine_.cu->inspect(0, 0, 0x460, 0).has_value()) << "64 VGPRs";
  EXPECT_FALSE(machine_.cu->inspect(0, 0, 0x1ff, 0).has_value());
  EXPECT_FALSE(machine_.cu->inspect(1, 0, kStatus, 0).has_value()) << "no wave";
  EXPECT_FALSE(machine_.cu->inspect(9, 0, kStatus, 0).has_value());
  ASSERT_EQ(machine_.cu->waves().size(), 1u);
  EXPECT_NE(machine_.cu->waves()[0].waits_for.find("halted"), std::string::npos);
  WaveCommand other = command(WaveAction::Resume);
  other.one = true;
  other.slot = 1;
  tell(other);
  machine_.pass(1000);
  EXPECT_TRUE(machine_.done.empty()) << "another slot";
  tell(command(WaveAction::Resume));
  machine_.run();
  ASSERT_EQ(machine_.done.size(), 1u);
  EXPECT_FALSE(machine_.done[0].error);
  EXPECT_EQ(machine_.cu->backdoor()->scalars(0, 0).sgpr[9], 0x77u);
}

TEST_F(DebugTest, ATrapHandlerIsNotHaltedAndItsWaveIsAfterwards) {
  const uint64_t handler =
      machine_.load({"s_sethalt 1", "s_movk_i32 s10, 0x55", "s_add_u32 ttmp0, ttmp0, 4",
                     "s_addc_u32 ttmp1, ttmp1, 0", "s_rfe_b64 ttmp[0:1]"});
  const uint64_t pc = machine_.load({"s_trap 3", "s_movk_i32 s9, 0x77", "s_endpgm"});
  Launch launch;
  launch.tba = handler;
  tell(command(WaveAction::Attach));
  machine_.launch(pc, launch);
  machine_.pass(5000);
  EXPECT_TRUE(machine_.done.empty());
  EXPECT_EQ(look(0x20a), 0x55u) << "the handler ran to its end";
  EXPECT_EQ(look(kDebugPcLow), static_cast<uint32_t>(pc + 4));
  EXPECT_EQ(look(0x209), 0u);
  EXPECT_EQ(look(0x26d) >> 16 & 0xff, 3u) << "the trap id, in TTMP1";
  tell(command(WaveAction::Resume));
  machine_.run();
  EXPECT_FALSE(machine_.done.at(0).error);
}

TEST_F(DebugTest, WithoutADebuggerAHaltIsAnError) {
  const uint64_t pc = machine_.load({"s_nop 0", "s_sethalt 1", "s_endpgm"});
  machine_.launch(pc);
  machine_.run();
  ASSERT_EQ(machine_.done.size(), 1u);
  EXPECT_EQ(machine_.done[0].error_code, hsa::kQueueErrorException);
  EXPECT_EQ(machine_.done[0].error_pc, pc + 4);
  // One that leaves takes its waves along.
  tell(command(WaveAction::Attach));
  machine_.launch(pc);
  machine_.pass(3000);
  EXPECT_EQ(machine_.done.size(), 1u);
  tell(command(WaveAction::Detach));
  machine_.run();
  ASSERT_EQ(machine_.done.size(), 2u);
  EXPECT_EQ(machine_.done[1].error_code, hsa::kQueueErrorException);
}

/// A debugger that leaves ends the waves it has halted, also those that stand at a barrier: at
/// once, not when the others come there, and these go on without them.
TEST_F(DebugTest, ADebuggerThatLeavesTakesWavesFromTheBarrier) {
  const uint64_t counts =
      machine_.load({"s_mov_b32 s8, 0", "loop:", "s_add_u32 s8, s8, 1", "s_cmp_lt_u32 s8, 0x400",
                     "s_cbranch_scc1 loop", "s_barrier", "s_movk_i32 s9, 0x77", "s_endpgm"});
  const uint64_t waits = machine_.load({"s_barrier", "s_movk_i32 s9, 0x99", "s_endpgm"});
  for (unsigned round = 0; round < 2; ++round) {  // the places are good for others afterwards
    machine_.done.clear();
    tell(command(WaveAction::Attach));
    Launch first, second;
    first.waves_in_group = second.waves_in_group = 2;
    second.wave_in_group = 1;
    second.slot = 1;
    machine_.launch(counts, first);
    machine_.launch(waits, second);
    machine_.pass(400);
    WaveCommand halt = command(WaveAction::Halt);
    halt.one = true;
    halt.slot = 1;
    tell(halt);
    machine_.pass(50);
    EXPECT_EQ(look(kStatus, 0, 0, 1) & (kHalt | kBarrier), kHalt | kBarrier);
    EXPECT_EQ(look(kStatus) & (kHalt | kBarrier), 0u) << "the other one counts";
    EXPECT_TRUE(machine_.done.empty());
    tell(command(WaveAction::Detach));
    machine_.pass(50);
    EXPECT_EQ(look(kStatus) & kBarrier, 0u) << "it still does";
    ASSERT_EQ(machine_.done.size(), 1u);
    EXPECT_TRUE(machine_.done[0].error);
    EXPECT_EQ(machine_.done[0].error_code, hsa::kQueueErrorException);
    EXPECT_EQ(machine_.done[0].error_pc, waits + 4) << "behind S_BARRIER";
    machine_.run();
    ASSERT_EQ(machine_.done.size(), 2u) << "it does not wait for the one that is gone";
    EXPECT_FALSE(machine_.done[1].error);
    EXPECT_EQ(machine_.cu->backdoor()->scalars(0, 0).sgpr[9], 0x77u);
    EXPECT_NE(machine_.cu->backdoor()->scalars(0, 1).sgpr[9], 0x99u);
  }
}

/// Without a halt a wave at a barrier does not care who watches.
TEST_F(DebugTest, ADebuggerThatLeavesLetsWaitingWavesWait) {
  const uint64_t waits = machine_.load({"s_barrier", "s_movk_i32 s9, 0x99", "s_endpgm"});
  const uint64_t comes = machine_.load({"s_barrier", "s_endpgm"});
  Launch first, second;
  first.waves_in_group = second.waves_in_group = 2;
  second.wave_in_group = 1;
  second.slot = 1;
  tell(command(WaveAction::Attach));
  machine_.launch(waits, first);
  machine_.pass(400);
  tell(command(WaveAction::Detach));
  machine_.pass(400);
  EXPECT_TRUE(machine_.done.empty());
  machine_.launch(comes, second);
  machine_.run();
  ASSERT_EQ(machine_.done.size(), 2u);
  EXPECT_FALSE(machine_.done[0].error || machine_.done[1].error);
  EXPECT_EQ(machine_.cu->backdoor()->scalars(0, 0).sgpr[9], 0x99u);
}

TEST_F(DebugTest, RunningWavesAreHaltedAndLetGoOn) {
  const uint64_t pc = machine_.load({"s_mov_b32 s8, 0", "loop:", "s_add_u32 s8, s8, 1",
                                     "s_cmp_lt_u32 s8, 0x4000", "s_cbranch_scc1 loop", "s_endpgm"});
  machine_.launch(pc);
  machine_.pass(500);
  tell(command(WaveAction::Halt));
  machine_.pass(100);
  const uint32_t there = look(0x208);
  EXPECT_GT(there, 2u);
  EXPECT_LT(there, 0x4000u);
  machine_.pass(5000);
  EXPECT_EQ(look(0x208), there);
  tell(command(WaveAction::Resume));
  machine_.run(2000000);
  EXPECT_FALSE(machine_.done.at(0).error);
  EXPECT_EQ(machine_.cu->backdoor()->scalars(0, 0).sgpr[8], 0x4000u);
}

TEST_F(DebugTest, KilledWavesEndOnceAndWithoutError) {
  const uint64_t data = machine_.buffer(4096);
  // Loads under way when the wave is ended; the other one waits at the barrier for it.
  const uint64_t loads =
      machine_.load({"v_lshlrev_b32 v1, 2, v0", "loop:", "global_load_dword v2, v1, s[0:1]",
                     "global_load_dword v3, v1, s[0:1] offset:256", "s_branch loop"});
  const uint64_t waits = machine_.load({"s_barrier", "s_movk_i32 s8, 0x99", "s_endpgm"});
  Launch first, second;
  first.sgpr = pointers({data});
  first.waves_in_group = second.waves_in_group = 2;
  second.wave_in_group = 1;
  second.slot = 1;
  machine_.launch(loads, first);
  machine_.launch(waits, second);
  machine_.pass(400);
  EXPECT_TRUE(machine_.done.empty());
  EXPECT_NE(look(kStatus, 0, 0, 1) & kBarrier, 0u);
  WaveCommand kill = command(WaveAction::Kill);
  kill.of_dispatch = true;
  kill.dispatch = 7;
  machine_.waves.command.push(kill, machine_.now + 1);
  machine_.pass(400);
  EXPECT_TRUE(machine_.done.empty()) << "another dispatch";
  kill = command(WaveAction::Kill);
  kill.one = true;
  machine_.waves.command.push(kill, machine_.now + 1);
  machine_.waves.command.push(kill, machine_.now + 1);
  machine_.run();
  ASSERT_EQ(machine_.done.size(), 2u) << "each once";
  EXPECT_FALSE(machine_.done[0].error);
  EXPECT_FALSE(machine_.done[1].error);
  EXPECT_EQ(machine_.cu->backdoor()->scalars(0, 1).sgpr[8], 0x99u) << "let go by the other's end";
  // A wave at the barrier can be ended too, and the place is good for others.
  second.slot = 0;
  machine_.launch(waits, second);
  machine_.pass(400);
  EXPECT_EQ(machine_.done.size(), 2u);
  tell(command(WaveAction::Kill));
  machine_.run();
  EXPECT_EQ(machine_.done.size(), 3u);
}

TEST_F(DebugTest, CommandsChooseByVmid) {
  const uint64_t pc = machine_.load({"loop:", "s_branch loop"});
  machine_.launch(pc);  // VMID 0
  machine_.pass(300);
  WaveCommand kill = command(WaveAction::Kill);
  kill.of_vmid = true;
  kill.vmid = 3;
  tell(kill);
  machine_.pass(300);
  EXPECT_TRUE(machine_.done.empty());
  kill.vmid = 0;
  tell(kill);
  machine_.run();
  EXPECT_EQ(machine_.done.size(), 1u);
}

}  // namespace
}  // namespace cuvette::compute_unit::testing
