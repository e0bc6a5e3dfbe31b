// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// First-in first-out queue of words, all of them in registers. A word pushed in one cycle can be
// popped from the next on. The user pushes only when there is room and pops only what is there.

`include "cuvette_assert.svh"

module fifo #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 4
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             push_i,
  input  logic [Width-1:0] data_i,
  output logic             full_o,

  input  logic             pop_i,
  output logic [Width-1:0] data_o,
  output logic             empty_o
);

  localparam int unsigned PlaceBits = $clog2(Depth);

  if (Width < 1) begin : gen_refuse_width
    $error("fifo: Width is %0d, expected 1 or more", Width);
  end
  if ((Depth < 2) || (Depth != (1 << PlaceBits))) begin : gen_refuse_depth
    $error("fifo: Depth is %0d, expected a power of two from 2 on", Depth);
  end

  logic [Width-1:0]   words_q [Depth];
  logic [PlaceBits:0] head_q;  // one bit more than a place: tells full from empty
  logic [PlaceBits:0] tail_q;

  assign empty_o = head_q == tail_q;
  assign full_o  = (tail_q - head_q) == (PlaceBits + 1)'(Depth);
  assign data_o  = words_q[head_q[PlaceBits-1:0]];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
    end else begin
      if (push_i) tail_q <= tail_q + 1'b1;
      if (pop_i) head_q <= head_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i) words_q[tail_q[PlaceBits-1:0]] <= data_i;
  end

  `CUVETTE_ASSERT(PushHasRoom_A, push_i |-> !full_o)
  `CUVETTE_ASSERT(PopHasWord_A, pop_i |-> !empty_o)

endmodule
