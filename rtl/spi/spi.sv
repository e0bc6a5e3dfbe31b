// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Shader processor input: the wave launcher of a GPU. Contract: docs/reference/spi.md, with the
// times.
//
// A dispatch is worked out (spi_setup) and then is one of four under way (spi_dispatch). Of these,
// work-groups are tried on compute units and start there (spi_place); what their waves hold is
// theirs until they end (spi_unit). Each compute unit is given its waves by a launcher of its own
// (spi_launch); spi_order tells the GDS.
//
// For a save, rooms are looked for (spi_save), compute units are told (spi_command), and their
// work-groups are told of as they end (spi_saved); those that go on start first (spi_restore).

`include "cuvette_assert.svh"

module spi
  import spi_unit_pkg::*;
  import spi_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  // The machine around the block: straps.
  input  logic [2:0]                        target_i,         // 0: gfx900, gfx906, gfx908, gfx90a, 4: gfx942
  input  logic [4:0]                        units_i,          // compute units, at most ComputeUnits
  input  logic [4:0]                        per_engine_i,     // of a shader engine
  input  logic [2:0]                        simds_i,          // of a compute unit, at most 4
  input  logic [3:0]                        slots_i,          // waves of a SIMD, at most 10
  input  logic [3:0]                        row_shift_i,      // log2 of the granule of vector registers
  input  logic [7:0]                        rows_i,           // granules of VGPRs, at most 64
  input  logic [7:0]                        acc_i,            // granules of AccVGPRs, at most 64
  input  logic [7:0]                        sgprs_i,          // granules of 16 SGPRs, at most 64
  input  logic [3:0]                        lds_shift_i,      // log2 of the granule of the LDS
  input  logic [7:0]                        lds_i,            // granules of the LDS, at most 128
  input  logic [15:0]                       launch_cycles_i,  // between two waves of a compute unit, 4 at least
  input  logic [1:0]                        placement_i,      // placement_e

  input  logic                              dispatch_valid_i,
  output logic                              dispatch_ready_o,
  input  dispatch_t                         dispatch_i,

  output logic                              dispatch_done_valid_o,
  input  logic                              dispatch_done_ready_i,
  output dispatch_done_t                    dispatch_done_o,

  input  logic                              cancel_valid_i,
  output logic                              cancel_ready_o,
  input  cancel_t                           cancel_i,

  output logic                              wave_order_valid_o,
  input  logic                              wave_order_ready_i,
  output wave_order_t                       wave_order_o,

  input  logic                              save_valid_i,
  output logic                              save_ready_o,
  input  save_t                             save_i,

  output logic                              saved_valid_o,
  input  logic                              saved_ready_i,
  output saved_group_t                      saved_o,

  input  logic                              restore_valid_i,
  output logic                              restore_ready_o,
  input  saved_group_t                      restore_i,

  output logic [ComputeUnits-1:0]           launch_valid_o,
  input  logic [ComputeUnits-1:0]           launch_ready_i,
  output wave_launch_t [ComputeUnits-1:0]   launch_o,

  output logic [ComputeUnits-1:0]           command_valid_o,
  input  logic [ComputeUnits-1:0]           command_ready_i,
  output wave_command_t [ComputeUnits-1:0]  command_o,

  input  logic [ComputeUnits-1:0]           done_valid_i,
  output logic [ComputeUnits-1:0]           done_ready_o,
  input  wave_done_t [ComputeUnits-1:0]     done_i
);

  if ((ComputeUnits < 1) || (ComputeUnits > 16)) begin : gen_refuse_units
    $error("spi: ComputeUnits is %0d, expected 1 to 16", ComputeUnits);
  end

  limits_t limits;

  assign limits = '{
    unified:       target_i >= 3'd3,
    accumulates:   target_i == 3'd2,
    packed_ids:    target_i >= 3'd3,
    architected:   target_i == 3'd4,
    preloads:      target_i >= 3'd3,
    units:         units_i,
    per_engine:    per_engine_i,
    simds:         simds_i,
    slots:         slots_i,
    row_shift:     row_shift_i,
    rows:          rows_i,
    acc:           acc_i,
    sgprs:         sgprs_i,
    lds_shift:     lds_shift_i,
    lds:           lds_i,
    launch_cycles: launch_cycles_i,
    placement:     placement_e'(placement_i)
  };

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Dispatches under way
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [Dispatches-1:0]                   load;
  plan_t [Dispatches-1:0]                  plan;
  logic [Dispatches-1:0]                   waits;
  logic [Dispatches-1:0]                   idle;
  logic [Dispatches-1:0]                   last;
  logic [Dispatches-1:0]                   there;
  group_t [Dispatches-1:0]                 group;
  logic [Dispatches-1:0][Dispatches-1:0]   older;
  logic [Dispatches-1:0][ComputeUnits-1:0] allowed;
  logic [Dispatches-1:0]                   start;
  logic                                    start_moved;
  logic [Dispatches-1:0]                   never;
  logic [ComputeUnits-1:0][Dispatches-1:0] kill;
  logic [ComputeUnits-1:0][Dispatches-1:0] told_kill;
  logic [ComputeUnits-1:0]                 try_unit;
  logic                                    end_valid;
  logic [ComputeUnits-1:0]                 end_unit;
  wave_done_t                              end_done;
  ended_t                                  ended;
  logic                                    freeze;       // nothing is tried
  saving_t [Dispatches-1:0]                saving;
  search_t                                 search;       // for rooms
  logic [ComputeUnits-1:0]                 homeless;
  logic [ComputeUnits-1:0]                 give;
  tenant_t [ComputeUnits-1:0]              tenant;
  logic [ComputeUnits-1:0][Dispatches-1:0] telling;
  logic                                    saved_ready;

  spi_front #(.ComputeUnits(ComputeUnits)) u_front (
    .clk_i,
    .rst_ni,
    .limits_i      (limits),
    .dispatch_valid_i,
    .dispatch_ready_o,
    .dispatch_i,
    .dispatch_done_valid_o,
    .dispatch_done_ready_i,
    .dispatch_done_o,
    .cancel_valid_i,
    .cancel_ready_o,
    .cancel_i,
    .save_valid_i,
    .save_ready_o,
    .save_i,
    .saved_valid_o,
    .saved_ready_i,
    .saved_o,
    .restore_valid_i,
    .restore_ready_o,
    .restore_i,
    .load_o        (load),
    .plan_o        (plan),
    .waits_o       (waits),
    .last_o        (last),
    .there_o       (there),
    .idle_o        (idle),
    .group_o       (group),
    .older_o       (older),
    .allowed_o     (allowed),
    .tries_i       (try_unit != '0),
    .freeze_o      (freeze),
    .start_i       (start),
    .start_unit_i  (try_unit),
    .start_moved_i (start_moved),
    .never_i       (never),
    .kill_o        (kill),
    .told_i        (told_kill),
    .saving_o      (saving),
    .search_o      (search),
    .homeless_i    (homeless),
    .give_o        (give),
    .tenant_i      (tenant),
    .telling_i     (telling),
    .saved_ready_o (saved_ready),
    .end_i         (end_valid),
    .end_unit_i    (end_unit),
    .end_done_i    (end_done),
    .ended_i       (ended)
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Work-groups onto compute units
  ////////////////////////////////////////////////////////////////////////////////////////////////
  taken_t [ComputeUnits-1:0]    taken;
  logic [ComputeUnits-1:0][5:0] waves;
  key_t [ComputeUnits-1:0]      key;
  logic [ComputeUnits-1:0]      soon;
  logic [ComputeUnits-1:0]      free;
  logic                         note;
  logic [3:0]                   note_wave;
  simd_t                        note_simd;
  slot_t                        note_slot;
  held_t                        note_held;
  taken_t                       commit_taken;
  logic                         commit;
  group_t                       commit_group;

  spi_place #(.ComputeUnits(ComputeUnits)) u_place (
    .clk_i,
    .rst_ni,
    .limits_i    (limits),
    .load_i      (load),
    .waits_i     (waits),
    .last_i      (last),
    .there_i     (there),
    .freeze_i    (freeze),
    .idle_i      (idle),
    .plan_i      (plan),
    .group_i     (group),
    .older_i     (older),
    .allowed_i   (allowed),
    .taken_i     (taken),
    .waves_i     (waves),
    .key_i       (key),
    .soon_i      (soon),
    .free_i      (free),
    .end_i       (end_unit & {ComputeUnits{end_valid}}),
    .end_held_i  (ended.held),
    .unit_o      (try_unit),
    .note_o      (note),
    .wave_o      (note_wave),
    .simd_o      (note_simd),
    .slot_o      (note_slot),
    .held_o      (note_held),
    .commit_o    (commit),
    .taken_o     (commit_taken),
    .group_o     (commit_group),
    .moved_o     (start_moved),
    .start_o     (start),
    .never_o     (never)
  );

  spi_units #(.ComputeUnits(ComputeUnits)) u_units (
    .clk_i,
    .rst_ni,
    .limits_i       (limits),
    .plan_i         (plan),
    .taken_o        (taken),
    .waves_o        (waves),
    .key_o          (key),
    .soon_o         (soon),
    .free_o         (free),
    .try_unit_i     (try_unit),
    .note_i         (note),
    .note_wave_i    (note_wave),
    .note_simd_i    (note_simd),
    .note_slot_i    (note_slot),
    .note_held_i    (note_held),
    .commit_i       (commit),
    .commit_taken_i (commit_taken),
    .commit_group_i (commit_group),
    .saved_ready_i  (saved_ready),
    .end_o          (end_valid),
    .end_unit_o     (end_unit),
    .end_done_o     (end_done),
    .ended_o        (ended),
    .kill_i         (kill),
    .told_kill_o    (told_kill),
    .search_i       (search),
    .homeless_o     (homeless),
    .give_i         (give),
    .tenant_o       (tenant),
    .saving_i       (saving),
    .telling_o      (telling),
    .launch_valid_o,
    .launch_ready_i,
    .launch_o,
    .command_valid_o,
    .command_ready_i,
    .command_o,
    .done_valid_i,
    .done_ready_o,
    .done_i,
    .order_valid_o  (wave_order_valid_o),
    .order_ready_i  (wave_order_ready_i),
    .order_o        (wave_order_o)
  );

  `CUVETTE_ASSERT(Units_A, (units_i >= 5'd1) && (32'(units_i) <= ComputeUnits))

endmodule
