// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// MUTANT(id, good, bad): `good` in every ordinary build. The build with CUVETTE_MUTANTS defined
// takes `bad` while mutant_pkg::cuvette_selected_mutant() is `id` (ids: tests/mutants.csv).
`ifndef CUVETTE_MUTANT_SVH_
`define CUVETTE_MUTANT_SVH_

`ifdef CUVETTE_MUTANTS
`define MUTANT(id, good, bad) ((mutant_pkg::cuvette_selected_mutant() == 32'd``id) ? (bad) : (good))
`else
`define MUTANT(id, good, bad) (good)
`endif

`endif  // CUVETTE_MUTANT_SVH_
