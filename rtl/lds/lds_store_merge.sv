// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Writes of a pass of a store in a cycle: of the chunks that each bank serves, the bytes that
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

  // Chunks with their bytes where they are in two words.
  bank_t [GroupLanes-1:0]                      first;
  logic [GroupLanes-1:0][Chunks-1:0][7:0]      bytes;
  logic [GroupLanes-1:0][Chunks-1:0][63:0]     data;

  for (genvar l = 0; l < GroupLanes; l++) begin : gen_lane
    assign first[l] = address_i[l][BankBits+1:2];
    for (genvar k = 0; k < Chunks; k++) begin : gen_chunk
      logic [3:0][7:0] kept;  // bytes that do not stay are zero
      for (genvar b = 0; b < 4; b++) begin : gen_byte
        assign kept[b] = stays_i[l][4*k + b] ? data_i[k][l][8*b +: 8] : 8'd0;
      end
      assign bytes[l][k] = {4'd0, stays_i[l][4*k +: 4]} << address_i[l][1:0];
      assign data[l][k]  = {32'd0, kept} << {address_i[l][1:0], 3'd0};
    end
  end

  for (genvar b = 0; b < LdsBanks; b++) begin : gen_bank
    localparam int unsigned Next = (b + 1) % LdsBanks;
    logic [7:0]      written;
    logic [7:0][7:0] value;

    always_comb begin
      written = '0;
      value   = '0;
      if (store_i && (lanes_i[b] != '0)) begin
        written = lds_store_pkg::merged_bytes(bank_t'(b), lanes_i[b], first, bytes);
        value   = lds_store_pkg::merged_data(bank_t'(b), lanes_i[b], first, data);
      end
    end

    assign bytes_o[0][b]    = written[3:0];
    assign data_o[0][b]     = value[3:0];
    assign bytes_o[1][Next] = written[7:4];
    assign data_o[1][Next]  = value[7:4];
  end

endmodule
