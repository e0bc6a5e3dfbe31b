// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Answers of a port on their way: in the order in which they were given, each Delay cycles after that
// at the earliest. Room is counted from when a request is taken for access.

`include "cuvette_assert.svh"

module memory_answers
  import memory_pkg::*;
#(
  parameter int unsigned Depth = 128,  // a power of two
  parameter int unsigned Delay = 347   // cycles, from 1 on
) (
  input  logic      clk_i,
  input  logic      rst_ni,

  input  logic      start_i,   // an answer will be given; only with room
  output logic      room_o,

  input  logic      give_i,
  input  mem_resp_t answer_i,

  output logic      response_valid_o,
  input  logic      response_ready_i,
  output mem_resp_t response_o
);

  localparam int unsigned TimeBits  = 16;
  localparam int unsigned CountBits = $clog2(Depth + 1);

  if ((Delay < 1) || (Delay >= (1 << (TimeBits - 1)))) begin : gen_refuse_delay
    $error("memory_answers: Delay is %0d, expected 1 to 32767", Delay);
  end

  typedef struct packed {
    mem_resp_t           response;
    logic [TimeBits-1:0] due;
  } kept_t;

  logic [TimeBits-1:0]  now_q;
  logic [CountBits-1:0] count_q;  // given and to be given
  kept_t                kept;
  kept_t                oldest;
  logic [TimeBits-1:0]  left;     // until the oldest is due; the highest bit: it was
  logic                 due_q;    // the oldest has been due
  logic                 full;
  logic                 empty;
  logic                 leaves;

  assign kept   = '{response: answer_i, due: now_q + TimeBits'(Delay)};
  assign room_o = count_q != CountBits'(Depth);

  fifo #(
    .Width ($bits(kept_t)),
    .Depth (Depth)
  ) u_kept (
    .clk_i,
    .rst_ni,
    .push_i  (give_i),
    .data_i  (kept),
    .full_o  (full),
    .pop_i   (leaves),
    .data_o  (oldest),
    .empty_o (empty)
  );

  assign left             = oldest.due - now_q;
  assign response_valid_o = !empty && (due_q || (left == '0) || left[TimeBits-1]);
  assign response_o       = oldest.response;
  assign leaves           = response_valid_o && response_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      now_q   <= '0;
      count_q <= '0;
      due_q   <= 1'b0;
    end else begin
      now_q   <= now_q + 1'b1;
      count_q <= count_q + CountBits'(start_i) - CountBits'(leaves);
      due_q   <= response_valid_o && !leaves;
    end
  end

  `CUVETTE_ASSERT(StartsWithRoom_A, start_i |-> room_o)
  `CUVETTE_ASSERT(HasRoom_A, give_i |-> !full)
  `CUVETTE_ASSERT(ResponseHeld_A, (response_valid_o && !response_ready_i) |=>
      (response_valid_o && $stable(oldest.response)))

endmodule
