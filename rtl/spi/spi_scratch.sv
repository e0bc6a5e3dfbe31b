// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Places in scratch memory that waves have while they live, of dispatches whose memory does not
// have one for each wave. Dispatches with the same address space and address share theirs. A wave
// gets the place of its own number in the grid when that is there and free, otherwise the lowest
// free one; both are found at once. A wave that was saved goes on in the place of its number alone.
// Places of a work-group are asked for a wave at a time and taken together when it starts.

`include "cuvette_assert.svh"

module spi_scratch
  import spi_unit_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  plan_t [Dispatches-1:0] plan_i,       // dispatches under way
  input  index_t                 index_i,      // of them, the one that asks
  input  logic [39:0]            number_i,     // of the wave in its grid
  input  logic                   restored_i,   // it was saved
  input  logic                   ask_first_i,  // nothing has been found for the work-group yet
  input  logic                   ask_i,        // the place found now is kept for it
  output logic                   found_o,
  output place_t                 place_o,
  output logic                   moved_o,      // this place, or one that was kept, is not that of the number
  input  logic                   commit_i,     // the work-group starts: all that was kept, and this

  input  logic                   end_i,        // a wave has ended
  input  index_t                 end_index_i,
  input  place_t                 end_place_i
);

  logic [Dispatches-1:0][Places-1:0] taken_q;
  logic [Places-1:0]                 kept_q;    // for the work-group that asks
  logic [Places-1:0]                 kept;
  logic                              moved_q;   // of what was kept
  logic [Places-1:0]                 shared;    // taken by dispatches with the same memory
  logic [Places-1:0]                 free;
  logic                              own;
  logic [Places-1:0]                 mask;
  logic                              pooled;
  logic [31:0]                       most;      // places that there are

  assign pooled = plan_i[index_i].pooled;
  assign most   = plan_i[index_i].dispatch.scratch_waves;
  assign kept   = ask_first_i ? '0 : kept_q;

  always_comb begin
    shared = '0;
    for (int unsigned i = 0; i < Dispatches; i++) begin
      if ((plan_i[i].dispatch.vmid == plan_i[index_i].dispatch.vmid) &&
          (plan_i[i].dispatch.scratch_base == plan_i[index_i].dispatch.scratch_base)) begin
        shared |= taken_q[i];
      end
    end
    for (int unsigned p = 0; p < Places; p++) begin
      free[p] = !shared[p] && !kept[p] && (32'(p) < most);
    end
    own     = (number_i < 40'(Places)) && free[number_i[$clog2(Places)-1:0]];
    place_o = '0;
    for (int unsigned p = 0; p < Places; p++) begin
      if (free[Places-1-p]) place_o = place_t'(Places - 1 - p);
    end
    if (own) place_o = number_i[$clog2(Places)-1:0];
    mask          = '0;
    mask[place_o] = pooled;
  end

  assign found_o = (restored_i ? own : (free != '0)) || !pooled;
  assign moved_o = (!ask_first_i && moved_q) || (pooled && !own);

  always_ff @(posedge clk_i) begin
    if (ask_i) begin
      kept_q  <= kept | mask;
      moved_q <= moved_o;
    end
  end

  for (genvar i = 0; i < Dispatches; i++) begin : gen_taken
    logic [Places-1:0] given;

    always_comb begin
      given              = '0;
      given[end_place_i] = end_i && (end_index_i == index_t'(i));
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        taken_q[i] <= '0;
      end else begin
        taken_q[i] <= (taken_q[i] & ~given) |
                      ((commit_i && (index_i == index_t'(i))) ? (kept | mask) : '0);
      end
    end
  end

  `CUVETTE_ASSERT(CommitHasPlaces_A, commit_i |-> found_o)
  `CUVETTE_ASSERT(PlaceIsThere_A, (commit_i && pooled) |-> (32'(place_o) < most))

endmodule
