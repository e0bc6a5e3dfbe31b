// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Result of a pass of a load: takes each chunk that was served out of the words of its bank and of
// the next one. The banks answer a cycle after they were asked, and the result is there in that
// cycle.

module lds_gather
  import lds_unit_pkg::*;
  import lds_pkg::*;
(
  input  logic                              clk_i,

  input  logic [4:0]                        bytes_i,    // of an access
  input  address_t [GroupLanes-1:0]         address_i,  // of the lanes of the pass
  input  bank_words_t [1:0]                 words_i,    // of the cycle after

  output logic [Chunks-1:0][GroupLanes-1:0][31:0] data_o
);

  logic [4:0]                              bytes_q;
  logic [GroupLanes-1:0][BankBits+1:0]     place_q;  // bank and byte in it
  logic [31:0]                             mask;     // bytes of an access below a dword

  always_ff @(posedge clk_i) begin
    bytes_q <= bytes_i;
    for (int unsigned l = 0; l < GroupLanes; l++) place_q[l] <= address_i[l][BankBits+1:0];
  end

  assign mask = (bytes_q == 5'd1) ? 32'h0000_00ff : ((bytes_q == 5'd2) ? 32'h0000_ffff : '1);

  for (genvar l = 0; l < GroupLanes; l++) begin : gen_lane
    for (genvar k = 0; k < Chunks; k++) begin : gen_chunk
      bank_t bank;
      bank_t next;
      assign bank = place_q[l][BankBits+1:2] + bank_t'(k);
      assign next = bank + 1'b1;
      assign data_o[k][l] =
          32'({words_i[1][next], words_i[0][bank]} >> {place_q[l][1:0], 3'd0}) & mask;
    end
  end

endmodule
