// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Crossbar between the first-level caches and the command processor (sources) and the L2 slices.
// Contract: docs/reference/crossbar.md, with the times.
//
// A crossbar_source takes the requests of its source and keeps them until their slice, or every slice
// of a broadcast, has taken them; a crossbar_slice gives them to its slice, the oldest arrival first,
// and takes its answers. The way of Latency cycles is in the queues of both. Writes to the aperture
// leave here. With its answers a slice says to which source they go: by the highest bits of the id.

`include "cuvette_assert.svh"

module crossbar
  import crossbar_pkg::*;
  import crossbar_unit_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned Sources         = 4,
  parameter int unsigned Slices          = 1,
  parameter int unsigned InterleaveBytes = 256,  // of the addresses over the slices
  parameter int unsigned Latency         = 16,   // one way, in cycles, from 2 on
  parameter int unsigned Depth           = 64,   // requests of a source, and answers of a slice, at most
  localparam int unsigned SliceBits = (Slices > 1) ? $clog2(Slices) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic [SliceBits-1:0]    last_slice_i,  // in use: a power of two, less one: a strap

  input  logic [Sources-1:0]      source_request_valid_i,
  output logic [Sources-1:0]      source_request_ready_o,
  input  mem_req_t [Sources-1:0]  source_request_i,

  output logic [Sources-1:0]      source_response_valid_o,
  input  logic [Sources-1:0]      source_response_ready_i,
  output mem_resp_t [Sources-1:0] source_response_o,

  output logic [Slices-1:0]       slice_request_valid_o,
  input  logic [Slices-1:0]       slice_request_ready_i,
  output mem_req_t [Slices-1:0]   slice_request_o,

  input  logic [Slices-1:0]       slice_response_valid_i,
  output logic [Slices-1:0]       slice_response_ready_o,
  input  mem_resp_t [Slices-1:0]  slice_response_i,

  input  logic                    aperture_valid_i,
  output logic                    aperture_ready_o,
  input  aperture_t               aperture_i,

  output logic [Slices-1:0]       aperture_store_valid_o,
  input  logic [Slices-1:0]       aperture_store_ready_i,
  output mem_req_t [Slices-1:0]   aperture_store_o
);

  if ((Sources < 1) || (Sources > 64)) begin : gen_refuse_sources
    $error("crossbar: Sources is %0d, expected 1 to 64", Sources);
  end
  if ((Slices < 1) || (Slices > 64) || (Slices != (1 << $clog2(Slices)))) begin : gen_refuse_slices
    $error("crossbar: Slices is %0d, expected a power of two from 1 to 64", Slices);
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Between the sides, [source][slice] and [slice][source]
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [Sources-1:0][Slices-1:0]      arrives;
  mem_req_t [Sources-1:0][Slices-1:0]  head;
  logic [Sources-1:0][Slices-1:0]      take;
  logic [Sources-1:0][Slices-1:0]      answers;
  logic [Sources-1:0][Slices-1:0]      ends;
  logic [Sources-1:0][Slices-1:0]      carries;
  logic [Sources-1:0]                  fault;
  logic [Sources-1:0][63:0]            fault_address;
  logic [Slices-1:0][Sources-1:0]      answer_arrives;
  mem_resp_t [Slices-1:0][Sources-1:0] answer_head;
  logic [Sources-1:0][Slices-1:0]      answer_take;

  logic [Slices-1:0]                   taken;         // an answer of the slice
  logic [Slices-1:0][SourceBits-1:0]   taken_source;
  logic [Slices-1:0][IdBits-1:0]       taken_id;
  mem_status_e [Slices-1:0]            taken_status;
  logic [Slices-1:0][63:0]             taken_address;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Aperture: it moves when nobody is offered something that it decides about
  ////////////////////////////////////////////////////////////////////////////////////////////////
  aperture_t aperture_q;

  assign aperture_ready_o = ((slice_request_valid_o & ~slice_request_ready_i) == '0) &&
                            ((aperture_store_valid_o & ~aperture_store_ready_i) == '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni)                                   aperture_q.there <= 1'b0;
    else if (aperture_valid_i && aperture_ready_o) aperture_q.there <= aperture_i.there;
  end

  always_ff @(posedge clk_i) begin
    if (aperture_valid_i && aperture_ready_o) begin
      aperture_q.base  <= aperture_i.base;
      aperture_q.bytes <= aperture_i.bytes;
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Sources
  ////////////////////////////////////////////////////////////////////////////////////////////////
  for (genvar s = 0; s < Sources; s++) begin : gen_source
    logic [Slices-1:0]      to_source;
    mem_resp_t [Slices-1:0] to_source_head;

    for (genvar k = 0; k < Slices; k++) begin : gen_slice
      assign answers[s][k]     = taken[k] && (taken_source[k] == SourceBits'(s));
      assign to_source[k]      = answer_arrives[k][s];
      assign to_source_head[k] = answer_head[k][s];
    end

    crossbar_source #(
      .Number          (s),
      .Slices          (Slices),
      .InterleaveBytes (InterleaveBytes),
      .Latency         (Latency),
      .Depth           (Depth)
    ) u_source (
      .clk_i,
      .rst_ni,
      .last_slice_i,
      .request_valid_i  (source_request_valid_i[s]),
      .request_ready_o  (source_request_ready_o[s]),
      .request_i        (source_request_i[s]),
      .response_valid_o (source_response_valid_o[s]),
      .response_ready_i (source_response_ready_i[s]),
      .response_o       (source_response_o[s]),
      .arrives_o        (arrives[s]),
      .head_o           (head[s]),
      .take_i           (take[s]),
      .answers_i        (answers[s]),
      .answer_id_i      (taken_id),
      .status_i         (taken_status),
      .address_i        (taken_address),
      .ends_o           (ends[s]),
      .carries_o        (carries[s]),
      .fault_o          (fault[s]),
      .fault_address_o  (fault_address[s]),
      .answer_arrives_i (to_source),
      .answer_head_i    (to_source_head),
      .answer_take_o    (answer_take[s])
    );
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Slices
  ////////////////////////////////////////////////////////////////////////////////////////////////
  for (genvar k = 0; k < Slices; k++) begin : gen_slice
    logic [Sources-1:0]     from_source;
    mem_req_t [Sources-1:0] from_source_head;
    logic [Sources-1:0]     to_source_take;
    logic [Sources-1:0]     from_source_take;
    logic                   ends_here;
    logic                   fault_here;
    logic [63:0]            fault_here_address;

    for (genvar s = 0; s < Sources; s++) begin : gen_source
      assign from_source[s]      = arrives[s][k];
      assign from_source_head[s] = head[s][k];
      assign take[s][k]          = from_source_take[s];
      assign to_source_take[s]   = answer_take[s][k];
    end

    // Of the source to which the answer goes.
    always_comb begin
      ends_here          = 1'b0;
      fault_here         = 1'b0;
      fault_here_address = '0;
      for (int unsigned s = 0; s < Sources; s++) begin
        if (ends[s][k]) ends_here = 1'b1;
        if (carries[s][k] && fault[s]) begin
          fault_here         = 1'b1;
          fault_here_address = fault_address[s];
        end
      end
    end

    assign taken_id[k]      = slice_response_i[k].id[IdBits-1:0];
    assign taken_status[k]  = slice_response_i[k].status;
    assign taken_address[k] = slice_response_i[k].address;

    crossbar_slice #(
      .Sources (Sources),
      .Latency (Latency),
      .Depth   (Depth)
    ) u_slice (
      .clk_i,
      .rst_ni,
      .aperture_i       (aperture_q),
      .arrives_i        (from_source),
      .head_i           (from_source_head),
      .take_o           (from_source_take),
      .request_valid_o  (slice_request_valid_o[k]),
      .request_ready_i  (slice_request_ready_i[k]),
      .request_o        (slice_request_o[k]),
      .store_valid_o    (aperture_store_valid_o[k]),
      .store_ready_i    (aperture_store_ready_i[k]),
      .store_o          (aperture_store_o[k]),
      .response_valid_i (slice_response_valid_i[k]),
      .response_ready_o (slice_response_ready_o[k]),
      .response_i       (slice_response_i[k]),
      .answers_o        (taken[k]),
      .answer_source_o  (taken_source[k]),
      .ends_i           (ends_here),
      .fault_i          (fault_here),
      .fault_address_i  (fault_here_address),
      .answer_arrives_o (answer_arrives[k]),
      .answer_head_o    (answer_head[k]),
      .answer_take_i    (to_source_take)
    );
  end

  `CUVETTE_ASSERT(ApertureHeld_A, (aperture_valid_i && !aperture_ready_o) |=>
      (aperture_valid_i && $stable(aperture_i)))
  `CUVETTE_ASSERT(SlicesInUse_A, (last_slice_i & (last_slice_i + 1'b1)) == '0)

endmodule
