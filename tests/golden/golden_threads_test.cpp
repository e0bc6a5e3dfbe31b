// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Several host threads: memory, reports and instruction counts are those of one, whatever the
// work-groups do to each other.
#include <cstring>
#include <utility>

#include "golden/access_map.h"
#include "golden/launch.h"
#include "small_kernel.h"

namespace cuvette::golden::testing {
namespace {

// Assembled by llvm-mc for gfx908. s[0:1]: kernarg, whose first 8 bytes are the address of the
// data; s2: work-group; v0: lane. All addresses below are offsets in the data.
/// Every lane adds one to a word of its own at 2048, takes a number from the counter at 0 and
/// writes its work-group to 0x8000 + 4 * number.
const std::vector<uint32_t> kTickets = {0xc0060100, 0x00000000, 0xbf8cc07f, 0x240c0082, 0x8e068802,
                                        0x680c0c06, 0xdc508800, 0x07040006, 0xbf8c0f70, 0x680e0e81,
                                        0xdc708800, 0x00040706, 0x7e020280, 0x7e040281, 0xdd098000,
                                        0x03040201, 0xbf8c0f70, 0x24080682, 0x8004ff04, 0x00008000,
                                        0x82058005, 0x7e0a0202, 0xdc708000, 0x00040504, 0xbf810000};
/// Lane n of every work-group stores the work-group to 4 * n.
const std::vector<uint32_t> kOverlap = {0xc0060100, 0x00000000, 0xbf8cc07f, 0x24080082,
                                        0x7e0a0202, 0xdc708000, 0x00040504, 0xbf810000};
/// Work-group 0 waits until the counter at 0 has reached 448 = 7 * 64, then stores 7 to 64. The
/// lanes of the others add one each.
const std::vector<uint32_t> kSpin = {
    0xc0060100, 0x00000000, 0xbf8cc07f, 0x7e020280, 0xbf068002, 0xbf850004, 0x7e040281,
    0xdd088000, 0x00040201, 0xbf810000, 0xdc518000, 0x03040001, 0xbf8c0f70, 0x7e0c0503,
    0xbf06ff06, 0x000001c0, 0xbf84fff9, 0x7e040287, 0xdc708040, 0x00040201, 0xbf810000};
/// Lane n of all work-groups: add 1 at 4 * (n % 8), unsigned maximum with the number of the
/// work-item at 64 + 4 * (n % 8), add 1 to 64 bits at 128, store 1 at 256 + 4 * work-item.
const std::vector<uint32_t> kCounters = {
    0xc0060100, 0x00000000, 0xbf8cc07f, 0x26020087, 0x24020282, 0x7e040281, 0x8e068602,
    0x68060006, 0xdd088000, 0x00040201, 0xdd1c8040, 0x00040301, 0x7e080280, 0x7e0a0281,
    0x7e0c0280, 0xdd888080, 0x00040504, 0x24060682, 0xdc708100, 0x00040203, 0xbf810000};
/// Work-group 1 takes the unsigned maximum of the word at 0 and 3, the others add 3.
const std::vector<uint32_t> kKinds = {0xc0060100, 0x00000000, 0xbf8cc07f, 0x7e020280, 0x7e040283,
                                      0xbf068102, 0xbf850003, 0xdd088000, 0x00040201, 0xbf810000,
                                      0xdd1c8000, 0x00040201, 0xbf810000};
/// Every work-item adds its number to a float at 0.
const std::vector<uint32_t> kFloat = {0xc0060100, 0x00000000, 0xbf8cc07f, 0x7e020280, 0xd1fd0002,
                                      0x04010c02, 0x7e040d02, 0xdd348000, 0x00040201, 0xbf810000};
/// Every work-item stores its work-group to 4 * work-item; work-group 2 then stores 2^40 further
/// on.
const std::vector<uint32_t> kWild = {
    0xc0060100, 0x00000000, 0xbf8cc07f, 0x24080082, 0x8e068802, 0x68080806, 0x7e0a0202, 0xdc708000,
    0x00040504, 0xbf078202, 0xbf850004, 0x8005ff05, 0x00000100, 0xdc708000, 0x00040504, 0xbf810000};
/// Work-group 3 never ends.
const std::vector<uint32_t> kEndless = {0xc0060100, 0x00000000, 0xbf8cc07f,
                                        0xbf068302, 0xbf85fffe, 0xbf810000};
/// Lane n of work-group g stores byte g to 4 * n + g.
const std::vector<uint32_t> kBytes = {0xc0060100, 0x00000000, 0xbf8cc07f, 0xd1fd0001, 0x00090500,
                                      0x7e040202, 0xdc608000, 0x00040201, 0xbf810000};
/// Every work-group stores 0 to its own code, 1 KiB on.
const std::vector<uint32_t> kCode = {0xc0060100, 0x00000000, 0xbf8cc07f, 0xbe881c00, 0x7e020280,
                                     0x7e040280, 0xdc708400, 0x00080201, 0xbf810000};
/// Lane n of work-group g stores g to 16 * n + 4 * g, loads it, adds one and stores that.
const std::vector<uint32_t> kStrided = {
    0xc0060100, 0x00000000, 0xbf8cc07f, 0x24020084, 0xd1fd0001, 0x04050402, 0x7e040202, 0xdc708000,
    0x00040201, 0xdc508000, 0x03040001, 0xbf8c0f70, 0x68060681, 0xdc708000, 0x00040301, 0xbf810000};
/// Every work-item adds one to a word of its own.
const std::vector<uint32_t> kInPlace = {0xc0060100, 0x00000000, 0xbf8cc07f, 0x8e068602, 0x68020006,
                                        0x24020282, 0xdc508000, 0x02040001, 0xbf8c0f70, 0x68040481,
                                        0xdc708000, 0x00040201, 0xbf810000};
/// Every work-item loads the word of its neighbour in the next work-group, and stores that and the
/// number of its work-group and one to its own.
const std::vector<uint32_t> kNeighbour = {
    0xc0060100, 0x00000000, 0xbf8cc07f, 0x8e068602, 0x68020006, 0x24020282, 0xdc508100,
    0x02040001, 0xbf8c0f70, 0x68040402, 0x68040481, 0xdc708000, 0x00040201, 0xbf810000};

constexpr uint64_t kDataBytes = 0x20000 + 100;  // not a whole number of blocks or lines
constexpr unsigned kThreads[] = {1, 2, 3, 8};

struct Outcome {
  Report report;
  std::vector<uint8_t> data;

  uint32_t word(uint64_t offset) const {
    uint32_t value = 0;
    std::memcpy(&value, &data[offset], 4);
    return value;
  }
};

/// `dispatches` times on the same memory and machine.
Outcome run(const std::vector<uint32_t>& code, uint32_t groups, unsigned threads,
            unsigned dispatches = 1, uint64_t watchdog = 0) {
  SmallKernel k(code, groups, kDataBytes);
  Config config;
  config.threads = threads;
  config.watchdog = watchdog;
  Machine machine(k.memory, config);
  Outcome out;
  for (unsigned i = 0; i < dispatches; ++i) {
    auto report = machine.run(k.request);
    EXPECT_TRUE(report.ok());
    if (report) out.report = *report;
  }
  out.data.resize(kDataBytes);
  EXPECT_TRUE(k.memory.read(k.data, out.data.data(), kDataBytes));
  return out;
}

void expect_equal(const Outcome& found, const Outcome& one, unsigned threads) {
  SCOPED_TRACE(std::to_string(threads) + " threads");
  EXPECT_TRUE(found.data == one.data);
  EXPECT_EQ(found.report.instructions, one.report.instructions);
  EXPECT_EQ(found.report.waves, one.report.waves);
  EXPECT_EQ(found.report.workgroups, one.report.workgroups);
  EXPECT_TRUE(found.report.by_row == one.report.by_row);
  ASSERT_EQ(found.report.failures.size(), one.report.failures.size());
  for (size_t i = 0; i < one.report.failures.size(); ++i) {
    EXPECT_EQ(found.report.failures[i].kind, one.report.failures[i].kind);
    EXPECT_EQ(found.report.failures[i].message, one.report.failures[i].message);
  }
}

/// Runs with 1, 2, 3 and 8 threads; all must equal the first, and those with several say why they
/// were done over. Gives the last one.
Outcome run_all(const std::vector<uint32_t>& code, uint32_t groups, const std::string& restarted,
                uint64_t watchdog = 0) {
  const Outcome one = run(code, groups, 1, 1, watchdog);
  EXPECT_EQ(one.report.restarted, "");
  Outcome last = one;
  for (const unsigned threads : kThreads) {
    last = run(code, groups, threads, 1, watchdog);
    expect_equal(last, one, threads);
    if (threads > 1) {
      EXPECT_EQ(last.report.restarted, restarted) << threads << " threads";
    }
  }
  return last;
}

TEST(GoldenThreads, NumbersInCanonicalOrder) {
  constexpr uint32_t kGroups = 100;
  const Outcome last = run_all(kTickets, kGroups, "a returning atomic in work-group 0");
  EXPECT_EQ(last.word(0), 64 * kGroups);
  for (uint32_t i = 0; i < 64 * kGroups; ++i) {
    ASSERT_EQ(last.word(0x8000 + 4 * i), i / 64) << i;
    // The stores of the parallel try are gone.
    ASSERT_EQ(last.word(2048 + 4 * i), 1u) << i;
  }
  EXPECT_EQ(last.report.race_bytes, 0u);
}

TEST(GoldenThreads, OverlappingStores) {
  constexpr uint32_t kGroups = 300;
  const Outcome last =
      run_all(kOverlap, kGroups, "an overlap with another work-group in work-group 1");
  for (uint32_t lane = 0; lane < 64; ++lane) EXPECT_EQ(last.word(4 * lane), kGroups - 1);
  // All work-groups but the first find 256 bytes changed.
  EXPECT_EQ(last.report.race_bytes, 256u * (kGroups - 1));
  ASSERT_EQ(last.report.races.size(), 8u);
  EXPECT_NE(last.report.races[0].find(": work-group 0 writes, work-group 1 writes"),
            std::string::npos)
      << last.report.races[0];
  EXPECT_NE(last.report.races[4].find(": work-group 0 writes, work-group 2 writes"),
            std::string::npos)
      << last.report.races[4];
}

TEST(GoldenThreads, OneWaitsForTheOthers) {
  const Outcome last = run_all(kSpin, 8, "an overlap with another work-group in work-group 1");
  EXPECT_EQ(last.word(0), 448u);
  EXPECT_EQ(last.word(64), 7u);
  // Work-group 0 with each of the others, who only use atomics among themselves.
  EXPECT_EQ(last.report.race_bytes, 4u * 7);
  ASSERT_EQ(last.report.races.size(), 7u);
  EXPECT_NE(last.report.races[6].find(": work-group 0 reads, work-group 7 updates"),
            std::string::npos)
      << last.report.races[6];
}

TEST(GoldenThreads, AtomicsThatCommuteRunTogether) {
  constexpr uint32_t kGroups = 250;
  const Outcome last = run_all(kCounters, kGroups, "");
  for (uint32_t n = 0; n < 8; ++n) {
    EXPECT_EQ(last.word(4 * n), 8 * kGroups);
    EXPECT_EQ(last.word(64 + 4 * n), 64 * (kGroups - 1) + 56 + n);
  }
  EXPECT_EQ(last.word(128), 64 * kGroups);
  EXPECT_EQ(last.word(132), 0u);
  for (uint32_t i = 0; i < 64 * kGroups; ++i) ASSERT_EQ(last.word(256 + 4 * i), 1u) << i;
  EXPECT_EQ(last.report.race_bytes, 0u);
}

TEST(GoldenThreads, AtomicsOfTwoKinds) {
  // Canonical order: 3, then the maximum of 3 and 3, then 3 more for every other lane.
  const Outcome last = run_all(kKinds, 3, "an overlap with another work-group in work-group 1");
  EXPECT_EQ(last.word(0), 64u * 3 + 64u * 3);
  EXPECT_EQ(last.report.race_bytes, 0u);
}

TEST(GoldenThreads, FloatSumsInCanonicalOrder) {
  constexpr uint32_t kGroups = 200;
  const Outcome last = run_all(kFloat, kGroups, "a float atomic in work-group 0");
  float sum = 0;
  for (uint32_t i = 0; i < 64 * kGroups; ++i) sum += static_cast<float>(i);
  float found;
  std::memcpy(&found, last.data.data(), 4);
  EXPECT_EQ(found, sum);  // above 2^24: every sum is rounded
}

TEST(GoldenThreads, WildAccess) {
  const Outcome last = run_all(kWild, 50, "a failure");
  ASSERT_EQ(last.report.failures.size(), 1u);
  EXPECT_EQ(last.report.failures[0].kind, Failure::Kind::WildAccess);
  // One thread had not begun with work-group 3 then.
  EXPECT_EQ(last.word(4 * 64 * 2), 2u);
  EXPECT_EQ(last.word(4 * 64 * 3), 0u);
}

TEST(GoldenThreads, Watchdog) {
  const Outcome last = run_all(kEndless, 20, "a failure", 100'000);
  ASSERT_EQ(last.report.failures.size(), 1u);
  EXPECT_EQ(last.report.failures[0].kind, Failure::Kind::Watchdog);
}

TEST(GoldenThreads, NeighbouringBytesAreNoOverlap) {
  const Outcome last = run_all(kBytes, 4, "");
  for (uint32_t lane = 0; lane < 64; ++lane) EXPECT_EQ(last.word(4 * lane), 0x03020100u);
  EXPECT_EQ(last.report.race_bytes, 0u);
}

TEST(GoldenThreads, InterleavedWordsAreNoOverlap) {
  const Outcome last = run_all(kStrided, 4, "");
  for (uint32_t i = 0; i < 256; ++i) EXPECT_EQ(last.word(4 * i), i % 4 + 1);
}

// Loads come first here: whether their bytes count is not known before the first store.
TEST(GoldenThreads, InPlaceIsNoOverlap) {
  constexpr uint32_t kGroups = 500;
  const Outcome last = run_all(kInPlace, kGroups, "");
  for (uint32_t i = 0; i < 64 * kGroups; ++i) ASSERT_EQ(last.word(4 * i), 1u) << i;
  EXPECT_EQ(last.report.race_bytes, 0u);
}

TEST(GoldenThreads, LoadsBeforeAnotherGroupsStores) {
  constexpr uint32_t kGroups = 500;
  const Outcome last =
      run_all(kNeighbour, kGroups, "an overlap with another work-group in work-group 1");
  for (uint32_t i = 0; i < 64 * kGroups; ++i) ASSERT_EQ(last.word(4 * i), i / 64 + 1) << i;
  EXPECT_EQ(last.report.race_bytes, 256u * (kGroups - 1));
}

TEST(GoldenThreads, CodeThatIsRewritten) {
  run_all(kCode, 4, "a store to executable memory in work-group 0");
}

TEST(GoldenThreads, SeveralDispatches) {
  constexpr unsigned kTimes = 20;
  for (const unsigned threads : kThreads) {
    expect_equal(run(kCounters, 250, threads, kTimes), run(kCounters, 250, 1, kTimes), threads);
    expect_equal(run(kTickets, 100, threads, kTimes), run(kTickets, 100, 1, kTimes), threads);
    expect_equal(run(kInPlace, 500, threads, kTimes), run(kInPlace, 500, 1, kTimes), threads);
    expect_equal(run(kNeighbour, 500, threads, kTimes), run(kNeighbour, 500, 1, kTimes), threads);
  }
}

// Code and storage that are kept from dispatch to dispatch: other code in the same place, other
// numbers of work-groups, dispatches behind ones that were done over, failed or never ended.
TEST(GoldenThreads, OtherKernelsInTheSamePlace) {
  const std::pair<const std::vector<uint32_t>*, uint32_t> turns[] = {
      {&kInPlace, 500}, {&kStrided, 4},  {&kOverlap, 3},   {&kInPlace, 2}, {&kWild, 50},
      {&kInPlace, 500}, {&kEndless, 20}, {&kCounters, 30}, {&kFloat, 5},   {&kBytes, 4}};
  const auto run_turns = [&turns](unsigned threads) {
    SmallKernel k(kInPlace, 1, kDataBytes);
    Config config;
    config.threads = threads;
    config.watchdog = 100'000;
    Machine machine(k.memory, config);
    std::vector<Outcome> all;
    for (const auto& [code, groups] : turns) {
      EXPECT_TRUE(k.memory.write(k.kernel.entry, code->data(), 4 * code->size()).ok());
      k.request.grid[0] = 64 * groups;
      auto report = machine.run(k.request);
      EXPECT_TRUE(report.ok());
      Outcome& out = all.emplace_back();
      if (report) out.report = *report;
      out.data.resize(kDataBytes);
      EXPECT_TRUE(k.memory.read(k.data, out.data.data(), kDataBytes));
    }
    return all;
  };
  const std::vector<Outcome> one = run_turns(1);
  ASSERT_EQ(one.size(), std::size(turns));
  EXPECT_EQ(one[0].word(4 * 31999), 1u);
  EXPECT_EQ(one[4].report.failures.size(), 1u);
  EXPECT_EQ(one[6].report.failures.size(), 1u);
  EXPECT_EQ(one[9].word(0), 0x03020100u);
  for (const unsigned threads : {2u, 3u, 8u}) {
    const std::vector<Outcome> several = run_turns(threads);
    for (size_t i = 0; i < one.size(); ++i) {
      SCOPED_TRACE("dispatch " + std::to_string(i));
      expect_equal(several[i], one[i], threads);
    }
  }
}

// Sums and differences share a kind; a width is a kind of its own; what is not listed is Mixed.
TEST(GoldenThreads, KindsOfAtomics) {
  using base::AtomicOp;
  EXPECT_EQ(atomic_kind(AtomicOp::Add, 4), atomic_kind(AtomicOp::Sub, 4));
  EXPECT_NE(atomic_kind(AtomicOp::Add, 4), atomic_kind(AtomicOp::Add, 8));
  EXPECT_NE(atomic_kind(AtomicOp::SMin, 4), atomic_kind(AtomicOp::UMin, 4));
  for (const AtomicOp op : {AtomicOp::Swap, AtomicOp::CmpSwap, AtomicOp::RSub, AtomicOp::Inc,
                            AtomicOp::Dec, AtomicOp::MSkOr, AtomicOp::FAdd, AtomicOp::FMin,
                            AtomicOp::PkAddF16, AtomicOp::Wrap, AtomicOp::CondXchg32}) {
    EXPECT_EQ(atomic_kind(op, 4), AtomicKind::Mixed);
  }
}

TEST(GoldenLaunch, MoreWorkgroupsThanIdsAreRefused) {
  SmallKernel k({0xbf810000}, 1, 64);
  const auto plan = [&k](uint32_t x, uint32_t y, uint32_t z) {
    k.request.grid = {x, y, z};
    k.request.workgroup = {1, 1, 1};
    return plan_launch(k.request, {});
  };
  constexpr uint32_t kMost = 0xffffffff, k22 = 1u << 22, k12 = 1u << 12;
  // 96 bits; 2^66, which is 0 in 64; 2^64; one more than 2^36 can be.
  EXPECT_FALSE(plan(kMost, kMost, kMost).ok());
  EXPECT_FALSE(plan(k22, k22, k22).ok());
  EXPECT_FALSE(plan(1u << 31, 1u << 31, 4).ok());
  auto refused = plan(k12, k12, k12 + 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().what, "grid of more than 68719476736 work-groups");
  auto largest = plan(k12, k12, k12);
  ASSERT_TRUE(largest.ok());
  EXPECT_EQ(largest->workgroups(), uint64_t{1} << 36);
}

}  // namespace
}  // namespace cuvette::golden::testing
