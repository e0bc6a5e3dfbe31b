// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Miss status registers: the 64-byte blocks that were asked for below, and behind each the requests
// to it in the order in which they came. Fills wait here in the order of their arrival. The oldest
// one goes through the stages as an install, unless it brought a fault, then its requests one after
// the other; one that needs a further fill ends its turn. A comparison is answered at once, changes
// take effect in the next cycle.

`include "cuvette_assert.svh"

module cache_misses
  import cache_unit_pkg::*;
#(
  parameter int unsigned Misses  = 16,
  parameter int unsigned Waiting = 32  // requests, of all misses
) (
  input  logic   clk_i,
  input  logic   rst_ni,

  // The request in the last stage
  input  block_t block_i,
  input  asked_t asked_i,
  output logic   match_o,         // its block was asked for
  output entry_t free_entry_o,    // of a new miss
  input  logic   add_i,           // its block is asked for: it waits as the first
  input  logic   append_i,        // it waits behind the others
  input  logic   served_i,        // it was the oldest one that waited, and does so no more
  input  logic   again_i,         // it was, and waits for a further fill
  input  logic   installed_i,     // the block is in its place
  output logic   room_o,          // for the requests in the stages and one more
  output logic   idle_o,

  // Fills
  input  logic   fill_i,
  input  entry_t fill_entry_i,
  input  logic   fill_fault_i,
  input  data_t  fill_data_i,

  // Requests that enter the stages
  output logic   due_o,
  output entry_t due_entry_o,
  output logic   due_installs_o,
  output logic   due_faulted_o,   // the fill has brought a fault
  output block_t due_block_o,
  input  logic   start_i,
  output asked_t asked_o,         // in the cycle after start_i: the oldest request
  output data_t  data_o           // and what the fill has brought
);

  localparam int unsigned EntryBits = $clog2(Misses);
  localparam int unsigned PlaceBits = $clog2(Waiting);
  // Stages that may hold a request which becomes a miss.
  localparam int unsigned Stages    = 2;

  if ((Misses <= Stages) || (Misses > MaxMisses)) begin : gen_refuse_misses
    $error("cache_misses: Misses is %0d, expected a power of two from 4 to 256", Misses);
  end

  typedef logic [PlaceBits-1:0] place_t;
  typedef logic [EntryBits-1:0] index_t;

  logic [Misses-1:0]   active_q;
  logic [Misses-1:0]   fault_q;
  block_t              block_q [Misses];
  place_t              head_q [Misses];
  place_t              tail_q [Misses];
  place_t              next_q [Waiting];
  logic [Waiting-1:0]  kept_q;       // places that are taken
  logic [EntryBits:0]  free_misses_q;
  logic [PlaceBits:0]  free_places_q;
  logic                started_q;    // the due request is in the stages
  logic                installed_q;  // the oldest fill is in its place, or brought a fault

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Comparison and choice of free entries
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic   [Misses-1:0] same;
  index_t              match_entry;
  index_t              free_entry;
  place_t              place;

  always_comb begin
    match_entry = '0;
    free_entry  = '0;
    for (int unsigned m = Misses; m != 0; m--) begin
      same[m-1] = active_q[m-1] && (block_q[m-1] == block_i);
      if (same[m-1]) match_entry |= index_t'(m - 1);
      if (!active_q[m-1]) free_entry = index_t'(m - 1);
    end
  end

  always_comb begin
    place = '0;
    for (int unsigned p = Waiting; p != 0; p--) begin
      if (!kept_q[p-1]) place = place_t'(p - 1);
    end
  end

  assign match_o       = same != '0;
  assign free_entry_o  = entry_t'(free_entry);
  assign room_o        = (free_misses_q > (EntryBits + 1)'(Stages)) &&
                         (free_places_q > (PlaceBits + 1)'(Stages));
  assign idle_o        = active_q == '0;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Fills in their order
  ////////////////////////////////////////////////////////////////////////////////////////////////
  index_t oldest;
  index_t fill_entry;
  logic   none;
  logic   full;
  logic   last;     // the oldest request of the oldest fill is the only one
  logic   leaves;   // that fill

  assign fill_entry = fill_entry_i[EntryBits-1:0];

  fifo #(
    .Width (EntryBits),
    .Depth (Misses)
  ) u_filled (
    .clk_i,
    .rst_ni,
    .push_i  (fill_i),
    .data_i  (fill_entry),
    .full_o  (full),
    .pop_i   (leaves),
    .data_o  (oldest),
    .empty_o (none)
  );

  assign last           = head_q[oldest] == tail_q[oldest];
  assign leaves         = again_i || (served_i && last);
  assign due_o          = !none && !started_q;
  assign due_entry_o    = entry_t'(oldest);
  assign due_installs_o = !installed_q && !fault_q[oldest];
  assign due_faulted_o  = fault_q[oldest];
  assign due_block_o    = block_q[oldest];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      started_q   <= 1'b0;
      installed_q <= 1'b0;
    end else begin
      started_q <= start_i || (started_q && !(served_i || again_i || installed_i));
      if (leaves)                       installed_q <= 1'b0;
      else if (installed_i || served_i) installed_q <= 1'b1;
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Entries and the requests behind them
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic ends;

  assign ends = served_i && last;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q      <= '0;
      kept_q        <= '0;
      free_misses_q <= (EntryBits + 1)'(Misses);
      free_places_q <= (PlaceBits + 1)'(Waiting);
    end else begin
      if (add_i) active_q[free_entry] <= 1'b1;
      if (ends)  active_q[oldest] <= 1'b0;
      if (add_i || append_i) kept_q[place] <= 1'b1;
      if (served_i)          kept_q[head_q[oldest]] <= 1'b0;
      free_misses_q <= free_misses_q + (EntryBits + 1)'(ends) - (EntryBits + 1)'(add_i);
      free_places_q <= free_places_q + (PlaceBits + 1)'(served_i) -
                       (PlaceBits + 1)'(add_i || append_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (fill_i) fault_q[fill_entry] <= fill_fault_i;
    if (served_i || again_i) fault_q[oldest] <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (add_i) begin
      block_q[free_entry] <= block_i;
      head_q[free_entry]  <= place;
      tail_q[free_entry]  <= place;
    end
    if (append_i) begin
      next_q[tail_q[match_entry]] <= place;
      tail_q[match_entry]         <= place;
    end
    if (served_i) head_q[oldest] <= next_q[head_q[oldest]];
  end

  ram_1r1w #(
    .Words    (Waiting),
    .Lanes    (1),
    .LaneBits ($bits(asked_t))
  ) u_waiting (
    .clk_i,
    .read_i          (start_i),
    .read_address_i  (head_q[oldest]),
    .read_data_o     (asked_o),
    .write_lanes_i   (add_i || append_i),
    .write_address_i (place),
    .write_data_i    (asked_i)
  );

  ram_1r1w #(
    .Words    (Misses),
    .Lanes    (1),
    .LaneBits ($bits(data_t))
  ) u_fills (
    .clk_i,
    .read_i          (start_i),
    .read_address_i  (oldest),
    .read_data_o     (data_o),
    .write_lanes_i   (fill_i),
    .write_address_i (fill_entry),
    .write_data_i    (fill_data_i)
  );

  `CUVETTE_ASSERT(OneChange_A, $onehot0({add_i, append_i, served_i, again_i, installed_i}))
  `CUVETTE_ASSERT(HasMiss_A, add_i |-> !match_o && (active_q != '1))
  `CUVETTE_ASSERT(HasPlace_A, (add_i || append_i) |-> (kept_q != '1))
  `CUVETTE_ASSERT(AppendsToMiss_A, append_i |-> match_o)
  `CUVETTE_ASSERT(FillIsAwaited_A, fill_i |-> (active_q[fill_entry] && !full))
  `CUVETTE_ASSERT(OnlyStarted_A, (served_i || again_i || installed_i) |-> started_q)
  `CUVETTE_ASSERT(StartsDue_A, start_i |-> due_o)
  `CUVETTE_COVER(Merged_C, append_i)
  `CUVETTE_COVER(FurtherFill_C, again_i)

endmodule
