// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

// Which mutant is on in the builds of the cells' tests for cell_mutant_test.
extern "C" unsigned int cuvette_selected_mutant() {
  static const unsigned int selected = [] {
    const char* const text = std::getenv("CUVETTE_SEMANTIC_MUTANT");
    return text == nullptr ? 0u : static_cast<unsigned int>(std::atoi(text));
  }();
  return selected;
}
