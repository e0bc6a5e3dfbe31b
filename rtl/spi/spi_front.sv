// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Dispatches, and what the command processor is told of them: those under way with the work-groups
// that go on (spi_queue), the search for rooms of one that is to be saved (spi_save), and messages
// about work-groups that have been saved (spi_saved).

module spi_front
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
  input  logic                                    save_valid_i,
  output logic                                    save_ready_o,
  input  save_t                                   save_i,
  output logic                                    saved_valid_o,
  input  logic                                    saved_ready_i,
  output saved_group_t                            saved_o,
  input  logic                                    restore_valid_i,
  output logic                                    restore_ready_o,
  input  saved_group_t                            restore_i,

  // As in spi_queue.
  output logic [Dispatches-1:0]                   load_o,
  output plan_t [Dispatches-1:0]                  plan_o,
  output logic [Dispatches-1:0]                   waits_o,
  output logic [Dispatches-1:0]                   last_o,
  output logic [Dispatches-1:0]                   there_o,
  output logic [Dispatches-1:0]                   idle_o,
  output group_t [Dispatches-1:0]                 group_o,
  output logic [Dispatches-1:0][Dispatches-1:0]   older_o,
  output logic [Dispatches-1:0][ComputeUnits-1:0] allowed_o,
  input  logic                                    tries_i,        // a work-group is being placed
  output logic                                    freeze_o,       // none other is
  input  logic [Dispatches-1:0]                   start_i,
  input  logic [ComputeUnits-1:0]                 start_unit_i,
  input  logic                                    start_moved_i,
  input  logic [Dispatches-1:0]                   never_i,
  output logic [ComputeUnits-1:0][Dispatches-1:0] kill_o,
  input  logic [ComputeUnits-1:0][Dispatches-1:0] told_i,

  output saving_t [Dispatches-1:0]                saving_o,
  output search_t                                 search_o,       // for rooms, on the compute units
  input  logic [ComputeUnits-1:0]                 homeless_i,
  output logic [ComputeUnits-1:0]                 give_o,
  input  tenant_t [ComputeUnits-1:0]              tenant_i,
  input  logic [ComputeUnits-1:0][Dispatches-1:0] telling_i,
  output logic                                    saved_ready_o,  // the end of a wave may come

  input  logic                                    end_i,
  input  logic [ComputeUnits-1:0]                 end_unit_i,
  input  wave_done_t                              end_done_i,
  input  ended_t                                  ended_i
);

  logic                       setup;
  logic [31:0]                setup_id;
  list_t                      list;
  tenant_t [ComputeUnits-1:0] list_tenant;
  logic [Dispatches-1:0]      tells;
  logic [Dispatches-1:0]      tell;
  logic                       quiet;

  spi_queue #(.ComputeUnits(ComputeUnits)) u_queue (
    .clk_i,
    .rst_ni,
    .limits_i,
    .dispatch_valid_i,
    .dispatch_ready_o,
    .dispatch_i,
    .dispatch_done_valid_o,
    .dispatch_done_ready_i,
    .dispatch_done_o,
    .cancel_valid_i,
    .cancel_ready_o,
    .cancel_i,
    .restore_valid_i,
    .restore_ready_o,
    .restore_i,
    .setup_o       (setup),
    .setup_id_o    (setup_id),
    .load_o,
    .plan_o,
    .waits_o,
    .last_o,
    .there_o,
    .idle_o,
    .group_o,
    .older_o,
    .allowed_o,
    .start_i,
    .start_unit_i,
    .start_moved_i,
    .never_i,
    .kill_o,
    .told_i,
    .saving_o,
    .list_o        (list),
    .tenant_o      (list_tenant),
    .search_i      (search_o),
    .telling_i,
    .tells_o       (tells),
    .tell_i        (tell),
    .quiet_i       (quiet),
    .end_i,
    .end_unit_i,
    .end_done_i,
    .ended_i
  );

  spi_save #(.ComputeUnits(ComputeUnits)) u_save (
    .clk_i,
    .rst_ni,
    .save_valid_i,
    .save_ready_o,
    .save_i,
    .setup_i    (setup),
    .setup_id_i (setup_id),
    .plan_i     (plan_o),
    .saving_i   (saving_o),
    .list_i     (list),
    .tries_i,
    .freeze_o,
    .search_o,
    .homeless_i,
    .give_o,
    .tenant_i   ({list_tenant, tenant_i})
  );

  spi_saved u_saved (
    .clk_i,
    .rst_ni,
    .ready_o        (saved_ready_o),
    .end_i          (end_i && ended_i.last && (ended_i.saved.saved != '0)),
    .end_dispatch_i (end_done_i.dispatch),
    .end_saved_i    (ended_i.saved),
    .tells_i        (tells),
    .list_i         (list),
    .tell_o         (tell),
    .quiet_o        (quiet),
    .saved_valid_o,
    .saved_ready_i,
    .saved_o
  );

endmodule
