// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Requests of the compute units, one after the other: the compute unit behind the one that was
// served last goes first, and keeps its turn for the four beats of a request. A beat is held here
// for at least a cycle. The last one goes on when its part of the block is ready and, of requests
// that are no withdrawals, when `taken` is handed over in the same cycle: that is when the request
// acts, so that the order of `taken` is the order of requests.

`include "cuvette_assert.svh"

module gds_intake
  import gds_unit_pkg::*;
  import gds_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,

  input  logic [ComputeUnits-1:0]     request_valid_i,
  output logic [ComputeUnits-1:0]     request_ready_o,
  input  request_t [ComputeUnits-1:0] request_i,

  output logic [ComputeUnits-1:0]     taken_valid_o,
  input  logic [ComputeUnits-1:0]     taken_ready_i,
  output taken_t [ComputeUnits-1:0]   taken_o,

  output request_t                    beat_o,          // the one that is held
  output unit_t                       unit_o,          // its requester
  output logic                        share_valid_o,   // goes to the memory, which is ready
  input  logic                        share_ready_i,
  output logic                        sync_waits_o,    // a last beat is for the sync unit
  output logic                        sync_valid_o,    // it acts
  input  logic                        sync_ready_i
);

  localparam int unsigned IndexBits = (ComputeUnits > 1) ? $clog2(ComputeUnits) : 1;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Turns of the requesters
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic                    within_q;  // between the beats of a request
  logic [ComputeUnits-1:0] owner_q;   // of the beat before
  logic [ComputeUnits-1:0] asks;
  logic [ComputeUnits-1:0] grant;
  logic [IndexBits-1:0]    index;
  logic                    offered;
  request_t                next;
  logic                    take;
  logic                    held_q;
  logic                    moves;

  assign asks            = within_q ? (request_valid_i & owner_q) : request_valid_i;
  assign next            = request_i[index];
  assign take            = offered && (!held_q || moves);
  assign request_ready_o = grant & {ComputeUnits{!held_q || moves}};

  arbiter #(.Requests(ComputeUnits)) u_arbiter (
    .clk_i,
    .rst_ni,
    .request_i (asks),
    .grant_o   (grant),
    .index_o   (index),
    .valid_o   (offered),
    .ready_i   (take && (next.beat == 2'd3))
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni)   within_q <= 1'b0;
    else if (take) within_q <= next.beat != 2'd3;
  end

  always_ff @(posedge clk_i) begin
    if (take) owner_q <= grant;
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // The beat that is held
  ////////////////////////////////////////////////////////////////////////////////////////////////
  request_t             beat_q;
  logic [IndexBits-1:0] index_q;
  logic                 access;
  logic                 last;
  logic                 says_taken;
  logic                 may_act;

  assign access     = !beat_q.withdraw && (beat_q.sync == SyncNone);
  assign last       = beat_q.beat == 2'd3;
  assign says_taken = held_q && last && !beat_q.withdraw && (access ? share_ready_i : sync_ready_i);
  assign may_act    = beat_q.withdraw || taken_ready_i[index_q];

  assign beat_o        = beat_q;
  assign unit_o        = unit_t'(index_q);
  assign share_valid_o = held_q && access && share_ready_i && (!last || may_act);
  assign sync_waits_o  = held_q && !access && last;
  assign sync_valid_o  = sync_waits_o && sync_ready_i && may_act;
  assign moves         = share_valid_o || sync_valid_o || (held_q && !access && !last);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) held_q <= 1'b0;
    else         held_q <= take || (held_q && !moves);
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      beat_q  <= next;
      index_q <= index;
    end
  end

  for (genvar u = 0; u < ComputeUnits; u++) begin : gen_taken
    assign taken_valid_o[u] = says_taken && (index_q == IndexBits'(u));
    assign taken_o[u].id    = beat_q.id;
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Assumptions about requesters (docs/reference/gds.md), and properties of the block
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [1:0] due_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)   due_q <= 2'd0;
    else if (take) due_q <= due_q + 2'd1;
  end

  `CUVETTE_ASSERT(BeatsInOrder_A, offered |-> (next.beat == due_q))
  for (genvar u = 0; u < ComputeUnits; u++) begin : gen_held
    `CUVETTE_ASSERT(RequestHeld_A, (request_valid_i[u] && !request_ready_o[u]) |=>
        (request_valid_i[u] && $stable(request_i[u])))
    `CUVETTE_ASSERT(TakenHeld_A, (taken_valid_o[u] && !taken_ready_i[u]) |=>
        (taken_valid_o[u] && $stable(taken_o[u])))
  end
  `CUVETTE_ASSERT(OneTaken_A, $onehot0(taken_valid_o))

endmodule
