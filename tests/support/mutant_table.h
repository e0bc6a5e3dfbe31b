// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "csv.h"

// tests/mutants/lockstep.csv: the errors put in on purpose and the check that has to find each.
namespace cuvette {

struct Mutant {
  unsigned id = 0;
  std::string file, place, change, check;

  /// Mutants of the matrix core are judged by matrix_mutant_test.
  bool of_matrix_core() const { return check.rfind("matrix-", 0) == 0; }
  /// Mutants of small cells, by cell_mutant_test.py.
  bool of_cell() const { return check.rfind("cell-", 0) == 0; }
  /// Mutants of registers and lanes, by simd_mutant_test.
  bool of_simd() const { return check.rfind("simd-", 0) == 0 || check.rfind("vrf-", 0) == 0; }
};

inline std::vector<Mutant> mutants() {
  std::vector<Mutant> out;
  for (const csv::Row& c : csv::read_body("mutants/lockstep.csv")) {
    EXPECT_EQ(c.size(), 6u) << c.front();
    if (c.size() != 6) continue;
    out.push_back({static_cast<unsigned>(std::stoul(c[0])), c[1], c[2], c[3], c[4]});
  }
  return out;
}

}  // namespace cuvette
