// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "csv.h"

namespace cuvette::hsa {

/// One row of tests/ledger/abi_items.csv. Positions are -1 where the row names none.
struct LedgerRow {
  std::string id;
  std::string group;
  std::string item;
  int byte = -1;
  int bit = 0;          // inside that byte
  int size_bytes = -1;  // "4 bytes"
  int size_bits = -1;   // "3 bits", or 8 * bytes
  int registers = -1;   // "4 SGPR", "1 VGPR"
  int order = -1;
  std::string fact;
};

/// The checklist of ABI items. Tests take rows by id or group, which counts them as covered.
class Ledger {
 public:
  static Ledger& get() {
    static Ledger ledger;
    return ledger;
  }

  const LedgerRow& row(const std::string& id) {
    covered_.insert(id);
    auto it = rows_.find(id);
    if (it == rows_.end()) {
      ADD_FAILURE() << "abi_items.csv has no row " << id;
      static const LedgerRow none;
      return none;
    }
    return it->second;
  }
  std::vector<LedgerRow> group(const std::string& name) {
    std::vector<LedgerRow> out;
    for (const auto& entry : rows_) {
      if (entry.second.group == name) out.push_back(row(entry.first));
    }
    EXPECT_FALSE(out.empty()) << "abi_items.csv has no group " << name;
    return out;
  }
  const std::set<std::string>& covered() const { return covered_; }
  size_t rows() const { return rows_.size(); }

 private:
  Ledger() {
    for (const csv::Row& cells : csv::read_body("ledger/abi_items.csv")) add(cells);
  }

  void add(const std::vector<std::string>& c) {
    LedgerRow r;
    r.id = c.at(0);
    r.group = c.at(1);
    r.item = c.at(2);
    r.fact = c.at(6);
    const size_t byte = c.at(3).find("byte ");
    if (byte != std::string::npos) {
      r.byte = std::stoi(c[3].substr(byte + 5));
      const size_t bit = c[3].find("bit ", byte);
      if (bit != std::string::npos) r.bit = std::stoi(c[3].substr(bit + 4));
    }
    if (!c.at(4).empty()) {
      const int n = std::stoi(c[4]);
      if (c[4].find("byte") != std::string::npos) r.size_bytes = n;
      if (c[4].find("byte") != std::string::npos) r.size_bits = 8 * n;
      if (c[4].find("bit") != std::string::npos) r.size_bits = n;
      if (c[4].find("GPR") != std::string::npos) r.registers = n;
    }
    if (!c.at(5).empty()) r.order = std::stoi(c[5]);
    rows_.emplace(r.id, r);
  }

  std::map<std::string, LedgerRow> rows_;
  std::set<std::string> covered_;
};

/// Leaves the ids a program covered in the build tree when it ends well; abi_items_test adds up.
class RowCount : public ::testing::Environment {
 public:
  explicit RowCount(std::string program) : program_(std::move(program)) {}
  void TearDown() override {
    const Ledger& ledger = Ledger::get();
    std::cout << program_ << ": " << ledger.covered().size() << " rows of abi_items\n";
    if (::testing::UnitTest::GetInstance()->Failed()) return;
    std::filesystem::create_directories(CUVETTE_BINARY_DIR "/ledger");
    std::ofstream out(CUVETTE_BINARY_DIR "/ledger/abi_items." + program_);
    for (const std::string& id : ledger.covered()) out << id << "\n";
  }

 private:
  std::string program_;
};
inline ::testing::Environment* count_rows(const char* program) {
  return ::testing::AddGlobalTestEnvironment(new RowCount(program));
}

}  // namespace cuvette::hsa
