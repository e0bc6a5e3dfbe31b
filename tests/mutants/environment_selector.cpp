// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "selected_mutant.h"

// The mutant that the environment variable CUVETTE_MUTANT names, for the life of the process.
extern "C" unsigned int cuvette_selected_mutant() {
  static const unsigned int selected = [] {
    const char* const text = std::getenv("CUVETTE_MUTANT");
    return text == nullptr ? 0u : static_cast<unsigned int>(std::atoi(text));
  }();
  return selected;
}
