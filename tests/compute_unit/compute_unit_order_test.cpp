// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compute_unit_harness.h"

// The compute unit under each issue order: which wave's vector instruction goes at which turn.
// Expectations are worked out turn by turn; a SIMD has one every four cycles, as long as a vector
// instruction takes.
namespace cuvette::compute_unit {
namespace {

using testing::Launch;
using testing::Machine;
using testing::Options;

/// A wave of a work-group on SIMD 0, of instructions of one dword.
struct Wave {
  unsigned slot = 0;
  std::vector<std::string> code;
  uint8_t priority = 0;
};

/// Vector instructions in the order in which they issue: "0a" is instruction a of the wave in slot
/// 0. Waves are launched in the order given, meet at a barrier, to which the one in slot `last`
/// comes long after the others, and start together behind it; all instructions are in their buffers
/// by then.
std::string issues(const std::string& issue_order, const std::vector<Wave>& waves, unsigned last) {
  Options options;
  options.issue_order = issue_order;
  Machine m(options);
  std::string text;
  std::vector<uint64_t> starts(10);
  m.cu->watch([&](const Activity& a) {
    if (a.kind != Activity::Kind::Issue || a.pc < starts[a.slot]) return;
    if (a.instruction->row->unit != isa::Unit::Valu) return;
    if (!text.empty()) text += ' ';
    text += static_cast<char>('0' + a.slot);
    text += static_cast<char>('a' + (a.pc - starts[a.slot]) / 4);
  });
  for (size_t n = 0; n < waves.size(); ++n) {
    const Wave& w = waves[n];
    std::vector<std::string> lines = {w.slot == last ? "s_sleep 4" : "s_sleep 1", "s_barrier"};
    lines.insert(lines.end(), w.code.begin(), w.code.end());
    lines.emplace_back("s_endpgm");
    EXPECT_LE(lines.size(), 16u) << "more than the instruction buffer holds";
    const uint64_t pc = m.load(lines);
    starts[w.slot] = pc + 8;
    Launch launch;
    launch.slot = w.slot;
    launch.wave_in_group = static_cast<unsigned>(n);
    launch.waves_in_group = static_cast<unsigned>(waves.size());
    launch.priority = w.priority;
    m.launch(pc, launch);
  }
  m.run();
  return text;
}

const std::vector<std::string> kFour = {"v_nop", "v_nop", "v_nop", "v_nop"};

/// Slot 2 has the oldest wave, slot 1 the youngest, which has issued last before they start.
TEST(ComputeUnitOrder, EqualWaves) {
  const std::vector<Wave> waves = {{2, kFour}, {0, kFour}, {1, kFour}};
  EXPECT_EQ(issues("oldest_first", waves, 1), "2a 2b 2c 2d 0a 0b 0c 0d 1a 1b 1c 1d");
  EXPECT_EQ(issues("round_robin", waves, 1), "2a 0a 1a 2b 0b 1b 2c 0c 1c 2d 0d 1d");
  EXPECT_EQ(issues("greedy_then_oldest", waves, 1), "1a 1b 1c 1d 2a 2b 2c 2d 0a 0b 0c 0d");
}

/// The older wave, in slot 0, pauses for two turns at its S_NOP 1.
/// oldest_first: turn 0: 0a; 1: the pause, 1a; 2: 1b; 3: 0c; 4: 1c; 5: 1d.
/// round_robin, from slot 1 on: 0: 1a; 1: 0a; 2: 1b, the pause; 3: 1c; 4: 0c; 5: 1d.
/// greedy_then_oldest, slot 0 first: 0: 0a; 1: the pause, 1a; 2 to 4: 1b 1c 1d; 5: 0c.
TEST(ComputeUnitOrder, AWaveThatPauses) {
  const std::vector<Wave> waves = {{0, {"v_nop", "s_nop 1", "v_nop"}}, {1, kFour}};
  EXPECT_EQ(issues("oldest_first", waves, 0), "0a 1a 1b 0c 1c 1d");
  EXPECT_EQ(issues("round_robin", waves, 0), "1a 0a 1b 1c 0c 1d");
  EXPECT_EQ(issues("greedy_then_oldest", waves, 0), "0a 1a 1b 1c 1d 0c");
}

/// The wave of higher priority goes first under every order. At turn 4 its S_ENDPGM issues, and a
/// vector instruction of another wave beside it: the first one of that turn is slot 1, so that
/// round_robin has slot 2 next at turns 4 and 5.
TEST(ComputeUnitOrder, PriorityComesFirst) {
  const std::vector<Wave> waves = {{0, kFour}, {1, kFour, 2}, {2, kFour}};
  EXPECT_EQ(issues("oldest_first", waves, 2), "1a 1b 1c 1d 0a 0b 0c 0d 2a 2b 2c 2d");
  EXPECT_EQ(issues("round_robin", waves, 2), "1a 1b 1c 1d 2a 2b 0a 2c 0b 2d 0c 0d");
  EXPECT_EQ(issues("greedy_then_oldest", waves, 2), "1a 1b 1c 1d 0a 0b 0c 0d 2a 2b 2c 2d");
}

/// S_SETPRIO issues at turn 1, beside 0a; from then on slot 1 goes first.
TEST(ComputeUnitOrder, SetprioComesFirst) {
  const std::vector<Wave> waves = {{0, kFour}, {1, {"v_nop", "s_setprio 3", "v_nop", "v_nop"}}};
  EXPECT_EQ(issues("round_robin", waves, 0), "1a 0a 1c 1d 0b 0c 0d");
}

}  // namespace
}  // namespace cuvette::compute_unit
