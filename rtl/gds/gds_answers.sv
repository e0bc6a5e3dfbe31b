// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Answers to requests with sync: kept until their time, then given as the four beats of a response,
// in the order in which they came. `Latency` cycles from an answer to its first beat.

`include "cuvette_assert.svh"

module gds_answers
  import gds_unit_pkg::*;
  import gds_pkg::*;
#(
  parameter int unsigned Latency = 64
) (
  input  logic      clk_i,
  input  logic      rst_ni,

  input  logic      answer_valid_i,   // only when ready
  output logic      answer_ready_o,
  input  answer_t   answer_i,

  output logic      response_valid_o,
  input  logic      response_ready_i,
  output response_t response_o,
  output unit_t     response_unit_o
);

  localparam int unsigned Depth    = 16;
  localparam int unsigned TimeBits = 32;

  typedef struct packed {
    answer_t             answer;
    logic [TimeBits-1:0] due;
  } kept_t;

  logic [TimeBits-1:0] now_q;
  logic [TimeBits-1:0] left;   // until the oldest is due; the highest bit: it was
  logic                due_q;  // the oldest has been due
  logic [1:0]          beat_q;
  kept_t               oldest;
  logic                full;
  logic                empty;
  logic                gives;
  logic                leaves;

  fifo #(
    .Width ($bits(kept_t)),
    .Depth (Depth)
  ) u_kept (
    .clk_i,
    .rst_ni,
    .push_i  (answer_valid_i),
    .data_i  ({answer_i, now_q + TimeBits'(Latency)}),
    .full_o  (full),
    .pop_i   (leaves),
    .data_o  (oldest),
    .empty_o (empty)
  );

  assign answer_ready_o   = !full;
  assign left             = oldest.due - now_q;
  assign response_valid_o = !empty && (due_q || (left == '0) || left[TimeBits-1]);
  assign gives            = response_valid_o && response_ready_i;
  assign leaves           = gives && (beat_q == 2'd3);
  assign response_unit_o  = oldest.answer.unit;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      now_q  <= '0;
      beat_q <= '0;
      due_q  <= 1'b0;
    end else begin
      now_q <= now_q + 1'b1;
      due_q <= response_valid_o && !leaves;
      if (gives) beat_q <= beat_q + 1'b1;
    end
  end

  always_comb begin
    response_o      = '0;
    response_o.id   = oldest.answer.id;
    response_o.beat = beat_q;
    if (beat_q == '0) response_o.data[0][0] = oldest.answer.value;
  end

  `CUVETTE_ASSERT(HasRoom_A, answer_valid_i |-> answer_ready_o)

endmodule
