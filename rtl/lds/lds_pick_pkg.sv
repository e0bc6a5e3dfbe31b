// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Chunks that a bank serves in a cycle. Combinational function.

package lds_pick_pkg;

  import lds_unit_pkg::*;

  typedef struct packed {
    logic                  active;
    row_t                  row;    // of the word it serves
    logic [GroupLanes-1:0] lanes;  // that it serves
  } pick_t;

  // The word of the lowest lane that still wants one of the bank, and with it every lane that wants
  // the same, or with `alone` this lane only. `open`: chunks still to serve, by lane; `word`: of a
  // lane's first chunk. No two chunks of a lane are in one bank.
  function automatic pick_t pick(input bank_t bank, input word_t [GroupLanes-1:0] word,
                                 input logic [GroupLanes-1:0][Chunks-1:0] open,
                                 input logic alone);
    /* verilator no_inline_task */
    pick_t                 result;
    logic [GroupLanes-1:0] wants;
    logic [GroupLanes-1:0] first;
    bank_t                 ahead;  // of the lane's first chunk
    for (int unsigned l = 0; l < GroupLanes; l++) begin
      ahead    = bank - word[l][BankBits-1:0];
      wants[l] = (ahead < BankBits'(Chunks)) && open[l][ahead[1:0]];
    end
    first         = wants & (~wants + 1'b1);
    result.active = wants != '0;
    result.row    = '0;
    for (int unsigned l = 0; l < GroupLanes; l++) begin
      if (first[l]) result.row |= row_from(word[l], bank);
    end
    result.lanes = first;
    for (int unsigned l = 0; l < GroupLanes; l++) begin
      if (!alone && wants[l] && (row_from(word[l], bank) == result.row)) result.lanes[l] = 1'b1;
    end
    return result;
  endfunction

endpackage
