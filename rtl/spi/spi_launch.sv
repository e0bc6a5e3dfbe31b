// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Launches the waves of a work-group on a compute unit, one after the other, each in four beats and
// the more cycles that the machine takes for one. The last beat of a wave waits until the GDS has
// been told that it begins, that of a first wave also until earlier work-groups have begun: so that
// work-groups start in order on all compute units together. A wave that was over when its work-group
// was saved takes the four cycles in which its lanes are counted. The next work-group may come in
// the cycle of the last beat.

`include "cuvette_assert.svh"

module spi_launch
  import spi_unit_pkg::*;
  import spi_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  limits_t                limits_i,
  input  plan_t [Dispatches-1:0] plan_i,

  output logic                   soon_o,       // in the next cycle a work-group may come
  output logic                   free_o,       // in this one
  input  logic                   note_i,       // places of the waves of the next one, in this cycle
  input  logic [3:0]             note_wave_i,  //   this one
  input  simd_t                  note_simd_i,
  input  slot_t                  note_slot_i,
  input  logic                   commit_i,     // it comes
  input  group_t                 commit_group_i,

  output simd_t                  simd_o,       // the wave that is launched
  output slot_t                  slot_o,
  input  held_t                  held_i,       // resources that it holds

  output logic                   busy_o,       // with a work-group
  output index_t                 index_o,      // of this dispatch
  input  logic                   told_i,       // the GDS is told of one more wave
  input  logic                   turn_i,       // earlier work-groups have begun
  output logic                   begins_o,     // so has this one, in this cycle

  output logic                   launch_valid_o,
  input  logic                   launch_ready_i,
  output wave_launch_t           launch_o
);

  typedef struct packed {
    simd_t simd;
    slot_t slot;
  } where_t;

  where_t [GroupWaves-1:0] where_q;
  group_t                  group_q;
  logic                    busy_q;
  logic [3:0]              wave_q;
  logic [4:0]              sent_q;     // waves that have been launched
  logic [1:0]              beat_q;
  logic [4:0]              told_q;     // waves of the work-group
  logic [15:0]             pause_q;    // cycles before the first beat
  logic [15:0]             pause;
  logic [63:0]             scratch_q;  // offset of the wave
  plan_t                   plan;
  logic                    last_beat;
  logic                    last_wave;
  logic                    comes;      // the wave does: it was not over
  logic                    moves;
  logic                    steps;      // to the next beat
  logic                    ends;       // the last beat of the last wave moves
  logic [2:0][BeatLanes-1:0][9:0] id;

  assign plan      = plan_i[group_q.index];
  assign last_beat = beat_q == 2'd3;
  assign last_wave = waves_from(group_q.mask, 5'(wave_q) + 5'd1) == '0;
  assign comes     = group_q.mask[wave_q];
  assign moves     = launch_valid_o && launch_ready_i;
  assign steps     = moves || (busy_q && !comes);
  assign ends      = moves && last_beat && last_wave;
  assign begins_o  = moves && last_beat && (sent_q == '0);
  assign busy_o    = busy_q;
  assign index_o   = group_q.index;
  assign free_o    = !busy_q || ends;
  assign soon_o    = free_o || (moves && last_wave && (beat_q == 2'd2));
  assign pause     = (limits_i.launch_cycles > 16'd4) ? (limits_i.launch_cycles - 16'd4) : 16'd0;

  assign launch_valid_o = busy_q && comes && (pause_q == '0) &&
                          (!last_beat || ((told_q > sent_q) && (turn_i || (sent_q != '0))));

  always_ff @(posedge clk_i) begin
    if (!rst_ni)       busy_q <= 1'b0;
    else if (commit_i) busy_q <= 1'b1;
    else if (ends)     busy_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (note_i) where_q[note_wave_i] <= '{simd: note_simd_i, slot: note_slot_i};
    if (commit_i) begin
      group_q   <= commit_group_i;
      wave_q    <= '0;
      sent_q    <= '0;
      beat_q    <= '0;
      told_q    <= '0;
      pause_q   <= pause;
      scratch_q <= commit_group_i.scratch;
    end else begin
      if (told_i) told_q <= told_q + 1'b1;
      if (pause_q != '0) pause_q <= pause_q - 1'b1;
      if (steps) beat_q <= beat_q + 1'b1;
      if (moves && last_beat) begin
        sent_q  <= sent_q + 1'b1;
        pause_q <= pause;
      end
      if (steps && last_beat) begin
        wave_q    <= wave_q + 1'b1;
        scratch_q <= scratch_q + plan.dispatch.scratch_bytes_per_wave;
      end
    end
  end

  assign simd_o = where_q[wave_q].simd;
  assign slot_o = where_q[wave_q].slot;

  spi_items u_items (
    .clk_i,
    .start_i (commit_i),
    .step_i  (steps),
    .items_i (group_q.items),
    .id_o    (id)
  );

  spi_state u_state (
    .limits_i,
    .plan_i    (plan),
    .group_i   (group_q),
    .held_i,
    .simd_i    (simd_o),
    .slot_i    (slot_o),
    .wave_i    (wave_q),
    .scratch_i (scratch_q),
    .beat_i    (beat_q),
    .id_i      (id),
    .launch_o
  );

  `CUVETTE_ASSERT(CommitWhenFree_A, commit_i |-> free_o)
  `CUVETTE_ASSERT(NotedWhenFree_A, note_i |-> free_o)
  `CUVETTE_ASSERT(ToldOfItsWaves_A, (told_i && !commit_i) |-> (busy_q && (told_q < group_q.count)))
  `CUVETTE_ASSERT(LaunchHeld_A, (launch_valid_o && !launch_ready_i) |=>
      (launch_valid_o && $stable(launch_o)))

endmodule
