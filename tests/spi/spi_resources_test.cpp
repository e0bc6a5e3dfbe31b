// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The spi block alone: where and when waves start, what they take and give back, how dispatches
// end.
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "hsa/queue_error.h"
#include "spi_fixture.h"

namespace cuvette::spi {
namespace {

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

/// A compute unit takes a wave every four cycles, sixteen of them together one every cycle.
TEST_F(SpiTest, AShaderEngineLaunchesOneWaveACycle) {
  config_.shader_engines = 2;
  config_.launch_cycles = 4;
  make(32, 4);
  Dispatch d = dispatch();
  d.grid = {64 * 512, 1, 1};
  d.rsrc2 = kGroupX;
  start(d);  // seen in cycle 1
  run(5);
  ASSERT_TRUE(waves_.empty()) << "the first waves are four cycles on the way";
  for (uint32_t cycle = 0; cycle < 256; ++cycle) {
    waves_.clear();
    step();
    ASSERT_EQ(waves_.size(), 2u) << cycle;
    EXPECT_LT(waves_[0].unit, 16u);
    EXPECT_GE(waves_[1].unit, 16u);
    // Work-groups start in order, one of each engine in turn.
    EXPECT_EQ(waves_[0].wave.sgpr[0], 2 * cycle);
    EXPECT_EQ(waves_[1].wave.sgpr[0], 2 * cycle + 1);
  }
  EXPECT_EQ(live_.size(), 512u);
  // Three compute units alone cannot keep an engine busy.
  live_.clear();
  waves_.clear();
  config_.shader_engines = 1;
  make(3, 4);
  now_ = 0;
  d.grid = {64 * 90, 1, 1};
  start(d);
  run(5);
  for (unsigned cycle = 0; cycle < 30; ++cycle) {
    waves_.clear();
    run(4);
    EXPECT_EQ(waves_.size(), 3u) << cycle;
  }
  EXPECT_EQ(live_.size(), 90u);
  // The waves of one work-group leave room for those of others.
  live_.clear();
  waves_.clear();
  make(4, 4);
  now_ = 0;
  d.grid = {64 * 32, 1, 1};
  d.workgroup = {256, 1, 1};
  start(d);
  run(5);
  for (unsigned cycle = 0; cycle < 32; ++cycle) {
    waves_.clear();
    step();
    EXPECT_EQ(waves_.size(), 1u) << cycle;
  }
}

TEST_F(SpiTest, WavesGoToTheEmptiestSimd) {
  make(1, 4);
  Dispatch d = dispatch();
  d.grid = {64 * 8, 1, 1};
  start(d);
  run(100);
  ASSERT_EQ(waves_.size(), 8u);
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(waves_[i].wave.simd, i % 4) << i;
  std::swap(live_[0], live_[6]);  // on SIMD 2
  end_oldest();
  d.grid = {64, 1, 1};
  start(d);
  run(100);
  EXPECT_EQ(waves_.back().wave.simd, 2);
}

/// An attempt that fails half-way gives back what it had.
TEST_F(SpiTest, FailedAllocationsTakeNothing) {
  make(1, 1, 10);
  Dispatch d = dispatch();
  d.grid = {64 * 40, 1, 1};
  d.rsrc1 = 7u | 12u << 6;  // 32 VGPRs: eight waves; 112 SGPRs: seven
  start(d);
  for (unsigned i = 0; i < 40; ++i) {
    run(20);
    ASSERT_FALSE(live_.empty()) << i;
    end_oldest();
  }
  run(20);
  EXPECT_EQ(waves_.size(), 40u);
  EXPECT_EQ(done_.size(), 1u);
  // Work-groups of four waves in ten slots: the third finds two of them.
  waves_.clear();
  d.rsrc1 = 0;
  d.workgroup = {256, 1, 1};
  d.grid = {256 * 10, 1, 1};
  start(d);
  for (unsigned i = 0; i < 40; ++i) {
    run(20);
    ASSERT_FALSE(live_.empty()) << i;
    end_oldest();
  }
  run(20);
  EXPECT_EQ(waves_.size(), 40u);
  EXPECT_EQ(done_.size(), 2u);
  d.workgroup = {64, 1, 1};
  d.grid = {64 * 10, 1, 1};
  start(d);
  run(50);
  EXPECT_EQ(live_.size(), 10u) << "all slots are free";
  while (!live_.empty()) end_oldest();
  run(50);
  d.rsrc1 = 7;
  d.grid = {64 * 8, 1, 1};
  start(d);
  run(50);
  EXPECT_EQ(live_.size(), 8u) << "all VGPRs are free";
}

TEST_F(SpiTest, TwoDispatchesEndEachWithItsOwnWaves) {
  make(2);
  Dispatch d = dispatch();
  d.grid = {64 * 2, 1, 1};
  d.id = 5;
  start(d);
  d.id = 6;
  start(d);
  run(50);
  ASSERT_EQ(live_.size(), 4u);
  const auto end = [&](size_t n) {
    std::swap(live_.front(), live_.at(n));
    end_oldest();
    run(20);
  };
  end(3);  // of 6
  EXPECT_TRUE(done_.empty());
  ASSERT_EQ(live_[0].wave.dispatch + live_[1].wave.dispatch + live_[2].wave.dispatch, 16u);
  for (size_t i = 0; i < live_.size(); ++i) {
    if (live_[i].wave.dispatch == 6) {
      end(i);
      break;
    }
  }
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_EQ(done_[0].id, 6u) << "the later one is over first";
  end(0);
  EXPECT_EQ(done_.size(), 1u);
  end(0);
  ASSERT_EQ(done_.size(), 2u);
  EXPECT_EQ(done_[1].id, 5u);
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
  const auto unknown = make_placement("nearest");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().what,
            "unknown placement 'nearest', expected round_robin, first_fit or least_loaded");
}

/// Work-groups go where the fewest waves are, to the first of equals.
TEST_F(SpiTest, LeastLoadedTakesTheComputeUnitWithTheFewestWaves) {
  config_.placement = "least_loaded";
  make(3);
  Dispatch d = dispatch();
  d.workgroup = {192, 1, 1};
  d.grid = {192, 1, 1};
  start(d);  // three waves on compute unit 0
  run(100);
  d.workgroup = {64, 1, 1};
  d.grid = {64, 1, 1};
  for (unsigned n = 0; n < 7; ++n) {
    ++d.id;
    start(d);
    run(100);
  }
  std::vector<unsigned> units;
  for (const auto& w : waves_) units.push_back(w.unit);
  EXPECT_EQ(units, (std::vector<unsigned>{0, 0, 0, 1, 2, 1, 2, 1, 2, 0}));
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
  Dispatch wants = dispatch();
  wants.rsrc1 = 15u << 6;  // 256 SGPRs
  start(wants);
  run(100);
  ASSERT_EQ(done_.size(), 3u);
  EXPECT_EQ(done_[2].error_code, hsa::kQueueErrorResources);
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

/// Memory for three waves at a time, two dispatches, another one with memory of its own: no place
/// has two waves, none is beyond the memory, and places come back.
TEST_F(SpiTest, ScratchPlacesAreSharedInTurn) {
  constexpr uint64_t kOther = 0xe00000000;
  make(2, 2, 4);
  Dispatch d = dispatch();
  d.workgroup = {128, 1, 1};
  d.grid = {128 * 6, 1, 1};
  d.rsrc2 = kScratchEnable;
  d.scratch_waves = 3;
  Dispatch again = d;
  again.id = 4;
  Dispatch other = d;
  other.id = 5;
  other.scratch_base = kOther;
  other.scratch_waves = 12;
  for (const Dispatch& each : {d, again, other}) start(each);
  unsigned most = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    step();
    std::map<uint64_t, unsigned> places;
    for (const auto& [unit, w] : live_) {
      ++places[w.scratch_base];
      const uint64_t base = w.dispatch == other.id ? kOther : d.scratch_base;
      EXPECT_EQ(w.scratch_base, base + w.sgpr[0]) << "wave offset";
      EXPECT_LT(w.scratch_base - base, (w.dispatch == other.id ? 12u : 3u) * 1024);
      EXPECT_EQ((w.scratch_base - base) % 1024, 0u);
    }
    for (const auto& [place, waves] : places) EXPECT_EQ(waves, 1u);
    most = std::max(most, static_cast<unsigned>(live_.size()));
    if (i % 7 == 0 && !live_.empty()) end_oldest();
  }
  EXPECT_EQ(waves_.size(), 36u);
  ASSERT_EQ(done_.size(), 3u);
  for (const DispatchDone& done : done_) EXPECT_FALSE(done.error);
  // Memory for every wave: each has the place of its number.
  for (const auto& [unit, w] : waves_) {
    if (w.dispatch != other.id) continue;
    EXPECT_EQ(w.sgpr[0], (w.workgroup_id[0] * 2 + w.wave_in_group) * 1024);
  }
  // A work-group that never finds room.
  d.scratch_waves = 1;
  start(d);
  run(50);
  ASSERT_EQ(done_.size(), 4u);
  EXPECT_TRUE(done_.back().error);
  EXPECT_EQ(done_.back().error_code, hsa::kQueueErrorScratch);
}

}  // namespace
}  // namespace cuvette::spi
