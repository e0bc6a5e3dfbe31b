// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Memory with two read and two write ports, the wrapper that a technology's memory takes the place
// of. Words asked for in one cycle are there from the next one on, until the port asks again; bytes
// written in the cycle of the question are in the answer. When both ports write a byte in one
// cycle, that of port 1 stays. Not reset.

module ram_2r2w #(
  parameter int unsigned Words = 16,
  parameter int unsigned Bytes = 4,  // of a word
  localparam int unsigned AddressBits = $clog2(Words)
) (
  input  logic                             clk_i,

  input  logic [1:0]                       read_i,
  input  logic [1:0][AddressBits-1:0]      read_address_i,
  output logic [1:0][Bytes-1:0][7:0]       read_data_o,    // of the last question

  input  logic [1:0][Bytes-1:0]            write_bytes_i,  // bytes to write
  input  logic [1:0][AddressBits-1:0]      write_address_i,
  input  logic [1:0][Bytes-1:0][7:0]       write_data_i
);

  if ((Words < 2) || (Words != (1 << AddressBits))) begin : gen_refuse_words
    $error("ram_2r2w: Words is %0d, expected a power of two from 2 on", Words);
  end
  if (Bytes < 1) begin : gen_refuse_bytes
    $error("ram_2r2w: Bytes is %0d, expected 1 or more", Bytes);
  end

  logic [Bytes-1:0][7:0] words_q [Words];

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < 2; p++) begin
      for (int unsigned b = 0; b < Bytes; b++) begin
        if (write_bytes_i[p][b]) words_q[write_address_i[p]][b] <= write_data_i[p][b];
      end
    end
  end

  for (genvar r = 0; r < 2; r++) begin : gen_read
    logic [Bytes-1:0][7:0] word;
    logic [Bytes-1:0][7:0] word_q;

    always_comb begin
      word = words_q[read_address_i[r]];
      for (int unsigned p = 0; p < 2; p++) begin
        for (int unsigned b = 0; b < Bytes; b++) begin
          if (write_bytes_i[p][b] && (write_address_i[p] == read_address_i[r])) begin
            word[b] = write_data_i[p][b];
          end
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (read_i[r]) word_q <= word;
    end

    assign read_data_o[r] = word_q;
  end

endmodule
