// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The run-time selector of the mutant build; part of no other build.
package mutant_pkg;

  // Which mutant is on; 0: none. Constant between one reset and the next.
  import "DPI-C" function int unsigned cuvette_selected_mutant();

endpackage
