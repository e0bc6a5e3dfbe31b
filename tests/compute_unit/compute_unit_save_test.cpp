// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Waves of a compute unit that are to be saved (docs/reference/spi.md, "Waves that are saved").
#include <gtest/gtest.h>

#include "compute_unit_harness.h"

namespace cuvette::compute_unit::testing {
namespace {

using Lines = std::vector<std::string>;
using spi::WaveAction;
using spi::WaveCommand;

constexpr uint64_t kRoom = 0x123456789000;
constexpr uint32_t kWaveBytes = 0x1400, kLds = 512;
constexpr uint64_t kFirst = uint64_t{1} << 58;

/// Keeps what it is given in s20 and up: TTMP0 and 1, TRAPSTS, EXEC after the message.
const Lines kHandler = {"s_mov_b32 s20, ttmp0",
                        "s_mov_b32 s21, ttmp1",
                        "s_getreg_b32 s22, hwreg(HW_REG_TRAPSTS)",
                        "s_mov_b64 exec, 0",
                        "s_sendmsg 4",
                        "wait:",
                        "s_sleep 1",
                        "s_cbranch_execz wait",
                        "s_mov_b64 s[24:25], exec",
                        "s_endpgm_saved"};

class SaveTest : public ::testing::Test {
 protected:
  void start(const Lines& program, unsigned wave, unsigned waves, bool traps = false) {
    if (handler_ == 0) handler_ = machine_.load(kHandler);
    Launch launch;
    launch.slot = wave;
    launch.workgroup = 7;
    launch.wave_in_group = wave;
    launch.waves_in_group = waves;
    launch.lds_bytes = kLds;
    launch.tba = handler_;
    launch.exceptions = traps ? 0x7f : 0;
    pc_.push_back(machine_.load(program));
    machine_.launch(pc_.back(), launch);
  }
  void save(uint32_t workgroup = 7) {
    WaveCommand c;
    c.action = WaveAction::Save;
    c.workgroup = workgroup;
    c.room = kRoom;
    c.wave_bytes = kWaveBytes;
    machine_.waves.command.push(c, machine_.now + 1);
  }
  const wave::ScalarState& state(unsigned slot) {
    return machine_.cu->backdoor()->scalars(0, slot);
  }
  uint64_t answer(unsigned slot) { return state(slot).pair(24); }
  uint64_t told(unsigned slot) { return state(slot).pair(20); }
  const spi::WaveDone& done(unsigned slot) {
    for (const spi::WaveDone& d : machine_.done) {
      if (d.slot == slot) return d;
    }
    ADD_FAILURE() << "wave " << slot << " lives";
    return none_;
  }

  Machine machine_;
  uint64_t handler_ = 0;
  std::vector<uint64_t> pc_;
  spi::WaveDone none_;
};

TEST_F(SaveTest, WavesEnterTheirHandlerBetweenInstructions) {
  const Lines loop = {"loop:", "v_add_u32 v1, 1, v1", "s_nop 0", "s_branch loop"};
  start(loop, 0, 2);
  start(loop, 1, 2);
  machine_.pass(500);
  save(8);
  machine_.pass(500);
  EXPECT_TRUE(machine_.done.empty()) << "another work-group";
  save();
  machine_.run();
  ASSERT_EQ(machine_.done.size(), 2u);
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_TRUE(done(i).saved);
    EXPECT_FALSE(done(i).error);
    EXPECT_EQ(done(i).first, i == 0);
    EXPECT_EQ(answer(i), i == 0 ? kRoom | kFirst : kRoom + kLds + kWaveBytes);
    EXPECT_EQ(state(i).sgpr[22] & 0xc00, 0x400u) << "SAVECTX";
    EXPECT_GE(told(i), pc_[i]);
    EXPECT_LE(told(i), pc_[i] + 8) << "no trap id, nothing to rewind";
  }
  EXPECT_EQ(machine_.cu->messages.next_event(), machine::kNever) << "no message to the host";
}

TEST_F(SaveTest, ABarrierIsWaitedForAgain) {
  start({"s_nop 0", "s_barrier", "s_endpgm"}, 0, 3);
  start({"s_endpgm"}, 1, 3);
  start({"loop:", "s_branch loop"}, 2, 3);
  machine_.pass(500);
  ASSERT_EQ(machine_.done.size(), 1u);
  save();
  machine_.run();
  ASSERT_EQ(machine_.done.size(), 3u);
  EXPECT_EQ(told(0), pc_[0] + 4) << "S_BARRIER";
  EXPECT_TRUE(done(0).saved);
  EXPECT_TRUE(done(0).first);
  EXPECT_FALSE(done(1).saved);
  EXPECT_TRUE(done(2).saved);
  EXPECT_EQ(answer(2), kRoom + kLds + 2 * kWaveBytes);
}

TEST_F(SaveTest, TheFirstWaveIsTheLowestThatIsLeft) {
  start({"s_endpgm"}, 0, 2);
  start({"loop:", "s_branch loop"}, 1, 2);
  machine_.pass(500);
  save();
  machine_.run();
  EXPECT_EQ(answer(1), kRoom | kFirst);
  EXPECT_TRUE(done(1).first);
}

TEST_F(SaveTest, SleepersAndHaltedWavesAreSavedToo) {
  machine_.cu->debug.push(
      [] {
        WaveCommand c;
        c.action = WaveAction::Attach;
        return c;
      }(),
      machine_.now + 1);
  start({"s_sleep 127", "s_sleep 127", "s_endpgm"}, 0, 2);
  start({"s_sethalt 1", "s_endpgm"}, 1, 2);
  machine_.pass(300);
  EXPECT_TRUE(machine_.done.empty());
  const machine::Cycle before = machine_.now;
  save();
  machine_.run();
  ASSERT_EQ(machine_.done.size(), 2u);
  EXPECT_LT(machine_.finished_at - before, 2000u) << "long before the sleep is over";
  EXPECT_EQ(told(0), pc_[0] + 4);
  EXPECT_EQ(told(1), pc_[1] + 4);
  EXPECT_TRUE(done(1).saved);
}

TEST_F(SaveTest, OneThatRunsAHandlerComesToItsEndFirst) {
  handler_ = machine_.load(
      {"s_getreg_b32 s22, hwreg(HW_REG_TRAPSTS)", "s_bitcmp1_b32 s22, 10", "s_cbranch_scc1 save",
       "loop:", "s_add_u32 s8, s8, 1", "s_cmp_lt_u32 s8, 0x400", "s_cbranch_scc1 loop",
       "s_add_u32 ttmp0, ttmp0, 4", "s_rfe_b64 ttmp[0:1]", "save:", "s_mov_b32 s20, ttmp0",
       "s_mov_b32 s21, ttmp1", "s_endpgm_saved"});
  start({"s_mov_b32 s8, 0", "s_trap 5", "s_endpgm"}, 0, 1);
  machine_.pass(600);
  EXPECT_TRUE(machine_.done.empty());
  save();
  machine_.run();
  ASSERT_EQ(machine_.done.size(), 1u);
  EXPECT_TRUE(done(0).saved);
  EXPECT_EQ(state(0).sgpr[8], 0x400u);
  EXPECT_EQ(told(0), pc_[0] + 8) << "behind S_TRAP";
}

TEST_F(SaveTest, WithoutASaveTheHandlersInstructionsAreWhatTheyWere) {
  start({"s_sendmsg 4", "s_endpgm_saved"}, 0, 1);
  machine_.run();
  EXPECT_FALSE(done(0).saved);
  EXPECT_NE(machine_.cu->messages.next_event(), machine::kNever) << "a message to the host";
}

TEST_F(SaveTest, KilledWavesAreNotSaved) {
  start({"loop:", "s_branch loop"}, 0, 1);
  machine_.pass(300);
  save();
  WaveCommand kill;
  machine_.waves.command.push(kill, machine_.now + 2);
  machine_.run();
  EXPECT_FALSE(done(0).saved);
  EXPECT_FALSE(done(0).error);
}

}  // namespace
}  // namespace cuvette::compute_unit::testing
