// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Dispatches of many waves with a comparison in front of what they do: failures, several
// dispatches, and what the machine is told.
#include <gtest/gtest.h>

#include "golden_plain_dispatch_guard.h"

namespace cuvette::golden::plain {
namespace {

constexpr uint32_t kItems = 64 * 40;

uint64_t bytes_of(uint64_t items) {
  return 4 * items;
}

/// The bound is beyond the memory: the first lane that is too far, in any wave, or none.
TEST(GoldenPlainDispatchGuardRun, WildStores) {
  for (const uint32_t end : {1u, 63u, 64u, 65u, 700u, 767u, 768u, 1000u, kItems - 1}) {
    for (const uint32_t bound : {end - 1, end, end + 1, end + 2, kItems}) {
      for (const bool based : {false, true}) {
        for (const unsigned which : {0u, 1u}) {
          SCOPED_TRACE(testing::Message() << end << " " << bound << " " << which);
          Case one = guarded_case(guarded_saxpy({}, 192, based), kItems, 192, bound);
          map_only(one, {{kX, kX + bytes_of(which == 0 ? end : kItems)},
                         {kY, kY + bytes_of(which == 1 ? end : kItems)}});
          EXPECT_EQ(judge(one).wild, std::min(bound, kItems) > end);
          one.setup.slice = 9;
          one.setup.resident_waves = 12;
          EXPECT_EQ(judge(one).wild, std::min(bound, kItems) > end);
        }
      }
    }
  }
}

/// Some lanes of a wave are wild, and those that do not pass would be as well.
TEST(GoldenPlainDispatchGuardRun, WildLanes) {
  for (const Cond cond : {Cond::Eq, Cond::Ne, Cond::Lt}) {
    for (const uint32_t place : {0u, 10u, 63u, 64u, 700u}) {
      for (const uint32_t bound : {place, place + 1, place + 5, place + 70}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(cond) << " " << place << " " << bound);
        Guard guard;
        guard.cond = cond;
        Case one = guarded_case(guarded_saxpy(guard, 64), kItems, 64, bound);
        map_only(one, {{kX, kX + bytes_of(kItems)},
                       {kY, kY + bytes_of(place)},
                       {kY + bytes_of(place + 3), kY + bytes_of(kItems)}});
        const bool hits = cond == Cond::Eq   ? bound < place + 3
                          : cond == Cond::Ne ? true
                                             : bound < place + 2;
        EXPECT_EQ(judge(one).wild, hits);
        // Read-only instead of nothing.
        one = guarded_case(guarded_saxpy(guard, 64), kItems, 64, bound);
        for (Piece& piece : one.memory.pieces) {
          if (piece.va == kY) piece.permitted = hsa::Access::Read;
        }
        judge(one);
      }
    }
  }
}

/// Every number of instructions that a small dispatch can be stopped after, with waves that do all,
/// some lanes, and nothing.
TEST(GoldenPlainDispatchGuardRun, Watchdog) {
  const auto ops = guarded_saxpy({}, 64);
  for (const uint32_t bound : {0u, 150u, 400u}) {
    unsigned stopped = 0;
    for (uint64_t limit = 1; limit <= 6 * ops.size() + 2; ++limit) {
      SCOPED_TRACE(testing::Message() << bound << " " << limit);
      Case one = guarded_case(ops, 64 * 6, 64, bound);
      one.setup.watchdog = limit;
      stopped += judge(one).watchdog ? 1 : 0;
      if (limit % 3 != 0) continue;
      one.setup.resident_waves = 1;
      judge(one);
      one.setup.slice = 7;
      judge(one);
    }
    // Waves of no lane are shorter.
    const uint64_t whole = bound == 0 ? 0 : bound == 150 ? 3 : 6, part = 6 - whole;
    EXPECT_EQ(stopped, whole * ops.size() + part * (ops.size() - 15) - 1);
  }
  for (const uint64_t waves : Counts{10, 255, 256, 257, 490, 510, 700}) {
    for (const uint64_t more : Counts{0, 1, 17}) {
      Case one = guarded_case(ops, 64 * 1000, 64, 64 * 500 + 7);
      one.setup.watchdog = waves * ops.size() + more;
      judge(one);
    }
  }
}

TEST(GoldenPlainDispatchGuardRun, Slices) {
  for (uint32_t slice = 1; slice <= 36; ++slice) {
    for (const uint32_t resident : {1u, 4u, 256u}) {
      Guard guard;
      guard.close = slice % 2 == 0 ? Close::Or : Close::Nothing;
      guard.leave = slice % 3 == 0 ? Leave::Never : Leave::Execz;
      Case one = guarded_case(guarded_saxpy(guard, 100), 100 * 9 - 7, 100, 470);
      one.setup.slice = slice;
      one.setup.resident_waves = resident;
      one.setup.poison = slice % 5 == 0;
      EXPECT_FALSE(judge(one).wild);
    }
  }
}

/// In turns, and waves store where others load, as far as the bound lets them.
TEST(GoldenPlainDispatchGuardRun, SharedMemoryInTurns) {
  for (const int64_t floats : {0, 1, -1, 64, -64, 200, -256}) {
    for (const uint32_t bound : {65u, 700u, kItems}) {
      for (const uint32_t slice : {2048u, 3u, 20u, 27u}) {
        SCOPED_TRACE(testing::Message() << floats << " " << bound << " " << slice);
        Case one = guarded_case(guarded_saxpy({}, 64), kItems, 64, bound);
        const uint64_t y = kX + static_cast<uint64_t>(4 * floats);
        one.dispatches[0].arguments = arguments(kX, y, kZ);
        set_bounds(one.dispatches[0], bound);
        one.setup.slice = slice;
        map_only(one, {{kX, kX + bytes_of(bound)}, {y, y + bytes_of(bound)}});
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// One machine, the same kernel with one bound after the other, other sizes and other code.
TEST(GoldenPlainDispatchGuardRun, SeveralDispatches) {
  for (const unsigned threads : {1u, 2u}) {
    Case one = guarded_case(guarded_saxpy({}, 64), kItems, 64, kItems);
    one.setup.threads = threads;
    Dispatch d = one.dispatches[0];
    const auto next = [&](uint32_t bound) {
      set_bounds(d, bound);
      one.dispatches.push_back(d);
    };
    for (const uint32_t bound : {0u, 1u, 700u, 768u, kItems - 1, 0xffffffffu, 5u}) next(bound);
    d.grid[0] = 700;
    next(600);
    d.workgroup[0] = 128;
    next(650);
    d.workgroup[0] = 64;
    d.start[0] = 4;
    next(650);
    d.start[0] = 0;
    d.grid[0] = kItems;
    Guard later;
    later.cond = Cond::Le;
    d.ops = guarded_saxpy(later, 64);
    next(300);
    d.ops.clear();
    next(301);
    d.ops = saxpy(64);
    next(0);
    d.ops = guarded_saxpy({}, 64, true);
    next(900);
    d.ops.clear();
    EXPECT_FALSE(judge(one).wild);
    // More than there is, then again as before.
    d.grid[0] = kItems + 64;
    next(0xffffffff);
    d.grid[0] = kItems;
    next(1000);
    EXPECT_TRUE(judge(one).wild);
    one.dispatches.back().unmapped = kX;
    judge(one);
  }
}

/// Without x, only dispatches in which nobody passes are good.
TEST(GoldenPlainDispatchGuardRun, MemoryIsGone) {
  Case one = guarded_case(guarded_saxpy({}, 64), kItems, 64, 700);
  Dispatch d = one.dispatches[0];
  d.unmapped = kX;
  set_bounds(d, 0);
  one.dispatches.push_back(d);
  d.unmapped = 0;
  one.dispatches.push_back(d);
  EXPECT_FALSE(judge(one).wild);
  set_bounds(d, 1);
  one.dispatches.push_back(d);
  EXPECT_TRUE(judge(one).wild);
}

/// With several threads: only what work-items that pass do is a race.
TEST(GoldenPlainDispatchGuardRun, Races) {
  for (const uint32_t bound : {0u, 1u, 64u, 65u, 66u, 500u, kItems}) {
    for (const int64_t floats : {0, 1, 64}) {
      SCOPED_TRACE(testing::Message() << bound << " " << floats);
      Case one = guarded_case(guarded_saxpy({}, 64), kItems, 64, bound);
      const uint64_t y = kX + static_cast<uint64_t>(4 * floats);
      one.dispatches[0].arguments = arguments(kX, y, kZ);
      set_bounds(one.dispatches[0], bound);
      one.setup.threads = 2;
      map_only(one, {{kX, kX + bytes_of(kItems)}, {y, y + bytes_of(kItems)}});
      const Verdict verdict = judge(one);
      EXPECT_FALSE(verdict.wild);
      // One float further: the last one of each work-group is the first one of the next.
      const uint64_t full = bound == 0 ? 0 : (bound - 1) / 64;
      const uint64_t races = floats == 0 ? 0 : floats == 1 ? full : bound > 64 ? bound - 64 : 0;
      EXPECT_EQ(verdict.race_bytes, bytes_of(races));
      EXPECT_EQ(verdict.restarted, races != 0);
    }
  }
}

/// A whole machine's worth, on each level of the host, with numbers that are none.
TEST(GoldenPlainDispatchGuardRun, Levels) {
  constexpr uint32_t kMany = 64 * 400;
  for (unsigned level = 0; level < 4; ++level) {
    for (const bool careful : {false, true}) {
      for (const uint32_t bound : {64u * 200, 64u * 200 + 17, kMany + 1, 64u * 5 + 1}) {
        SCOPED_TRACE(testing::Message() << level << " " << bound);
        Case one = guarded_case(guarded_saxpy({}, 256, level % 2 == 0), kMany, 256, bound);
        one.level = static_cast<wave::lanes::HostLevel>(level);
        one.careful = careful;
        one.memory.put(kX + bytes_of(64 * 199), 0x7f812345u);
        one.memory.put(kY + bytes_of(bound - 1) % bytes_of(kMany), 0x00012345u);
        one.memory.put(kX + bytes_of(64 * 4 + 63), 0x7f800000u);
        if (careful) one.kernel.modes.denorm = hsa::FloatDenorm::FlushSrcDst;
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// All but the first waves, all but the last one, or nearly half of them have nothing to do.
TEST(GoldenPlainDispatchGuardRun, ManyWaves) {
  constexpr uint32_t kMany = 64 * 3000;
  struct Bound {
    Cond cond;
    uint32_t value;
  };
  for (const Bound& bound : {Bound{Cond::Gt, 5}, Bound{Cond::Lt, kMany - 3},
                             Bound{Cond::Gt, kMany / 2 + 7}, Bound{Cond::Eq, kMany / 2 + 7}}) {
    SCOPED_TRACE(bound.value);
    Guard guard;
    guard.cond = bound.cond;
    Case one = guarded_case(guarded_saxpy(guard, 256), kMany, 256, bound.value);
    const Verdict verdict = judge(one);
    EXPECT_FALSE(verdict.wild);
    const uint64_t stores = bound.cond == Cond::Eq   ? 1
                            : bound.cond == Cond::Gt ? bound.value
                                                     : kMany - 1 - bound.value;
    EXPECT_EQ(verdict.stores, stores);
  }
}

/// Rows of work-groups that do the same as far as the bound lets them.
TEST(GoldenPlainDispatchGuardRun, Rows) {
  for (const uint32_t bound : {0u, 100u, kItems}) {
    for (const unsigned threads : {1u, 2u}) {
      SCOPED_TRACE(testing::Message() << bound << " " << threads);
      Case one = guarded_case(guarded_saxpy({}, 64), kItems, 64, bound);
      one.dispatches[0].grid = {kItems, 3, 1};
      one.setup.threads = threads;
      const Verdict verdict = judge(one);
      EXPECT_EQ(verdict.stores, uint64_t{3} * bound);
      EXPECT_EQ(verdict.race_bytes, threads == 2 ? 2 * bytes_of(bound) : 0);
    }
  }
}

/// With several threads, failures are those of one.
TEST(GoldenPlainDispatchGuardRun, FailuresWithThreads) {
  for (const uint32_t bound : {700u, 701u, 1000u, kItems}) {
    for (const uint64_t watchdog : Counts{0, 200, 600}) {
      SCOPED_TRACE(testing::Message() << bound << " " << watchdog);
      Case one = guarded_case(guarded_saxpy({}, 64), kItems, 64, bound);
      map_only(one, {{kX, kX + bytes_of(kItems)}, {kY, kY + bytes_of(700)}});
      one.setup.threads = 2;
      one.setup.watchdog = watchdog;
      const Verdict verdict = judge(one);
      EXPECT_TRUE(watchdog != 0 || verdict.wild == (bound > 700));
      EXPECT_EQ(verdict.watchdog, watchdog != 0 && !verdict.wild);
    }
  }
}

/// A wave in the middle changes the pointers or the scale of those behind it, if it passes.
TEST(GoldenPlainDispatchGuardRun, ArgumentsChange) {
  const auto ops = guarded_saxpy({}, 64);
  for (uint32_t word = 0; word < kArgumentWords; ++word) {
    for (const uint32_t item : {700u, 767u}) {
      for (const uint32_t bound : {item - 3, item, item + 1, kItems}) {
        SCOPED_TRACE(testing::Message() << word << " " << item << " " << bound);
        Case one = guarded_case(ops, kItems, 64, bound);
        one.setup.kernarg = kY + bytes_of(item) - 4 * word;
        map_only(one, {{kX, kX + bytes_of(kItems)}, {kY, kY + bytes_of(kItems)}});
        judge(one);
      }
    }
  }
}

/// A watchdog, a wild store and a bound that is changed, in one dispatch: which comes first.
TEST(GoldenPlainDispatchGuardRun, WatchdogOrWild) {
  const auto ops = guarded_saxpy({}, 64);
  for (const uint64_t waves : Counts{3, 9, 10, 11, 12, 20}) {
    for (const uint64_t more : Counts{0, 5, 15, 29}) {
      Case one = guarded_case(ops, kItems, 64, 704);
      map_only(one, {{kX, kX + bytes_of(kItems)}, {kY, kY + bytes_of(650)}});
      one.setup.watchdog = waves * ops.size() + more;
      one.setup.resident_waves = 8;
      const Verdict verdict = judge(one);
      EXPECT_TRUE(verdict.wild || verdict.watchdog);
    }
  }
}

}  // namespace
}  // namespace cuvette::golden::plain
