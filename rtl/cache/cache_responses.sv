// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Response queue: answers to each port in the order in which they were given, each `Delay` cycles
// after that at the earliest.

`include "cuvette_assert.svh"

module cache_responses
  import cache_unit_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned UpPorts = 2,
  parameter int unsigned Delay   = 1   // cycles, from 1 on
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic                    give_i,   // only with room at its port
  input  answer_t                 answer_i,
  output logic [MaxPorts-1:0]     room_o,   // for an answer, by port
  output logic                    idle_o,   // every answer has left

  output logic [UpPorts-1:0]      up_response_valid_o,
  input  logic [UpPorts-1:0]      up_response_ready_i,
  output mem_resp_t [UpPorts-1:0] up_response_o
);

  // So many that one can be given in every cycle.
  localparam int unsigned Depth    = 1 << $clog2(Delay + 2);
  localparam int unsigned TimeBits = 32;

  typedef struct packed {
    mem_resp_t           response;
    logic [TimeBits-1:0] due;
  } kept_t;

  logic [TimeBits-1:0] now_q;
  kept_t               kept;
  logic [UpPorts-1:0]  none;

  assign idle_o = none == '1;

  assign kept = '{response: answer_i.response, due: now_q + TimeBits'(Delay)};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) now_q <= '0;
    else         now_q <= now_q + 1'b1;
  end

  for (genvar p = 0; p < MaxPorts; p++) begin : gen_port
    if (p < UpPorts) begin : gen_queue
      kept_t               oldest;
      logic [TimeBits-1:0] left;   // until the oldest is due; the highest bit: it was
      logic                due_q;  // the oldest has been due
      logic                full;
      logic                empty;
      logic                leaves;

      fifo #(
        .Width ($bits(kept_t)),
        .Depth (Depth)
      ) u_kept (
        .clk_i,
        .rst_ni,
        .push_i  (give_i && (answer_i.port == port_t'(p))),
        .data_i  (kept),
        .full_o  (full),
        .pop_i   (leaves),
        .data_o  (oldest),
        .empty_o (empty)
      );

      assign none[p]                = empty;
      assign room_o[p]              = !full;
      assign left                   = oldest.due - now_q;
      assign up_response_valid_o[p] = !empty && (due_q || (left == '0) || left[TimeBits-1]);
      assign up_response_o[p]       = oldest.response;
      assign leaves                 = up_response_valid_o[p] && up_response_ready_i[p];

      always_ff @(posedge clk_i) begin
        if (!rst_ni) due_q <= 1'b0;
        else         due_q <= up_response_valid_o[p] && !leaves;
      end

      `CUVETTE_ASSERT(ResponseHeld_A, (up_response_valid_o[p] && !up_response_ready_i[p]) |=>
          (up_response_valid_o[p] && $stable(oldest.response)))
    end else begin : gen_none
      assign room_o[p] = 1'b0;
    end
  end

  `CUVETTE_ASSERT(HasRoom_A, give_i |-> room_o[answer_i.port])

endmodule
