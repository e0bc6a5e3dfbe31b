// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Tag array: which line is at each place, and of each place whether a line is there and whether it
// has dirty bytes. A tag is the whole number of a line, so that a slice need not know which one it
// is. Tags of a set are asked for in one cycle and compared in the next and later ones. A claim and
// marks take effect in the next cycle; the comparison sees a claim of its own cycle.

`include "cuvette_assert.svh"

module cache_tags #(
  parameter int unsigned Sets     = 64,
  parameter int unsigned Ways     = 4,
  parameter int unsigned LineBits = 58,  // of a line's number
  localparam int unsigned SetBits = $clog2(Sets),
  localparam int unsigned WayBits = $clog2(Ways)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // Question
  input  logic                read_i,
  input  logic [SetBits-1:0]  read_set_i,

  // Comparison, for the set that was asked for last
  input  logic [SetBits-1:0]  set_i,
  input  logic [LineBits-1:0] line_i,
  output logic                hit_o,
  output logic [WayBits-1:0]  hit_way_o,
  output logic [Ways-1:0]     used_o,
  input  logic [WayBits-1:0]  at_way_i,     // a place of the set
  output logic [LineBits-1:0] at_line_o,    // the line there

  // Changes of one place
  input  logic [SetBits-1:0]  change_set_i,
  input  logic [WayBits-1:0]  change_way_i,
  input  logic                claim_i,      // for a line
  input  logic [LineBits-1:0] claim_line_i,
  input  logic                mark_i,       // the line becomes dirty or clean
  input  logic                mark_dirty_i,

  // Walk over the sets, while nothing else goes on
  input  logic [SetBits-1:0]  walk_set_i,
  output logic [Ways-1:0]     walk_dirty_o,
  input  logic                walk_release_i,  // lines without dirty bytes are there no more
  input  logic                walk_clear_i     // no line is there
);

  logic [Ways-1:0][LineBits-1:0] tags;
  logic [Ways-1:0]               used_q [Sets];
  logic [Ways-1:0]               dirty_q [Sets];
  logic [Ways-1:0]               change;    // one-hot
  logic [Ways-1:0]               match;
  logic                          claimed;   // in the set, in this cycle

  assign change  = Ways'(1) << change_way_i;
  assign claimed = claim_i && (change_set_i == set_i);

  ram_1r1w #(
    .Words    (Sets),
    .Lanes    (Ways),
    .LaneBits (LineBits)
  ) u_tags (
    .clk_i,
    .read_i          (read_i),
    .read_address_i  (read_set_i),
    .read_data_o     (tags),
    .write_lanes_i   (claim_i ? change : '0),
    .write_address_i (change_set_i),
    .write_data_i    ({Ways{claim_line_i}})
  );

  always_comb begin
    used_o = used_q[set_i];
    for (int unsigned w = 0; w < Ways; w++) begin
      match[w] = used_o[w] && (tags[w] == line_i);
    end
    at_line_o = tags[at_way_i];
    if (claimed) begin
      used_o[change_way_i] = 1'b1;
      match[change_way_i]  = claim_line_i == line_i;
      if (at_way_i == change_way_i) at_line_o = claim_line_i;
    end
    hit_way_o = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (match[w]) hit_way_o |= WayBits'(w);
    end
  end

  assign hit_o        = match != '0;
  assign walk_dirty_o = dirty_q[walk_set_i];

  always_ff @(posedge clk_i) begin
    if (walk_clear_i)        used_q[walk_set_i] <= '0;
    else if (walk_release_i) used_q[walk_set_i] <= used_q[walk_set_i] & dirty_q[walk_set_i];
    else if (claim_i)        used_q[change_set_i] <= used_q[change_set_i] | change;
  end

  always_ff @(posedge clk_i) begin
    if (walk_clear_i) begin
      dirty_q[walk_set_i] <= '0;
    end else if (mark_i) begin
      dirty_q[change_set_i] <= mark_dirty_i ? (dirty_q[change_set_i] | change) :
                                              (dirty_q[change_set_i] & ~change);
    end
  end

  `CUVETTE_ASSERT(WalksAlone_A, (walk_clear_i || walk_release_i) |-> (!claim_i && !mark_i))

endmodule
