// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// A slice's side of the crossbar. It is given the requests of the sources one a cycle, the oldest
// arrival first. One to the aperture leaves as a store when there is a place for its answer, which it
// then has in place of an answer of the slice. Answers are taken when there is a place, one a cycle,
// are at their source Latency - 2 cycles later, and given from the next cycle on.

`include "cuvette_assert.svh"

module crossbar_slice
  import crossbar_pkg::*;
  import crossbar_unit_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned Sources = 4,
  parameter int unsigned Latency = 16,
  parameter int unsigned Depth   = 64
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  aperture_t               aperture_i,

  // From the sources.
  input  logic [Sources-1:0]      arrives_i,
  input  mem_req_t [Sources-1:0]  head_i,
  output logic [Sources-1:0]      take_o,

  output logic                    request_valid_o,
  input  logic                    request_ready_i,
  output mem_req_t                request_o,

  output logic                    store_valid_o,
  input  logic                    store_ready_i,
  output mem_req_t                store_o,

  input  logic                    response_valid_i,
  output logic                    response_ready_o,
  input  mem_resp_t               response_i,

  // The answer that is taken, and what becomes of it.
  output logic                    answers_o,
  output logic [SourceBits-1:0]   answer_source_o,
  input  logic                    ends_i,           // it goes no further
  input  logic                    fault_i,          // it goes on as a fault at this address
  input  logic [63:0]             fault_address_i,

  // To the sources.
  output logic [Sources-1:0]      answer_arrives_o,
  output mem_resp_t [Sources-1:0] answer_head_o,
  input  logic [Sources-1:0]      answer_take_i
);

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Requests
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [Sources-1:0] grant;
  logic               take;
  logic               to_aperture;
  logic               room;      // for an answer
  mem_req_t           oldest;

  crossbar_order #(
    .Inputs (Sources),
    .Depth  (Depth)
  ) u_order (
    .clk_i,
    .rst_ni,
    .arrives_i,
    .grant_o (grant),
    .take_i  (take)
  );

  always_comb begin
    oldest = '0;
    for (int unsigned s = 0; s < Sources; s++) begin
      if (grant[s]) oldest |= head_i[s];
    end
  end

  assign to_aperture          = is_inside(aperture_i, oldest.op, oldest.address);
  assign request_valid_o = (grant != '0) && !to_aperture;
  assign request_o       = oldest;
  assign store_valid_o   = (grant != '0) && to_aperture && room;
  assign store_o         = oldest;
  assign take            = (request_valid_o && request_ready_i) || (store_valid_o && store_ready_i);
  assign take_o          = take ? grant : '0;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Answers
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic                  enters;
  mem_resp_t             answer;
  logic [SourceBits-1:0] source;
  logic [Sources-1:0]    target;

  assign response_ready_o = room && !store_valid_o;
  assign answers_o        = response_valid_i && response_ready_o;
  assign answer_source_o  = response_i.id[63-:SourceBits];
  assign enters           = (answers_o && !ends_i) || (store_valid_o && store_ready_i);
  assign source           = store_valid_o ? oldest.id[63-:SourceBits] : answer_source_o;

  always_comb begin
    answer           = response_i;
    answer.id        = 64'(response_i.id[IdBits-1:0]);
    answer.timestamp = '0;
    if (fault_i) begin
      answer.status  = StatusFault;
      answer.address = fault_address_i;
    end
    if (store_valid_o) begin
      answer         = '0;
      answer.id      = 64'(oldest.id[IdBits-1:0]);
      answer.address = oldest.address;
    end
  end

  for (genvar s = 0; s < Sources; s++) begin : gen_target
    assign target[s] = source == SourceBits'(s);
  end

  crossbar_queue #(
    .Width   (MemRespBits),
    .Outputs (Sources),
    .Depth   (Depth),
    .Delay   (Latency - 2)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .enters_i  (enters),
    .room_o    (room),
    .data_i    (answer),
    .targets_i (target),
    .arrives_o (answer_arrives_o),
    .head_o    (answer_head_o),
    .take_i    (answer_take_i)
  );

  `CUVETTE_ASSERT(RequestHeld_A, (request_valid_o && !request_ready_i) |=>
      (request_valid_o && $stable(request_o)))
  `CUVETTE_ASSERT(StoreHeld_A, (store_valid_o && !store_ready_i) |=> (store_valid_o && $stable(store_o)))
  `CUVETTE_ASSERT(ResponseHeld_A, (response_valid_i && !response_ready_o) |=>
      (response_valid_i && $stable(response_i)))
  `CUVETTE_ASSERT(KnownSource_A, response_valid_i |-> (answer_source_o < SourceBits'(Sources)))
  `CUVETTE_COVER(StoreBeforeAnswer_C, store_valid_o && response_valid_i)

endmodule
