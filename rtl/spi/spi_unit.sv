// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Resources that the waves on a compute unit hold: wave slots, ranges of registers and of the LDS,
// and the keys of the work-groups, each of which has a barrier. A work-group takes what it gets at
// once; a wave gives back its own with its end, its work-group the rest with that of its last wave.
// Returned resources are free from the next cycle on.

`include "cuvette_assert.svh"

module spi_unit
  import spi_unit_pkg::*;
(
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  needs_t [Dispatches-1:0] needs_i,      // of the dispatches under way

  output taken_t                  taken_o,
  output logic [5:0]              waves_o,      // that are there
  output key_t                    key_o,        // the lowest that is free

  input  logic                    note_i,       // a wave is about to get a slot, which is free
  input  simd_t                   note_simd_i,
  input  slot_t                   note_slot_i,
  input  held_t                   note_held_i,

  input  logic                    commit_i,     // a work-group gets what it is to have
  input  taken_t                  commit_taken_i,
  input  group_t                  commit_group_i,

  input  simd_t                   read_simd_i,  // of a wave that is being launched
  input  slot_t                   read_slot_i,
  output held_t                   read_held_o,

  input  logic                    end_i,        // a wave has ended
  input  simd_t                   end_simd_i,
  input  slot_t                   end_slot_i,
  output held_t                   end_held_o,   // resources that it held
  output logic                    end_last_o,   // it is the last one of its work-group

  input  logic [Keys-1:0]         named_i       // keys that a command names: not for a new work-group
);

  taken_t                                  taken_q;
  taken_t                                  given;      // back
  held_t [Simds-1:0][WaveSlots-1:0]        held_q;
  logic [Keys-1:0][4:0]                    left_q;     // waves of a work-group
  amount_t [Keys-1:0]                      lds_q;      // its first granule
  logic [5:0]                              waves_q;
  held_t                                   over;
  needs_t                                  needs;
  logic                                    last;       // of its work-group

  assign taken_o     = taken_q;
  assign waves_o     = waves_q;
  assign read_held_o = held_q[read_simd_i][read_slot_i];
  assign over        = held_q[end_simd_i][end_slot_i];
  assign end_held_o  = over;
  assign end_last_o  = end_i && last;
  assign needs       = needs_i[over.index];
  assign last        = left_q[over.key] == 5'd1;

  always_comb begin
    given = '0;
    if (end_i) begin
      given.slots[end_simd_i][end_slot_i] = 1'b1;
      given.rows[end_simd_i]              = row_range(over.rows, needs.rows);
      given.acc[end_simd_i]               = row_range(over.acc, needs.acc);
      given.sgprs[end_simd_i]             = row_range(over.sgprs, needs.sgprs);
      if (last) begin
        given.lds            = lds_range(lds_q[over.key], needs.lds);
        given.keys[over.key] = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      taken_q <= '0;
      waves_q <= '0;
    end else begin
      taken_q <= (taken_q & ~given) | (commit_i ? commit_taken_i : '0);
      waves_q <= waves_q + (commit_i ? 6'(commit_group_i.count) : 6'd0) - 6'(end_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (note_i) held_q[note_simd_i][note_slot_i] <= note_held_i;
    if (end_i) left_q[over.key] <= left_q[over.key] - 1'b1;
    if (commit_i) begin
      left_q[commit_group_i.key] <= commit_group_i.count;
      lds_q[commit_group_i.key]  <= commit_group_i.lds;
    end
  end

  always_comb begin
    key_o = '0;
    for (int unsigned k = 0; k < Keys; k++) begin
      if (!taken_q.keys[Keys-1-k] && !named_i[Keys-1-k]) key_o = key_t'(Keys - 1 - k);
    end
  end

  `CUVETTE_COVER(NamedWorkGroupIsOver_C, (named_i & ~taken_q.keys) != '0)
  `CUVETTE_ASSERT(EndIsOfAWave_A, end_i |-> taken_q.slots[end_simd_i][end_slot_i])
  `CUVETTE_ASSERT(NotedSlotIsFree_A, note_i |-> !taken_q.slots[note_simd_i][note_slot_i])
  `CUVETTE_ASSERT(TakenWasFree_A, commit_i |-> ((taken_q & commit_taken_i) == '0))
  `CUVETTE_ASSERT(GivenWasTaken_A, end_i |-> ((given & ~taken_q) == '0))

endmodule
