// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// CUVETTE_MUTANT(id, good, bad): `good`, except in the library built for mutant_test, where `bad`
/// is taken while mutant `id` of tests/mutants.csv is selected. The same number space as `MUTANT
/// in the SystemVerilog sources.
#ifdef CUVETTE_MUTANTS
extern "C" unsigned int cuvette_selected_mutant();
#define CUVETTE_MUTANT(id, good, bad) (cuvette_selected_mutant() == (id) ? (bad) : (good))
#else
#define CUVETTE_MUTANT(id, good, bad) (good)
#endif

namespace cuvette::ip {

/// Selects a mutant, 0 for none; only in the library built for mutant_test.
void select_mutant(unsigned id);

}  // namespace cuvette::ip
