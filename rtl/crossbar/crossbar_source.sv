// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// A source's side of the crossbar. A request is taken when there is a place, and a broadcast when no
// other one of the source is under way; it is at its slices Latency - 1 cycles later, and given from
// the next cycle on. The other way, answers of the slices are given one a cycle, the oldest arrival
// first. What it keeps of a request has the number of the source in its id.

`include "cuvette_assert.svh"

module crossbar_source
  import crossbar_pkg::*;
  import crossbar_unit_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned Number          = 0,
  parameter int unsigned Slices          = 4,
  parameter int unsigned InterleaveBytes = 256,
  parameter int unsigned Latency         = 16,
  parameter int unsigned Depth           = 64,
  localparam int unsigned SliceBits = (Slices > 1) ? $clog2(Slices) : 1
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic [SliceBits-1:0]          last_slice_i,

  input  logic                          request_valid_i,
  output logic                          request_ready_o,
  input  mem_req_t                      request_i,

  output logic                          response_valid_o,
  input  logic                          response_ready_i,
  output mem_resp_t                     response_o,

  // To the slices.
  output logic [Slices-1:0]             arrives_o,
  output mem_req_t [Slices-1:0]         head_o,
  input  logic [Slices-1:0]             take_i,

  // Answers as the slices give them, to the tracker of the broadcast.
  input  logic [Slices-1:0]             answers_i,
  input  logic [Slices-1:0][IdBits-1:0] answer_id_i,
  input  mem_status_e [Slices-1:0]      status_i,
  input  logic [Slices-1:0][63:0]       address_i,
  output logic [Slices-1:0]             ends_o,
  output logic [Slices-1:0]             carries_o,
  output logic                          fault_o,
  output logic [63:0]                   fault_address_o,

  // From the slices.
  input  logic [Slices-1:0]             answer_arrives_i,
  input  mem_resp_t [Slices-1:0]        answer_head_i,
  output logic [Slices-1:0]             answer_take_o
);

  if (Latency < 2) begin : gen_refuse_latency
    $error("crossbar_source: Latency is %0d, expected 2 or more", Latency);
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Requests
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic              broadcast;
  logic              broadcast_busy;
  logic              room;
  logic              enters;
  logic [Slices-1:0] targets;
  mem_req_t          kept;

  assign broadcast       = is_broadcast(request_i.op);
  assign request_ready_o = room && !(broadcast && broadcast_busy);
  assign enters          = request_valid_i && request_ready_o;

  always_comb begin
    kept           = request_i;
    kept.id        = {SourceBits'(Number), request_i.id[IdBits-1:0]};
    kept.timestamp = '0;
  end

  crossbar_map #(
    .Slices          (Slices),
    .InterleaveBytes (InterleaveBytes)
  ) u_map (
    .last_slice_i,
    .op_i      (request_i.op),
    .address_i (request_i.address),
    .targets_o (targets)
  );

  crossbar_queue #(
    .Width   (MemReqBits),
    .Outputs (Slices),
    .Depth   (Depth),
    .Delay   (Latency - 1)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .enters_i  (enters),
    .room_o    (room),
    .data_i    (kept),
    .targets_i (targets),
    .arrives_o,
    .head_o,
    .take_i
  );

  crossbar_broadcast #(.Slices(Slices)) u_broadcast (
    .clk_i,
    .rst_ni,
    .begin_i   (enters && broadcast),
    .id_i      (request_i.id[IdBits-1:0]),
    .targets_i (targets),
    .busy_o    (broadcast_busy),
    .answers_i,
    .answer_id_i,
    .status_i,
    .address_i,
    .ends_o,
    .fault_o,
    .fault_address_o,
    .carries_o
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Answers
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [Slices-1:0] grant;

  crossbar_order #(
    .Inputs (Slices),
    .Depth  (Depth)
  ) u_order (
    .clk_i,
    .rst_ni,
    .arrives_i (answer_arrives_i),
    .grant_o   (grant),
    .take_i    (response_valid_o && response_ready_i)
  );

  assign response_valid_o = grant != '0;
  assign answer_take_o    = response_ready_i ? grant : '0;

  always_comb begin
    response_o = '0;
    for (int unsigned k = 0; k < Slices; k++) begin
      if (grant[k]) response_o |= answer_head_i[k];
    end
  end

  `CUVETTE_ASSERT(IdFits_A, request_valid_i |-> (request_i.id[63:IdBits] == '0))
  `CUVETTE_ASSERT(RequestHeld_A, (request_valid_i && !request_ready_o) |=>
      (request_valid_i && $stable(request_i)))
  `CUVETTE_ASSERT(ResponseHeld_A, (response_valid_o && !response_ready_i) |=>
      (response_valid_o && $stable(response_o)))
  `CUVETTE_COVER(BroadcastWaits_C, request_valid_i && broadcast && broadcast_busy)

endmodule
