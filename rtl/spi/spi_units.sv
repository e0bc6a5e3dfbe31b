// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The compute units as the block sees them, what the GDS is told of their waves, and the wave that
// ends.

module spi_units
  import spi_unit_pkg::*;
  import spi_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,

  // As in spi_port, for each compute unit, or for the one that is named beside it.
  input  limits_t                                 limits_i,
  input  plan_t [Dispatches-1:0]                  plan_i,
  output taken_t [ComputeUnits-1:0]               taken_o,
  output logic [ComputeUnits-1:0][5:0]            waves_o,
  output key_t [ComputeUnits-1:0]                 key_o,
  output logic [ComputeUnits-1:0]                 soon_o,
  output logic [ComputeUnits-1:0]                 free_o,
  input  logic [ComputeUnits-1:0]                 try_unit_i,     // of note and commit
  input  logic                                    note_i,
  input  logic [3:0]                              note_wave_i,
  input  simd_t                                   note_simd_i,
  input  slot_t                                   note_slot_i,
  input  held_t                                   note_held_i,
  input  logic                                    commit_i,
  input  taken_t                                  commit_taken_i,
  input  group_t                                  commit_group_i,
  input  logic                                    saved_ready_i,  // an end may be that of a saved work-group
  output logic                                    end_o,          // a wave ends
  output logic [ComputeUnits-1:0]                 end_unit_o,
  output wave_done_t                              end_done_o,
  output ended_t                                  ended_o,
  input  logic [ComputeUnits-1:0][Dispatches-1:0] kill_i,
  output logic [ComputeUnits-1:0][Dispatches-1:0] told_kill_o,
  input  search_t                                 search_i,
  output logic [ComputeUnits-1:0]                 homeless_o,
  input  logic [ComputeUnits-1:0]                 give_i,
  output tenant_t [ComputeUnits-1:0]              tenant_o,
  input  saving_t [Dispatches-1:0]                saving_i,
  output logic [ComputeUnits-1:0][Dispatches-1:0] telling_o,

  output logic [ComputeUnits-1:0]                 launch_valid_o,
  input  logic [ComputeUnits-1:0]                 launch_ready_i,
  output wave_launch_t [ComputeUnits-1:0]         launch_o,
  output logic [ComputeUnits-1:0]                 command_valid_o,
  input  logic [ComputeUnits-1:0]                 command_ready_i,
  output wave_command_t [ComputeUnits-1:0]        command_o,
  input  logic [ComputeUnits-1:0]                 done_valid_i,
  output logic [ComputeUnits-1:0]                 done_ready_o,
  input  wave_done_t [ComputeUnits-1:0]           done_i,
  output logic                                    order_valid_o,
  input  logic                                    order_ready_i,
  output wave_order_t                             order_o
);

  ended_t [ComputeUnits-1:0] ended;
  logic [ComputeUnits-1:0]   told;
  logic [ComputeUnits-1:0]   turn;
  logic [ComputeUnits-1:0]   begins;

  spi_order #(.ComputeUnits(ComputeUnits)) u_order (
    .clk_i,
    .rst_ni,
    .plan_i,
    .commit_i,
    .commit_unit_i (try_unit_i),
    .commit_group_i,
    .told_o        (told),
    .turn_o        (turn),
    .begins_i      (begins),
    .saved_ready_i,
    .done_valid_i,
    .done_ready_o,
    .done_i,
    .end_o,
    .end_unit_o,
    .end_done_o,
    .order_valid_o,
    .order_ready_i,
    .order_o
  );

  always_comb begin
    ended_o = '0;
    for (int unsigned u = 0; u < ComputeUnits; u++) begin
      if (end_unit_o[u]) ended_o |= ended[u];
    end
  end

  for (genvar u = 0; u < ComputeUnits; u++) begin : gen_unit
    spi_port u_port (
      .clk_i,
      .rst_ni,
      .limits_i,
      .plan_i,
      .taken_o         (taken_o[u]),
      .waves_o         (waves_o[u]),
      .key_o           (key_o[u]),
      .soon_o          (soon_o[u]),
      .free_o          (free_o[u]),
      .note_i          (note_i && try_unit_i[u]),
      .note_wave_i,
      .note_simd_i,
      .note_slot_i,
      .note_held_i,
      .commit_i        (commit_i && try_unit_i[u]),
      .commit_taken_i,
      .commit_group_i,
      .told_i          (told[u]),
      .turn_i          (turn[u]),
      .begins_o        (begins[u]),
      .end_i           (end_o && end_unit_o[u]),
      .end_done_i      (done_i[u]),
      .ended_o         (ended[u]),
      .kill_i          (kill_i[u]),
      .told_kill_o     (told_kill_o[u]),
      .search_i,
      .homeless_o      (homeless_o[u]),
      .give_i          (give_i[u]),
      .tenant_o        (tenant_o[u]),
      .saving_i,
      .telling_o       (telling_o[u]),
      .launch_valid_o  (launch_valid_o[u]),
      .launch_ready_i  (launch_ready_i[u]),
      .launch_o        (launch_o[u]),
      .command_valid_o (command_valid_o[u]),
      .command_ready_i (command_ready_i[u]),
      .command_o       (command_o[u])
    );
  end

endmodule
