// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The spi block alone: initial registers. Expected ones are written by hand from the tables of the
// Compute ABI ("Initial Kernel Register State", "compute_pgm_rsrc1", "compute_pgm_rsrc2").
#include <string>

#include "spi_fixture.h"

namespace cuvette::spi {
namespace {

TEST_F(SpiTest, GridsOfRegistersSplitAUnifiedFile) {
  config_.target = isa::Target::Gfx90a;
  config_.vgpr_rows = 512;
  config_.vgpr_granule = 8;
  make();
  Dispatch d = dispatch();
  d.from_registers = true;
  d.rsrc1 = 1;  // 16 registers
  d.rsrc3 = 2;  // AccVGPRs from 12 on
  start(d);
  run();
  ASSERT_EQ(waves_.size(), 1u);
  EXPECT_EQ(waves_[0].wave.vgpr_count, 12);
  EXPECT_EQ(waves_[0].wave.acc_count, 4);
  EXPECT_EQ(waves_[0].wave.acc_base, waves_[0].wave.vgpr_base + 12);
}

/// Wave ids have 40 bits for work-group and wave (docs/reference/spi.md).
TEST_F(SpiTest, GridsOfMoreWorkGroupsThanWaveIdsCanSayAreRefused) {
  struct Case {
    std::array<uint32_t, 3> grid, start;
    bool good;
  };
  constexpr uint32_t k18 = 1u << 18, k22 = 1u << 22, kMost = ~0u;
  const Case cases[] = {
      {{k18, k18, 1}, {0, 0, 0}, true},
      {{k18, k18, 2}, {0, 0, 0}, false},
      {{k18, k18, 2}, {0, 0, 1}, true},
      {{1, k18 + 1, k18}, {0, 0, 0}, false},
      {{k22, k22, k22}, {0, 0, 0}, false},
      {{kMost, kMost, kMost}, {0, 0, 0}, false},
      {{kMost, kMost, kMost}, {0, 0, kMost}, true},  // none of them runs
  };
  make();
  for (const Case& c : cases) {
    Dispatch d = dispatch();
    d.workgroup = {1, 1, 1};
    d.grid = c.grid;
    d.start = c.start;
    EXPECT_EQ(check_sizes(d).ok(), c.good) << c.grid[0] << " " << c.grid[1] << " " << c.grid[2];
    if (c.good) continue;
    done_.clear();
    start(d);
    run();
    EXPECT_TRUE(waves_.empty());
    ASSERT_EQ(done_.size(), 1u);
    EXPECT_TRUE(done_[0].error);
    EXPECT_EQ(done_[0].error_code, 2u);
  }
}

TEST_F(SpiTest, GridsOfRegistersHaveTheirUserDataAndStart) {
  make();
  Dispatch d = dispatch();
  d.from_registers = true;
  for (uint32_t i = 0; i < 16; ++i) d.user_data[i] = 0x1000 + i;
  d.rsrc2 = user(5) | kGroupX | kGroupY;
  d.grid = {64 * 3 + 10, 2, 1};
  d.start = {2, 1, 0};
  start(d);
  run();
  ASSERT_EQ(waves_.size(), 2u) << "columns 2 and 3 of row 1";
  for (uint32_t n = 0; n < 2; ++n) {
    const WaveLaunch& w = waves_[n].wave;
    EXPECT_EQ(w.workgroup_id, (std::array<uint32_t, 3>{2 + n, 1, 0}));
    EXPECT_EQ(w.exec, n == 0 ? ~uint64_t{0} : 0x3ffu);
    ASSERT_EQ(w.sgprs, 7);
    for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(w.sgpr[i], 0x1000 + i);
    EXPECT_EQ(w.sgpr[5], 2 + n);
    EXPECT_EQ(w.sgpr[6], 1u);
  }
  end_oldest();
  end_oldest();
  run();
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_FALSE(done_[0].error);
  // All of it lies before the start: over at once. No more user SGPRs than registers.
  d.start = {4, 0, 0};
  d.id = 4;
  start(d);
  run();
  EXPECT_EQ(waves_.size(), 2u);
  ASSERT_EQ(done_.size(), 2u);
  EXPECT_FALSE(done_[1].error);
  d.start = {0, 0, 0};
  d.grid = {64, 1, 1};
  d.rsrc2 = user(31);
  d.id = 5;
  start(d);
  run();
  EXPECT_EQ(waves_.back().wave.sgprs, 16);
  EXPECT_EQ(waves_.back().wave.sgpr[15], 0x100fu);
}

TEST_F(SpiTest, ACancelledDispatchEndsWithItsWavesAndGivesEverythingBack) {
  make(2, 1, 3);
  Dispatch d = dispatch();
  d.grid = {64 * 20, 1, 1};
  d.group_bytes = 4096;
  start(d);
  run(100);
  ASSERT_EQ(waves_.size(), 6u) << "the machine is full";
  spi_->cancel.push({99}, now_ + 1);
  run(100);
  for (unsigned i = 0; i < 2; ++i) EXPECT_TRUE(spi_->compute_unit(i).command.empty()) << "unknown";
  spi_->cancel.push({3}, now_ + 1);
  run(100);
  for (unsigned i = 0; i < 2; ++i) {
    auto& commands = spi_->compute_unit(i).command;
    ASSERT_EQ(commands.size(), 1u);
    const WaveCommand c = commands.pop(now_);
    EXPECT_EQ(c.action, WaveAction::Kill);
    EXPECT_TRUE(c.of_dispatch);
    EXPECT_FALSE(c.one);
    EXPECT_FALSE(c.of_vmid);
    EXPECT_EQ(c.dispatch, 3u);
  }
  EXPECT_TRUE(done_.empty()) << "its waves are there";
  for (unsigned i = 0; i < 6; ++i) {
    end_oldest();
    run(20);
    EXPECT_EQ(waves_.size(), 6u) << "no further one";
    EXPECT_EQ(done_.size(), i == 5 ? 1u : 0u);
  }
  EXPECT_FALSE(done_.at(0).error);
  d.id = 4;
  start(d);
  run(100);
  EXPECT_EQ(waves_.size(), 12u) << "all places are free again";
}

TEST_F(SpiTest, TheCommandComesBehindTheLaunches) {
  config_.launch_cycles = 50;
  make(1, 1, 4);
  Dispatch d = dispatch();
  d.grid = {64 * 4, 1, 1};
  d.workgroup = {256, 1, 1};
  start(d);
  run(3);
  spi_->cancel.push({3}, now_ + 1);
  run(3);
  auto& port = spi_->compute_unit(0);
  ASSERT_FALSE(port.launch.empty()) << "still on their way";
  Cycle last = 0;
  while (!port.launch.empty()) {
    last = port.launch.next_event();
    port.launch.drop(last);
  }
  EXPECT_GE(port.command.next_event(), last);
}

struct Case {
  const char* name;
  uint32_t properties, rsrc2;
  std::vector<uint32_t> sgprs;  ///< of wave 1 of work-group (1, 2, 1)
};

class SpiRegisters : public SpiTest, public testing::WithParamInterface<Case> {};

TEST_P(SpiRegisters, AreThoseOfTheAbi) {
  make(1, 4);
  Dispatch d = dispatch();
  d.grid = {200, 9, 2};
  d.workgroup = {100, 3, 1};  // 2 x 3 x 2 groups of 300 items: 5 waves
  d.properties = GetParam().properties;
  d.rsrc2 = GetParam().rsrc2;
  d.rsrc1 = 3u << 6;  // 32 SGPRs
  start(d);
  while (waves_.size() < 60 && now_ < 5000) {
    step();
    if (live_.size() >= 20) {
      while (!live_.empty()) end_oldest();
    }
  }
  ASSERT_EQ(waves_.size(), 60u);
  const WaveLaunch& w = waves_[(1 + 2 * 2 + 6 * 1) * 5 + 1].wave;
  ASSERT_EQ(w.workgroup_id, (std::array<uint32_t, 3>{1, 2, 1}));
  ASSERT_EQ(w.wave_in_group, 1);
  ASSERT_EQ(w.sgprs, GetParam().sgprs.size());
  for (size_t i = 0; i < GetParam().sgprs.size(); ++i) {
    EXPECT_EQ(w.sgpr[i], GetParam().sgprs[i]) << "s" << i;
  }
}

// Work-group (1, 2, 1) is number 11; wave 1 of it is wave 56 of the dispatch.
constexpr uint32_t kWaveOffset = 56 * 1024;
INSTANTIATE_TEST_SUITE_P(
    Abi, SpiRegisters,
    testing::Values(Case{"kernarg_and_x", kKernarg, user(2) | kGroupX, {0xc00, 0xb, 1}},
                    Case{"all_user",
                         kBuffer | kDispatchPtr | kQueuePtr | kKernarg | kDispatchId |
                             kFlatScratch | kPrivateSize,
                         user(15) | kGroupX | kGroupY | kGroupZ | kGroupInfo | kScratchEnable,
                         {0x11, 0x22, 0x33, 0x44, 0x40, 1, 0x800, 7, 0xc00, 0xb,
                          6,    5,    0,    0xd,  8,    1, 2,     1, 5,     kWaveOffset}},
                    Case{"gaps_close_up",
                         kDispatchPtr | kDispatchId,
                         user(4) | kGroupY | kScratchEnable,
                         {0x40, 1, 6, 5, 2, kWaveOffset}},
                    Case{"counts",
                         kQueuePtr | kCountX | kCountY | kCountZ,
                         user(5) | kGroupZ,
                         {0x800, 7, 2, 3, 2, 1}},
                    Case{"only_system", 0, kGroupX | kGroupY | kGroupZ, {1, 2, 1}},
                    Case{"none", 0, 0, {}}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST_F(SpiTest, TheFirstWaveOfAWorkGroupSaysSo) {
  make();
  Dispatch d = dispatch();
  d.workgroup = {128, 1, 1};
  d.grid = {128, 1, 1};
  d.rsrc2 = kGroupInfo;
  start(d);
  run();
  ASSERT_EQ(waves_.size(), 2u);
  EXPECT_EQ(waves_[0].wave.sgpr[0], 0x80000002u);
  EXPECT_EQ(waves_[1].wave.sgpr[0], 2u);
}

TEST_F(SpiTest, WorkItemIdsFollowTheirEnable) {
  for (uint32_t enable = 0; enable < 3; ++enable) {
    waves_.clear();
    live_.clear();
    make();
    Dispatch d = dispatch();
    d.workgroup = {4, 4, 4};
    d.grid = {4, 4, 4};
    d.rsrc2 = item_id(enable);
    start(d);
    run(100);
    ASSERT_EQ(waves_.size(), 1u);
    const WaveLaunch& w = waves_[0].wave;
    ASSERT_EQ(w.vgprs, enable + 1);
    EXPECT_EQ(w.exec, ~uint64_t{0});
    for (uint32_t lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(w.vgpr[0][lane], lane % 4);
      if (enable >= 1) {
        EXPECT_EQ(w.vgpr[1][lane], lane / 4 % 4);
      }
      if (enable >= 2) {
        EXPECT_EQ(w.vgpr[2][lane], lane / 16);
      }
    }
    now_ = 0;
  }
}

TEST_F(SpiTest, Gfx90aPacksTheWorkItemIds) {
  config_.target = isa::Target::Gfx90a;
  make();
  Dispatch d = dispatch();
  d.workgroup = {4, 4, 4};
  d.grid = {4, 4, 4};
  d.rsrc2 = item_id(2);
  start(d);
  run(100);
  ASSERT_EQ(waves_.size(), 1u);
  ASSERT_EQ(waves_[0].wave.vgprs, 1);
  EXPECT_EQ(waves_[0].wave.vgpr[0][63], 3u | (3u << 10) | (3u << 20));
  EXPECT_EQ(waves_[0].wave.vgpr[0][6], 2u | (1u << 10));
}

TEST_F(SpiTest, PartialWorkGroupsHaveFewerItemsAndWaves) {
  make();
  Dispatch d = dispatch();
  d.workgroup = {128, 1, 1};
  d.grid = {128 + 70, 1, 1};
  start(d);
  run();
  ASSERT_EQ(waves_.size(), 4u);
  EXPECT_EQ(waves_[2].wave.exec, ~uint64_t{0});
  EXPECT_EQ(waves_[3].wave.exec, 0x3fu);
  EXPECT_EQ(waves_[3].wave.waves_in_group, 2);
}

TEST_F(SpiTest, ItemsOfAPartialGroupAreNumberedInItsOwnShape) {
  make();
  Dispatch d = dispatch();
  d.workgroup = {8, 4, 1};
  d.grid = {11, 4, 1};  // the second group is 3 wide
  d.rsrc2 = item_id(1);
  start(d);
  run();
  ASSERT_EQ(waves_.size(), 2u);
  EXPECT_EQ(waves_[1].wave.exec, 0xfffu);
  EXPECT_EQ(waves_[1].wave.vgpr[0][5], 2u);
  EXPECT_EQ(waves_[1].wave.vgpr[1][5], 1u);
  EXPECT_EQ(waves_[1].wave.vgpr[1][11], 3u);
}

TEST_F(SpiTest, ModePriorityAndCountsComeFromRsrc1) {
  make();
  Dispatch d = dispatch();
  // 24 VGPRs (granule 5), 32 SGPRs (blocks 3), priority 2, round_32 toward zero, denorm_16_64 all,
  // dx10_clamp, ieee; exceptions: invalid operation.
  d.rsrc1 = 5u | (3u << 6) | (2u << 10) | (3u << 12) | (3u << 18) | (1u << 21) | (1u << 23);
  d.rsrc2 = 1u << 24;
  start(d);
  run();
  ASSERT_EQ(waves_.size(), 1u);
  const WaveLaunch& w = waves_[0].wave;
  EXPECT_EQ(w.vgpr_count, 24);
  EXPECT_EQ(w.acc_count, 24) << "as many AccVGPRs as VGPRs (MI100 ISA 3.6.4)";
  EXPECT_EQ(w.priority, 2);
  EXPECT_EQ(w.mode, 3u | (3u << 6) | (1u << 8) | (1u << 9) | (1u << 12));
  EXPECT_EQ(w.pc, 0x900000a00u);
}

TEST_F(SpiTest, PartialWorkGroupsSayHowManyWavesTheyHave) {
  make();
  Dispatch d = dispatch();
  d.workgroup = {192, 1, 1};
  d.grid = {192 + 10, 1, 1};
  start(d);
  run();
  ASSERT_EQ(waves_.size(), 4u);
  EXPECT_EQ(waves_[2].wave.waves_in_group, 3);
  EXPECT_EQ(waves_[3].wave.waves_in_group, 1);
}

/// STATUS bit 6, TRAP_EN (Vega ISA 3.4), is COMPUTE_PGM_RSRC2.TRAP_PRESENT: without a handler
/// S_TRAP is told, not passed over.
TEST_F(SpiTest, TrapEnableIsTrapPresent) {
  make();
  for (const bool present : {false, true}) {
    for (const uint64_t tba : {uint64_t{0}, uint64_t{0x4000}}) {
      Dispatch d = dispatch();
      d.rsrc2 = present ? 1u << 6 : 0;
      d.tba = tba;
      start(d);
      run(50);
      ASSERT_FALSE(waves_.empty());
      EXPECT_EQ(waves_.back().wave.status >> 6 & 1, present ? 1u : 0u);
      EXPECT_EQ(waves_.back().wave.tba, tba);
      end_oldest();
      run(50);
    }
  }
}

/// Preloaded kernel arguments are the last user SGPRs (LLVM AMDGPUUsage, "Preloaded Kernel
/// Arguments"): kernarg_preload is the upper half of `properties`, bits 6:0 dwords. SGPRs of the
/// spi follow.
TEST_F(SpiTest, PreloadedKernelArguments) {
  for (const auto target : {isa::Target::Gfx90a, isa::Target::Gfx942, isa::Target::Gfx908}) {
    config_.target = target;
    config_.poison = true;
    make();
    Dispatch d = dispatch();
    d.properties = kKernarg | (3u | 5u << 7) << 16;
    d.rsrc2 = user(5) | kGroupX;
    d.user_data = {0x11, 0x22, 0x33, 0x44};
    d.private_bytes = 0;
    start(d);
    run(50);
    ASSERT_EQ(waves_.size(), 1u);
    const WaveLaunch& w = waves_.back().wave;
    EXPECT_EQ(w.sgpr[0], 0x00000c00u);
    EXPECT_EQ(w.sgpr[1], 0xbu);
    const bool preloads = target != isa::Target::Gfx908;
    for (uint32_t i = 0; i < 3; ++i) {
      EXPECT_EQ(w.sgpr[2 + i], preloads ? 0x11 * (i + 1) : 0xdeadbeef) << i;
    }
    EXPECT_EQ(w.sgpr[5], 0u) << "work-group id";
    waves_.clear();
    live_.clear();
  }
}

}  // namespace
}  // namespace cuvette::spi
