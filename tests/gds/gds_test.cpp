// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gds_bench.h"

// The gds block alone. Values, orders and cycles are worked out by hand from Vega ISA 12.15 and
// docs/reference/gds.md.
namespace cuvette::gds::testing {
namespace {

TEST(Gds, SizesOfTheTargets) {
  EXPECT_EQ(Bench(isa::Target::Gfx900).gds.size(), 65536u);
  EXPECT_EQ(Bench(isa::Target::Gfx906).gds.size(), 65536u);
  EXPECT_EQ(Bench(isa::Target::Gfx908).gds.size(), 4096u);
  EXPECT_EQ(Bench(isa::Target::Gfx90a).gds.size(), 0u);
  EXPECT_EQ(Bench(isa::Target::Gfx942).gds.size(), 0u);
}

TEST(Gds, StoresAndLoadsEveryWidth) {
  for (const uint8_t bytes : {1, 2, 4, 8, 12, 16}) {
    Bench b;
    for (uint32_t a = 0; a < 2048; a += 4) b.set(a, 0xffffffff);
    b.send(0, access(MemoryKind::Store, kAll & ~uint64_t{2}, bytes, bytes));
    b.send(0, access(MemoryKind::Load, kAll, bytes, bytes));
    b.run();
    for (unsigned lane = 0; lane < 64; ++lane) {
      for (unsigned d = 0; d < (bytes + 3u) / 4; ++d) {
        const uint32_t mask = bytes == 1 ? 0xff : bytes == 2 ? 0xffff : 0xffffffff;
        const uint32_t stored = lane == 1 ? ~0u : 1000 * (d + 1) + lane;
        EXPECT_EQ(b.last.data[d][lane], stored & mask) << unsigned{bytes} << " lane " << lane;
      }
    }
    EXPECT_EQ(b.word(64u * bytes), 0xffffffffu) << "nothing behind the last lane";
  }
}

TEST(Gds, TwoAddressesAndLanesWithOneOfThem) {
  Bench b;
  Request store = access(MemoryKind::Store, 0xff, 8, 8);
  store.accesses = 2;
  store.exec = {0x0f, 0x3c};
  b.send(1, store);
  b.run();
  for (unsigned lane = 0; lane < 8; ++lane) {
    EXPECT_EQ(b.word(8 * lane), lane < 4 ? 1000 + lane : 0) << lane;
    EXPECT_EQ(b.word(8 * lane + 4), lane < 4 ? 2000 + lane : 0) << lane;
    const bool second = lane >= 2 && lane < 6;
    EXPECT_EQ(b.word(1024 + 8 * lane), second ? 3000 + lane : 0) << lane;
    EXPECT_EQ(b.word(1024 + 8 * lane + 4), second ? 4000 + lane : 0) << lane;
  }
}

TEST(Gds, LanesActInOrderAndSrc2TakesItsOperandFromTheShare) {
  Bench b;
  Request all = access(MemoryKind::AtomicReturn, 0x70, 0);
  b.set(0, 5);
  b.send(0, all);
  b.run();
  // 1004, 1005 and 1006 on one word.
  EXPECT_EQ(b.last.data[0][4], 5u);
  EXPECT_EQ(b.last.data[0][5], 1009u);
  EXPECT_EQ(b.last.data[0][6], 2014u);
  EXPECT_EQ(b.word(0), 3020u);
  Request src2 = access(MemoryKind::Atomic, 1, 0);
  src2.operand_in_gds = true;
  b.set(1024, 80);
  b.send(0, src2, b.now);
  b.run();
  EXPECT_EQ(b.word(0), 3100u);
  EXPECT_EQ(b.gds.counters().atomics, 4u);
}

TEST(Gds, Src2WithAnOperandBehindTheShareGivesZeroAndWritesNothing) {
  for (const uint32_t from : {4092u, 4093u, 4096u, 0xfffffffcu}) {
    Bench b;
    Request src2 = access(MemoryKind::AtomicReturn, 1, 0);
    src2.operand_in_gds = true;
    src2.offset[1][0] = from;
    b.set(0, 5);
    b.set(4092, 70);
    b.send(0, src2);
    b.run();
    const bool inside = from == 4092;
    EXPECT_EQ(b.last.data[0][0], inside ? 5u : 0u) << from;
    EXPECT_EQ(b.word(0), inside ? 75u : 5u) << from;
  }
}

TEST(Gds, FloatAtomicsObeyTheMode) {
  for (const bool flush : {false, true}) {
    Bench b;
    Request r = add(1, 0x00000001);  // the least subnormal
    r.atomic = base::AtomicOp::FAdd;
    r.flush_in = r.flush_out = flush;
    b.send(0, r);
    b.run();
    EXPECT_EQ(b.word(0), flush ? 0u : 1u);
  }
}

TEST(Gds, BeyondTheShareNothingIsReadOrWritten) {
  Bench b;
  Request store = access(MemoryKind::Store, 3, 0);
  store.offset[0][0] = 4092;
  store.offset[0][1] = 4094;
  b.send(0, store);
  Request load = store;
  load.kind = MemoryKind::Load;
  b.send(0, load);
  b.run();
  EXPECT_EQ(b.last.data[0][0], 1000u);
  EXPECT_EQ(b.last.data[0][1], 0u);
  EXPECT_EQ(b.word(4092), 1000u);
}

TEST(Gds, ComputeUnitsTakeTurns) {
  Bench b;
  for (unsigned unit = 0; unit < 3; ++unit) {
    b.send(unit, add(10 * unit, 1));
    b.send(unit, add(10 * unit + 1, 1));
  }
  b.run();
  EXPECT_EQ(b.order(), "0 10 20 1 11 21 ");
  for (uint32_t n = 0; n < 6; ++n) EXPECT_EQ(b.answers[n].value, n);
  // Unit 2 was the last: unit 0 is next, and who comes later does not go before it.
  Bench late;
  late.send(1, add(1, 1));
  late.send(0, add(2, 1), kStart + 1);
  late.send(1, add(3, 1), kStart + 1);
  late.send(2, add(4, 1), kStart + 1);
  late.run();
  EXPECT_EQ(late.order(), "1 4 2 3 ");
}

TEST(Gds, ABarrierHoldsAllWavesUntilTheLast) {
  Bench b;
  b.send(0, sync(1, 11, SyncOp::Init, 2));
  b.run();
  for (const Cycle round : {Cycle{1000}, Cycle{2000}}) {
    b.answers.clear();
    b.send(0, sync(2, 11, SyncOp::Barrier, 2), round);
    b.send(2, sync(3, 13, SyncOp::Barrier, 2), round + 100);
    b.run();
    EXPECT_EQ(b.order(), "");
    b.send(1, sync(4, 12, SyncOp::Barrier, 2), round + 300);
    b.run();
    // It acts 4 cycles later; four beats each, and seen in the next cycle.
    const std::vector<Said> all = {{round + 304 + kLatency + 4, 1, 4, 0},
                                   {round + 304 + kLatency + 8, 0, 2, 0},
                                   {round + 304 + kLatency + 12, 2, 3, 0}};
    EXPECT_EQ(b.answers, all);
  }
  EXPECT_EQ(b.gds.counters().syncs, 7u);
  EXPECT_EQ(b.gds.counters().waits, 4u);
}

TEST(Gds, ResourcesAreApart) {
  Bench b;
  b.send(0, sync(1, 11, SyncOp::Init, 1, 3));
  b.send(0, sync(2, 11, SyncOp::Barrier, 1, 3));
  b.send(1, sync(3, 12, SyncOp::Barrier, 1, 63));  // of one wave: its counter is 0
  b.run();
  EXPECT_EQ(b.order(), "1 3 ");
  b.send(2, sync(4, 13, SyncOp::SemaphoreReleaseAll, 0, 63), 1000);
  b.run();
  EXPECT_EQ(b.order(), "1 3 4 ");
  b.send(2, sync(5, 13, SyncOp::SemaphoreReleaseAll, 0, 3), 2000);
  b.run();
  EXPECT_EQ(b.order(), "1 3 4 5 2 ");
}

TEST(Gds, ASemaphoreLetsAsManyGoAsItCounts) {
  Bench b;
  b.send(0, sync(1, 10, SyncOp::Init, 1));
  b.send(0, sync(2, 10, SyncOp::SemaphoreP));
  b.send(0, sync(3, 11, SyncOp::SemaphoreP), kStart + 10);
  b.send(1, sync(4, 12, SyncOp::SemaphoreP), kStart + 20);
  b.send(2, sync(5, 13, SyncOp::SemaphoreP), kStart + 30);
  b.run();
  EXPECT_EQ(b.order(), "1 2 ");
  b.send(0, sync(6, 10, SyncOp::SemaphoreV), 1000);
  b.run();
  EXPECT_EQ(b.order(), "1 2 6 3 ");  // the first that waits
  b.send(0, sync(7, 10, SyncOp::SemaphoreBulk, 3), 2000);
  b.run();
  EXPECT_EQ(b.order(), "1 2 6 3 7 4 5 ");
  b.send(2, sync(8, 13, SyncOp::SemaphoreP), 3000);  // one of the three is left
  b.send(2, sync(9, 14, SyncOp::SemaphoreP), 3000);
  b.run();
  EXPECT_EQ(b.order(), "1 2 6 3 7 4 5 8 ");
}

TEST(Gds, OrderedCountsFollowTheOrderOfWaves) {
  Bench b;
  for (const uint64_t wave : {20u, 21u, 22u, 23u, 24u}) b.wave(wave, false);
  b.wave(5, false, kStart, 2);  // of another dispatch: of no interest
  b.send(1, count(3, 23, 8), kStart + 1);
  b.send(2, count(2, 22, 4), kStart + 10);
  b.send(0, count(0, 20, 1), kStart + 20);
  b.run();
  EXPECT_EQ(b.order(), "0 ");
  b.wave(21, true, 1000);  // without a count of its own
  b.run();
  // Its turn comes in 1000. The walk looks at wave 23, which came first, at 22, and again at 23.
  const std::vector<Said> all = {{kStart + 24 + kLatency + 4, 0, 0, 0},
                                 {1002 + kLatency + 4, 2, 2, 1},
                                 {1002 + kLatency + 8, 1, 3, 5}};
  EXPECT_EQ(b.answers, all);
  b.send(0, count(4, 24, 2), 2000);
  b.run();
  EXPECT_EQ(b.answers.back(), (Said{2004 + kLatency + 4, 0, 4, 13}));
}

TEST(Gds, AWaveThatDoesNotReleaseHoldsLaterOnesUntilItsEnd) {
  Bench b;
  for (const uint64_t wave : {20u, 21u}) b.wave(wave, false);
  b.send(0, count(1, 20, 10, false));
  b.send(1, count(2, 21, 10));
  b.run();
  EXPECT_EQ(b.order(), "1 ");
  b.send(0, count(3, 20, 7, true), 1000);
  b.run();
  EXPECT_EQ(b.order(), "1 3 2 ");
  EXPECT_EQ(b.answers[2].value, 17u);
  b.send(0, count(4, 20, 1), 2000);  // its turn stays its own
  b.run();
  EXPECT_EQ(b.order(), "1 3 2 4 ");
}

TEST(Gds, AWaveNobodyToldOfDoesNotWait) {
  Bench b;
  b.send(0, count(1, 20, 10));
  b.run();
  EXPECT_EQ(b.order(), "1 ");
}

TEST(Gds, WavesAreForgottenWhenManyHaveEnded) {
  Bench b;
  for (uint64_t wave = 0; wave < 10000; ++wave) {
    b.wave(wave, false, kStart + wave);
    b.wave(wave, true, kStart + wave);
    if (wave % 100 == 0) b.run();
  }
  EXPECT_LT(b.gds.waves.size(), 5000u);
}

TEST(Gds, AWaveThatLeavesIsAnsweredAndNoLongerCounts) {
  Bench b;
  b.send(0, sync(1, 11, SyncOp::SemaphoreP));
  b.send(0, sync(2, 12, SyncOp::SemaphoreP));
  b.send(0, withdraw(11), 1000);
  b.run();
  EXPECT_EQ(b.order(), "1 ");
  EXPECT_EQ(b.answers[0].time, 1005 + kLatency + 4) << "behind the walk's first step";
  EXPECT_EQ(b.taken.size(), 2u);
  b.send(1, sync(3, 13, SyncOp::SemaphoreV), 2000);
  b.run();
  EXPECT_EQ(b.order(), "1 3 2 ");
  // One at an ordered count; and one that waits for nothing.
  for (const uint64_t wave : {20u, 21u}) b.wave(wave, false, 3000);
  b.send(2, count(4, 21, 5), 3000);
  b.send(2, withdraw(21), 4000);
  b.send(2, withdraw(22), 4000);
  b.run();
  EXPECT_EQ(b.order(), "1 3 2 4 ");
  b.send(0, count(5, 20, 1), 5000);
  b.run();
  EXPECT_EQ(b.answers.back().value, 0u) << "the count of the wave that left was not made";
}

}  // namespace
}  // namespace cuvette::gds::testing
