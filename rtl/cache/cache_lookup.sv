// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The stages of a request, a cycle each when nothing stands in the way:
//   0  it is chosen, the tags of its set are asked for: steps of a walk, then what is due of the
//      misses, then new requests;
//   1  the tags are compared; the line that was found, or the one that has to make room, is asked for;
//   2  the request is served (cache_serve) with that line.
// A request in stage 2 holds up the others. State that stage 2 changes in the cycle in which a
// request leaves it is seen by the one behind.

`include "cuvette_assert.svh"

module cache_lookup
  import cache_unit_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned Sets            = 64,
  parameter int unsigned Ways            = 4,
  parameter int unsigned LineBytes       = 64,
  parameter int unsigned Slices          = 1,
  parameter int unsigned InterleaveBytes = 64,
  parameter bit          Tree            = 1'b0,
  localparam int unsigned SetBits  = $clog2(Sets),
  localparam int unsigned WayBits  = $clog2(Ways),
  localparam int unsigned LineBits = BlockBits - $clog2(LineBytes / BlockBytes)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // Stage 0
  input  logic                      new_valid_i,    // a request that may enter
  input  asked_t                    new_i,
  output logic                      new_take_o,
  input  logic                      due_i,          // of the misses
  input  logic                      due_installs_i,
  input  logic                      due_faulted_i,
  input  block_t                    due_block_i,
  output logic                      due_start_o,
  input  asked_t                    due_asked_i,    // a cycle later
  input  data_t                     due_data_i,
  input  logic                      walk_valid_i,
  output logic                      walk_ready_o,
  input  step_e                     walk_step_i,
  input  logic [SetBits-1:0]        walk_set_i,
  input  logic [WayBits-1:0]        walk_way_i,
  output logic                      walk_done_o,
  output logic                      idle_o,         // the stages are empty

  // Stage 2
  output logic                      valid_o,
  output step_e                     step_o,
  output asked_t                    asked_o,
  output logic                      faulted_o,      // a replay whose fill has brought a fault
  output logic                      hit_o,
  output logic [LineBits-1:0]       line_o,         // at the place
  output logic [LineBytes-1:0]      line_valid_o,
  output logic [LineBytes-1:0]      line_dirty_o,
  output logic [LineBytes-1:0][7:0] line_data_o,
  input  logic                      done_i,         // leaves the stage
  input  logic                      write_i,        // the line
  input  logic [LineBytes-1:0]      write_valid_i,
  input  logic [LineBytes-1:0]      write_dirty_i,
  input  logic [LineBytes-1:0]      write_bytes_i,
  input  logic [LineBytes-1:0][7:0] write_data_i,
  input  logic                      claim_i,        // its place for the block's line
  input  logic                      touch_i,

  // Walk over the tags
  output logic [Ways-1:0]           walk_dirty_o,
  input  logic                      walk_release_i,
  input  logic                      walk_clear_i
);

  localparam int unsigned ShareBits = $clog2(InterleaveBytes / BlockBytes);  // of a block's number
  localparam int unsigned SliceBits = $clog2(Slices);
  localparam int unsigned PairBits  = $clog2(LineBytes / BlockBytes);

  typedef logic [SetBits-1:0]  set_t;
  typedef logic [WayBits-1:0]  way_t;
  typedef logic [LineBits-1:0] line_t;

  function automatic line_t line_of(input block_t block);
    return line_t'(block >> PairBits);
  endfunction

  // Sets are numbered over the addresses of one slice.
  function automatic set_t set_of(input block_t block);
    block_t low;
    block_t here;
    low  = block & ((block_t'(1) << ShareBits) - 1'b1);
    here = ((block >> (ShareBits + SliceBits)) << ShareBits) | low;
    return set_t'(here >> PairBits);
  endfunction

  function automatic block_t block_of(input asked_t asked);
    return asked.request.address[63 -: BlockBits];
  endfunction

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Stage 0
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic  ready_1;
  logic  enters;
  step_e step_0;
  set_t  set_0;

  assign walk_ready_o = ready_1;
  assign due_start_o  = due_i && ready_1 && !walk_valid_i;
  assign new_take_o   = new_valid_i && ready_1 && !walk_valid_i && !due_i;
  assign enters       = (walk_valid_i && ready_1) || due_start_o || new_take_o;

  always_comb begin
    step_0 = StepAccess;
    set_0  = set_of(block_of(new_i));
    if (walk_valid_i) begin
      step_0 = walk_step_i;
      set_0  = walk_set_i;
    end else if (due_i) begin
      step_0 = due_installs_i ? StepInstall : StepReplay;
      set_0  = set_of(due_block_i);
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Stage 1
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic            valid_1_q;
  logic            moves_1;
  logic            ready_2;
  step_e           step_1_q;
  set_t            set_1_q;
  way_t            walk_way_q;
  asked_t          new_q;
  block_t          due_block_q;
  logic            due_faulted_q;
  asked_t          asked_1;
  line_t           line_1;
  logic            walks_1;
  logic            match;
  way_t            match_way;
  way_t            victim;
  way_t            way_1;
  line_t           at_line;
  logic [Ways-1:0] used;

  assign ready_1 = !valid_1_q || moves_1;
  assign moves_1 = valid_1_q && ready_2;
  assign walks_1 = (step_1_q == StepClean) || (step_1_q == StepDrop);

  always_ff @(posedge clk_i) begin
    if (!rst_ni)      valid_1_q <= 1'b0;
    else if (ready_1) valid_1_q <= enters;
  end

  always_ff @(posedge clk_i) begin
    if (enters) begin
      step_1_q      <= step_0;
      set_1_q       <= set_0;
      walk_way_q    <= walk_way_i;
      due_block_q   <= due_block_i;
      due_faulted_q <= due_faulted_i;
      new_q         <= new_i;
    end
  end

  always_comb begin
    asked_1 = new_q;
    if (step_1_q == StepReplay) asked_1 = due_asked_i;
    if (step_1_q == StepInstall) begin
      asked_1.request.data    = due_data_i;
      asked_1.request.address = {due_block_q, {(64 - BlockBits){1'b0}}};
    end
  end

  assign line_1 = line_of(block_of(asked_1));
  assign way_1  = walks_1 ? walk_way_q : (match ? match_way : victim);

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Stage 2
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic                 valid_2_q;
  step_e                step_2_q;
  asked_t               asked_2_q;
  logic                 faulted_2_q;
  logic                 hit_2_q;
  logic                 used_2_q;
  set_t                 set_2_q;
  way_t                 way_2_q;
  line_t                line_2_q;
  logic [LineBytes-1:0] held_valid;
  logic [LineBytes-1:0] held_dirty;

  assign ready_2 = !valid_2_q || done_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)      valid_2_q <= 1'b0;
    else if (ready_2) valid_2_q <= valid_1_q;
  end

  always_ff @(posedge clk_i) begin
    if (moves_1) begin
      step_2_q    <= step_1_q;
      asked_2_q   <= asked_1;
      faulted_2_q <= due_faulted_q && (step_1_q == StepReplay);
      hit_2_q     <= match && !walks_1;
      used_2_q    <= used[way_1];
      set_2_q     <= set_1_q;
      way_2_q     <= way_1;
      line_2_q    <= at_line;
    end
  end

  assign valid_o      = valid_2_q;
  assign step_o       = step_2_q;
  assign asked_o      = asked_2_q;
  assign faulted_o    = faulted_2_q;
  assign hit_o        = hit_2_q;
  assign line_o       = line_2_q;
  assign line_valid_o = used_2_q ? held_valid : '0;
  assign line_dirty_o = used_2_q ? held_dirty : '0;
  assign walk_done_o  = valid_2_q && done_i && ((step_2_q == StepClean) || (step_2_q == StepDrop));
  assign idle_o       = !valid_1_q && !valid_2_q;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Tags, replacement, lines
  ////////////////////////////////////////////////////////////////////////////////////////////////
  cache_tags #(
    .Sets     (Sets),
    .Ways     (Ways),
    .LineBits (LineBits)
  ) u_tags (
    .clk_i,
    .rst_ni,
    .read_i         (enters),
    .read_set_i     (set_0),
    .set_i          (set_1_q),
    .line_i         (line_1),
    .hit_o          (match),
    .hit_way_o      (match_way),
    .used_o         (used),
    .at_way_i       (way_1),
    .at_line_o      (at_line),
    .change_set_i   (set_2_q),
    .change_way_i   (way_2_q),
    .claim_i        (claim_i),
    .claim_line_i   (line_of(block_of(asked_2_q))),
    .mark_i         (write_i),
    .mark_dirty_i   (write_dirty_i != '0),
    .walk_set_i     (walk_set_i),
    .walk_dirty_o   (walk_dirty_o),
    .walk_release_i (walk_release_i),
    .walk_clear_i   (walk_clear_i)
  );

  cache_replacement #(
    .Sets (Sets),
    .Ways (Ways),
    .Tree (Tree)
  ) u_replacement (
    .clk_i,
    .rst_ni,
    .set_i       (set_1_q),
    .used_i      (used),
    .victim_o    (victim),
    .touch_i     (touch_i),
    .touch_set_i (set_2_q),
    .touch_way_i (way_2_q),
    .clear_i     (walk_clear_i),
    .clear_set_i (walk_set_i)
  );

  cache_lines #(
    .Places    (Sets * Ways),
    .LineBytes (LineBytes)
  ) u_lines (
    .clk_i,
    .read_i        (moves_1),
    .read_place_i  ({set_1_q, way_1}),
    .valid_o       (held_valid),
    .dirty_o       (held_dirty),
    .data_o        (line_data_o),
    .write_i       (write_i),
    .write_place_i ({set_2_q, way_2_q}),
    .valid_i       (write_valid_i),
    .dirty_i       (write_dirty_i),
    .bytes_i       (write_bytes_i),
    .data_i        (write_data_i)
  );

  `CUVETTE_ASSERT(ClaimsLast_A, claim_i |-> done_i)
  `CUVETTE_ASSERT(DoneIsThere_A, done_i |-> valid_2_q)

endmodule
