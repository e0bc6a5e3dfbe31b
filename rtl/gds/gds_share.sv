// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The memory of the global data share with its atomic units: a local data share (lds) of the size
// that the product has, cleared after reset. Beats of a request are handed on as they come; an
// access of a lane that does not take part is put outside the memory, where it gives 0 and writes
// nothing. Answers come in order, each for the compute unit that has asked.

`include "cuvette_assert.svh"

module gds_share
  import gds_unit_pkg::*;
  import vrf_pkg::*;
#(
  parameter int unsigned Latency = 64  // of an answer, in cycles, without conflicts
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic [16:0]         size_i,            // in bytes, stays

  input  logic                beat_valid_i,      // only when ready
  output logic                beat_ready_o,
  input  gds_pkg::request_t   beat_i,            // of an access
  input  unit_t               unit_i,            // that asks

  output logic                response_valid_o,
  input  logic                response_ready_i,
  output gds_pkg::response_t  response_o,
  output unit_t               response_unit_o
);

  localparam int unsigned UnderWay = 8;  // the lds has room for six requests, two whole and four answers

  logic                clears;
  lds_pkg::request_t   zeros;
  lds_pkg::request_t   access;
  logic                ready;
  lds_pkg::response_t  answer;
  logic                answer_valid;
  logic                for_nobody;  // a store of zeros
  logic                answer_ready;
  logic                enters;
  logic                leaves;
  logic                full;
  logic                empty;

  gds_clear u_clear (
    .clk_i,
    .rst_ni,
    .size_i,
    .busy_o    (clears),
    .request_o (zeros),
    .ready_i   (ready && !full)
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // The request as the lds has it
  ////////////////////////////////////////////////////////////////////////////////////////////////
  always_comb begin
    access                = '0;
    access.id             = beat_i.id;
    access.beat           = beat_i.beat;
    access.limit          = 32'(size_i);
    access.kind           = beat_i.kind;
    access.atomic         = beat_i.atomic;
    access.flush_in       = beat_i.flush_in;
    access.flush_out      = beat_i.flush_out;
    access.operand_in_lds = beat_i.operand_in_gds;
    access.accesses       = beat_i.accesses;
    access.bytes          = beat_i.bytes;
    access.exec           = beat_i.exec[0];
    access.data           = beat_i.data;
    access.compare        = beat_i.compare;
    access.offset         = beat_i.offset;
    if (beat_i.accesses == 2'd2) begin
      access.exec = beat_i.exec[0] | beat_i.exec[1];
      for (int unsigned w = 0; w < 2; w++) begin
        for (int unsigned l = 0; l < BeatLanes; l++) begin
          if (!beat_i.exec[w][l]) access.offset[w][l] = '1;
        end
      end
    end
  end

  assign beat_ready_o = ready && !clears && !full;
  assign enters       = (clears && ready && !full && (zeros.beat == 2'd3)) ||
                        (beat_valid_i && (beat_i.beat == 2'd3));

  lds #(.Latency(Latency)) u_lds (
    .clk_i,
    .rst_ni,
    .request_valid_i  (clears ? !full : beat_valid_i),
    .request_ready_o  (ready),
    .request_i        (clears ? zeros : access),
    .response_valid_o (answer_valid),
    .response_ready_i (answer_ready),
    .response_o       (answer)
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Requesters of the answers
  ////////////////////////////////////////////////////////////////////////////////////////////////
  fifo #(
    .Width ($bits(unit_t) + 1),
    .Depth (UnderWay)
  ) u_owners (
    .clk_i,
    .rst_ni,
    .push_i  (enters),
    .data_i  ({clears, unit_i}),
    .full_o  (full),
    .pop_i   (leaves),
    .data_o  ({for_nobody, response_unit_o}),
    .empty_o (empty)
  );

  assign response_valid_o = answer_valid && !for_nobody;
  assign answer_ready     = for_nobody || response_ready_i;
  assign leaves           = answer_valid && answer_ready && (answer.beat == 2'd3);
  assign response_o       = '{id: answer.id, beat: answer.beat, data: answer.data};

  `CUVETTE_ASSERT(OnlyWhenReady_A, beat_valid_i |-> beat_ready_o)
  `CUVETTE_ASSERT(OwnerIsKnown_A, answer_valid |-> !empty)

endmodule
