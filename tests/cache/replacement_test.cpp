// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cache/replacement.h"

#include <set>
#include <string>
#include <vector>

#include "cache_fixture.h"

// Replacement policies, alone and in the cache; victims by hand.
namespace cuvette::cache {
namespace {

std::unique_ptr<Replacement> policy(const std::string& name, const ReplacementShape& shape) {
  auto made = make_replacement(name, shape);
  EXPECT_TRUE(made.ok()) << made.error().str();
  return std::move(*made);
}
std::string error_of(const std::string& name, uint32_t ways) {
  const auto made = make_replacement(name, {1, ways, 0});
  return made.ok() ? "accepted" : made.error().str();
}
/// The victim after the last use.
unsigned after(Replacement& r, const std::vector<size_t>& lines) {
  for (const size_t line : lines) r.touch(line);
  return r.victim(0);
}

TEST(Replacement, LruTakesTheOldestUse) {
  const auto r = policy("lru", {.sets = 2, .ways = 4});
  EXPECT_EQ(after(*r, {0, 1, 2, 3}), 0u);
  EXPECT_EQ(after(*r, {0}), 1u);
  EXPECT_EQ(after(*r, {2}), 1u);
  EXPECT_EQ(after(*r, {1}), 3u);
  EXPECT_EQ(after(*r, {3, 3}), 0u);
  EXPECT_EQ(r->victim(0), 0u) << "nothing was used since";
  // Lines 4 to 7 are those of set 1.
  EXPECT_EQ(after(*r, {7, 6, 5, 4}), 0u);
  EXPECT_EQ(r->victim(1), 3u);
}

/// 3 ways, which a tree cannot have.
TEST(Replacement, LruHasAnyNumberOfWays) {
  const auto r = policy("lru", {.sets = 1, .ways = 3});
  EXPECT_EQ(after(*r, {2, 0, 1}), 2u);
  EXPECT_EQ(after(*r, {2}), 0u);
}

/// Root over ways 0 and 1, and 2 and 3: each use makes the other side of both nodes the older one.
TEST(Replacement, TreePlruTakesTheOlderSideOfEachNode) {
  const auto r = policy("tree_plru", {.sets = 2, .ways = 4});
  EXPECT_EQ(after(*r, {0, 1, 2, 3}), 0u);
  EXPECT_EQ(after(*r, {0}), 2u) << "true LRU: 1";
  EXPECT_EQ(after(*r, {2}), 1u);
  EXPECT_EQ(after(*r, {1}), 3u);
  EXPECT_EQ(after(*r, {3}), 0u);
  EXPECT_EQ(after(*r, {2}), 0u) << "the other pair was not used";
  EXPECT_EQ(after(*r, {1}), 3u);
  EXPECT_EQ(after(*r, {4, 5, 6, 7}), 3u) << "set 1 has nodes of its own";
  EXPECT_EQ(r->victim(1), 0u);
}

/// Three levels. Each victim is used at once: the halves, the quarters, the ways take turns.
TEST(Replacement, TreePlruOfEightWays) {
  const auto r = policy("tree_plru", {.sets = 1, .ways = 8});
  for (const unsigned way : {0u, 4u, 2u, 6u, 1u, 5u, 3u, 7u, 0u}) {
    EXPECT_EQ(r->victim(0), way);
    r->touch(way);
  }
}

TEST(Replacement, TreePlruOfOneAndTwoWays) {
  const auto one = policy("tree_plru", {.sets = 2, .ways = 1});
  one->touch(1);
  EXPECT_EQ(one->victim(1), 0u);
  const auto two = policy("tree_plru", {.sets = 1, .ways = 2});
  EXPECT_EQ(after(*two, {0}), 1u);
  EXPECT_EQ(after(*two, {1}), 0u);
}

/// The first numbers of SplitMix64 from 1234567 on, as published: 6457827717110365317,
/// 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821. As parts of
/// 2^64 these are 0.350, 0.174, 0.532, 0.249 and 0.890.
TEST(Replacement, RandomDrawsFromTheSeed) {
  const std::vector<std::pair<uint32_t, std::vector<unsigned>>> cases = {
      {4, {1, 0, 2, 0, 3}}, {3, {1, 0, 1, 0, 2}}, {10, {3, 1, 5, 2, 8}}, {1, {0, 0, 0, 0, 0}}};
  for (const auto& [ways, victims] : cases) {
    const auto r = policy("random", {.sets = 2, .ways = ways, .seed = 1234567});
    for (const unsigned victim : victims) {
      r->touch(0);
      EXPECT_EQ(r->victim(0), victim) << ways << " ways";
    }
  }
  // All sets draw from one sequence.
  const auto r = policy("random", {.sets = 2, .ways = 4, .seed = 1234567});
  EXPECT_EQ(r->victim(0), 1u);
  EXPECT_EQ(r->victim(1), 0u);
  EXPECT_EQ(r->victim(0), 2u);
}

TEST(Replacement, RandomTakesEachWayAboutAsOften) {
  const auto r = policy("random", {.sets = 1, .ways = 64, .seed = 1});
  std::vector<unsigned> count(64);
  for (unsigned n = 0; n < 64000; ++n) ++count.at(r->victim(0));
  for (const unsigned n : count) {  // 1000 each, with a deviation of 31
    EXPECT_GT(n, 800u);
    EXPECT_LT(n, 1200u);
  }
}

TEST(Replacement, WrongNamesAndWaysAreTold) {
  EXPECT_EQ(error_of("fifo", 4),
            "error: unknown replacement 'fifo', expected lru, tree_plru or random");
  EXPECT_EQ(error_of("", 4), "error: unknown replacement '', expected lru, tree_plru or random");
  EXPECT_EQ(
      error_of("tree_plru", 12),
      "error: replacement 'tree_plru' expects a power of two as the number of ways, found 12");
  EXPECT_EQ(error_of("tree_plru", 4096), "accepted");
  EXPECT_TRUE(replacement_draws("random"));
  EXPECT_FALSE(replacement_draws("lru"));
  EXPECT_FALSE(replacement_draws("tree_plru"));
  EXPECT_FALSE(replacement_draws("fifo"));
}

/// Caches that are described alike draw different numbers.
TEST(Replacement, EachCacheHasASeedOfItsOwn) {
  std::set<uint64_t> seeds;
  Config c;
  c.replacement_seed = 7;
  EXPECT_EQ(seed_of(c), 7u);
  for (const Role role : {Role::VectorL1, Role::Scalar, Role::Instruction, Role::L2}) {
    for (c.index = 0; c.index < 1024; ++c.index) {
      c.role = role;
      seeds.insert(seed_of(c));
    }
  }
  EXPECT_EQ(seeds.size(), 4096u);
}

/// It is a use, also when nobody reads it: the line in the way that was free is not the next to go.
TEST(TagStore, ALineThatComesInIsUsed) {
  for (const char* name : {"lru", "tree_plru"}) {
    SCOPED_TRACE(name);
    Config config;
    config.bytes = 256, config.ways = 4, config.replacement = name;
    TagStore tags(config);
    for (uint64_t n = 0; n < 4; ++n) tags.claim(tags.victim(n * 64), n * 64);
    tags.release(*tags.find(0, false));
    tags.claim(tags.victim(4 * 64), 4 * 64);
    EXPECT_EQ(tags.find(4 * 64, false), tags.lines().data());
    const uint64_t next = tags.victim(5 * 64).address / 64;
    EXPECT_EQ(next, std::string(name) == "lru" ? 1u : 2u);
  }
}

/// Blocks of one set of four ways, A to I.
class ReplacementInCache : public CacheTest {
 protected:
  void make_one_set(Role role, const std::string& replacement, uint64_t seed = 1) {
    replacement_ = replacement;
    replacement_seed_ = seed;
    make(role, 256, 4);
  }
  /// Reads them in order; those that miss.
  std::string misses_of(const std::string& blocks) {
    std::string missed;
    for (const char block : blocks) {
      const uint64_t before = cache_->counters().read_misses;
      read(kBase + static_cast<uint64_t>(block - 'A') * 64);
      if (cache_->counters().read_misses != before) missed += block;
    }
    return missed;
  }
};

TEST_F(ReplacementInCache, Lru) {
  make_one_set(Role::VectorL1, "lru");
  EXPECT_EQ(misses_of("ABCD"), "ABCD");
  EXPECT_EQ(misses_of("AE"), "E");  // in place of B
  EXPECT_EQ(misses_of("CDAE"), "");
  EXPECT_EQ(misses_of("B"), "B");  // in place of C
  EXPECT_EQ(misses_of("DAEB"), "");
}

TEST_F(ReplacementInCache, LruOfFiveInTurn) {
  make_one_set(Role::VectorL1, "lru");
  EXPECT_EQ(misses_of("ABCDEABCDE"), "ABCDEABCDE");
}

TEST_F(ReplacementInCache, TreePlru) {
  make_one_set(Role::VectorL1, "tree_plru");
  EXPECT_EQ(misses_of("ABCD"), "ABCD");
  EXPECT_EQ(misses_of("AE"), "E");  // in place of C
  EXPECT_EQ(misses_of("AD"), "");
  EXPECT_EQ(misses_of("F"), "F");  // in place of B
  EXPECT_EQ(misses_of("ADEF"), "");
  EXPECT_EQ(misses_of("BC"), "BC");
}

/// Five in turn: E takes A's place, A takes C's, so that B stays.
TEST_F(ReplacementInCache, TreePlruOfFiveInTurn) {
  make_one_set(Role::VectorL1, "tree_plru");
  EXPECT_EQ(misses_of("ABCDEABCDE"), "ABCDEACDE");
}

/// Ways 1, 0, 2, 0 and 3 are drawn.
TEST_F(ReplacementInCache, Random) {
  make_one_set(Role::VectorL1, "random", 1234567);
  EXPECT_EQ(misses_of("ABCD"), "ABCD");
  EXPECT_EQ(misses_of("E"), "E");  // in place of B
  EXPECT_EQ(misses_of("ACD"), "");
  EXPECT_EQ(misses_of("F"), "F");  // in place of A
  EXPECT_EQ(misses_of("ECD"), "");
  EXPECT_EQ(misses_of("G"), "G");  // in place of C
  EXPECT_EQ(misses_of("FED"), "");
  EXPECT_EQ(misses_of("H"), "H");  // in place of F
  EXPECT_EQ(misses_of("EGD"), "");
  EXPECT_EQ(misses_of("I"), "I");  // in place of D
  EXPECT_EQ(misses_of("HEGI"), "");
}

/// A place without a line comes before what any policy would choose: A goes with an invalidate, as
/// do the clean ones, and the dirty B stays where it is.
TEST_F(ReplacementInCache, FreePlacesAreTakenFirst) {
  for (const char* name : {"lru", "tree_plru", "random"}) {
    SCOPED_TRACE(name);
    make_one_set(Role::Scalar, name);
    misses_of("A");
    write(kBase + 64, 5);
    misses_of("CD");
    maintain(MemOp::Invalidate);
    EXPECT_EQ(misses_of("EFG"), "EFG");
    EXPECT_EQ(cache_->counters().evictions, 0u);
    EXPECT_EQ(misses_of("EFG"), "");
    uint32_t held = 0;
    ASSERT_TRUE(cache_->peek(kBase + 64, reinterpret_cast<uint8_t*>(&held), 4));
    EXPECT_EQ(held, 5u);
  }
}

/// Dirty lines go down whatever policy gives them up.
TEST_F(ReplacementInCache, DirtyLinesAreWrittenBack) {
  for (const char* name : {"lru", "tree_plru", "random"}) {
    SCOPED_TRACE(name);
    make_one_set(Role::L2, name);
    for (uint32_t n = 0; n < 40; ++n) write(kBase + n * 64, 100 + n);
    EXPECT_EQ(cache_->counters().evictions, 36u);
    EXPECT_EQ(cache_->counters().writebacks, 36u);
    for (uint32_t n = 0; n < 40; ++n) EXPECT_EQ(read(kBase + n * 64), 100 + n);
  }
}

}  // namespace
}  // namespace cuvette::cache
