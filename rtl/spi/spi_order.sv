// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Messages to the GDS: of the waves that begin, in the order in which work-groups start, and of
// those that have ended, one in a cycle in all. An end of a wave is taken from its compute unit when
// it can be told in the next cycle, and when a message about a saved work-group may come of it;
// begins and ends take turns when there are both.

`include "cuvette_assert.svh"

module spi_order
  import spi_unit_pkg::*;
  import spi_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  plan_t [Dispatches-1:0]        plan_i,

  input  logic                          commit_i,       // a work-group starts
  input  logic [ComputeUnits-1:0]       commit_unit_i,
  input  group_t                        commit_group_i,
  output logic [ComputeUnits-1:0]       told_o,         // the GDS is told of a wave that begins there
  output logic [ComputeUnits-1:0]       turn_o,         // its work-group may begin
  input  logic [ComputeUnits-1:0]       begins_i,       // it does

  input  logic                          saved_ready_i,  // an end may be that of a saved work-group
  input  logic [ComputeUnits-1:0]       done_valid_i,
  output logic [ComputeUnits-1:0]       done_ready_o,
  input  wave_done_t [ComputeUnits-1:0] done_i,
  output logic                          end_o,          // one of these is taken
  output logic [ComputeUnits-1:0]       end_unit_o,
  output wave_done_t                    end_done_o,

  output logic                          order_valid_o,
  input  logic                          order_ready_i,
  output wave_order_t                   order_o
);

  localparam int unsigned UnitBits = (ComputeUnits > 1) ? $clog2(ComputeUnits) : 1;
  // Work-groups that are being launched, at most one on each compute unit, and one that comes.
  localparam int unsigned Depth    = 1 << $clog2(ComputeUnits + 1);

  // A work-group whose waves the GDS is to be told of.
  typedef struct packed {
    logic [ComputeUnits-1:0] unit;
    index_t                  index;
    logic [35:0]             number;
    waves_t                  mask;    // its waves
  } begin_t;

  begin_t                  next;
  logic                    next_full;
  logic                    next_empty;
  logic [4:0]              from_q;       // waves of the next one below have been told of
  waves_t                  rest;         // the others
  logic [3:0]              wave;         // the lowest of them
  logic                    last_wave;
  logic                    tells_begin;
  logic                    tells_end;
  logic                    can_tell;
  logic                    any_end;
  logic [UnitBits-1:0]     end_index;
  logic                    began_q;      // the last one told was a begin
  logic                    valid_q;
  wave_order_t             order_q;
  logic [ComputeUnits-1:0] unit_q;       // of a begin
  logic [ComputeUnits-1:0] turn;
  logic                    turn_full;
  logic                    turn_empty;

  fifo #(
    .Width ($bits(begin_t)),
    .Depth (Depth)
  ) u_begins (
    .clk_i,
    .rst_ni,
    .push_i  (commit_i),
    .data_i  ({commit_unit_i, commit_group_i.index, commit_group_i.number, commit_group_i.mask}),
    .full_o  (next_full),
    .pop_i   (tells_begin && last_wave),
    .data_o  (next),
    .empty_o (next_empty)
  );

  fifo #(
    .Width (ComputeUnits),
    .Depth (Depth)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .push_i  (commit_i),
    .data_i  (commit_unit_i),
    .full_o  (turn_full),
    .pop_i   (begins_i != '0),
    .data_o  (turn),
    .empty_o (turn_empty)
  );

  arbiter #(.Requests(ComputeUnits)) u_ends (
    .clk_i,
    .rst_ni,
    .request_i (done_valid_i),
    .grant_o   (end_unit_o),
    .index_o   (end_index),
    .valid_o   (any_end),
    .ready_i   (tells_end)
  );

  assign rest         = waves_from(next.mask, from_q);
  assign wave         = lowest_wave(rest);
  assign last_wave    = (rest & (rest - 1'b1)) == '0;
  assign can_tell     = !valid_q || order_ready_i;
  assign tells_begin  = can_tell && !next_empty && (!(any_end && saved_ready_i) || !began_q);
  assign tells_end    = can_tell && any_end && saved_ready_i && !tells_begin;
  assign done_ready_o = end_unit_o & {ComputeUnits{tells_end}};
  assign end_o        = tells_end;
  assign end_done_o   = done_i[end_index];
  assign turn_o       = turn_empty ? '0 : turn;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      began_q <= 1'b0;
      from_q  <= '0;
    end else if (can_tell) begin
      valid_q <= tells_begin || tells_end;
      began_q <= tells_begin;
      if (tells_begin) from_q <= last_wave ? 5'd0 : (5'(wave) + 5'd1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (tells_begin) begin
      order_q.wave     <= {plan_i[next.index].dispatch.id[23:0], next.number, wave};
      order_q.dispatch <= plan_i[next.index].dispatch.id;
      order_q.ended    <= 1'b0;
      unit_q           <= next.unit;
    end else if (tells_end) begin
      order_q.wave     <= end_done_o.id;
      order_q.dispatch <= end_done_o.dispatch;
      order_q.ended    <= 1'b1;
      unit_q           <= '0;
    end
  end

  assign order_valid_o = valid_q;
  assign order_o       = order_q;
  assign told_o        = unit_q & {ComputeUnits{valid_q && order_ready_i}};

  `CUVETTE_ASSERT(RoomForBegins_A, commit_i |-> (!next_full && !turn_full))
  `CUVETTE_ASSERT(OrderHeld_A, (order_valid_o && !order_ready_i) |=>
      (order_valid_o && $stable(order_o)))
  `CUVETTE_ASSERT(BeginsInTurn_A, (begins_i & ~turn_o) == '0)

endmodule
