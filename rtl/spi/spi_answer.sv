// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Answers dispatches that are over, the lowest place first, each from the cycle behind the one in
// which it was over; its place is then free.

`include "cuvette_assert.svh"

module spi_answer
  import spi_unit_pkg::*;
  import spi_pkg::*;
(
  input  logic                            clk_i,
  input  logic                            rst_ni,

  input  logic [Dispatches-1:0]           over_i,
  input  dispatch_done_t [Dispatches-1:0] done_i,
  output logic [Dispatches-1:0]           clear_o,    // this one is answered

  output logic                            done_valid_o,
  input  logic                            done_ready_i,
  output dispatch_done_t                  done_o
);

  logic           valid_q;
  dispatch_done_t done_q;
  logic           takes;
  dispatch_done_t next;

  assign takes   = !valid_q || done_ready_i;
  assign clear_o = takes ? (over_i & (~over_i + 1'b1)) : '0;

  always_comb begin
    next = '0;
    for (int unsigned i = 0; i < Dispatches; i++) begin
      if (clear_o[i]) next |= done_i[i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni)    valid_q <= 1'b0;
    else if (takes) valid_q <= over_i != '0;
  end

  always_ff @(posedge clk_i) begin
    if (takes) done_q <= next;
  end

  assign done_valid_o = valid_q;
  assign done_o       = done_q;

  `CUVETTE_ASSERT(DoneHeld_A, (done_valid_o && !done_ready_i) |=>
      (done_valid_o && $stable(done_o)))

endmodule
