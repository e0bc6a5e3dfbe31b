// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Memory with one read and one write port, the wrapper that a technology's memory takes the place
// of. Words asked for in one cycle are there from the next one on, until the port asks again; lanes
// written in the cycle of the question are in the answer. Not reset.

module ram_1r1w #(
  parameter int unsigned Words    = 16,
  parameter int unsigned Lanes    = 4,  // of a word, each with its write enable
  parameter int unsigned LaneBits = 8,
  localparam int unsigned AddressBits = $clog2(Words)
) (
  input  logic                           clk_i,

  input  logic                           read_i,
  input  logic [AddressBits-1:0]         read_address_i,
  output logic [Lanes-1:0][LaneBits-1:0] read_data_o,     // of the last question

  input  logic [Lanes-1:0]               write_lanes_i,   // lanes to write
  input  logic [AddressBits-1:0]         write_address_i,
  input  logic [Lanes-1:0][LaneBits-1:0] write_data_i
);

  if ((Words < 2) || (Words != (1 << AddressBits))) begin : gen_refuse_words
    $error("ram_1r1w: Words is %0d, expected a power of two from 2 on", Words);
  end
  if (Lanes < 1) begin : gen_refuse_lanes
    $error("ram_1r1w: Lanes is %0d, expected 1 or more", Lanes);
  end
  if (LaneBits < 1) begin : gen_refuse_bits
    $error("ram_1r1w: LaneBits is %0d, expected 1 or more", LaneBits);
  end

  logic [Lanes-1:0][LaneBits-1:0] words_q [Words];
  logic [Lanes-1:0][LaneBits-1:0] word_q;
  logic [Lanes-1:0][LaneBits-1:0] stored;  // the word that is written
  logic                           writes;

  assign writes      = write_lanes_i != '0;
  assign read_data_o = word_q;

  always_comb begin
    stored = words_q[write_address_i];
    if (writes) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (write_lanes_i[l]) stored[l] = write_data_i[l];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (writes) words_q[write_address_i] <= stored;
    if (read_i) begin
      word_q <= (writes && (write_address_i == read_address_i)) ? stored : words_q[read_address_i];
    end
  end

endmodule
