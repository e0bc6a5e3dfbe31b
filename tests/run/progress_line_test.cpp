// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/progress_line.h"

#include <chrono>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

namespace cuvette::run {
namespace {

TEST(ProgressLine, SaysShareRateAndTimeLeft) {
  EXPECT_EQ(ProgressLine::text(10, 250, 1000, 12'500'000),
            "25 % of 1000 waves begun, 1.25 Mcycles/s, 0:30 left");
  EXPECT_EQ(ProgressLine::text(100, 10, 1000, 100'000'000),
            "1 % of 1000 waves begun, 1.00 Mcycles/s, 165:00 left");
}

TEST(ProgressLine, PromisesNothingAtTheEnds) {
  EXPECT_EQ(ProgressLine::text(3, 0, 64, 3'000'000), "0 % of 64 waves begun, 1.00 Mcycles/s");
  EXPECT_EQ(ProgressLine::text(3, 64, 64, 3'000'000), "100 % of 64 waves begun, 1.00 Mcycles/s");
  EXPECT_EQ(ProgressLine::text(0, 0, 0, 0), "0 % of 0 waves begun, 0.00 Mcycles/s");
}

TEST(ProgressLine, ShowsNowAndThenAndCleansUp) {
  using std::chrono::milliseconds;
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  {
    ProgressLine line(file);
    const auto start = ProgressLine::Clock::now();
    line.begin(start);
    line.show(start + milliseconds(1900), 1, 4, 1000);  // too early
    line.show(start + milliseconds(2000), 1, 4, 2'000'000);
    line.show(start + milliseconds(2400), 2, 4, 1000);  // too soon after the last
    line.show(start + milliseconds(2500), 2, 4, 2'500'000);
  }
  std::string text(256, '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  EXPECT_EQ(text,
            "\r25 % of 4 waves begun, 1.00 Mcycles/s, 0:06 left\033[K"
            "\r50 % of 4 waves begun, 1.00 Mcycles/s, 0:03 left\033[K"
            "\r\033[K");
}

TEST(ProgressLine, NowhereIsSilent) {
  ProgressLine line(nullptr);
  const auto start = ProgressLine::Clock::now();
  line.begin(start);
  EXPECT_FALSE(line.wants(start + std::chrono::hours(1)));
}

}  // namespace
}  // namespace cuvette::run
