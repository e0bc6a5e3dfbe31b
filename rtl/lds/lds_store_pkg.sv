// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Stores of a group of lanes: which bytes stay, and what of them a bank writes. Combinational
// functions.

package lds_store_pkg;

  import lds_unit_pkg::*;

  // The bytes of an access at `at` that one at `other` has, too.
  function automatic logic [15:0] shared(input address_t at, input address_t other,
                                         input logic [15:0] bytes);
    logic [16:0] up;  // from one to the other
    up = {1'b0, other} - {1'b0, at};
    if (up[16:4] == '0) return bytes << up[3:0];
    if (up[16:4] == '1) return bytes >> (5'd16 - {1'b0, up[3:0]});
    return '0;
  endfunction

  // The bytes of a lane's two accesses that stay: those that no later lane of the group has in its
  // access 0 or, of access 1, in its access 1. A later lane's access 1 comes over access 0 by itself,
  // in a later pass. `bytes`: of an access; `want`: accesses that take part.
  function automatic logic [1:0][15:0] staying(input logic [$clog2(GroupLanes)-1:0] lane,
                                               input logic [15:0] bytes,
                                               input logic [1:0][GroupLanes-1:0] want,
                                               input address_t [1:0][GroupLanes-1:0] address);
    /* verilator no_inline_task */
    logic [1:0][15:0]      lost;
    logic [GroupLanes-1:0] later;
    address_t              own_0;
    address_t              own_1;
    lost  = '0;
    later = ~((GroupLanes'(2) << lane) - 1'b1);
    own_0 = address[0][lane];
    own_1 = address[1][lane];
    for (int unsigned m = 0; m < GroupLanes; m++) begin
      if (later[m] && want[0][m]) begin
        lost[0] |= shared(own_0, address[0][m], bytes);
        lost[1] |= shared(own_1, address[0][m], bytes);
      end
      if (later[m] && want[1][m]) lost[1] |= shared(own_1, address[1][m], bytes);
    end
    return {bytes & ~lost[1], bytes & ~lost[0]};
  endfunction

  // The chunks that a bank serves, together: bytes in its word, and in the word behind it from byte
  // 4 on. No two lanes have a byte in common, and `data` is zero elsewhere. `first`: bank of a lane's
  // first chunk.
  function automatic logic [7:0] merged_bytes(input bank_t bank,
                                              input logic [GroupLanes-1:0] lanes,
                                              input bank_t [GroupLanes-1:0] first,
                                              input logic [GroupLanes-1:0][Chunks-1:0][7:0] bytes);
    /* verilator no_inline_task */
    logic [7:0] result;
    logic [1:0] chunk;
    result = '0;
    for (int unsigned l = 0; l < GroupLanes; l++) begin
      chunk = 2'(bank - first[l]);
      if (lanes[l]) result |= bytes[l][chunk];
    end
    return result;
  endfunction

  function automatic logic [63:0] merged_data(input bank_t bank,
                                              input logic [GroupLanes-1:0] lanes,
                                              input bank_t [GroupLanes-1:0] first,
                                              input logic [GroupLanes-1:0][Chunks-1:0][63:0] data);
    /* verilator no_inline_task */
    logic [63:0] result;
    logic [1:0]  chunk;
    result = '0;
    for (int unsigned l = 0; l < GroupLanes; l++) begin
      chunk = 2'(bank - first[l]);
      if (lanes[l]) result |= data[l][chunk];
    end
    return result;
  endfunction

endpackage
