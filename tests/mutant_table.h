// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

// tests/mutants.csv: the errors put in on purpose and the check that has to find each.
namespace cuvette {

struct Mutant {
  unsigned id = 0;
  std::string place, change, check;

  /// Those of the matrix core are judged by matrix_mutant_test.
  bool of_matrix_core() const { return check.rfind("matrix-", 0) == 0; }
};

inline std::vector<Mutant> mutants() {
  std::ifstream file(CUVETTE_SOURCE_DIR "/tests/mutants.csv");
  std::vector<Mutant> out;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::stringstream fields(line);
    std::string id;
    Mutant m;
    std::getline(fields, id, ',');
    std::getline(fields, m.place, ',');
    std::getline(fields, m.change, ',');
    std::getline(fields, m.check, ',');
    m.id = static_cast<unsigned>(std::stoul(id));
    out.push_back(m);
  }
  return out;
}

}  // namespace cuvette
