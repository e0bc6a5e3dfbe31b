// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "csv.h"

namespace cuvette::hsail::testing {

/// The rows of brig_entries.csv by id: id,kind,name,values_or_fields,...
inline std::map<std::string, csv::Row> ledger_rows() {
  std::map<std::string, csv::Row> rows;
  for (const csv::Row& cells : csv::read("ledger/brig_entries.csv")) {
    if (cells.size() > 3) rows[cells[0]] = cells;
  }
  return rows;
}

}  // namespace cuvette::hsail::testing
