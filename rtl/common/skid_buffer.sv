// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Cuts the path of ready through a handshake: up_ready_o comes from a register, and the word that
// arrives while the receiver stalls is kept here. Words that meet a ready receiver pass in the same
// cycle.

`include "cuvette_assert.svh"

module skid_buffer #(
  parameter int unsigned Width = 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             up_valid_i,
  input  logic [Width-1:0] up_data_i,
  output logic             up_ready_o,

  output logic             down_valid_o,
  output logic [Width-1:0] down_data_o,
  input  logic             down_ready_i
);

  if (Width < 1) begin : gen_refuse_width
    $error("skid_buffer: Width is %0d, expected 1 or more", Width);
  end

  logic             held_q;
  logic [Width-1:0] word_q;

  assign up_ready_o   = !held_q;
  assign down_valid_o = held_q || up_valid_i;
  assign down_data_o  = held_q ? word_q : up_data_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      held_q <= 1'b0;
    end else begin
      held_q <= down_valid_o && !down_ready_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (up_valid_i && up_ready_o) word_q <= up_data_i;
  end

  `CUVETTE_ASSERT(KeepsTheWord_A, (down_valid_o && !down_ready_i) |=> down_valid_o)
  `CUVETTE_ASSERT(StallsAtOnce_A, (down_valid_o && !down_ready_i) |=> !up_ready_o)

endmodule
