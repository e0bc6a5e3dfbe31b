// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The 32 banks of the local data share, words of 4 bytes. Each has two ports of both kinds: port 0
// for words that are served, port 1 for what chunks have of the word behind, or for a second
// address. A row read in one cycle is there in the next. Not reset.

module lds_banks
  import lds_unit_pkg::*;
  import lds_pkg::*;
(
  input  logic                           clk_i,

  input  logic [1:0][LdsBanks-1:0]       read_i,
  input  row_t [1:0][LdsBanks-1:0]       read_row_i,
  output bank_words_t [1:0]              read_data_o,

  input  row_t [1:0][LdsBanks-1:0]       write_row_i,
  input  logic [1:0][LdsBanks-1:0][3:0]  write_bytes_i,
  input  bank_words_t [1:0]              write_data_i
);

  for (genvar b = 0; b < LdsBanks; b++) begin : gen_bank
    ram_2r2w #(
      .Words (1 << RowBits),
      .Bytes (4)
    ) u_ram (
      .clk_i,
      .read_i          ({read_i[1][b], read_i[0][b]}),
      .read_address_i  ({read_row_i[1][b], read_row_i[0][b]}),
      .read_data_o     ({read_data_o[1][b], read_data_o[0][b]}),
      .write_bytes_i   ({write_bytes_i[1][b], write_bytes_i[0][b]}),
      .write_address_i ({write_row_i[1][b], write_row_i[0][b]}),
      .write_data_i    ({write_data_i[1][b], write_data_i[0][b]})
    );
  end

endmodule
