// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <numeric>

#include <gtest/gtest.h>

#include "compute_unit_harness.h"

// Classes of the cycles of resident waves: each cycle is in one.
namespace cuvette::compute_unit::testing {
namespace {

using machine::Cycle;

uint64_t stalled(const Machine& m, Stall reason) {
  return m.cu->counters().stalled[static_cast<unsigned>(reason)];
}

TEST(ComputeUnit, WaitsAreCountedUnderTheirReason) {
  // A hundred cycles more of latency are a hundred cycles more of waiting, and of nothing else.
  const auto run = [](Cycle latency) {
    Options o;
    o.scalar_latency = latency;
    auto m = std::make_unique<Machine>(o);
    const uint64_t data = m->buffer(256);
    m->run_one({"s_load_dword s4, s[0:1], 0x0", "s_waitcnt lgkmcnt(0)", "s_endpgm"},
               {.sgpr = pointers({data})});
    return m;
  };
  const auto near = run(15), far = run(115);
  EXPECT_EQ(stalled(*far, Stall::Waitcnt) - stalled(*near, Stall::Waitcnt), 100u);
  for (unsigned s = 0; s < kStalls; ++s) {
    if (static_cast<Stall>(s) == Stall::Waitcnt) continue;
    EXPECT_EQ(far->cu->counters().stalled[s], near->cu->counters().stalled[s]) << s;
  }
  EXPECT_EQ(far->cu->counters().wave_cycles - near->cu->counters().wave_cycles, 100u);
  EXPECT_EQ(far->cu->counters().scalar_requests, 1u);
  EXPECT_EQ(far->cu->counters().vector_requests, 0u);
  EXPECT_EQ(far->cu->counters().fetches, far->instruction.reads);
}

TEST(ComputeUnit, BarrierTimeIsTheTimeOfTheFirstWave) {
  Machine m;
  const uint64_t first = m.load({"s_barrier", "s_endpgm"});
  const uint64_t second = m.load({"s_nop 15", "s_nop 15", "s_barrier", "s_endpgm"});
  Cycle at[2] = {};
  ASSERT_TRUE(m.cu->watch([&](const Activity& a) {
    if (a.instruction != nullptr && a.instruction->row->mnemonic == "s_barrier")
      at[a.simd] = a.time;
  }));
  m.launch(first, {.simd = 0, .waves_in_group = 2});
  m.launch(second, {.simd = 1, .wave_in_group = 1, .waves_in_group = 2});
  m.run();
  EXPECT_GE(at[1] - at[0], 2u * 16 * 4);
  EXPECT_EQ(stalled(m, Stall::Barrier), at[1] - at[0] - 1) << "all but the cycle of its issue";
}

uint64_t in_classes(const ComputeUnit::Counters& c) {
  return std::accumulate(c.stalled.begin(), c.stalled.end(), c.issue_cycles);
}

/// At any time, of waves that have ended and of those that are there, and no class ever shrinks.
TEST(ComputeUnit, EveryCycleOfAWaveIsInOneClass) {
  Machine m;
  const uint64_t busy = m.load(
      {"s_load_dword s4, s[0:1], 0x0", "v_add_f32 v1, v0, v0", "v_rcp_f32 v2, v1",
       "s_waitcnt lgkmcnt(0)", "s_sleep 3", "s_barrier", "v_mov_b32 v3, 0",
       "global_store_dword v3, v2, s[0:1]", "s_nop 15",
       "v_mfma_f32_32x32x1f32 a[0:31], v1, v2, a[0:31]", "v_accvgpr_read_b32 v4, a0",
       "s_cmp_eq_u32 s4, 0", "global_store_dword v3, v2, s[0:1]", "s_cbranch_scc1 0", "s_endpgm"});
  const uint64_t data = m.buffer(256);
  std::map<uint64_t, Cycle> launched;
  uint64_t resident = 0, issues = 0;
  ASSERT_TRUE(m.cu->watch([&](const Activity& a) {
    if (a.kind == Activity::Kind::Launch) launched[a.wave] = a.time;
    if (a.kind == Activity::Kind::Issue) ++issues;
    if (a.kind == Activity::Kind::End) resident += a.time - launched[a.wave];
  }));
  for (unsigned wave = 0; wave < 6; ++wave) {
    m.launch(busy, {.simd = wave % 4,
                    .slot = wave / 4,
                    .wave_in_group = wave,
                    .waves_in_group = 6,
                    .sgpr = pointers({data})});
  }
  auto before = m.cu->counters();
  while (m.done.size() < 6 && m.now < 20000) {
    m.pass(1);
    const auto c = m.cu->counters();
    ASSERT_EQ(in_classes(c), c.wave_cycles) << m.now;
    for (unsigned s = 0; s < kStalls; ++s) ASSERT_GE(c.stalled[s], before.stalled[s]) << s;
    ASSERT_GE(c.issue_cycles, before.issue_cycles);
    before = c;
  }
  ASSERT_EQ(m.done.size(), 6u);
  const auto c = m.cu->counters();
  EXPECT_EQ(c.wave_cycles, resident);
  EXPECT_EQ(c.issue_cycles, issues);
  EXPECT_EQ(c.issue_cycles, c.instructions);
  // S_SLEEP 3: 192 clocks (MI100 ISA), one of them its issue.
  EXPECT_EQ(stalled(m, Stall::Sleep), 6 * (3 * 64 - 1));
  for (const Stall s : {Stall::Waitcnt, Stall::Barrier, Stall::Latency, Stall::Rotation, Stall::End,
                        Stall::MatrixResult}) {
    EXPECT_GT(stalled(m, s), 0u) << name_of(s);
  }
  EXPECT_EQ(stalled(m, Stall::Halt), 0u);
}

/// S_NOP 15: 16 wait states of 4 clocks; the rest of a wave that does nothing else is the way to
/// its turns.
TEST(ComputeUnit, TheTimeOfAnInstructionIsItsLatency) {
  const auto latency = [](const char* text) {
    Machine m;
    m.run_one({text, "s_endpgm"});
    return stalled(m, Stall::Latency);
  };
  EXPECT_EQ(latency("s_nop 15") - latency("s_nop 7"), 8u * 4);
}

TEST(ComputeUnit, AHaltedWaveIsInNoOtherClass) {
  Machine m({.clock = Clock::EveryCycle});
  const uint64_t data = m.buffer(256);
  m.launch(m.load({"s_load_dword s4, s[0:1], 0x0", "s_waitcnt lgkmcnt(0)", "s_nop 15", "s_nop 15",
                   "s_nop 15", "s_endpgm"}),
           {.sgpr = pointers({data})});
  m.pass(60);
  m.command(spi::WaveAction::Halt, 0, 0);
  m.pass(10);
  const auto halted = m.cu->counters();
  m.pass(500);
  const auto later = m.cu->counters();
  constexpr auto kHalt = static_cast<unsigned>(Stall::Halt);
  EXPECT_EQ(later.stalled[kHalt] - halted.stalled[kHalt], 500u);
  EXPECT_EQ(later.wave_cycles - halted.wave_cycles, 500u);
  m.command(spi::WaveAction::Resume, 0, 0);
  m.run();
  const auto c = m.cu->counters();
  EXPECT_EQ(in_classes(c), c.wave_cycles);
  EXPECT_EQ(c.issue_cycles, 6u);
}

TEST(ComputeUnitMemory, ManyLoadsStopAtTheCounterLimit) {
  Machine m({.vector_latency = 3000});
  const uint64_t in = m.buffer(256);
  std::vector<std::string> lines = {"v_lshlrev_b32 v2, 2, v0"};
  for (int n = 0; n < 80; ++n) lines.push_back("global_load_dword v1, v2, s[0:1]");
  lines.push_back("s_waitcnt vmcnt(0)");
  lines.push_back("s_endpgm");
  m.run_one(lines, {.sgpr = pointers({in})});
  EXPECT_EQ(m.done.size(), 1u);
  EXPECT_FALSE(m.done[0].error);
  EXPECT_GT(m.finished_at, 6000u) << "the last 17 loads could not start before the first were back";
}

}  // namespace
}  // namespace cuvette::compute_unit::testing
