// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuvette::hsail::testing {

/// The rows of brig_entries.csv by id: id,kind,name,values_or_fields,...
inline std::map<std::string, std::vector<std::string>> ledger_rows() {
  std::ifstream in(std::string(CUVETTE_SOURCE_DIR) + "/tests/ledger/brig_entries.csv");
  EXPECT_TRUE(in.good());
  std::map<std::string, std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, ',');) cells.push_back(cell);
    if (cells.size() > 3) rows[cells[0]] = cells;
  }
  return rows;
}

}  // namespace cuvette::hsail::testing
