// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gds/launch_order.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

// The order of ordered counts against plain sets of the waves that are not released.
namespace cuvette::gds {
namespace {

TEST(LaunchOrder, AWaveHasItsTurnBehindTheEarlierOnes) {
  LaunchOrder order;
  EXPECT_TRUE(order.has_turn(1, 5));
  order.begin(1, 5);
  order.begin(1, 7);
  order.begin(2, 3);
  EXPECT_TRUE(order.has_turn(1, 5));
  EXPECT_TRUE(order.has_turn(1, 4));
  EXPECT_FALSE(order.has_turn(1, 7));
  EXPECT_TRUE(order.has_turn(2, 3));
  order.release(1, 6);  // never began
  order.release(3, 5);
  EXPECT_FALSE(order.has_turn(1, 7));
  order.release(1, 5);
  order.release(1, 5);
  EXPECT_TRUE(order.has_turn(1, 7));
  EXPECT_FALSE(order.has_turn(1, 8));
  order.begin(1, 5);  // again
  EXPECT_FALSE(order.has_turn(1, 7));
}

TEST(LaunchOrder, RandomBeginsAndReleases) {
  for (const unsigned stays : {0u, 1u}) {  // the first wave of each dispatch
    std::mt19937 random(20261129 + stays);
    LaunchOrder order;
    std::set<uint64_t> left[3];
    uint64_t next[3] = {};
    for (unsigned n = 0; n < 20'000; ++n) {
      const uint32_t d = random() % 3;
      if (random() % 16 == 0) {  // ended, and launched again with what was saved
        const uint64_t wave = random() % (next[d] + 1);
        order.begin(d, wave);
        left[d].insert(wave);
      } else if (random() % 2 == 0 || left[d].size() < 3) {
        order.begin(d, next[d]);
        left[d].insert(next[d]++);
      } else {
        auto at = std::next(left[d].begin(),
                            stays + random() % std::min<size_t>(left[d].size() - stays, 40));
        order.release(d, *at);
        left[d].erase(at);
      }
      const uint64_t wave = random() % (next[d] + 2);
      ASSERT_EQ(order.has_turn(d, wave), left[d].empty() || *left[d].begin() >= wave) << n;
    }
  }
}

}  // namespace
}  // namespace cuvette::gds
