// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

// The tables below tests/: one line per row, cells with commas in quotes.
namespace cuvette::csv {

using Row = std::vector<std::string>;

inline Row split(const std::string& line) {
  Row cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

/// Every row of a file below tests/, the line of names first. Fails the test when there is none.
inline std::vector<Row> read(const std::string& name) {
  const std::string path = std::string(CUVETTE_SOURCE_DIR "/tests/") + name;
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) rows.push_back(split(line));
  return rows;
}

/// The rows below the line of names.
inline std::vector<Row> read_body(const std::string& name) {
  std::vector<Row> rows = read(name);
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

}  // namespace cuvette::csv
