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
// Saving is not possible: a Save is taken and its dispatch goes on; a dispatch of which a part has
// started before ends with an error.

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
  group_t [Dispatches-1:0]                 group;
  logic [Dispatches-1:0][Dispatches-1:0]   older;
  logic [Dispatches-1:0][ComputeUnits-1:0] allowed;
  logic [Dispatches-1:0]                   start;
  logic [Dispatches-1:0]                   never;
  logic [ComputeUnits-1:0][Dispatches-1:0] kill;
  logic [ComputeUnits-1:0][Dispatches-1:0] told_kill;
  logic [ComputeUnits-1:0]                 try_unit;
  logic                                    end_valid;
  logic [ComputeUnits-1:0]                 end_unit;
  wave_done_t                              end_done;
  held_t [ComputeUnits-1:0]                held_of;    // waves that have ended, by compute unit
  held_t                                   end_held;

  spi_queue #(.ComputeUnits(ComputeUnits)) u_queue (
    .clk_i,
    .rst_ni,
    .limits_i     (limits),
    .dispatch_valid_i,
    .dispatch_ready_o,
    .dispatch_i,
    .dispatch_done_valid_o,
    .dispatch_done_ready_i,
    .dispatch_done_o,
    .cancel_valid_i,
    .cancel_ready_o,
    .cancel_i,
    .load_o       (load),
    .plan_o       (plan),
    .waits_o      (waits),
    .last_o       (last),
    .idle_o       (idle),
    .group_o      (group),
    .older_o      (older),
    .allowed_o    (allowed),
    .start_i      (start),
    .start_unit_i (try_unit),
    .never_i      (never),
    .kill_o       (kill),
    .told_i       (told_kill),
    .end_i        (end_valid),
    .end_unit_i   (end_unit),
    .end_index_i  (end_held.index),
    .end_done_i   (end_done)
  );

  always_comb begin
    end_held = '0;
    for (int unsigned u = 0; u < ComputeUnits; u++) begin
      if (end_unit[u]) end_held |= held_of[u];
    end
  end

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
  logic [ComputeUnits-1:0]      commit_unit;

  spi_place #(.ComputeUnits(ComputeUnits)) u_place (
    .clk_i,
    .rst_ni,
    .limits_i    (limits),
    .load_i      (load),
    .waits_i     (waits),
    .last_i      (last),
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
    .end_held_i  (end_held),
    .unit_o      (try_unit),
    .note_o      (note),
    .wave_o      (note_wave),
    .simd_o      (note_simd),
    .slot_o      (note_slot),
    .held_o      (note_held),
    .commit_o    (commit),
    .taken_o     (commit_taken),
    .group_o     (commit_group),
    .start_o     (start),
    .never_o     (never)
  );

  assign commit_unit = try_unit & {ComputeUnits{commit}};

  logic [ComputeUnits-1:0] told;
  logic [ComputeUnits-1:0] turn;
  logic [ComputeUnits-1:0] begins;

  spi_order #(.ComputeUnits(ComputeUnits)) u_order (
    .clk_i,
    .rst_ni,
    .plan_i         (plan),
    .commit_i       (commit),
    .commit_unit_i  (commit_unit),
    .commit_group_i (commit_group),
    .told_o         (told),
    .turn_o         (turn),
    .begins_i       (begins),
    .done_valid_i,
    .done_ready_o,
    .done_i,
    .end_o          (end_valid),
    .end_unit_o     (end_unit),
    .end_done_o     (end_done),
    .order_valid_o  (wave_order_valid_o),
    .order_ready_i  (wave_order_ready_i),
    .order_o        (wave_order_o)
  );

  for (genvar u = 0; u < ComputeUnits; u++) begin : gen_unit
    spi_port u_port (
      .clk_i,
      .rst_ni,
      .limits_i        (limits),
      .plan_i          (plan),
      .taken_o         (taken[u]),
      .waves_o         (waves[u]),
      .key_o           (key[u]),
      .soon_o          (soon[u]),
      .free_o          (free[u]),
      .note_i          (note && try_unit[u]),
      .note_wave_i     (note_wave),
      .note_simd_i     (note_simd),
      .note_slot_i     (note_slot),
      .note_held_i     (note_held),
      .commit_i        (commit_unit[u]),
      .commit_taken_i  (commit_taken),
      .commit_group_i  (commit_group),
      .told_i          (told[u]),
      .turn_i          (turn[u]),
      .begins_o        (begins[u]),
      .end_i           (end_valid && end_unit[u]),
      .end_done_i      (done_i[u]),
      .end_held_o      (held_of[u]),
      .kill_i          (kill[u]),
      .told_kill_o     (told_kill[u]),
      .launch_valid_o  (launch_valid_o[u]),
      .launch_ready_i  (launch_ready_i[u]),
      .launch_o        (launch_o[u]),
      .command_valid_o (command_valid_o[u]),
      .command_ready_i (command_ready_i[u]),
      .command_o       (command_o[u])
    );
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Waves that are saved: not here
  ////////////////////////////////////////////////////////////////////////////////////////////////
  assign save_ready_o    = 1'b1;
  assign restore_ready_o = 1'b1;
  assign saved_valid_o   = 1'b0;
  assign saved_o         = '0;

  `CUVETTE_ASSERT(Units_A, (units_i >= 5'd1) && (32'(units_i) <= ComputeUnits))

endmodule
