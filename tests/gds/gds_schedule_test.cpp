// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gds_bench.h"

// The steps of docs/reference/gds.md, Timing, by hand. Times are those from the cycle of the first
// beat on: a request acts, its last beat having been held, at 4, and an access starts in the banks
// at 5. Answers take 4 cycles, and are seen in the next one.
namespace cuvette::gds::testing {
namespace {

TEST(GdsTimes, OfAccessesByTheWordsOfTheBanks) {
  struct Case {
    uint64_t exec;
    uint32_t stride;
    uint8_t bytes, accesses;
    Cycle answered, next;  // next: an atomic operation behind it, which starts at 9 or later
  };
  for (const Case& c :
       {Case{1, 16, 4, 1, 73, 77}, Case{0, 16, 4, 1, 73, 77}, Case{kAll, 4, 4, 1, 73, 77},
        Case{kAll, 8, 8, 1, 73, 77}, Case{kAll, 16, 16, 1, 73, 81},  // 8 cycles in the banks
        Case{kAll, 8, 8, 2, 73, 81}, Case{kAll, 0, 4, 1, 73, 77},    // one word
        Case{3, 128, 4, 1, 74, 78},                                  // two words of one bank
        Case{kAll, 128, 4, 1, 135, 139}}) {                          // 64 of them; 2 would be free
    SCOPED_TRACE(std::to_string(c.stride) + " " + std::to_string(c.bytes));
    Bench b(isa::Target::Gfx900);
    Request r = access(MemoryKind::Load, c.exec, c.stride, c.bytes);
    r.accesses = c.accesses;
    b.send(2, r);
    b.send(2, add(8, 1));
    b.run();
    const std::vector<Said> taken = {{kStart + 5, 2, 7, 0}, {kStart + 9, 2, 8, 0}};
    EXPECT_EQ(b.taken, taken);
    ASSERT_EQ(b.answers.size(), 2u);
    EXPECT_EQ(b.answers[0].time, kStart + c.answered);
    EXPECT_EQ(b.answers[1].time, kStart + c.next);
    EXPECT_EQ(b.gds.counters().busy_cycles, 8u);
  }
}

/// Two dwords that are 64 bytes apart are in one of 16 banks, in two of 32.
TEST(GdsTimes, TheWidthIsABankForFourBytes) {
  for (const uint32_t width : {64u, 128u}) {
    Bench b(isa::Target::Gfx908, 1, width);
    b.send(0, access(MemoryKind::Load, 3, 64));
    b.run();
    ASSERT_EQ(b.answers.size(), 1u);
    EXPECT_EQ(b.answers[0].time, kStart + (width == 64 ? 74 : 73));
  }
}

/// An atomic operation is served for 65 cycles. The first one is from 5 to 69, the second from 70
/// on, and the third has no room before: its beats go on from 70 to 73.
TEST(GdsTimes, OfAtomicOperationsInARow) {
  Bench b;
  for (const uint32_t id : {1u, 2u, 3u}) b.send(0, add(id, 1));
  b.run();
  const std::vector<Said> taken = {
      {kStart + 5, 0, 1, 0}, {kStart + 9, 0, 2, 0}, {kStart + 74, 0, 3, 0}};
  EXPECT_EQ(b.taken, taken);
  const std::vector<Said> answers = {
      {kStart + 73, 0, 1, 0}, {kStart + 138, 0, 2, 1}, {kStart + 203, 0, 3, 2}};
  EXPECT_EQ(b.answers, answers);
}

/// Loads start at 5, 9, 13 and 17. The fifth waits until the first answer has gone, at 72, the
/// sixth for the second one, at 76, and the beats of the seventh until the fifth is served, at 73.
TEST(GdsTimes, FourAnswersAreUnderWay) {
  Bench b;
  Request r = access(MemoryKind::Load, 1, 4);
  for (r.id = 1; r.id < 8; ++r.id) b.send(0, r);
  b.run();
  std::vector<Cycle> taken, answered;
  for (const Said& s : b.taken) taken.push_back(s.time - kStart);
  for (const Said& s : b.answers) answered.push_back(s.time - kStart);
  EXPECT_EQ(taken, (std::vector<Cycle>{5, 9, 13, 17, 21, 25, 78}));
  EXPECT_EQ(answered, (std::vector<Cycle>{73, 77, 81, 85, 141, 145, 149}));
}

/// A walk looks at a waiting request in a cycle, from the one behind 4 on, and has a last cycle in
/// which nobody is left.
TEST(GdsTimes, ARequestActsBehindAWalk) {
  Bench b;
  for (uint32_t n = 0; n < 10; ++n) b.send(0, sync(n, 100 + n, SyncOp::SemaphoreP));
  b.run();
  b.taken.clear();
  b.send(1, withdraw(107), 1000);
  b.send(2, sync(20, 50, SyncOp::Init, 0, 6), 1000);
  b.run();
  // Number 7 is looked at in 1012, and the walk ends in 1015: places 7 and 8 are those of 8 and 9.
  const std::vector<Said> answers = {{1012 + 64 + 4, 0, 7, 0}, {1016 + 64 + 4, 2, 20, 0}};
  EXPECT_EQ(b.answers, answers);
  EXPECT_EQ(b.taken, (std::vector<Said>{{1017, 2, 20, 0}}));
}

/// The walk behind a semaphore that counts one ends in the cycle behind the wave that goes on,
/// though more are waiting: it acts at 4, so that the next request of another compute unit waits no
/// longer.
TEST(GdsTimes, AWalkEndsWithWhatTheSemaphoreCounts) {
  Bench b;
  for (uint32_t n = 0; n < 20; ++n) b.send(0, sync(n, 100 + n, SyncOp::SemaphoreP));
  b.run();
  b.taken.clear();
  b.send(1, sync(30, 50, SyncOp::SemaphoreV), 1000);
  b.send(2, sync(31, 51, SyncOp::Init, 0, 6), 1000);
  b.run();
  EXPECT_EQ(b.taken, (std::vector<Said>{{1005, 1, 30, 0}, {1009, 2, 31, 0}}));
}

/// Sixteen answers of syncs are kept for their 64 cycles: the walk over 20 waves stops at the
/// seventeenth answer until the first one has gone.
TEST(GdsTimes, SixteenAnswersOfSyncsAreKept) {
  Bench b;
  for (uint32_t n = 0; n < 20; ++n) b.send(0, sync(n, 100 + n, SyncOp::SemaphoreP));
  b.run();
  b.taken.clear();
  b.send(1, sync(30, 50, SyncOp::SemaphoreReleaseAll), 1000);
  b.send(1, sync(31, 50, SyncOp::Init, 0, 6), 1001);
  b.run();
  // Acts in 1004 and is answered from 1068 to 1071; then one answer in four cycles. Number 15 goes
  // on when there is room, in 1072, numbers 16 to 19 in 1076 to 1088, and their answers are due 64
  // cycles later. The walk ends in 1089; the next request acts when there is room, in 1092.
  ASSERT_EQ(b.answers.size(), 22u);
  for (unsigned n = 0; n < 22; ++n) {
    EXPECT_EQ(b.answers[n].time, (n < 16 ? 1072u : 1076u) + 4 * n) << n;
  }
  EXPECT_EQ(b.taken, (std::vector<Said>{{1005, 1, 30, 0}, {1093, 1, 31, 0}}));
}

/// The memory and the sync unit answer in turns. Waves go on from 69 on; a load acts at 8, and its
/// answer is due at 73, while that of the first wave goes from 72 to 75.
TEST(GdsTimes, BothPartsAnswerInTurns) {
  Bench b;
  for (uint32_t n = 1; n < 4; ++n) b.send(0, sync(n, 100 + n, SyncOp::SemaphoreP));
  b.run();
  b.send(1, sync(9, 50, SyncOp::SemaphoreBulk, 3), 1000);
  b.send(2, access(MemoryKind::Load, 1, 4), 1000);
  b.run();
  const std::vector<Said> answers = {
      {1072, 1, 9, 0}, {1076, 0, 1, 0}, {1080, 2, 7, 0}, {1084, 0, 2, 0}, {1088, 0, 3, 0}};
  EXPECT_EQ(b.answers, answers);
}

/// A wave that begins when a request could act, at 4, goes first.
TEST(GdsTimes, WavesGoBeforeARequestThatActs) {
  for (const Cycle at : {Cycle{3}, Cycle{4}, Cycle{5}}) {
    SCOPED_TRACE(at);
    Bench b;
    b.wave(20, false, kStart + at);
    b.send(0, count(1, 21, 1));
    b.run();
    EXPECT_EQ(b.order(), at == 5 ? "1 " : "");
    EXPECT_EQ(b.taken, (std::vector<Said>{{kStart + (at == 4 ? 6 : 5), 0, 1, 0}}));
  }
}

/// A withdrawal that may act, at 1004, goes before a wave that ends then. When the wave ends in
/// 1003 the one that waits for it counts first.
TEST(GdsTimes, AWithdrawalGoesBeforeWaves) {
  for (const Cycle at : {Cycle{1003}, Cycle{1004}}) {
    SCOPED_TRACE(at);
    Bench b;
    for (const uint64_t wave : {20u, 21u}) b.wave(wave, false);
    b.send(0, count(1, 21, 5));
    b.run();
    b.send(0, withdraw(21), 1000);
    b.wave(20, true, at);
    b.run();
    EXPECT_EQ(b.order(), "1 ");
    b.send(1, count(2, 22, 1), 2000);
    b.run();
    EXPECT_EQ(b.answers.back().value, at == 1003 ? 5u : 0u);
  }
}

/// Each shader engine tells of a wave a cycle.
TEST(GdsTimes, WavesComeOneACycleOfEachEngine) {
  for (const unsigned engines : {1u, 3u}) {
    GdsModel gds({isa::Target::Gfx908, 1, kLatency, 128, engines});
    for (uint64_t wave = 20; wave < 26; ++wave) gds.waves.push({wave, 1, false}, kStart + 2);
    gds.compute_unit(0).request.push(count(1, 20, 1), kStart);
    for (Cycle now = kStart; now < kStart + 20; ++now) gds.tick(now);
    // From 2 on: to 7, so that it acts at 8, or to 3.
    EXPECT_EQ(gds.compute_unit(0).taken.next_event(), kStart + (engines == 1 ? 9 : 5));
  }
}

}  // namespace
}  // namespace cuvette::gds::testing
