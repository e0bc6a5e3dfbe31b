// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// What the parts of the crossbar share (docs/reference/crossbar.md).
package crossbar_unit_pkg;

  import crossbar_pkg::*;
  import memory_pkg::*;

  localparam int unsigned IdBits = 64 - SourceBits;  // of a source's own ids

  // A request that goes to every slice and is answered once.
  function automatic logic is_broadcast(input mem_op_e op);
    return (op == MemInvalidate) || (op == MemWriteback);
  endfunction

  function automatic logic is_inside(input aperture_t aperture, input mem_op_e op, input logic [63:0] address);
    return aperture.there && (op == MemWrite) && ((address - aperture.base) < aperture.bytes);
  endfunction

endpackage
