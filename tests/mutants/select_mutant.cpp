// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "selected_mutant.h"

// The mutant that a test selects, one after the other in a process.
namespace {
unsigned int g_selected_mutant = 0;
}  // namespace

extern "C" unsigned int cuvette_selected_mutant() {
  return g_selected_mutant;
}

namespace cuvette {

void select_mutant(unsigned int id) {
  g_selected_mutant = id;
}

}  // namespace cuvette
