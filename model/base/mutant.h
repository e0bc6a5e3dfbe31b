// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// CUVETTE_SEMANTIC_MUTANT(id, good, bad): `good`, except in what is built for wave_mutant_test and
/// front_mutant_test (tests/wave_mutants.csv, tests/front_mutants.csv), where `bad` is taken in a
/// process whose environment variable CUVETTE_SEMANTIC_MUTANT is `id`.
#ifdef CUVETTE_SEMANTIC_MUTANTS
#include <cstdlib>

namespace cuvette::base {

/// 0: none.
inline int selected_mutant() {
  static const int selected = [] {
    const char* const text = std::getenv("CUVETTE_SEMANTIC_MUTANT");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return selected;
}

/// Constants are computed by the compiler, which knows no mutant.
constexpr bool is_mutant(int id) {
  return !__builtin_is_constant_evaluated() && selected_mutant() == id;
}

}  // namespace cuvette::base
#define CUVETTE_SEMANTIC_MUTANT(id, good, bad) (::cuvette::base::is_mutant(id) ? (bad) : (good))
#else
#define CUVETTE_SEMANTIC_MUTANT(id, good, bad) (good)
#endif
