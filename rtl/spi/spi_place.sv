// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Places work-groups on compute units: tries the next work-group of a dispatch on a compute unit, a
// wave in each cycle, and starts it with the last one. If a wave has no room, or no place in
// scratch memory, nothing has been taken. The next try begins in the cycle behind, so that
// work-groups of one wave start one a cycle. A compute unit that had no room is tried again when a
// wave on it has ended, or for a work-group of fewer waves; a dispatch that lacks scratch memory
// when a wave has ended anywhere. Of a work-group that was saved those waves are tried that were not
// over.

`include "cuvette_assert.svh"

module spi_place
  import spi_unit_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1,
  localparam int unsigned UnitBits    = (ComputeUnits > 1) ? $clog2(ComputeUnits) : 1
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,

  input  limits_t                                 limits_i,

  input  logic [Dispatches-1:0]                   load_i,      // a new dispatch comes
  input  logic [Dispatches-1:0]                   waits_i,     // work-groups may start
  input  logic [Dispatches-1:0]                   last_i,      // one more
  input  logic [Dispatches-1:0]                   there_i,     // the next one is there
  input  logic                                    freeze_i,    // no try begins in the next cycle
  input  logic [Dispatches-1:0]                   idle_i,      // without a wave that lives
  input  plan_t [Dispatches-1:0]                  plan_i,
  input  group_t [Dispatches-1:0]                 group_i,     // their next work-groups
  input  logic [Dispatches-1:0][Dispatches-1:0]   older_i,     // bit [a][b]: a came before b
  input  logic [Dispatches-1:0][ComputeUnits-1:0] allowed_i,

  input  taken_t [ComputeUnits-1:0]               taken_i,
  input  logic [ComputeUnits-1:0][5:0]            waves_i,
  input  key_t [ComputeUnits-1:0]                 key_i,       // that the next work-group gets
  input  logic [ComputeUnits-1:0]                 soon_i,      // may be tried in the next cycle
  input  logic [ComputeUnits-1:0]                 free_i,      // may get a work-group now
  input  logic [ComputeUnits-1:0]                 end_i,       // a wave on it has ended
  input  held_t                                   end_held_i,  // which held this

  output logic [ComputeUnits-1:0]                 unit_o,      // of the try; none without one
  output logic                                    note_o,      // a wave has room
  output logic [3:0]                              wave_o,      // its number in the work-group
  output simd_t                                   simd_o,
  output slot_t                                   slot_o,
  output held_t                                   held_o,

  output logic                                    commit_o,    // the work-group starts
  output taken_t                                  taken_o,     // with all of this
  output group_t                                  group_o,
  output logic                                    moved_o,     // a wave has another place in scratch
                                                               // memory than its number
  output logic [Dispatches-1:0]                   start_o,     // of the dispatch
  output logic [Dispatches-1:0]                   never_o      // no compute unit can have it
);

  logic                                    try_q;
  index_t                                  index_q;
  logic [UnitBits-1:0]                     unit_q;
  logic [UnitBits-1:0]                     place_q;    // of the unit
  logic [4:0]                              from_q;     // waves below have been tried
  taken_t                                  kept_q;     // resources that the waves before this one
                                                       // are to get
  key_t                                    key_q;
  logic                                    touched_q;  // a wave on the unit has ended since
  logic                                    ended_q;    // or on any
  logic [UnitBits-1:0]                     last_q;     // place of the last work-group
  logic [Dispatches-1:0][ComputeUnits-1:0] failed_q;
  logic [Dispatches-1:0][4:0]              size_q;     // waves of the work-group that had no room
  logic [Dispatches-1:0]                   no_scratch_q;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // The wave that is tried
  ////////////////////////////////////////////////////////////////////////////////////////////////
  group_t                 group;
  needs_t                 needs;
  taken_t                 kept;
  waves_t                 rest;        // waves to try
  logic                   first;       // wave of the work-group
  logic                   wave_found;
  taken_t                 wave_taken;
  logic                   lds_found;
  amount_t                lds_first;
  logic [LdsGranules-1:0] lds_mask;
  key_t                   key;
  logic                   found;       // a place in scratch memory
  place_t                 place_of;    // this one
  logic                   goes_on;     // the work-group may still start
  logic                   room;        // for the wave
  logic                   leaves;      // the try ends without a start

  assign group   = group_i[index_q];
  assign needs   = plan_i[index_q].needs;
  assign rest    = waves_from(group.mask, from_q);
  assign first   = from_q == '0;
  assign kept    = first ? '0 : kept_q;
  assign key     = first ? key_i[unit_q] : key_q;
  assign goes_on = try_q && waits_i[index_q] && free_i[unit_q];
  assign room    = wave_found && lds_found;
  assign note_o  = goes_on && room && found;
  assign leaves  = try_q && !note_o;

  spi_fit u_fit (
    .limits_i,
    .needs_i (needs),
    .taken_i (taken_i[unit_q] | kept),
    .found_o (wave_found),
    .simd_o,
    .slot_o,
    .rows_o  (held_o.rows),
    .acc_o   (held_o.acc),
    .sgprs_o (held_o.sgprs),
    .taken_o (wave_taken)
  );

  spi_first_fit #(.Width(LdsGranules)) u_lds (
    .free_i   (~taken_i[unit_q].lds & lds_range('0, limits_i.lds)),
    .length_i (needs.lds),
    .found_o  (lds_found),
    .first_o  (lds_first),
    .mask_o   (lds_mask)
  );

  spi_scratch u_scratch (
    .clk_i,
    .rst_ni,
    .plan_i,
    .index_i     (index_q),
    .number_i    (group.wave + 40'(wave_o)),
    .restored_i  (group.restored),
    .ask_first_i (first),
    .ask_i       (note_o),
    .found_o     (found),
    .place_o     (place_of),
    .moved_o     (moved_o),
    .commit_i    (commit_o),
    .end_i       (end_i != '0),
    .end_index_i (end_held_i.index),
    .end_place_i (end_held_i.place)
  );

  assign held_o.index = index_q;
  assign held_o.key   = key;
  assign held_o.place = place_of;
  assign wave_o       = lowest_wave(rest);
  assign commit_o     = note_o && ((rest & (rest - 1'b1)) == '0);

  always_comb begin
    unit_o           = '0;
    unit_o[unit_q]   = try_q;
    taken_o          = kept | wave_taken;
    taken_o.lds      = lds_mask;
    taken_o.keys     = '0;
    taken_o.keys[key] = 1'b1;
    group_o          = group;
    group_o.index    = index_q;
    group_o.key      = key;
    group_o.lds      = lds_first;
    start_o          = '0;
    start_o[index_q] = commit_o;
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Compute units without room
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [Dispatches-1:0][ComputeUnits-1:0] failed;
  logic [Dispatches-1:0]                   no_scratch;
  logic [Dispatches-1:0][ComputeUnits-1:0] known;      // to have no room for the next work-group
  logic                                    no_room;    // here

  assign no_room = goes_on && found && !room;

  always_comb begin
    for (int unsigned i = 0; i < Dispatches; i++) begin
      known[i] = (group_i[i].count < size_q[i]) ? '0 : failed_q[i];
    end
    failed     = known;
    no_scratch = no_scratch_q;
    // A wave that has ended meanwhile may have made room.
    if (goes_on && !found) no_scratch[index_q] = !ended_q;
    if (no_room) failed[index_q][unit_q] = !touched_q;
    for (int unsigned i = 0; i < Dispatches; i++) begin
      failed[i] &= ~end_i;
      if (load_i[i]) failed[i] = '0;
      if ((end_i != '0) || start_o[i] || load_i[i]) no_scratch[i] = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (no_room) size_q[index_q] <= group.count;
  end

  // Empty compute units that have no room never will. Nor will scratch memory have more places.
  always_comb begin
    for (int unsigned i = 0; i < Dispatches; i++) begin
      never_o[i] = waits_i[i] && there_i[i] && idle_i[i];
      for (int unsigned u = 0; u < ComputeUnits; u++) begin
        if (allowed_i[i][u] && (!known[i][u] || (waves_i[u] != '0))) never_o[i] = 1'b0;
      end
      if (waits_i[i] && there_i[i] && plan_i[i].starves) never_o[i] = 1'b1;
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // The next try
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [Dispatches-1:0]        waits_next;   // behind this cycle
  logic [ComputeUnits-1:0][5:0] waves;        // likewise
  logic [Dispatches-1:0]        holds;
  logic [Dispatches-1:0][7:0]   priority_of;
  logic                         decides;
  logic                         chosen;
  index_t                       index;
  logic [UnitBits-1:0]          unit;
  logic [UnitBits-1:0]          place;

  always_comb begin
    for (int unsigned i = 0; i < Dispatches; i++) begin
      waits_next[i]  = waits_i[i] && !never_o[i] && !(start_o[i] && last_i[i]);
      holds[i]       = freeze_i || no_scratch[i] || !there_i[i] || (start_o[i] && group.restored);
      priority_of[i] = plan_i[i].dispatch.queue_priority;
    end
    for (int unsigned u = 0; u < ComputeUnits; u++) begin
      waves[u] = waves_i[u] + ((commit_o && unit_o[u]) ? 6'(group.count) : 6'd0);
    end
  end

  spi_choose #(.ComputeUnits(ComputeUnits)) u_choose (
    .limits_i,
    .waits_i      (waits_next),
    .priority_i   (priority_of),
    .older_i,
    .allowed_i,
    .failed_i     (failed),
    .holds_i      (holds),
    .free_i       (soon_i & ~(commit_o ? unit_o : '0)),
    .waves_i      (waves),
    .last_i       (commit_o ? place_q : last_q),
    .valid_o      (chosen),
    .index_o      (index),
    .unit_o       (unit),
    .place_o      (place)
  );

  assign decides = !try_q || commit_o || leaves;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      try_q        <= 1'b0;
      failed_q     <= '0;
      no_scratch_q <= '0;
      last_q       <= UnitBits'(limits_i.units - 5'd1);
    end else begin
      if (decides) try_q <= chosen;
      failed_q     <= failed;
      no_scratch_q <= no_scratch;
      if (commit_o) last_q <= place_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (decides) begin
      index_q   <= index;
      unit_q    <= unit;
      place_q   <= place;
      from_q    <= '0;
      touched_q <= 1'b0;
      ended_q   <= 1'b0;
    end else begin
      from_q    <= 5'(wave_o) + 5'd1;
      kept_q    <= kept | wave_taken;
      key_q     <= key;
      touched_q <= touched_q || end_i[unit_q];
      ended_q   <= ended_q || (end_i != '0);
    end
  end

  `CUVETTE_ASSERT(StaysFree_A, (try_q && !first) |-> free_i[unit_q])
  `CUVETTE_ASSERT(TriesAnAllowedUnit_A, goes_on |-> allowed_i[index_q][unit_q])
  `CUVETTE_ASSERT(OneStart_A, $onehot0(start_o))

endmodule
