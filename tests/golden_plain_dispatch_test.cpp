// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Dispatches of many waves without loops, random ones: whatever the machine makes of many waves at
// once, nothing may differ from one instruction after the other. Directed ones are in
// golden_plain_dispatch_cases.cpp.
#include <gtest/gtest.h>

#include "golden_plain_dispatch_random.h"

namespace cuvette::golden::plain {
namespace {

constexpr unsigned kCases = 300;  ///< of each kind

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
    printf("[ clean ] %u of %u, %llu waves\n", good, count, (unsigned long long)waves);
    RecordProperty("clean", static_cast<int>(good));
    RecordProperty("waves", static_cast<int>(waves));
    if (HasFailure()) return;
    EXPECT_GE(good * 100, count * clean);
  }
};

TEST_F(GoldenPlainDispatch, Everything) {
  judge_cases(1, kCases, Mix{}, 50);
}

}  // namespace
}  // namespace cuvette::golden::plain
