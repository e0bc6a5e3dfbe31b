// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Selector for copies of sources with mutants in them (tools/mutate.py).

/// Number of the mutant of the table that is on; 0: none. Set by select_mutant, or by the
/// environment variable CUVETTE_MUTANT (environment_selector.cpp).
extern "C" unsigned int cuvette_selected_mutant();

namespace cuvette {

/// Constants are computed by the compiler, which knows no mutant; const variables of integers are
/// constants, too, where their values can be: a mutant is put where they are used.
constexpr bool mutant_is(unsigned int id) {
  return !__builtin_is_constant_evaluated() && cuvette_selected_mutant() == id;
}

/// Selects a mutant, 0 for none, in programs with cuvette_ip_mutant.
void select_mutant(unsigned int id);

}  // namespace cuvette
