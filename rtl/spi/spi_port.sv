// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// A compute unit as the block sees it: what its waves hold, the launcher of its waves, its
// work-groups, and what tells it of cancels and saves.

`include "cuvette_assert.svh"

module spi_port
  import spi_unit_pkg::*;
  import spi_pkg::*;
(
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  limits_t                 limits_i,
  input  plan_t [Dispatches-1:0]  plan_i,          // dispatches under way

  output taken_t                  taken_o,         // resources that its waves hold
  output logic [5:0]              waves_o,         // number of waves
  output key_t                    key_o,           // that the next work-group gets
  output logic                    soon_o,          // one may come in the next cycle
  output logic                    free_o,          // one may come now
  input  logic                    note_i,          // place of a wave of it
  input  logic [3:0]              note_wave_i,
  input  simd_t                   note_simd_i,
  input  slot_t                   note_slot_i,
  input  held_t                   note_held_i,
  input  logic                    commit_i,        // it comes
  input  taken_t                  commit_taken_i,
  input  group_t                  commit_group_i,

  input  logic                    told_i,          // the GDS is told of one more wave
  input  logic                    turn_i,          // earlier work-groups have begun
  output logic                    begins_o,        // so has this one, in this cycle

  input  logic                    end_i,           // a wave has ended
  input  wave_done_t              end_done_i,
  output ended_t                  ended_o,

  input  logic [Dispatches-1:0]   kill_i,          // cancels to tell of
  output logic [Dispatches-1:0]   told_kill_o,

  input  search_t                 search_i,        // for rooms of work-groups
  output logic                    homeless_o,      // one has none yet
  input  logic                    give_i,          // it gets one
  output tenant_t                 tenant_o,        // room that is looked at
  input  saving_t [Dispatches-1:0] saving_i,
  output logic [Dispatches-1:0]   telling_o,       // work-groups of these have to be told

  output logic                    launch_valid_o,
  input  logic                    launch_ready_i,
  output wave_launch_t            launch_o,
  output logic                    command_valid_o,
  input  logic                    command_ready_i,
  output wave_command_t           command_o
);

  needs_t [Dispatches-1:0] needs;
  simd_t                   simd;
  slot_t                   slot;
  held_t                   held;
  logic                    launching;
  index_t                  launched;
  logic [Keys-1:0]         named;
  logic [Dispatches-1:0]   names;
  logic [Dispatches-1:0]   telling;
  logic                    tell_valid;
  logic                    tell_ready;
  key_t                    tell_key;
  tenant_t                 tell_tenant;

  for (genvar i = 0; i < Dispatches; i++) begin : gen_needs
    assign needs[i] = plan_i[i].needs;
  end

  spi_unit u_unit (
    .clk_i,
    .rst_ni,
    .needs_i        (needs),
    .taken_o,
    .waves_o,
    .key_o,
    .note_i,
    .note_simd_i,
    .note_slot_i,
    .note_held_i,
    .commit_i,
    .commit_taken_i,
    .commit_group_i,
    .read_simd_i    (simd),
    .read_slot_i    (slot),
    .read_held_o    (held),
    .end_i,
    .end_simd_i     (simd_t'(end_done_i.simd)),
    .end_slot_i     (slot_t'(end_done_i.slot)),
    .end_held_o     (ended_o.held),
    .end_last_o     (ended_o.last),
    .named_i        (named)
  );

  spi_groups u_groups (
    .clk_i,
    .rst_ni,
    .commit_i,
    .commit_group_i,
    .end_i,
    .end_key_i      (ended_o.held.key),
    .end_done_i,
    .end_last_i     (ended_o.last),
    .end_saved_o    (ended_o.saved),
    .search_i,
    .homeless_o,
    .give_i,
    .tenant_o,
    .telling_o      (telling),
    .launching_i    (launching),
    .launch_index_i (launched),
    .tell_valid_o   (tell_valid),
    .tell_key_o     (tell_key),
    .tell_tenant_o  (tell_tenant),
    .tell_ready_i   (tell_ready)
  );

  assign telling_o = telling | names;

  spi_launch u_launch (
    .clk_i,
    .rst_ni,
    .limits_i,
    .plan_i,
    .soon_o,
    .free_o,
    .note_i,
    .note_wave_i,
    .note_simd_i,
    .note_slot_i,
    .commit_i,
    .commit_group_i,
    .simd_o         (simd),
    .slot_o         (slot),
    .held_i         (held),
    .busy_o         (launching),
    .index_o        (launched),
    .told_i,
    .turn_i,
    .begins_o,
    .launch_valid_o,
    .launch_ready_i,
    .launch_o
  );

  spi_command u_command (
    .clk_i,
    .rst_ni,
    .plan_i,
    .saving_i,
    .kill_i,
    .told_o         (told_kill_o),
    .launching_i    (launching),
    .launch_index_i (launched),
    .save_valid_i   (tell_valid),
    .save_ready_o   (tell_ready),
    .save_key_i     (tell_key),
    .save_tenant_i  (tell_tenant),
    .named_o        (named),
    .names_o        (names),
    .command_valid_o,
    .command_ready_i,
    .command_o
  );

  `CUVETTE_ASSERT(DoneIsInRange_A, end_i |->
      ((end_done_i.simd < 8'(Simds)) && (end_done_i.slot < 8'(WaveSlots))))

endmodule
