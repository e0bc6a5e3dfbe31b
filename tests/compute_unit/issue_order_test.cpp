// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/issue_order.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

// Issue orders alone, with the order of waves by hand.
namespace cuvette::compute_unit {
namespace {

std::unique_ptr<IssueOrder> policy(const std::string& name) {
  auto made = make_issue_order(name, 2, 4);
  EXPECT_TRUE(made.ok()) << made.error().str();
  return std::move(*made);
}

/// Slots in the order in which their waves are tried.
std::vector<unsigned> order(const IssueOrder& policy, std::vector<SlotWave> waves) {
  std::sort(waves.begin(), waves.end(),
            [&](const SlotWave& a, const SlotWave& b) { return policy.rank(a) < policy.rank(b); });
  std::vector<unsigned> slots;
  slots.reserve(waves.size());
  for (const SlotWave& w : waves) slots.push_back(w.slot);
  return slots;
}
using Slots = std::vector<unsigned>;

// Waves of SIMD 0, in the order of their launches.
constexpr SlotWave kA{0, 2, 10}, kB{0, 0, 11}, kC{0, 3, 12}, kD{0, 1, 13};

TEST(IssueOrder, OldestFirst) {
  const auto p = policy("oldest_first");
  EXPECT_EQ(order(*p, {kD, kB, kC, kA}), (Slots{2, 0, 3, 1}));
  p->issued(kD);
  EXPECT_EQ(order(*p, {kD, kB, kC, kA}), (Slots{2, 0, 3, 1}));
}

TEST(IssueOrder, RoundRobin) {
  const auto p = policy("round_robin");
  EXPECT_EQ(order(*p, {kA, kB, kC, kD}), (Slots{0, 1, 2, 3}));
  p->issued(kB);
  EXPECT_EQ(order(*p, {kA, kB, kC, kD}), (Slots{1, 2, 3, 0}));
  p->issued(kA);
  EXPECT_EQ(order(*p, {kA, kB, kC, kD}), (Slots{3, 0, 1, 2}));
  p->issued(kC);
  EXPECT_EQ(order(*p, {kA, kB, kC, kD}), (Slots{0, 1, 2, 3}));
  EXPECT_EQ(order(*p, {kD, kC}), (Slots{1, 3})) << "of those that are ready";
  // The other SIMD is where it was.
  p->issued(kD);
  const SlotWave e{1, 0, 20}, f{1, 2, 21};
  EXPECT_EQ(order(*p, {e, f}), (Slots{0, 2}));
  p->issued(e);
  EXPECT_EQ(order(*p, {e, f}), (Slots{2, 0}));
  EXPECT_EQ(order(*p, {kA, kB, kC, kD}), (Slots{2, 3, 0, 1}));
}

TEST(IssueOrder, GreedyThenOldest) {
  const auto p = policy("greedy_then_oldest");
  EXPECT_EQ(order(*p, {kD, kC, kB, kA}), (Slots{2, 0, 3, 1}));
  p->issued(kC);
  EXPECT_EQ(order(*p, {kD, kC, kB, kA}), (Slots{3, 2, 0, 1}));
  EXPECT_EQ(order(*p, {kD, kB, kA}), (Slots{2, 0, 1})) << "the greedy one is not ready";
  EXPECT_EQ(order(*p, {kD, kC, kB, kA}), (Slots{3, 2, 0, 1})) << "nobody else has issued";
  p->issued(kB);
  EXPECT_EQ(order(*p, {kD, kC, kB, kA}), (Slots{0, 2, 3, 1}));
  // A new wave in the slot of the greedy one is the youngest.
  const SlotWave later{0, 0, 14};
  EXPECT_EQ(order(*p, {later, kD, kC, kA}), (Slots{2, 3, 1, 0}));
  const SlotWave e{1, 0, 20}, f{1, 2, 21};
  p->issued(f);
  EXPECT_EQ(order(*p, {e, f}), (Slots{2, 0}));
  EXPECT_EQ(order(*p, {kD, kC, kB, kA}), (Slots{0, 2, 3, 1})) << "of the other SIMD";
}

TEST(IssueOrder, WrongNamesAreTold) {
  for (const char* name : {"youngest_first", ""}) {
    const auto made = make_issue_order(name, 4, 10);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().str(), "error: unknown issue_order '" + std::string(name) +
                                      "', expected oldest_first, round_robin or "
                                      "greedy_then_oldest");
  }
}

}  // namespace
}  // namespace cuvette::compute_unit
