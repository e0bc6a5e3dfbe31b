// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Answers of the local data share: a slot for each of the four that may be under way, in order. A
// slot is cleared when its request starts and gets what the lanes load. Its first beat is offered a
// fixed time after the request's last cycle in the banks, less the cycles there that no conflict
// has made; so conflicts alone delay it.

`include "cuvette_assert.svh"

module lds_answer
  import lds_unit_pkg::*;
  import lds_pkg::*;
  import vrf_pkg::*;
#(
  parameter int unsigned Latency = 64  // from a request's first cycle to its answer
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,

  output logic                                    room_o,       // a request may start
  input  logic                                    start_i,
  input  logic [31:0]                             id_i,
  input  logic [Lanes-1:0]                        outside_i,
  output slot_t                                   slot_o,       // that it gets
  input  logic                                    picked_i,     // the newest leaves the banks
  input  logic [3:0]                              cycles_i,     // it would have taken there

  // Data that a pass has loaded
  input  logic                                    load_valid_i,
  input  slot_t                                   load_slot_i,
  input  logic                                    load_group_i,
  input  logic [1:0]                              load_dword_i, // of its first chunk
  input  logic [GroupLanes-1:0][Chunks-1:0]       load_chunks_i,
  input  logic [Chunks-1:0][GroupLanes-1:0][31:0] load_data_i,

  // Old values of a lane, of the newest request
  input  logic [$clog2(Lanes)-1:0]                old_lane_i,
  input  logic [Chunks-1:0]                       old_valid_i,
  input  logic [Chunks-1:0][31:0]                 old_i,

  output logic                                    response_valid_o,
  input  logic                                    response_ready_i,
  output response_t                               response_o
);

  localparam int unsigned TimeBits = $clog2(Latency + 1);

  if ((Latency < 64) || (Latency > 65535)) begin : gen_refuse_latency
    $error("lds_answer: Latency is %0d, expected 64 to 65535", Latency);
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Slots
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [$clog2(Slots):0]           head_q;     // one bit more than a slot: tells full from empty
  logic [$clog2(Slots):0]           tail_q;
  slot_t                            head;
  slot_t                            newest;
  logic [1:0]                       beat_q;
  logic [Slots-1:0]                 timed_q;    // left_q means something
  logic [Slots-1:0][TimeBits-1:0]   left_q;     // cycles to the first beat
  logic [Slots-1:0][31:0]           id_q;
  logic [Slots-1:0][Lanes-1:0]      outside_q;
  logic                             gives;
  logic                             frees;

  assign head   = head_q[$clog2(Slots)-1:0];
  assign room_o = (tail_q - head_q) != 3'(Slots);
  assign slot_o = tail_q[$clog2(Slots)-1:0];
  // The one that is served has been given its slot in this cycle or before.
  assign newest = start_i ? slot_o : slot_t'(slot_o - 1'b1);
  assign gives  = response_valid_o && response_ready_i;
  assign frees  = gives && (beat_q == 2'd3);

  assign response_valid_o = timed_q[head] && (left_q[head] == '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      beat_q  <= '0;
      timed_q <= '0;
    end else begin
      if (start_i) tail_q <= tail_q + 1'b1;
      if (frees) head_q <= head_q + 1'b1;
      if (gives) beat_q <= beat_q + 1'b1;
      for (int unsigned s = 0; s < Slots; s++) begin
        if (frees && (head == slot_t'(s))) timed_q[s] <= 1'b0;
        if (picked_i && (newest == slot_t'(s))) timed_q[s] <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < Slots; s++) begin
      if (picked_i && (newest == slot_t'(s))) begin
        left_q[s] <= TimeBits'(Latency) - TimeBits'(cycles_i);
      end else if (left_q[s] != '0) begin
        left_q[s] <= left_q[s] - 1'b1;
      end
      if (start_i && (slot_o == slot_t'(s))) begin
        id_q[s]      <= id_i;
        outside_q[s] <= outside_i;
      end
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Data of the lanes
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [Chunks-1:0][1:0]             load_dword;  // that a chunk is in the answer
  logic [Lanes-1:0][Chunks-1:0][31:0] ready_data;  // of the slot at the head

  for (genvar k = 0; k < Chunks; k++) begin : gen_dword
    assign load_dword[k] = 2'(k) + load_dword_i;
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    localparam int unsigned Place = l % GroupLanes;  // in its group
    logic [Slots-1:0][Chunks-1:0][31:0] data_q;
    logic                               loads;
    logic                               acts;

    assign loads = load_valid_i && (load_group_i == 1'(l / GroupLanes));
    assign acts  = (old_valid_i != '0) && (old_lane_i == 6'(l));

    always_ff @(posedge clk_i) begin
      if (start_i) data_q[slot_o] <= '0;
      if (loads) begin
        for (int unsigned k = 0; k < Chunks; k++) begin
          if (load_chunks_i[Place][k]) data_q[load_slot_i][load_dword[k]] <= load_data_i[k][Place];
        end
      end
      if (acts) begin
        for (int unsigned d = 0; d < Chunks; d++) begin
          if (old_valid_i[d]) data_q[newest][d] <= old_i[d];
        end
      end
    end

    assign ready_data[l] = data_q[head];
  end

  always_comb begin
    response_o             = '0;
    response_o.id          = id_q[head];
    response_o.beat        = beat_q;
    response_o.out_of_range = outside_q[head][{beat_q, 4'd0} +: BeatLanes];
    for (int unsigned l = 0; l < BeatLanes; l++) begin
      for (int unsigned d = 0; d < Chunks; d++) begin
        response_o.data[d][l] = ready_data[{beat_q, 4'(l)}][d];
      end
    end
  end

  `CUVETTE_ASSERT(StartHasRoom_A, start_i |-> room_o)
  `CUVETTE_ASSERT(ResponseHeld_A, (response_valid_o && !response_ready_i) |=>
      (response_valid_o && $stable(response_o)))
  `CUVETTE_COVER(Full_C, !room_o)

endmodule
