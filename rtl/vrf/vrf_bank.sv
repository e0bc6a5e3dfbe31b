// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// One bank of the vector register file: words of 16 lanes, one read and a write per write port and
// cycle. A read gives the word before the writes of the same cycle. Not reset.

module vrf_bank #(
  parameter int unsigned Words = 512,
  parameter int unsigned Lanes = 16,
  parameter int unsigned WritePorts = 5,
  localparam int unsigned AddressBits = $clog2(Words)
) (
  input  logic                                     clk_i,

  input  logic [AddressBits-1:0]                   read_address_i,
  output logic [Lanes-1:0][31:0]                   read_data_o,

  input  logic [WritePorts-1:0]                    write_i,
  input  logic [WritePorts-1:0][AddressBits-1:0]   write_address_i,
  input  logic [WritePorts-1:0][Lanes-1:0]         write_lanes_i,
  input  logic [WritePorts-1:0][Lanes-1:0][31:0]   write_data_i
);

  if ((Words < 2) || (Words != (1 << AddressBits))) begin : gen_refuse_words
    $error("vrf_bank: Words is %0d, expected a power of two from 2 on", Words);
  end

  logic [Lanes-1:0][31:0] words_q [Words];

  assign read_data_o = words_q[read_address_i];

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < WritePorts; p++) begin
      if (write_i[p]) begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          if (write_lanes_i[p][l]) begin
            words_q[write_address_i[p]][l] <= write_data_i[p][l];
          end
        end
      end
    end
  end

endmodule
