// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Dispatches of many waves without loops, random ones: whatever the machine makes of many waves at
// once, nothing may differ from one instruction after the other. Directed ones are in
// golden_plain_dispatch_cases_test.cpp and its neighbours.
#include <gtest/gtest.h>

#include "golden_plain_dispatch_random.h"

namespace cuvette::golden::plain {
namespace {

constexpr unsigned kCases = 120;  ///< of each kind

class GoldenPlainDispatch : public testing::Test {
 protected:
  /// `clean`: at least so many percent end without a failure.
  void judge_cases(unsigned area, unsigned count, const Mix& mix, unsigned clean) {
    unsigned good = 0;
    uint64_t waves = 0;
    for (unsigned n = 0; n < count && !HasFailure(); ++n) {
      const uint64_t seed = area * 100000 + n;
      SCOPED_TRACE("seed " + std::to_string(seed));
      const Verdict verdict = judge(random_case(seed, mix));
      good += verdict.wild || verdict.watchdog ? 0 : 1;
      waves += verdict.waves;
    }
    if (HasFailure()) return;
    RecordProperty("clean", static_cast<int>(good));
    RecordProperty("waves", static_cast<int>(waves));
    EXPECT_GE(good * 100, count * clean);
  }
};

/// Nothing but what a test adds.
Mix plain_mix() {
  Mix mix;
  mix.groups = 1;
  mix.overlap = mix.cut = mix.arguments = mix.peek = mix.wrap = mix.odd_stride = mix.specials =
      mix.modes = mix.slices = mix.watchdog = mix.again = mix.two_dimensions = 0;
  mix.most_waves = 1500;
  return mix;
}

TEST_F(GoldenPlainDispatch, Plain) {
  judge_cases(1, kCases, plain_mix(), 95);
}

/// Waves that read what earlier ones stored, and store what later ones read.
TEST_F(GoldenPlainDispatch, Overlaps) {
  Mix mix = plain_mix();
  mix.overlap = 100;
  mix.odd_stride = 40;
  judge_cases(2, kCases, mix, 95);
}

/// The same, and waves take turns.
TEST_F(GoldenPlainDispatch, OverlapsInTurns) {
  Mix mix = plain_mix();
  mix.overlap = mix.slices = 100;
  mix.most_waves = 500;
  judge_cases(3, kCases, mix, 95);
}

/// Addresses that do not go on as they began.
TEST_F(GoldenPlainDispatch, WrapsAround) {
  Mix mix = plain_mix();
  mix.wrap = 100;
  mix.odd_stride = 30;
  judge_cases(4, kCases, mix, 90);
}

TEST_F(GoldenPlainDispatch, MemoryEnds) {
  Mix mix = plain_mix();
  mix.cut = 100;
  mix.overlap = 20;
  mix.slices = 10;
  judge_cases(5, kCases, mix, 10);
}

/// Stores to the arguments, and scalar loads of what is stored.
TEST_F(GoldenPlainDispatch, Scalars) {
  Mix mix = plain_mix();
  mix.arguments = 70;
  mix.peek = 50;
  mix.overlap = 30;
  judge_cases(6, kCases, mix, 30);
}

TEST_F(GoldenPlainDispatch, Numbers) {
  Mix mix = plain_mix();
  mix.specials = 100;
  mix.modes = 60;
  judge_cases(7, kCases, mix, 95);
}

TEST_F(GoldenPlainDispatch, SeveralDispatches) {
  Mix mix = plain_mix();
  mix.again = 100;
  mix.most_waves = 500;
  mix.cut = mix.watchdog = mix.overlap = 20;
  judge_cases(8, kCases, mix, 40);
}

TEST_F(GoldenPlainDispatch, Watchdog) {
  Mix mix = plain_mix();
  mix.watchdog = 100;
  mix.slices = 30;
  judge_cases(9, kCases, mix, 0);
}

TEST_F(GoldenPlainDispatch, TwoDimensions) {
  Mix mix = plain_mix();
  mix.two_dimensions = 100;
  mix.overlap = 30;
  judge_cases(10, kCases, mix, 95);
}

/// Some of everything.
TEST_F(GoldenPlainDispatch, Everything) {
  judge_cases(11, 2 * kCases, Mix{}, 60);
}

}  // namespace
}  // namespace cuvette::golden::plain
