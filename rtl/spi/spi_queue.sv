// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Dispatches: the one that is being worked out, and four that are under way, each in a place of its
// own until it is answered. Says which of them are older, where their masks let them go, which one
// an end of a wave, a cancel or a save is for, and which work-groups go on that were saved.

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
  input  logic                                    restore_valid_i,
  output logic                                    restore_ready_o,
  input  saved_group_t                            restore_i,

  output logic                                    setup_o,     // one is being worked out:
  output logic [31:0]                             setup_id_o,  //   this one
  output logic [Dispatches-1:0]                   load_o,      // a new one comes
  output plan_t [Dispatches-1:0]                  plan_o,
  output logic [Dispatches-1:0]                   waits_o,     // work-groups may start
  output logic [Dispatches-1:0]                   last_o,      // one more
  output logic [Dispatches-1:0]                   there_o,     // the next one is there
  output logic [Dispatches-1:0]                   idle_o,      // no wave lives
  output group_t [Dispatches-1:0]                 group_o,     // the next work-groups
  output logic [Dispatches-1:0][Dispatches-1:0]   older_o,     // bit [a][b]: a came before b
  output logic [Dispatches-1:0][ComputeUnits-1:0] allowed_o,   // by the masks

  input  logic [Dispatches-1:0]                   start_i,     // the next work-group starts
  input  logic [ComputeUnits-1:0]                 start_unit_i,
  input  logic                                    start_moved_i,
  input  logic [Dispatches-1:0]                   never_i,     // it never can
  output logic [ComputeUnits-1:0][Dispatches-1:0] kill_o,      // cancels to tell compute units of
  input  logic [ComputeUnits-1:0][Dispatches-1:0] told_i,

  output saving_t [Dispatches-1:0]                saving_o,
  output list_t                                   list_o,      // work-groups that are to go on,
  output tenant_t [ComputeUnits-1:0]              tenant_o,    //   and their rooms
  input  search_t                                 search_i,
  input  logic [ComputeUnits-1:0][Dispatches-1:0] telling_i,   // saves to tell compute units of
  output logic [Dispatches-1:0]                   tells_o,     // the rest is to be told of as saved
  input  logic [Dispatches-1:0]                   tell_i,      // one of it is
  input  logic                                    quiet_i,     // nobody is being told of any

  input  logic                                    end_i,       // a wave has ended
  input  logic [ComputeUnits-1:0]                 end_unit_i,
  input  wave_done_t                              end_done_i,
  input  ended_t                                  ended_i
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
  logic [Dispatches-1:0]                   ask;
  logic [Dispatches-1:0]                   found;
  found_t                                  found_data;
  logic [Dispatches-1:0]                   drop;
  logic [Dispatches-1:0]                   restored;   // the next work-group is one that was saved
  logic                                    list;
  logic                                    list_bad;
  logic [31:0]                             list_last;
  waves_t                                  list_waves;

  spi_setup u_setup (
    .clk_i,
    .rst_ni,
    .limits_i,
    .room_i           (room != '0),
    .dispatch_valid_i,
    .dispatch_ready_o,
    .dispatch_i,
    .list_i           (list),
    .list_bad_i       (list_bad),
    .list_last_i      (list_last),
    .list_waves_i     (list_waves),
    .idle_o           (setup_idle),
    .id_o             (setup_id_o),
    .plan_valid_o     (plan_valid),
    .plan_o           (new_plan)
  );

  spi_restore #(.ComputeUnits(ComputeUnits)) u_restore (
    .clk_i,
    .rst_ni,
    .limits_i,
    .restore_valid_i,
    .restore_ready_o,
    .restore_i,
    .id_i      (setup_id_o),
    .mine_o    (list),
    .bad_o     (list_bad),
    .last_o    (list_last),
    .waves_o   (list_waves),
    .load_i    (load_o),
    .resumes_i (!new_plan.fails),
    .list_o,
    .pop_i     (((start_i & restored) | tell_i) != '0),
    .drop_i    (drop),
    .scan_i    (search_i.scan),
    .tenant_o
  );

  spi_seek u_seek (
    .clk_i,
    .rst_ni,
    .plan_i       (plan_o),
    .ask_i        (ask),
    .list_i       (list_o),
    .found_o      (found),
    .found_data_o (found_data)
  );

  assign room           = ~valid & (valid + 1'b1);
  assign load_o         = room & {Dispatches{plan_valid}};
  assign waits_o        = waits & ~cancel;
  assign setup_o        = !setup_idle;
  // Behind the dispatch that it may be for.
  assign cancel_ready_o = setup_idle;

  for (genvar i = 0; i < Dispatches; i++) begin : gen_dispatch
    logic [ComputeUnits-1:0] kill;
    logic [ComputeUnits-1:0] told;
    logic [ComputeUnits-1:0] telling;

    assign restored[i] = group_o[i].restored;
    assign valid[i]    = saving_o[i].valid;
    assign cancel[i] = cancel_valid_i && cancel_ready_o && valid[i] &&
                       (plan_o[i].dispatch.id == cancel_i.dispatch);

    spi_dispatch #(.ComputeUnits(ComputeUnits)) u_dispatch (
      .clk_i,
      .rst_ni,
      .load_i        (load_o[i]),
      .load_plan_i   (new_plan),
      .plan_o        (plan_o[i]),
      .waits_o       (waits[i]),
      .idle_o        (idle_o[i]),
      .there_o       (there_o[i]),
      .group_o       (group_o[i]),
      .last_o        (last_o[i]),
      .ask_o         (ask[i]),
      .found_i       (found[i]),
      .found_data_i  (found_data),
      .rests_i       (list_o.owner[i]),
      .one_rests_i   (list_o.rest == 16'd1),
      .drop_o        (drop[i]),
      .start_i       (start_i[i]),
      .start_unit_i,
      .start_moved_i,
      .never_i       (never_i[i]),
      .cancel_i      (cancel[i]),
      .kill_o        (kill),
      .told_i        (told),
      .saving_o      (saving_o[i]),
      .search_i      (search_i.busy && (search_i.index == index_t'(i))),
      .save_i        (search_i.save && (search_i.index == index_t'(i))),
      .save_area_i   (search_i.area),
      .telling_i     (telling),
      .tells_o       (tells_o[i]),
      .tell_i        (tell_i[i]),
      .tell_room_i   (list_o.head.place),
      .quiet_i,
      .end_i         (end_i && (ended_i.held.index == index_t'(i))),
      .end_unit_i,
      .end_done_i,
      .ended_i,
      .over_o        (over[i]),
      .done_o        (done[i]),
      .clear_i       (clear[i])
    );

    spi_mask #(.ComputeUnits(ComputeUnits)) u_mask (
      .limits_i,
      .mask_i    (plan_o[i].dispatch.cu_mask),
      .allowed_o (allowed_o[i])
    );

    for (genvar u = 0; u < ComputeUnits; u++) begin : gen_unit
      assign kill_o[u][i] = kill[u];
      assign told[u]      = told_i[u][i];
      assign telling[u]   = telling_i[u][i];
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
