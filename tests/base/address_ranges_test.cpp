// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/address_ranges.h"

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cuvette::base {
namespace {

using Ranges = std::vector<AddressRanges::Range>;

TEST(AddressRanges, AddReturnsWhatWasMissing) {
  AddressRanges set;
  EXPECT_EQ(set.add(10, 20), (Ranges{{10, 20}}));
  EXPECT_EQ(set.add(30, 40), (Ranges{{30, 40}}));
  EXPECT_EQ(set.add(12, 15), Ranges{});
  EXPECT_EQ(set.add(5, 45), (Ranges{{5, 10}, {20, 30}, {40, 45}}));
  EXPECT_EQ(set.add(7, 7), Ranges{});
  EXPECT_TRUE(set.contains(5));
  EXPECT_TRUE(set.contains(44));
  EXPECT_FALSE(set.contains(4));
  EXPECT_FALSE(set.contains(45));
}

TEST(AddressRanges, EmptyRangeAddsNothing) {
  AddressRanges set;
  EXPECT_EQ(set.add(8, 8), Ranges{});
  EXPECT_FALSE(set.contains(8));
}

TEST(AddressRanges, EndOfTheAddressSpace) {
  AddressRanges set;
  EXPECT_EQ(set.add(UINT64_MAX - 1, UINT64_MAX), (Ranges{{UINT64_MAX - 1, UINT64_MAX}}));
  EXPECT_TRUE(set.contains(UINT64_MAX - 1));
  EXPECT_FALSE(set.contains(UINT64_MAX));
}

// Against one flag an address.
TEST(AddressRanges, RandomRanges) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 200; ++round) {
    AddressRanges set;
    std::array<bool, 128> model{};
    for (unsigned n = 0; n < 40; ++n) {
      const uint64_t first = random() % model.size();
      const uint64_t end = first + random() % (model.size() - first);
      std::array<bool, 128> missing{};
      for (const auto& [a, b] : set.add(first, end)) {
        ASSERT_LT(a, b);
        for (uint64_t i = a; i < b; ++i) missing[i] = true;
      }
      for (uint64_t i = 0; i < model.size(); ++i) {
        const bool inside = i >= first && i < end;
        ASSERT_EQ(missing[i], inside && !model[i]) << first << ' ' << end << ' ' << i;
        model[i] = model[i] || inside;
        ASSERT_EQ(set.contains(i), model[i]) << i;
      }
    }
  }
}

}  // namespace
}  // namespace cuvette::base
