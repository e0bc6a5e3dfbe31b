// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The summary of a run names what it counts: fallbacks, approximate instructions, and those that
// are not exact (docs/reference/statistics.md).
#include "run/summary.h"

#include <string>

#include <gmock/gmock.h>

#include "run/session.h"

namespace cuvette::run {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Summary, FallbacksAreNamedWithTheirCounts) {
  SessionResult result;
  result.report.fallbacks = 3;
  result.report.fallbacks_by_name = {{"s_abc", 1}, {"v_xyz", 2}};
  EXPECT_THAT(summary_text("f.yaml", "ca", result),
              HasSubstr("\n  fallbacks      3: v_xyz 2, s_abc 1\n"));
  result.report.fallbacks = 0;
  result.report.fallbacks_by_name.clear();
  EXPECT_THAT(summary_text("f.yaml", "ca", result), HasSubstr("\n  fallbacks      0\n"));
}

TEST(Summary, WhatIsNotExactIsNamedWithItsCount) {
  SessionResult result;
  result.report.by_status = {{"approximate", 12}, {"defined", 7}};
  result.report.not_exact["s_barrier"] = {7, "defined", "passes at once"};
  result.report.not_exact["image_a"] = {2, "approximate", "filters"};
  result.report.not_exact["image_b"] = {10, "approximate", "levels"};
  result.report.not_exact["k.hsail:3:1"] = {0, "", "undefined by the PRM in 5 lanes"};
  const std::string text = summary_text("f.yaml", "golden", result);
  EXPECT_THAT(text, HasSubstr("\n  not exact      s_barrier 7: passes at once\n"));
  EXPECT_THAT(text, HasSubstr("\n  not exact      image_a 2: filters\n"));
  EXPECT_THAT(text, HasSubstr("\n  not exact      k.hsail:3:1: undefined by the PRM in 5 lanes\n"));
  EXPECT_THAT(text, HasSubstr("\n  approximate    12: image_b 10, image_a 2\n"));
  result.report.not_exact.erase("image_a");
  result.report.not_exact.erase("image_b");
  EXPECT_THAT(summary_text("f.yaml", "golden", result), Not(HasSubstr("  approximate ")));
}

}  // namespace
}  // namespace cuvette::run
