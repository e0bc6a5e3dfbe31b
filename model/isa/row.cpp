// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/row.h"

#include <algorithm>
#include <array>

#include "isa/tables.h"

namespace cuvette::isa {
namespace {

constexpr std::array<std::string_view, kFormats> kFormatNames{
    "SOP2",  "SOPK",   "SOP1",  "SOPC",   "SOPP",    "SMEM",      "VOP2", "VOP1",
    "VOPC",  "VINTRP", "VOP3A", "VOP3B",  "VOP3P",   "VOP3P-MAI", "DS",   "MUBUF",
    "MTBUF", "MIMG",   "FLAT",  "GLOBAL", "SCRATCH", "EXP"};

}  // namespace

std::string_view name_of(Format f) {
  return kFormatNames[static_cast<unsigned>(f)];
}

RowList rows() {
  return {kRows, kRowCount};
}

uint32_t index_of(const Row& row) {
  return static_cast<uint32_t>(&row - kRows);
}

std::string row_id(const Row& row) {
  std::string id(name_of(row.format));
  id += '.';
  id += std::to_string(row.number);
  id += '.';
  for (char c : row.mnemonic) id += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return id;
}

const Row* find_row(std::string_view mnemonic, Format format) {
  const RowList all = rows();
  const Row* found = std::find_if(all.begin(), all.end(), [&](const Row& row) {
    return row.format == format && row.mnemonic == mnemonic;
  });
  return found == all.end() ? nullptr : found;
}

void put_in_order(RowCounts& counts) {
  std::sort(counts.begin(), counts.end());
  size_t rows = 0;
  for (const auto& [row, count] : counts) {
    if (rows != 0 && counts[rows - 1].first == row) {
      counts[rows - 1].second += count;
    } else {
      counts[rows++] = {row, count};
    }
  }
  counts.resize(rows);
}

}  // namespace cuvette::isa
