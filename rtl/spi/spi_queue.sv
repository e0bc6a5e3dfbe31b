// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Dispatches: the one that is being worked out, and four that are under way, each in a place of its
// own until it is answered. Says which of them are older, where their masks let them go, and which
// one an end of a wave or a cancel is for.

module spi_queue
  import spi_unit_pkg::*;
  import spi_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,

  input  limits_t                                 limits_i,

  input  logic                                    dispatch_valid_i,
  output logic                                    dispatch_ready_o,
  input  dispatch_t                               dispatch_i,
  output logic                                    dispatch_done_valid_o,
  input  logic                                    dispatch_done_ready_i,
  output dispatch_done_t                          dispatch_done_o,
  input  logic                                    cancel_valid_i,
  output logic                                    cancel_ready_o,
  input  cancel_t                                 cancel_i,

  output logic [Dispatches-1:0]                   load_o,      // a new one comes
  output plan_t [Dispatches-1:0]                  plan_o,
  output logic [Dispatches-1:0]                   waits_o,     // work-groups may start
  output logic [Dispatches-1:0]                   last_o,      // one more
  output logic [Dispatches-1:0]                   idle_o,      // no wave lives
  output group_t [Dispatches-1:0]                 group_o,     // the next work-groups
  output logic [Dispatches-1:0][Dispatches-1:0]   older_o,     // bit [a][b]: a came before b
  output logic [Dispatches-1:0][ComputeUnits-1:0] allowed_o,   // by the masks

  input  logic [Dispatches-1:0]                   start_i,     // the next work-group starts
  input  logic [ComputeUnits-1:0]                 start_unit_i,
  input  logic [Dispatches-1:0]                   never_i,     // it never can
  output logic [ComputeUnits-1:0][Dispatches-1:0] kill_o,      // cancels to tell compute units of
  input  logic [ComputeUnits-1:0][Dispatches-1:0] told_i,

  input  logic                                    end_i,       // a wave has ended
  input  logic [ComputeUnits-1:0]                 end_unit_i,
  input  index_t                                  end_index_i, // of this dispatch
  input  wave_done_t                              end_done_i
);

  logic                                    plan_valid;
  plan_t                                   new_plan;
  logic                                    setup_idle;
  logic [Dispatches-1:0]                   valid;
  logic [Dispatches-1:0]                   room;       // the lowest place that is free
  logic [Dispatches-1:0]                   waits;
  logic [Dispatches-1:0]                   cancel;
  logic [Dispatches-1:0]                   over;
  dispatch_done_t [Dispatches-1:0]         done;
  logic [Dispatches-1:0]                   clear;

  spi_setup u_setup (
    .clk_i,
    .rst_ni,
    .limits_i,
    .room_i           (room != '0),
    .dispatch_valid_i,
    .dispatch_ready_o,
    .dispatch_i,
    .idle_o           (setup_idle),
    .plan_valid_o     (plan_valid),
    .plan_o           (new_plan)
  );

  assign room           = ~valid & (valid + 1'b1);
  assign load_o         = room & {Dispatches{plan_valid}};
  assign waits_o        = waits & ~cancel;
  // Behind the dispatch that it may be for.
  assign cancel_ready_o = setup_idle;

  for (genvar i = 0; i < Dispatches; i++) begin : gen_dispatch
    logic [ComputeUnits-1:0] kill;
    logic [ComputeUnits-1:0] told;

    assign cancel[i] = cancel_valid_i && cancel_ready_o && valid[i] &&
                       (plan_o[i].dispatch.id == cancel_i.dispatch);

    spi_dispatch #(.ComputeUnits(ComputeUnits)) u_dispatch (
      .clk_i,
      .rst_ni,
      .load_i       (load_o[i]),
      .load_plan_i  (new_plan),
      .valid_o      (valid[i]),
      .plan_o       (plan_o[i]),
      .waits_o      (waits[i]),
      .idle_o       (idle_o[i]),
      .group_o      (group_o[i]),
      .last_o       (last_o[i]),
      .start_i      (start_i[i]),
      .start_unit_i,
      .never_i      (never_i[i]),
      .cancel_i     (cancel[i]),
      .kill_o       (kill),
      .told_i       (told),
      .end_i        (end_i && (end_index_i == index_t'(i))),
      .end_unit_i,
      .end_done_i,
      .over_o       (over[i]),
      .done_o       (done[i]),
      .clear_i      (clear[i])
    );

    spi_mask #(.ComputeUnits(ComputeUnits)) u_mask (
      .limits_i,
      .mask_i    (plan_o[i].dispatch.cu_mask),
      .allowed_o (allowed_o[i])
    );

    for (genvar u = 0; u < ComputeUnits; u++) begin : gen_unit
      assign kill_o[u][i] = kill[u];
      assign told[u]      = told_i[u][i];
    end

    for (genvar j = 0; j < Dispatches; j++) begin : gen_older
      logic older_q;
      always_ff @(posedge clk_i) begin
        if (load_o[i])      older_q <= 1'b0;
        else if (load_o[j]) older_q <= 1'b1;
      end
      assign older_o[i][j] = older_q;
    end
  end

  spi_answer u_answer (
    .clk_i,
    .rst_ni,
    .over_i       (over),
    .done_i       (done),
    .clear_o      (clear),
    .done_valid_o (dispatch_done_valid_o),
    .done_ready_i (dispatch_done_ready_i),
    .done_o       (dispatch_done_o)
  );

endmodule
