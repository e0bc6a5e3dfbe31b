// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Table of requests passed on to the level below, with their requester: by the entry in the id that
// a request has there. An entry is given in one cycle and free again in the cycle after its answer.

`include "cuvette_assert.svh"

module cache_forwards
  import cache_unit_pkg::*;
#(
  parameter int unsigned Entries = 16
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  output logic        room_o,
  output entry_t      entry_o,   // the next one
  input  logic        add_i,     // only with room
  input  port_t       port_i,
  input  logic [63:0] id_i,

  input  entry_t      done_entry_i,
  output port_t       done_port_o,
  output logic [63:0] done_id_o,
  input  logic        done_i,

  output logic        idle_o
);

  localparam int unsigned IndexBits = $clog2(Entries);

  logic [Entries-1:0] taken_q;
  logic [Entries-1:0] add;
  logic [Entries-1:0] done;
  port_t              port_q [Entries];
  logic [63:0]        id_q [Entries];

  always_comb begin
    entry_o = '0;
    for (int unsigned e = Entries; e != 0; e--) begin
      if (!taken_q[e-1]) entry_o = entry_t'(e - 1);
    end
  end

  assign room_o      = taken_q != '1;
  assign idle_o      = taken_q == '0;
  assign done_port_o = port_q[done_entry_i[IndexBits-1:0]];
  assign done_id_o   = id_q[done_entry_i[IndexBits-1:0]];
  assign add         = add_i ? (Entries'(1) << entry_o[IndexBits-1:0]) : '0;
  assign done        = done_i ? (Entries'(1) << done_entry_i[IndexBits-1:0]) : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) taken_q <= '0;
    else         taken_q <= (taken_q & ~done) | add;
  end

  always_ff @(posedge clk_i) begin
    if (add_i) begin
      port_q[entry_o[IndexBits-1:0]] <= port_i;
      id_q[entry_o[IndexBits-1:0]]   <= id_i;
    end
  end

  `CUVETTE_ASSERT(HasRoom_A, add_i |-> room_o)
  `CUVETTE_ASSERT(DoneIsKnown_A, done_i |-> ((done & taken_q) != '0))

endmodule
