// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The spi block alone: masks of compute units.
#include <map>
#include <set>

#include "hsa/queue_error.h"
#include "spi_fixture.h"

namespace cuvette::spi {
namespace {

class SpiMaskTest : public SpiTest {
 protected:
  /// Dispatch with work-groups of one wave, masked to the first shader engine.
  static Dispatch masked(uint32_t id, uint16_t mask, unsigned groups, uint32_t lds = 0) {
    Dispatch d = dispatch();
    d.id = id;
    d.cu_mask[0] = mask;
    d.grid = {64 * groups, 1, 1};
    d.group_bytes = lds;
    return d;
  }
  std::set<unsigned> units_of(uint32_t id) const {
    std::set<unsigned> found;
    for (const auto& w : waves_) {
      if (w.wave.dispatch == id) found.insert(w.unit);
    }
    return found;
  }
  size_t waves_of_dispatch(uint32_t id) const {
    size_t n = 0;
    for (const auto& w : waves_) n += w.wave.dispatch == id;
    return n;
  }
  void end_of(uint32_t id) {
    for (size_t i = 0; i < live_.size(); ++i) {
      if (live_[i].wave.dispatch != id) continue;
      std::swap(live_.front(), live_[i]);
      end_oldest();
      return run(20);
    }
    FAIL() << "no wave of dispatch " << id;
  }
};

TEST_F(SpiMaskTest, MasksAreOfShaderEngines) {
  config_.shader_engines = 3;  // units 0 to 3, 4 to 7, 8 and 9
  make(10, 1, 2);
  Dispatch d = masked(7, 0b0101, 12);
  d.cu_mask[1] = 0b1000;
  d.cu_mask[2] = 0b0010;
  start(d);
  run(50);
  EXPECT_EQ(waves_.size(), 8u) << "two slots of four compute units";
  EXPECT_EQ(units_of(7), (std::set<unsigned>{0, 2, 7, 9}));
  while (!live_.empty()) end_of(7);
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_FALSE(done_[0].error);
  EXPECT_EQ(waves_.size(), 12u);
  EXPECT_EQ(units_of(7), (std::set<unsigned>{0, 2, 7, 9}));
  // Bits of compute units and engines that are not there mean nothing.
  d = masked(8, 0xfff0, 3);
  d.cu_mask = {0xfff2, 0xfff0, 0xfffc, 0xffff, 0xffff, 0xffff, 0xffff, 0xffff};
  start(d);
  run(50);
  EXPECT_EQ(units_of(8), (std::set<unsigned>{1}));
}

TEST_F(SpiMaskTest, EnginesBehindTheEighthHaveNoMask) {
  config_.shader_engines = 9;
  make(9, 1, 4);
  Dispatch d = masked(7, 0, 3);
  d.cu_mask = {};
  start(d);
  run(50);
  EXPECT_EQ(units_of(7), (std::set<unsigned>{8}));
  EXPECT_EQ(waves_.size(), 3u);
}

TEST_F(SpiMaskTest, QueuesWithDisjointMasksRunBesideEachOther) {
  make(3, 1, 1);
  start(masked(1, 0b001, 4));
  start(masked(2, 0b010, 4));
  run(30);
  start(masked(3, 0b100, 4));
  run(30);
  ASSERT_EQ(live_.size(), 3u) << "each has its compute unit, none waits for another";
  for (uint32_t id = 1; id <= 3; ++id) EXPECT_EQ(units_of(id), std::set<unsigned>{id - 1}) << id;
  // The last one is through while the first two wait in front of it.
  for (unsigned i = 0; i < 4; ++i) end_of(3);
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_EQ(done_[0].id, 3u);
  EXPECT_EQ(waves_of_dispatch(1), 1u);
  for (unsigned i = 0; i < 4; ++i) end_of(1);
  for (unsigned i = 0; i < 4; ++i) end_of(2);
  EXPECT_EQ(done_.size(), 3u);
  EXPECT_EQ(waves_.size(), 12u);
}

TEST_F(SpiMaskTest, ALaterDispatchGoesAroundTheUnitsAnEarlierOneWaitsFor) {
  config_.lds_bytes = 8192;
  make(2, 1, 4);
  start(masked(1, 0b01, 1, 4096));
  run(20);
  start(masked(2, 0b01, 1, 8192));  // waits for the whole LDS of unit 0
  run(20);
  start(masked(3, 0b01, 1, 512));  // would fit, but is later
  run(20);
  EXPECT_EQ(waves_of_dispatch(2), 0u);
  EXPECT_EQ(waves_of_dispatch(3), 0u);
  start(masked(4, 0xffff, 2, 512));  // without a mask: around it
  run(20);
  EXPECT_EQ(units_of(4), std::set<unsigned>{1});
  EXPECT_EQ(waves_of_dispatch(4), 2u);
  end_of(1);
  EXPECT_EQ(waves_of_dispatch(2), 1u);
  EXPECT_EQ(waves_of_dispatch(3), 0u);
  end_of(2);
  EXPECT_EQ(units_of(3), std::set<unsigned>{0});
}

TEST_F(SpiMaskTest, AnUnmaskedDispatchThatWaitsLetsNoneOvertake) {
  make(2, 1, 1);
  start(masked(1, 0b01, 1));
  run(20);
  start(masked(2, 0xffff, 3));  // one on unit 1, then it waits
  run(20);
  start(masked(3, 0b01, 1));
  run(20);
  end_of(1);
  EXPECT_EQ(waves_of_dispatch(2), 2u);
  EXPECT_EQ(waves_of_dispatch(3), 0u);
}

TEST_F(SpiMaskTest, AMaskThatLeavesNothingIsAnErrorOfItsDispatchAlone) {
  make(2, 1, 1);
  start(masked(1, 0b01, 2));
  run(20);
  start(masked(2, 0, 1));
  run(20);
  start(masked(3, 0b10, 1));
  run(20);
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_EQ(done_[0].id, 2u);
  EXPECT_TRUE(done_[0].error);
  EXPECT_EQ(done_[0].error_code, hsa::kQueueErrorResources);
  EXPECT_EQ(units_of(3), std::set<unsigned>{1});
  // A work-group too large for its own compute units, empty as they are, never starts.
  end_of(3);
  Dispatch big = masked(4, 0b10, 1, 100000);
  start(big);
  run(20);
  ASSERT_EQ(done_.size(), 3u);
  EXPECT_EQ(done_[2].id, 4u);
  EXPECT_EQ(done_[2].error_code, hsa::kQueueErrorResources);
  end_of(1);
  end_of(1);
  ASSERT_EQ(done_.size(), 4u);
  EXPECT_FALSE(done_[3].error);
}

TEST_F(SpiMaskTest, ADispatchThatIsRefusedDoesNotHoldUpTheNext) {
  make(1, 1, 1);
  start(masked(1, 0xffff, 1, 100000));
  start(masked(2, 0xffff, 1));
  // Only in cycles the block asks for.
  for (unsigned i = 0; i < 30; ++i) {
    const Cycle next = spi_->next_event();
    if (next == machine::kNever) break;
    now_ = std::max(now_, next);
    step();
  }
  EXPECT_EQ(spi_->counters().waves, 1u);
  run(20);
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_EQ(done_[0].id, 1u);
  EXPECT_TRUE(done_[0].error);
  EXPECT_EQ(waves_of_dispatch(2), 1u);
}

TEST_F(SpiMaskTest, ACancelledDispatchNoLongerWaits) {
  make(2, 1, 1);
  start(masked(1, 0b01, 4));
  run(20);
  start(masked(2, 0b01, 1));
  run(20);
  spi_->cancel.push(Cancel{1}, now_ + 1);
  run(20);
  EXPECT_EQ(waves_of_dispatch(1), 1u);
  end_of(1);
  EXPECT_EQ(units_of(2), std::set<unsigned>{0});
}

}  // namespace
}  // namespace cuvette::spi
