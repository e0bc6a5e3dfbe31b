// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Arbiter of an output of the crossbar: the oldest arrival first, of one cycle that of the lowest
// input. It keeps, for every cycle in which messages came, from which inputs: a queue that grants the
// inputs of its oldest entry one after the other. Those of an arrival are granted from the next cycle
// on. A grant stays until it is taken.

`include "cuvette_assert.svh"

module crossbar_order #(
  parameter int unsigned Inputs = 4,
  parameter int unsigned Depth  = 64  // arrivals of an input that were not taken, at most
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic [Inputs-1:0] arrives_i,
  output logic [Inputs-1:0] grant_o,   // one of them, or none
  input  logic              take_i     // the message of the grant is taken
);

  localparam int unsigned Entries = 1 << $clog2(Inputs * Depth);

  logic              full;
  logic              empty;
  logic [Inputs-1:0] came;      // of the oldest entry
  logic [Inputs-1:0] served_q;  // of it, those that were taken
  logic [Inputs-1:0] waits;
  logic              last;      // the grant is the last of its entry

  fifo #(
    .Width (Inputs),
    .Depth ((Entries < 2) ? 2 : Entries)
  ) u_arrivals (
    .clk_i,
    .rst_ni,
    .push_i  (arrives_i != '0),
    .data_i  (arrives_i),
    .full_o  (full),
    .pop_i   (take_i && last),
    .data_o  (came),
    .empty_o (empty)
  );

  assign waits   = empty ? '0 : (came & ~served_q);
  assign grant_o = waits & (~waits + 1'b1);
  assign last    = waits == grant_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)     served_q <= '0;
    else if (take_i) served_q <= last ? '0 : (served_q | grant_o);
  end

  `CUVETTE_ASSERT(GrantsOne_A, $onehot0(grant_o))
  `CUVETTE_ASSERT(TakesGrant_A, take_i |-> (grant_o != '0))
  `CUVETTE_ASSERT(GrantStays_A, ((grant_o != '0) && !take_i) |=> $stable(grant_o))
  `CUVETTE_ASSERT(KeepsArrivals_A, (arrives_i != '0) |-> !full)
  `CUVETTE_COVER(SeveralAtOnce_C, !$onehot0(arrives_i))

endmodule
