// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// What copies of SystemVerilog with mutants in them (tools/mutate.py) ask which one is on.
package mutant_pkg;

  // Which mutant is on; 0: none. Constant between one reset and the next.
  import "DPI-C" function int unsigned cuvette_selected_mutant();

endpackage
