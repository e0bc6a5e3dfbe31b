// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Which word a bank serves in a cycle: that of the lowest lane that still wants one of it, and with
// it every lane that wants the same, or with alone_i this lane only. Purely combinational.

module lds_bank_pick
  import lds_unit_pkg::*;
(
  input  bank_t                              bank_i,    // which bank this is
  input  word_t [GroupLanes-1:0]             word_i,    // of a lane's first chunk
  input  logic [GroupLanes-1:0][Chunks-1:0]  open_i,    // chunks still to serve
  input  logic                               alone_i,

  output logic                               active_o,
  output row_t                               row_o,     // of the word it serves
  output logic [GroupLanes-1:0]              lanes_o    // the lanes it serves
);

  logic [GroupLanes-1:0] wants;  // of a lane no two chunks are in one bank
  logic [GroupLanes-1:0] first;
  row_t [GroupLanes-1:0] row;

  always_comb begin
    row_o = '0;
    for (int unsigned l = 0; l < GroupLanes; l++) begin
      bank_t ahead;  // of the lane's first chunk
      ahead    = bank_i - word_i[l][BankBits-1:0];
      wants[l] = (ahead < BankBits'(Chunks)) && open_i[l][ahead[1:0]];
      row[l]   = row_from(word_i[l], bank_i);
    end
    first = wants & (~wants + 1'b1);
    for (int unsigned l = 0; l < GroupLanes; l++) begin
      if (first[l]) row_o |= row[l];
    end
    for (int unsigned l = 0; l < GroupLanes; l++) begin
      lanes_o[l] = alone_i ? first[l] : (wants[l] && (row[l] == row_o));
    end
  end

  assign active_o = wants != '0;

endmodule
