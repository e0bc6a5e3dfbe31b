// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Loops of streams (wave/stream.h) for many rounds, against an evaluation lane by lane that shares
// nothing with the model: whatever the model makes of many rounds at once, nothing may differ from
// one instruction after the other.
#include <gtest/gtest.h>

#include "stream_rounds_compiled.h"
#include "stream_rounds_loops.h"
#include "wave/lanes/host_float.h"

namespace cuvette::golden::steady {
namespace {

class GoldenStreamRounds : public SteadyCodeTest {
 protected:
  GoldenStreamRounds() : SteadyCodeTest(rounds_layout()) { bytes_ = nice_memory(memory_); }

  void judge_case(uint64_t seed, Case one) {
    one.before.lds = lds_;
    judge(static_cast<unsigned>(seed), one.loop, one.before, one.how);
  }
  /// Of the cases, at least so many percent have streams, and do no wild access.
  void judge_cases(unsigned area, unsigned count, const Mix& mix, unsigned streams,
                   unsigned clean) {
    for (unsigned n = 0; n < count && !HasFailure(); ++n) {
      const uint64_t seed = area * 100000 + n;
      judge_case(seed, Loops(seed, mix, memory_, bytes_).make());
    }
    expect_shares(count, streams, clean);
  }
  void expect_shares(unsigned count, unsigned streams, unsigned clean) {
    if (HasFailure()) return;
    RecordProperty("cases", static_cast<int>(count));
    RecordProperty("streams", static_cast<int>(streams_));
    RecordProperty("clean", static_cast<int>(clean_));
    EXPECT_GE(streams_ * 100, count * streams);
    EXPECT_GE(clean_ * 100, count * clean);
  }
};

/// Loops that nothing but what a test adds keeps from many rounds at once.
Mix plain_mix() {
  Mix mix;
  mix.groups = 2;
  mix.share = mix.accumulate = mix.specials = mix.oddities = 0;
  mix.separate = 90;
  mix.limit = 10;
  return mix;
}

/// Registers that groups share, results that are read again, in place and not.
TEST_F(GoldenStreamRounds, Registers) {
  Mix mix;
  mix.share = 25;
  mix.accumulate = 25;
  judge_cases(1, 800, mix, 50, 80);
}

/// NaN results in some round of some group, once or often.
TEST_F(GoldenStreamRounds, Specials) {
  Mix mix;
  mix.specials = 100;
  mix.share = 8;
  judge_cases(2, 800, mix, 50, 80);
}

TEST_F(GoldenStreamRounds, Subnormals) {
  Mix mix;
  mix.specials = mix.subnormals = 100;
  judge_cases(3, 240, mix, 50, 80);
}

/// The same on hosts that had better not see them.
TEST_F(GoldenStreamRounds, SubnormalsKeptFromTheHost) {
  const bool slow = wave::lanes::subnormals_are_slow();
  wave::lanes::set_subnormals_slow(true);
  Mix mix;
  mix.specials = 100;
  mix.subnormals = 60;
  judge_cases(4, 240, mix, 50, 80);
  wave::lanes::set_subnormals_slow(slow);
}

/// Loads of what stores of the same round or of earlier ones wrote, in part or as a whole.
TEST_F(GoldenStreamRounds, Overlaps) {
  Mix mix = plain_mix();
  mix.groups = 3;
  mix.separate = 50;
  mix.overlap = 80;
  mix.odd_steps = 40;
  judge_cases(5, 1600, mix, 50, 60);
}

TEST_F(GoldenStreamRounds, Ends) {
  Mix mix = plain_mix();
  mix.wild_end = 100;
  judge_cases(6, 1120, mix, 50, 80);
}

/// Compares whose outcome changes in one of the rounds.
TEST_F(GoldenStreamRounds, Compares) {
  Mix mix = plain_mix();
  mix.wild_end = 30;
  mix.compares = 100;
  judge_cases(7, 800, mix, 50, 60);
}

/// Sums that wrap around or carry.
TEST_F(GoldenStreamRounds, SteadyScalars) {
  Mix mix = plain_mix();
  mix.scalars = 4;
  judge_cases(8, 800, mix, 50, 70);
}

/// Numbers that do not grow steadily, or only for some rounds.
TEST_F(GoldenStreamRounds, UnsteadyScalars) {
  Mix mix = plain_mix();
  mix.scalars = 2;
  mix.unsteady = 75;
  judge_cases(9, 1120, mix, 50, 50);
}

TEST_F(GoldenStreamRounds, Addresses) {
  Mix mix = plain_mix();
  mix.wild_address = 60;
  mix.odd_steps = 20;
  judge_cases(10, 960, mix, 40, 40);
}

/// Memory ends in one of the rounds.
TEST_F(GoldenStreamRounds, LeavesMemory) {
  Mix mix = plain_mix();
  mix.leave = 30;
  mix.odd_steps = 20;
  mix.specials = 30;
  judge_cases(11, 800, mix, 50, 20);
}

TEST_F(GoldenStreamRounds, Slices) {
  Mix mix;
  mix.short_slices = true;
  mix.limit = 50;
  mix.wild_end = 30;
  mix.overlap = 20;
  judge_cases(12, 640, mix, 50, 60);
}

/// Registers of addresses that loads take.
TEST_F(GoldenStreamRounds, Compiled) {
  constexpr unsigned kCases = 600;
  for (unsigned seed = 0; seed < kCases && !HasFailure(); ++seed) {
    judge_case(seed, compiled_loop(seed, memory_, bytes_));
  }
  expect_shares(kCases, 50, 80);
}

/// Some of everything.
TEST_F(GoldenStreamRounds, Everything) {
  Mix mix;
  mix.share = 10;
  mix.accumulate = 10;
  mix.specials = 30;
  mix.subnormals = 10;
  mix.overlap = 25;
  mix.odd_steps = 20;
  mix.leave = 5;
  mix.wild_end = 50;
  mix.compares = 25;
  mix.scalars = 3;
  mix.unsteady = 25;
  mix.wild_address = 20;
  judge_cases(13, 1120, mix, 40, 30);
}

}  // namespace
}  // namespace cuvette::golden::steady
