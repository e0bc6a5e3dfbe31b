// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Selector for copies of SystemVerilog with mutants in them (tools/mutate.py).
package mutant_pkg;

  // Number of the mutant that is on; 0: none. Constant between one reset and the next.
  import "DPI-C" function int unsigned cuvette_selected_mutant();

endpackage
