// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Dispatches of many waves with comparisons in front of what they do, random ones.
#include <gtest/gtest.h>

#include "golden_plain_dispatch_random.h"

namespace cuvette::golden::plain {
namespace {

constexpr unsigned kCases = 100;  ///< of each kind

class GoldenPlainDispatchGuarded : public testing::Test {
 protected:
  /// At least so many percent end without a failure, or have lanes that store and lanes that do
  /// not.
  struct Least {
    unsigned clean, some;
  };
  void judge_cases(unsigned area, const Mix& mix, const Least& least) {
    unsigned good = 0, some = 0;
    for (unsigned n = 0; n < kCases && !HasFailure(); ++n) {
      const uint64_t seed = area * 100000 + n;
      SCOPED_TRACE("seed " + std::to_string(seed));
      const Verdict verdict = judge(random_case(seed, mix));
      good += verdict.wild || verdict.watchdog ? 0 : 1;
      some += verdict.stores != 0 && verdict.stores < verdict.items ? 1 : 0;
    }
    if (HasFailure()) return;
    RecordProperty("clean", static_cast<int>(good));
    RecordProperty("some", static_cast<int>(some));
    EXPECT_GE(good * 100, kCases * least.clean);
    EXPECT_GE(some * 100, kCases * least.some);
  }
};

/// Nothing but a guard as compilers have it.
Mix guarded_mix() {
  Mix mix;
  mix.groups = 1;
  mix.overlap = mix.cut = mix.arguments = mix.peek = mix.wrap = mix.odd_stride = mix.specials =
      mix.modes = mix.slices = mix.watchdog = mix.again = mix.two_dimensions = 0;
  mix.most_waves = 180;
  GuardMix& guard = mix.guard;
  guard.any = true;
  guard.early = 100;
  guard.more = guard.ways = guard.conditions = guard.wide = guard.others = guard.scalar = 0;
  return mix;
}

TEST_F(GoldenPlainDispatchGuarded, AsCompilersDo) {
  Mix mix = guarded_mix();
  mix.guard.forms = 90;
  mix.most_waves = 400;
  judge_cases(21, mix, {85, 45});
}

/// Any comparison of anything.
TEST_F(GoldenPlainDispatchGuarded, Conditions) {
  Mix mix = guarded_mix();
  mix.guard.conditions = 60;
  mix.guard.others = 30;
  judge_cases(22, mix, {85, 20});
}

TEST_F(GoldenPlainDispatchGuarded, Ways) {
  Mix mix = guarded_mix();
  mix.groups = 2;
  mix.guard.ways = 70;
  mix.guard.early = 50;
  mix.guard.more = 50;
  judge_cases(23, mix, {85, 20});
}

TEST_F(GoldenPlainDispatchGuarded, Wide) {
  Mix mix = guarded_mix();
  mix.guard.wide = 100;
  mix.guard.conditions = 30;
  judge_cases(24, mix, {85, 25});
}

/// Numbers that change their sign or wrap around in the grid.
TEST_F(GoldenPlainDispatchGuarded, WrapsAround) {
  Mix mix = guarded_mix();
  mix.wrap = 100;
  mix.odd_stride = 20;
  mix.guard.wide = 25;
  judge_cases(25, mix, {80, 20});
}

TEST_F(GoldenPlainDispatchGuarded, Forms) {
  Mix mix = guarded_mix();
  mix.odd_stride = 30;
  mix.guard.forms = mix.guard.targets = 100;
  judge_cases(26, mix, {85, 50});
}

/// Stores to bounds, pointers and numbers of later waves, and to what they load.
TEST_F(GoldenPlainDispatchGuarded, Arguments) {
  Mix mix = guarded_mix();
  mix.arguments = 70;
  mix.peek = 30;
  mix.overlap = 40;
  judge_cases(27, mix, {75, 40});
}

TEST_F(GoldenPlainDispatchGuarded, MemoryEnds) {
  Mix mix = guarded_mix();
  mix.cut = 100;
  mix.slices = 20;
  mix.guard.ways = 20;
  mix.guard.room = 20;
  judge_cases(28, mix, {30, 45});
}

TEST_F(GoldenPlainDispatchGuarded, Watchdog) {
  Mix mix = guarded_mix();
  mix.watchdog = 100;
  mix.slices = 30;
  mix.guard.ways = 30;
  judge_cases(29, mix, {10, 40});
}

TEST_F(GoldenPlainDispatchGuarded, SeveralDispatches) {
  Mix mix = guarded_mix();
  mix.again = 100;
  mix.most_waves = 150;
  mix.cut = mix.overlap = mix.watchdog = 15;
  mix.guard.ways = 20;
  judge_cases(30, mix, {60, 50});
}

TEST_F(GoldenPlainDispatchGuarded, TwoDimensions) {
  Mix mix = guarded_mix();
  mix.two_dimensions = 100;
  mix.overlap = 30;
  mix.guard.targets = 60;
  judge_cases(31, mix, {85, 40});
}

/// Waves take turns and share memory.
TEST_F(GoldenPlainDispatchGuarded, InTurns) {
  Mix mix = guarded_mix();
  mix.overlap = mix.slices = 100;
  mix.most_waves = 150;
  mix.guard.ways = 30;
  judge_cases(32, mix, {85, 40});
}

TEST_F(GoldenPlainDispatchGuarded, Threads) {
  Mix mix = guarded_mix();
  mix.threads = 100;
  mix.most_waves = 150;
  mix.overlap = 30;
  mix.arguments = mix.cut = mix.again = 15;
  judge_cases(34, mix, {60, 40});
}

/// Some of everything.
TEST_F(GoldenPlainDispatchGuarded, Everything) {
  Mix mix;
  mix.most_waves = 500;
  mix.guard.any = true;
  judge_cases(33, mix, {75, 20});
}

}  // namespace
}  // namespace cuvette::golden::plain
