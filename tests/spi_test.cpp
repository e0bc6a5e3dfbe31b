// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The spi block alone. Expected registers are written by hand from the tables of the Compute ABI
// ("Initial Kernel Register State", "compute_pgm_rsrc1", "compute_pgm_rsrc2").
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "hsa/queue_error.h"
#include "spi/spi_tlm.h"

namespace cuvette::spi {
namespace {

using machine::Cycle;

// compute_pgm_rsrc2
constexpr uint32_t kScratchEnable = 1;
constexpr uint32_t kGroupX = 1 << 7, kGroupY = 1 << 8, kGroupZ = 1 << 9, kGroupInfo = 1 << 10;
constexpr uint32_t user(uint32_t n) {
  return n << 1;
}
constexpr uint32_t item_id(uint32_t n) {
  return n << 11;
}
// kernel_code_properties
constexpr uint32_t kBuffer = 1, kDispatchPtr = 2, kQueuePtr = 4, kKernarg = 8, kDispatchId = 16,
                   kFlatScratch = 32, kPrivateSize = 64, kCountX = 128, kCountY = 256,
                   kCountZ = 512;

Dispatch dispatch() {
  Dispatch d;
  d.id = 3;
  d.packet_address = 0x100000040;
  d.dispatch_index = 0x500000006;
  d.queue_address = 0x700000800;
  d.entry = 0x900000a00;
  d.kernarg = 0xb00000c00;
  d.grid = {64, 1, 1};
  d.workgroup = {64, 1, 1};
  d.private_bytes = 6;
  d.scratch_descriptor = {0x11, 0x22, 0x33, 0x44};
  d.scratch_base = 0xd00000000;
  d.scratch_bytes_per_wave = 1024;
  return d;
}

class SpiTest : public testing::Test {
 protected:
  void make(unsigned units = 1, unsigned simds = 1, unsigned slots = 10) {
    config_.compute_units = units;
    config_.simds = simds;
    config_.slots = slots;
    spi_ = std::make_unique<SpiTlm>(config_);
  }
  void step() {
    spi_->tick(now_);
    for (unsigned i = 0; i < spi_->compute_units(); ++i) {
      auto& launch = spi_->compute_unit(i).launch;
      while (launch.front(now_) != nullptr) {
        waves_.push_back({i, launch.pop(now_)});
        live_.push_back(waves_.back());
      }
    }
    if (spi_->dispatch_done.front(now_) != nullptr) done_.push_back(spi_->dispatch_done.pop(now_));
    ++now_;
  }
  void run(unsigned cycles = 2000) {
    for (unsigned i = 0; i < cycles; ++i) step();
  }
  void end_oldest(uint32_t error = 0) {
    const auto [unit, w] = live_.front();
    live_.pop_front();
    WaveDone d;
    d.id = w.id;
    d.simd = w.simd;
    d.slot = w.slot;
    d.dispatch = w.dispatch;
    d.workgroup = w.workgroup;
    d.error = error != 0;
    d.error_code = error;
    spi_->compute_unit(unit).done.push(d, now_ + 1);
  }
  void start(const Dispatch& d) { spi_->dispatch.push(d, now_ + 1); }

  struct Launched {
    unsigned unit;
    WaveLaunch wave;
  };
  Config config_;
  std::unique_ptr<SpiTlm> spi_;
  Cycle now_ = 0;
  std::vector<Launched> waves_;
  std::deque<Launched> live_;
  std::vector<DispatchDone> done_;
};

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

/// Live waves of one compute unit never share a slot, registers or LDS.
TEST_F(SpiTest, ResourcesNeverOverlapAndComeBackExactlyOnce) {
  config_.lds_bytes = 8192;
  make(2, 2, 4);
  Dispatch d = dispatch();
  d.workgroup = {128, 1, 1};
  d.grid = {128 * 40, 1, 1};
  d.rsrc1 = 15;  // 64 VGPRs: 4 waves of 256 rows
  d.group_bytes = 3000;
  start(d);
  unsigned most = 0;
  unsigned ended = 0;
  for (unsigned i = 0; i < 4000; ++i) {
    step();
    most = std::max(most, static_cast<unsigned>(live_.size()));
    std::set<std::tuple<unsigned, unsigned, unsigned>> slots;
    std::map<std::pair<unsigned, unsigned>, std::set<unsigned>> rows;
    std::map<unsigned, std::map<uint32_t, uint32_t>> lds;  // unit: base to group
    for (const auto& [unit, w] : live_) {
      EXPECT_TRUE(slots.insert({unit, w.simd, w.slot}).second);
      ASSERT_LE(w.vgpr_base + w.vgpr_count, 256);
      for (unsigned r = 0; r < w.vgpr_count; ++r) {
        EXPECT_TRUE(rows[std::pair(unit, unsigned{w.simd})].insert(w.vgpr_base + r).second);
      }
      EXPECT_LE(w.lds_base + 3000, 8192u);
      const auto [at, fresh] = lds[unit].emplace(w.lds_base, w.workgroup);
      if (!fresh) {
        EXPECT_EQ(at->second, w.workgroup) << "LDS of two work-groups";
      }
    }
    for (auto& [unit, bases] : lds) {
      uint32_t end = 0;
      for (const auto& [base, group] : bases) {
        EXPECT_GE(base, end);
        end = base + 3000;
      }
    }
    if (i % 7 == 0 && !live_.empty()) {
      end_oldest();
      ++ended;
    }
  }
  EXPECT_EQ(ended, 80u);
  EXPECT_EQ(waves_.size(), 80u);
  EXPECT_EQ(most, 8u) << "LDS holds two groups of two waves per compute unit";
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_FALSE(done_[0].error);
  // Everything is free again: the same dispatch runs once more, as full as before.
  waves_.clear();
  start(d);
  run(200);
  EXPECT_EQ(live_.size(), 8u);
}

/// 800 SGPRs hold seven waves of 112, side by side; a freed range is given away again.
TEST_F(SpiTest, ScalarRegistersBoundOccupancy) {
  config_.sgprs_per_simd = 800;
  make(1, 1, 10);
  Dispatch d = dispatch();
  d.workgroup = {64, 1, 1};
  d.grid = {64 * 8, 1, 1};
  d.rsrc1 = 12u << 6;
  start(d);
  run(200);
  ASSERT_EQ(live_.size(), 7u);
  for (unsigned i = 0; i < 7; ++i) {
    EXPECT_EQ(live_[i].wave.sgpr_count, 112);
    EXPECT_EQ(live_[i].wave.sgpr_base, 112 * i);
  }
  std::swap(live_[0], live_[3]);
  end_oldest();
  run(200);
  ASSERT_EQ(waves_.size(), 8u);
  EXPECT_EQ(waves_[7].wave.sgpr_base, 336);
}

TEST_F(SpiTest, CountsWhatItLaunchesAndWhatItWaitsFor) {
  make(1, 1, 2);
  std::vector<std::tuple<Cycle, uint32_t, bool>> told;
  ASSERT_TRUE(spi_->on_dispatch(
      [&](Cycle now, uint32_t id, bool begin) { told.emplace_back(now, id, begin); }));
  Dispatch d = dispatch();
  d.grid = {192, 1, 1};
  start(d);
  run(50);
  ASSERT_EQ(waves_.size(), 2u);
  // Two slots: the third work-group waits from the cycle after the second's launch until a wave
  // has ended. Begun in cycle 1: work-group 0 then, 1 in cycle 2, the slots are missed in cycle 3.
  const Cycle free = now_ + 1;
  end_oldest();
  run(50);
  ASSERT_EQ(waves_.size(), 3u);
  while (!live_.empty()) end_oldest();
  run(50);
  ASSERT_EQ(done_.size(), 1u);
  const Spi::Counters c = spi_->counters();
  EXPECT_EQ(c.dispatches, 1u);
  EXPECT_EQ(c.workgroups, 3u);
  EXPECT_EQ(c.waves, 3u);
  using Resource = Spi::Resource;
  const auto cycles = [&](Resource r) { return c.stall_cycles[static_cast<unsigned>(r)]; };
  EXPECT_EQ(cycles(Resource::Launch), 2u) << "one cycle behind each of two waves";
  EXPECT_EQ(cycles(Resource::Slots), free - 3);
  for (const auto r : {Resource::Vgprs, Resource::AccVgprs, Resource::Sgprs, Resource::Lds}) {
    EXPECT_EQ(cycles(r), 0u) << name_of(r);
  }
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0], std::tuple(Cycle{1}, d.id, true));
  EXPECT_EQ(std::get<1>(told[1]), d.id);
  EXPECT_FALSE(std::get<2>(told[1]));
}

TEST_F(SpiTest, NamesTheResourceThatIsMissing) {
  const auto waits = [this](uint32_t rsrc1, uint32_t rsrc3, uint32_t group_bytes) {
    make(1, 1, 10);
    now_ = 0;
    waves_.clear();
    live_.clear();
    done_.clear();
    Dispatch d = dispatch();
    d.grid = {64 * 11, 1, 1};
    d.rsrc1 = rsrc1;
    d.rsrc3 = rsrc3;
    d.group_bytes = group_bytes;
    start(d);
    run(100);
    while (done_.empty() && now_ < 5000) {
      if (!live_.empty()) end_oldest();
      run(20);
    }
    EXPECT_EQ(done_.size(), 1u);
    std::string names;
    for (unsigned r = 1; r < Spi::kResources; ++r) {  // behind Launch
      if (spi_->counters().stall_cycles[r] != 0) {
        names += std::string(name_of(static_cast<Spi::Resource>(r))) + ' ';
      }
    }
    return names;
  };
  EXPECT_EQ(waits(0, 0, 0), "slots ");
  EXPECT_EQ(waits(15, 0, 0), "vgprs ") << "64 VGPRs: four waves";
  EXPECT_EQ(waits(12u << 6, 0, 0), "sgprs ") << "112 SGPRs: seven waves";
  EXPECT_EQ(waits(0, 0, 20000), "lds ") << "three work-groups";
}

TEST_F(SpiTest, WorkGroupsStartInOrderAndRoundRobin) {
  make(3);
  Dispatch d = dispatch();
  d.grid = {64 * 6, 1, 1};
  d.rsrc2 = kGroupX;
  start(d);
  run();
  ASSERT_EQ(waves_.size(), 6u);
  for (unsigned i = 0; i < 6; ++i) {
    EXPECT_EQ(waves_[i].unit, i % 3);
    EXPECT_EQ(waves_[i].wave.sgpr[0], i);
  }
}

TEST_F(SpiTest, FirstFitFillsTheFirstComputeUnit) {
  config_.placement = "first_fit";
  make(3);
  Dispatch d = dispatch();
  d.grid = {64 * 6, 1, 1};
  start(d);
  run();
  ASSERT_EQ(waves_.size(), 6u);
  std::map<unsigned, unsigned> per_unit;
  for (const auto& w : waves_) ++per_unit[w.unit];
  EXPECT_GE(per_unit[0], per_unit[2]);
  EXPECT_EQ(make_placement("nearest"), nullptr);
}

TEST_F(SpiTest, ADispatchNoMachineCouldRunIsAnError) {
  make();
  Dispatch big = dispatch();
  big.group_bytes = 100000;
  start(big);
  run(100);
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_TRUE(done_[0].error);
  EXPECT_EQ(done_[0].error_code, hsa::kQueueErrorResources);
  Dispatch wide = dispatch();
  wide.workgroup = {1024, 2, 1};
  start(wide);
  run(100);
  ASSERT_EQ(done_.size(), 2u);
  EXPECT_EQ(done_[1].error_code, hsa::kQueueErrorDispatch);
  EXPECT_TRUE(waves_.empty());
}

TEST_F(SpiTest, AfterAnErrorNothingMoreStartsAndTheDispatchEndsOnce) {
  make(1, 1, 2);
  Dispatch d = dispatch();
  d.grid = {64 * 10, 1, 1};
  start(d);
  run(50);
  ASSERT_EQ(live_.size(), 2u);
  end_oldest(hsa::kQueueErrorMemoryFault);
  run(50);
  EXPECT_EQ(waves_.size(), 2u);
  EXPECT_TRUE(done_.empty()) << "a wave still runs";
  end_oldest();
  run(50);
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_EQ(done_[0].error_code, hsa::kQueueErrorMemoryFault);
  EXPECT_EQ(done_[0].id, 3u);
}

TEST_F(SpiTest, AnsweringDispatchesWaitForRoomAndAreNotForgotten) {
  make();
  std::vector<Dispatch> bad(6, dispatch());
  unsigned sent = 0;
  for (Cycle i = 0; i < 100; ++i) {
    if (sent < bad.size() && spi_->dispatch.can_push(now_)) {
      bad[sent].id = sent;
      bad[sent].workgroup = {0, 1, 1};
      spi_->dispatch.push(bad[sent++], now_ + 1);
    }
    spi_->tick(now_++);
  }
  EXPECT_LE(spi_->next_event(), now_) << "two answers are waiting for room";
  EXPECT_EQ(sent, 6u);
  for (unsigned i = 0; i < 20; ++i) step();
  ASSERT_EQ(done_.size(), 6u);
  EXPECT_EQ(spi_->next_event(), machine::kNever);
}

}  // namespace
}  // namespace cuvette::spi
