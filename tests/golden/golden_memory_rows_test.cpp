// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Runs last: the tests of this program have carried out every row of the formats they are about.
#include <algorithm>
#include <cstdio>

#include "golden_rows.h"

namespace cuvette::golden::testing {
namespace {

bool expected_here(const isa::Row& row) {
  if (std::none_of(isa::kAllTargets.begin(), isa::kAllTargets.end(),
                   [&](isa::Target t) { return row.on(t); })) {
    return false;
  }
  const std::string name(row.mnemonic);
  const auto has = [&](const char* part) { return name.find(part) != name.npos; };
  switch (row.format) {
    case isa::Format::Mimg:
    case isa::Format::Mtbuf:
      return true;
    case isa::Format::Mubuf:
      return row.has(isa::kFormatted) || has("store_lds");
    case isa::Format::Global:
    case isa::Format::Scratch:
      return has("load_lds");
    case isa::Format::Ds:
      return has("src2") || has("gws") || has("append") || has("consume") || has("wrap") ||
             has("condxchg") || has("wrxchg2") || has("ordered");
    default:
      return false;
  }
}

class EveryRow : public ::testing::Environment {
 public:
  void TearDown() override {
    if (::testing::GTEST_FLAG(filter) != "*") return;  // not all tests ran
    unsigned rows = 0, done = 0;
    for (const isa::Row& row : isa::rows()) {
      if (!expected_here(row)) continue;
      ++rows;
      const bool was = covered().count(isa::row_id(row)) != 0;
      done += was;
      EXPECT_TRUE(was) << "no test carries out " << isa::row_id(row);
    }
    std::printf("memory rows: %u of %u carried out\n", done, rows);
  }
};
const auto* const kRegistered = ::testing::AddGlobalTestEnvironment(new EveryRow);

}  // namespace
}  // namespace cuvette::golden::testing
