// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Replacement: which place of a set a new line takes. One without a line if there is, the lowest;
// else the least recently used by true LRU, an age for each way, or by tree-PLRU, a bit for each
// node of a binary tree over the ways. The choice sees the use of its own cycle.

`include "cuvette_assert.svh"

module cache_replacement #(
  parameter int unsigned Sets = 64,
  parameter int unsigned Ways = 4,
  parameter bit          Tree = 1'b0,  // tree-PLRU instead of true LRU
  localparam int unsigned SetBits = $clog2(Sets),
  localparam int unsigned WayBits = $clog2(Ways)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic [SetBits-1:0] set_i,
  input  logic [Ways-1:0]    used_i,       // places of the set with a line
  output logic [WayBits-1:0] victim_o,

  input  logic               touch_i,      // the line at a place is used
  input  logic [SetBits-1:0] touch_set_i,
  input  logic [WayBits-1:0] touch_way_i,

  input  logic               clear_i,      // of a set, before its first use
  input  logic [SetBits-1:0] clear_set_i
);

  localparam int unsigned StateBits = Tree ? Ways : Ways * WayBits;
  typedef logic [StateBits-1:0] state_t;

  logic [WayBits-1:0] oldest;
  state_t             state_q [Sets];
  state_t             cleared;
  state_t             touched;   // state of the set that is touched, afterwards
  state_t             state;

  assign state = (touch_i && (touch_set_i == set_i)) ? touched : state_q[set_i];

  if (Tree) begin : gen_tree
    // Bit n of the state is node n, the root is 1, its sons 2 n and 2 n + 1; a one: the older ways
    // are the higher ones.
    assign cleared = '0;
    always_comb begin
      logic [WayBits-1:0] node;  // at last the way: the root's bit is shifted out
      touched = state_q[touch_set_i];
      node    = WayBits'(1);
      for (int unsigned l = 0; l < WayBits; l++) begin
        touched[node] = !touch_way_i[WayBits-1-l];
        node = WayBits'({node, touch_way_i[WayBits-1-l]});
      end
    end
    always_comb begin
      logic [WayBits-1:0] node;  // at last the way: the root's bit is shifted out
      node = WayBits'(1);
      for (int unsigned l = 0; l < WayBits; l++) begin
        node = WayBits'({node, state[node]});
      end
      oldest = node;
    end
  end else begin : gen_ages
    // Age 0 was used last; all ages of a set differ.
    for (genvar w = 0; w < Ways; w++) begin : gen_way
      assign cleared[w*WayBits +: WayBits] = WayBits'(w);
    end
    always_comb begin
      logic [WayBits-1:0] age;
      touched = state_q[touch_set_i];
      age     = touched[touch_way_i*WayBits +: WayBits];
      for (int unsigned w = 0; w < Ways; w++) begin
        if (touched[w*WayBits +: WayBits] < age) begin
          touched[w*WayBits +: WayBits] = touched[w*WayBits +: WayBits] + 1'b1;
        end
      end
      touched[touch_way_i*WayBits +: WayBits] = '0;
    end
    always_comb begin
      oldest = '0;
      for (int unsigned w = 0; w < Ways; w++) begin
        if (state[w*WayBits +: WayBits] == '1) oldest |= WayBits'(w);
      end
    end
  end

  always_comb begin
    victim_o = oldest;
    for (int unsigned w = Ways; w != 0; w--) begin
      if (!used_i[w-1]) victim_o = WayBits'(w - 1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i)      state_q[clear_set_i] <= cleared;
    else if (touch_i) state_q[touch_set_i] <= touched;
  end

  `CUVETTE_ASSERT(ClearsAlone_A, !(clear_i && touch_i))

endmodule
