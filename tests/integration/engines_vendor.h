// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "csv.h"
#include "engines_testing.h"

/// Shared by the tests of AMD's extensions amd:gcn and amd:mipmap on both engines.
namespace cuvette::engines {

/// Random operands of each instruction, a multiple of 64: CUVETTE_TEST_OPERANDS (256).
inline uint32_t item_count() {
  const char* value = std::getenv("CUVETTE_TEST_OPERANDS");
  const unsigned long items = value == nullptr ? 256 : std::strtoul(value, nullptr, 10);
  return static_cast<uint32_t>((items + 63) / 64 * 64);
}

/// True if the target has region memory.
inline bool has_region(const std::string& target) {
  return target != "gfx90a" && target != "gfx942";
}

/// The rows of tests/ledger/hsail_vendor.csv and with how many random operands the interpreter and
/// golden gave the same on each target. Every row has item_count() at the end of a complete run, on
/// every target that has the instruction; that of amd_gcn_region_alloc is a constant.
class VendorLedger : public ::testing::Environment {
 public:
  static void ran(const std::string& row, const std::string& target, size_t operands) {
    if (!::testing::Test::HasFailure()) counts()[row][target] += operands;
  }

  void TearDown() override {
    if (GTEST_FLAG_GET(filter) != "*" || ::testing::UnitTest::GetInstance()->Failed()) return;
    const std::vector<csv::Row> rows = csv::read("ledger/hsail_vendor.csv");
    for (size_t i = 1; i < rows.size(); ++i) {
      const std::string& id = rows[i].at(0);
      const bool region = rows[i].at(7).find("GDS") != std::string::npos;
      for (const std::string target : finalizer_testing::kTargets) {
        const size_t wanted = region && !has_region(target) ? 0 : id == "HV-17" ? 1 : item_count();
        EXPECT_GE(counts()[id][target], wanted) << id << " " << rows[i].at(2) << " on " << target;
      }
    }
    EXPECT_EQ(counts().size(), rows.size() - 1);
    std::cout << "ledger hsail_vendor: " << counts().size() << " of " << rows.size() - 1
              << " on the interpreter and golden, at least " << item_count() << " operands each\n";
  }

 private:
  static std::map<std::string, std::map<std::string, size_t>>& counts() {
    static std::map<std::string, std::map<std::string, size_t>> all;
    return all;
  }
};

}  // namespace cuvette::engines
