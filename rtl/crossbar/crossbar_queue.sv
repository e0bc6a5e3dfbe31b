// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Input queue of the crossbar: the messages of one input that no output has taken. A message enters a
// free place, the lowest one, is at its outputs Delay cycles later, and can be taken from the next
// cycle on. Each output has its own queue of places, so that nobody waits behind a message for another
// output. A place is free from the cycle on after the last of its outputs has taken the message.

`include "cuvette_assert.svh"

module crossbar_queue #(
  parameter int unsigned Width   = 32,
  parameter int unsigned Outputs = 4,
  parameter int unsigned Depth   = 64,  // places
  parameter int unsigned Delay   = 15   // cycles from entering to arriving
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          enters_i,   // only with room
  output logic                          room_o,
  input  logic [Width-1:0]              data_i,
  input  logic [Outputs-1:0]            targets_i,  // one output at least

  output logic [Outputs-1:0]            arrives_o,  // a message is at the output in this cycle
  output logic [Outputs-1:0][Width-1:0] head_o,     // the oldest of the output
  input  logic [Outputs-1:0]            take_i      // there is one, and it is taken
);

  if ((Depth < 2) || (Depth > 64) || (Depth != (1 << $clog2(Depth)))) begin : gen_refuse_depth
    $error("crossbar_queue: Depth is %0d, expected a power of two from 2 to 64", Depth);
  end

  localparam int unsigned PlaceBits = $clog2(Depth);

  typedef logic [PlaceBits-1:0] place_t;

  // A message on its way.
  typedef struct packed {
    logic [Outputs-1:0] targets;  // none: there is no message
    place_t             place;
  } token_t;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Places
  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Bit p of a vector belongs to place p: a cycle is a few operations on whole vectors.
  logic [Depth-1:0]              busy_q;
  logic [Depth-1:0]              free;        // the lowest free one
  logic [Depth-1:0]              enters;
  place_t                        free_place;
  logic [Outputs-1:0][Depth-1:0] waits;       // messages that the output has not taken
  logic [Outputs-1:0][Depth-1:0] waits_q;
  logic [Depth-1:0]              waits_any;   // for any output
  logic [Width-1:0]              data_q [Depth];
  place_t [Outputs-1:0]          place;       // of the oldest message of an output

  assign room_o = busy_q != '1;
  assign free   = ~busy_q & (busy_q + 1'b1);
  assign enters = enters_i ? free : '0;

  // Places whose number has bit `b`.
  function automatic logic [Depth-1:0] places_with(int unsigned b);
    places_with = '0;
    for (int unsigned p = 0; p < Depth; p++) places_with[p] = ((p >> b) & 1) != 0;
  endfunction

  for (genvar b = 0; b < PlaceBits; b++) begin : gen_place_bit
    localparam logic [Depth-1:0] Places = places_with(b);
    assign free_place[b] = (free & Places) != '0;
  end

  for (genvar o = 0; o < Outputs; o++) begin : gen_waits
    assign waits[o] = waits_q[o] & ~(take_i[o] ? (Depth'(1) << place[o]) : '0);

    always_ff @(posedge clk_i) begin
      waits_q[o] <= (waits[o] & ~enters) | (targets_i[o] ? enters : '0);
    end
  end

  always_comb begin
    waits_any = '0;
    for (int unsigned o = 0; o < Outputs; o++) waits_any |= waits[o];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) busy_q <= '0;
    else         busy_q <= enters | (busy_q & waits_any);
  end

  always_ff @(posedge clk_i) begin
    if (enters_i) data_q[free_place] <= data_i;
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // The way
  ////////////////////////////////////////////////////////////////////////////////////////////////
  token_t enters_token;
  token_t arrives_token;

  assign enters_token = '{targets: enters_i ? targets_i : '0, place: free_place};
  assign arrives_o    = arrives_token.targets;

  if (Delay == 0) begin : gen_no_delay
    assign arrives_token = enters_token;
  end else begin : gen_delay
    token_t [Delay-1:0] way_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) way_q <= '0;
      else         way_q <= $bits(way_q)'({way_q, enters_token});
    end
    assign arrives_token = way_q[Delay-1];
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // At the outputs
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [Outputs-1:0] full;
  logic [Outputs-1:0] empty;

  for (genvar o = 0; o < Outputs; o++) begin : gen_output
    fifo #(
      .Width (PlaceBits),
      .Depth (Depth)
    ) u_places (
      .clk_i,
      .rst_ni,
      .push_i  (arrives_o[o]),
      .data_i  (arrives_token.place),
      .full_o  (full[o]),
      .pop_i   (take_i[o]),
      .data_o  (place[o]),
      .empty_o (empty[o])
    );
    assign head_o[o] = data_q[place[o]];

    `CUVETTE_ASSERT(TakesWhatIsThere_A, take_i[o] |-> !empty[o])
    `CUVETTE_ASSERT(ArrivesWithRoom_A, arrives_o[o] |-> !full[o])
    `CUVETTE_ASSERT(TakesOnce_A, take_i[o] |-> (busy_q[place[o]] && waits_q[o][place[o]]))
  end

  `CUVETTE_ASSERT(EntersWithRoom_A, enters_i |-> room_o)
  `CUVETTE_ASSERT(EntersForSomebody_A, enters_i |-> (targets_i != '0))
  `CUVETTE_COVER(Full_C, !room_o)

endmodule
