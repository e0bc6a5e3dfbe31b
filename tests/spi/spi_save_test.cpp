// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The spi alone: dispatches that are saved and go on (spi.md, "Waves that are saved").
#include "hsa/queue_error.h"
#include "spi_fixture.h"

namespace cuvette::spi {
namespace {

// 8 VGPRs and as many AccVGPRs on gfx908: 16 rows of 256 bytes, and 1024 for scalars.
constexpr uint32_t kRsrc1 = 1;
constexpr uint32_t kWaveBytes = 16 * 256 + 1024;
constexpr uint64_t kArea = 0x20000000;
constexpr uint64_t kHandler = 0x7000;

class SpiSaveTest : public SpiTest {
 protected:
  /// `groups` work-groups of two waves with 512 bytes of LDS: rooms of 3 pages.
  static Dispatch two_waves(uint32_t groups, uint32_t id = 3) {
    Dispatch d = dispatch();
    d.id = id;
    d.grid = {128 * groups, 1, 1};
    d.workgroup = {128, 1, 1};
    d.group_bytes = 512;
    d.rsrc1 = kRsrc1;
    d.tba = kHandler;
    d.save_area = kArea;
    return d;
  }
  static Save save(uint32_t pages = 100, uint32_t groups = 100, uint32_t id = 3) {
    return {id, kArea, 0, pages * 4096, groups};
  }
  void ask(const Save& s) {
    spi_->save.push(s, now_ + 1);
    for (unsigned i = 0; i < 50; ++i) {
      step();
      for (unsigned u = 0; u < spi_->compute_units(); ++u) {
        auto& commands = spi_->compute_unit(u).command;
        const Cycle stepped = now_ - 1;
        while (commands.front(stepped) != nullptr) {
          EXPECT_TRUE(spi_->compute_unit(u).launch.empty()) << "behind the launches";
          commands_.push_back(commands.pop(stepped));
        }
      }
      take_saved();
    }
  }
  void take_saved() {
    while (spi_->saved.front(now_) != nullptr) saved_.push_back(spi_->saved.pop(now_));
  }
  /// Ends a wave of those that live, by its place in the order of launches.
  void end(size_t index, bool saved, bool first) {
    const auto [unit, w] = live_.at(index);
    live_.erase(live_.begin() + static_cast<ptrdiff_t>(index));
    WaveDone d;
    d.id = w.id;
    d.simd = w.simd;
    d.slot = w.slot;
    d.dispatch = w.dispatch;
    d.workgroup = w.workgroup;
    d.saved = saved;
    d.first = first;
    spi_->compute_unit(unit).done.push(d, now_ + 1);
    for (unsigned i = 0; i < 20; ++i) {
      step();
      take_saved();
    }
  }
  void end_all() {
    while (!live_.empty()) end(0, true, live_.front().wave.wave_in_group == 0);
  }

  std::vector<WaveCommand> commands_;
  std::vector<SavedGroup> saved_;
};

TEST_F(SpiSaveTest, WavesAreToldAndTheRestIsKept) {
  make(2, 1, 4);  // two work-groups on each compute unit
  start(two_waves(7));
  run(100);
  ASSERT_EQ(waves_.size(), 8u);
  end(0, false, false);  // one of two waves has come to its end
  ask(save());
  ASSERT_EQ(commands_.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    const WaveCommand& c = commands_[i];
    EXPECT_EQ(c.action, WaveAction::Save);
    EXPECT_EQ(c.wave_bytes, kWaveBytes);
    EXPECT_EQ(c.room, kArea + i * 3 * 4096) << i;
    for (size_t k = 0; k < i; ++k) EXPECT_NE(c.workgroup, commands_[k].workgroup);
  }
  run(100);
  EXPECT_EQ(waves_.size(), 8u) << "nothing starts";
  EXPECT_TRUE(done_.empty());
  // The wave that is left of the first work-group is its first one now.
  end(0, true, true);
  ASSERT_EQ(saved_.size(), 1u);
  EXPECT_EQ(saved_[0].group, 0u);
  EXPECT_EQ(saved_[0].waves, 2u);
  end(0, true, true);
  EXPECT_EQ(saved_.size(), 1u);
  end(0, false, false);  // came to its end before it was told
  ASSERT_EQ(saved_.size(), 2u);
  EXPECT_EQ(saved_[1].waves, 1u);
  end_all();
  ASSERT_EQ(saved_.size(), 4u);
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_FALSE(done_[0].error);
  EXPECT_TRUE(done_[0].saved);
  EXPECT_EQ(done_[0].next_group, 4u);
  EXPECT_EQ(done_[0].save_end, 12u * 4096);
}

TEST_F(SpiSaveTest, ACommandIsBehindTheLaunches) {
  config_.launch_cycles = 20;
  make(1, 1, 4);
  start(two_waves(2));
  step();
  step();
  ask(save());
  run(200);
  EXPECT_EQ(waves_.size(), 2u) << "the second work-group had not started";
  EXPECT_EQ(commands_.size(), 1u);
}

TEST_F(SpiSaveTest, SavedWavesStartInTheirHandlerFirst) {
  make(2, 1, 4);
  for (const SavedGroup& g : {SavedGroup{3, 2, 0, 2}, SavedGroup{3, 5, 6, 3}}) {
    spi_->restore.push(g, now_ + 1);
  }
  Dispatch d = two_waves(9);
  d.next_group = 7;
  start(d);
  run(100);
  ASSERT_EQ(waves_.size(), 7u);
  const auto& w = [this](size_t i) -> const WaveLaunch& { return waves_[i].wave; };
  const uint64_t room = kArea + 6 * 4096;
  EXPECT_EQ(w(0).workgroup_id[0], 2u);
  EXPECT_EQ(w(0).wave_in_group, 1u);
  EXPECT_EQ(w(0).exec, kArea | uint64_t{1} << 58) << "the only one that is left is the first";
  EXPECT_EQ(w(0).waves_in_group, 1u);
  EXPECT_EQ(w(1).workgroup_id[0], 5u);
  EXPECT_EQ(w(1).exec, room | uint64_t{1} << 58);
  EXPECT_EQ(w(2).exec, room + 512 + kWaveBytes);
  EXPECT_EQ(w(2).waves_in_group, 2u);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(w(i).pc, i < 3 ? kHandler + 4 : dispatch().entry) << i;
    EXPECT_EQ((w(i).status >> 5 & 1) != 0, i < 3) << i;
  }
  EXPECT_EQ(w(3).workgroup_id[0], 7u) << "then those that have not started";
  EXPECT_EQ(w(5).workgroup_id[0], 8u);
  // Saved again: who has a room keeps it, the others get what is free, from the start on.
  ask(save());
  ASSERT_EQ(commands_.size(), 4u);
  std::vector<uint64_t> rooms;
  for (const WaveCommand& c : commands_) rooms.push_back((c.room - kArea) / 4096);
  std::sort(rooms.begin(), rooms.end());
  EXPECT_EQ(rooms, (std::vector<uint64_t>{0, 3, 6, 9}));
  while (!live_.empty()) {
    const WaveLaunch& x = live_.front().wave;
    end(0, true, x.wave_in_group == 0 || x.workgroup_id[0] == 2);
  }
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_TRUE(done_[0].saved);
  EXPECT_EQ(done_[0].next_group, 9u);
  EXPECT_EQ(saved_.size(), 4u);
}

TEST_F(SpiSaveTest, WhatHasNotComeBackYetStaysSaved) {
  make(1, 1, 2);  // one work-group at a time
  for (const SavedGroup& g : {SavedGroup{3, 0, 0, 3}, SavedGroup{3, 1, 3, 3}}) {
    spi_->restore.push(g, now_ + 1);
  }
  Dispatch d = two_waves(2);
  d.next_group = 2;
  start(d);
  run(50);
  ASSERT_EQ(waves_.size(), 2u);
  ask(save());
  ASSERT_EQ(commands_.size(), 1u);
  EXPECT_EQ(commands_[0].room, kArea);
  end_all();
  ASSERT_EQ(saved_.size(), 2u);
  EXPECT_EQ(saved_[1].group, 1u);
  EXPECT_EQ(saved_[1].place, 3u);
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_EQ(done_[0].save_end, 6u * 4096);
}

TEST_F(SpiSaveTest, WithoutRoomOrHandlerEverythingGoesOn) {
  make(2, 1, 4);
  start(two_waves(5));
  run(100);
  ask(save(11));  // 12 pages are needed
  ask(save(100, 3));
  ask(save(100, 100, 77));
  EXPECT_TRUE(commands_.empty());
  for (unsigned i = 0; i < 2; ++i) end(0, false, false);
  EXPECT_EQ(waves_.size(), 10u) << "the last work-group started";
  while (!live_.empty()) end(0, false, false);
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_FALSE(done_[0].saved);
  Dispatch d = two_waves(4, 4);
  d.tba = 0;
  start(d);
  run(100);
  ask(save(100, 100, 4));
  EXPECT_TRUE(commands_.empty());
}

TEST_F(SpiSaveTest, WavesThatEndInTimeLeaveNothing) {
  make(2, 1, 4);
  start(two_waves(2));
  run(100);
  ask(save());
  EXPECT_EQ(commands_.size(), 2u);
  while (!live_.empty()) end(0, false, false);
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_FALSE(done_[0].saved);
  EXPECT_TRUE(saved_.empty());
}

TEST_F(SpiSaveTest, AWorkGroupWithoutItsLdsIsLost) {
  make(2, 1, 4);
  start(two_waves(1));
  run(100);
  ask(save());
  end(0, false, false);  // the first, which its handler ended otherwise
  end(0, true, false);
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_TRUE(done_[0].error);
  EXPECT_EQ(done_[0].error_code, hsa::kQueueErrorException);
  EXPECT_FALSE(done_[0].saved);
}

TEST_F(SpiSaveTest, WhatIsNoWorkGroupOfTheGridIsAnError) {
  struct Case {
    const char* name;
    uint64_t next_group;
    std::vector<SavedGroup> groups;
    bool good = false;
  };
  const Case cases[] = {
      {"in order", 2, {{3, 0, 0, 3}, {3, 1, 3, 3}}, true},
      {"behind the grid", 3, {{3, 2, 0, 3}}},
      {"no wave", 2, {{3, 0, 0, 0}}},
      {"more waves than it has", 2, {{3, 0, 0, 4}}},
      {"one that has not started", 1, {{3, 0, 0, 3}, {3, 1, 3, 3}}},
      {"twice", 2, {{3, 0, 0, 3}, {3, 0, 3, 3}}},
      {"not in order", 2, {{3, 1, 0, 3}, {3, 0, 3, 3}}},
  };
  for (const Case& c : cases) {
    make();
    done_.clear();
    waves_.clear();
    live_.clear();
    for (const SavedGroup& g : c.groups) spi_->restore.push(g, now_ + 1);
    Dispatch d = two_waves(2);
    d.next_group = c.next_group;
    start(d);
    run(50);
    EXPECT_EQ(waves_.size(), c.good ? 4u : 0u) << c.name;
    ASSERT_EQ(done_.size(), c.good ? 0u : 1u) << c.name;
    if (!c.good) {
      EXPECT_EQ(done_[0].error_code, hsa::kQueueErrorDispatch) << c.name;
    }
  }
}

TEST_F(SpiSaveTest, ACancelEndsASave) {
  make(2, 1, 4);
  start(two_waves(7));
  run(100);
  ask(save());
  spi_->cancel.push(Cancel{3}, now_ + 1);
  run(10);
  while (!live_.empty()) end(0, false, false);
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_FALSE(done_[0].saved);
  EXPECT_FALSE(done_[0].error);
}

}  // namespace
}  // namespace cuvette::spi
