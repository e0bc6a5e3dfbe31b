// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// What a pass of a store writes in a cycle: of the chunks that each bank serves, the bytes that
// stay, those in its word to port 0 and those in the word behind to port 1 of the next bank. No two
// lanes have a byte in common (lds_store_order). Purely combinational.

module lds_store_merge
  import lds_unit_pkg::*;
  import lds_pkg::*;
(
  input  logic                                      store_i,    // else nothing is written
  input  address_t [GroupLanes-1:0]                 address_i,
  input  logic [Chunks-1:0][GroupLanes-1:0][31:0]   data_i,     // by chunk of the access
  input  logic [GroupLanes-1:0][15:0]               stays_i,    // bytes of the access
  input  logic [LdsBanks-1:0][GroupLanes-1:0]       lanes_i,    // that the bank serves

  output logic [1:0][LdsBanks-1:0][3:0]             bytes_o,
  output bank_words_t [1:0]                         data_o
);

  // A chunk with its bytes where they are in two words.
  typedef struct packed {
    logic [7:0]      bytes;
    logic [7:0][7:0] data;
  } chunk_t;

  chunk_t [GroupLanes-1:0][Chunks-1:0] chunk;

  always_comb begin
    for (int unsigned l = 0; l < GroupLanes; l++) begin
      for (int unsigned k = 0; k < Chunks; k++) begin
        logic [31:0] kept;  // bytes that do not stay are zero
        for (int unsigned b = 0; b < 4; b++) begin
          kept[8*b +: 8] = stays_i[l][4*k + b] ? data_i[k][l][8*b +: 8] : 8'd0;
        end
        chunk[l][k].bytes = {4'd0, stays_i[l][4*k +: 4]} << address_i[l][1:0];
        chunk[l][k].data  = {32'd0, kept} << {address_i[l][1:0], 3'd0};
      end
    end
  end

  chunk_t [LdsBanks-1:0] merged;

  for (genvar b = 0; b < LdsBanks; b++) begin : gen_bank
    always_comb begin
      merged[b] = '0;
      for (int unsigned l = 0; l < GroupLanes; l++) begin
        if (store_i && lanes_i[b][l]) begin
          merged[b] |= chunk[l][2'(bank_t'(b) - address_i[l][BankBits+1:2])];
        end
      end
    end

    localparam int unsigned Next = (b + 1) % LdsBanks;
    assign bytes_o[0][b]    = merged[b].bytes[3:0];
    assign data_o[0][b]     = merged[b].data[3:0];
    assign bytes_o[1][Next] = merged[b].bytes[7:4];
    assign data_o[1][Next]  = merged[b].data[7:4];
  end

endmodule
