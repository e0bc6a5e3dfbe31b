// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Global data share: the memory with its atomic units, global wave sync and ordered counters for all
// compute units of a GPU. Contract: docs/reference/gds.md, with the times.
//
// Requests come in beats through the intake (gds_intake), one request at a time, and act in the
// order of `taken`: accesses in the memory (gds_share), which is cleared after reset; the others in
// gds_sync, which also hears of the waves that begin and end. Both parts answer by themselves, the
// first from its own slots, the second through gds_answers; gds_reply gives them to the compute units.

module gds
  import gds_unit_pkg::*;
  import gds_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1,
  parameter int unsigned Latency      = 64,  // of an answer, in cycles, when nothing is waited for
  parameter int unsigned WavesPerUnit = 40   // waves of a compute unit at a time
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,

  input  logic [16:0]                  size_i,  // of the memory, in bytes, up to 65536: a strap

  input  logic [ComputeUnits-1:0]      request_valid_i,
  output logic [ComputeUnits-1:0]      request_ready_o,
  input  request_t [ComputeUnits-1:0]  request_i,

  output logic [ComputeUnits-1:0]      taken_valid_o,
  input  logic [ComputeUnits-1:0]      taken_ready_i,
  output taken_t [ComputeUnits-1:0]    taken_o,

  output logic [ComputeUnits-1:0]      response_valid_o,
  input  logic [ComputeUnits-1:0]      response_ready_i,
  output response_t [ComputeUnits-1:0] response_o,

  input  logic                         waves_valid_i,
  output logic                         waves_ready_o,
  input  spi_pkg::wave_order_t         waves_i
);

  if ((ComputeUnits < 1) || (ComputeUnits > MaxUnits)) begin : gen_refuse_units
    $error("gds: ComputeUnits is %0d, expected 1 to 64", ComputeUnits);
  end

  request_t        beat;
  unit_t           unit;
  logic            share_valid;
  logic            share_ready;
  logic            sync_waits;
  logic            sync_valid;
  logic            sync_ready;
  logic            answer_valid;
  logic            answer_ready;
  answer_t         answer;
  logic [1:0]      part_valid;
  logic [1:0]      part_ready;
  response_t [1:0] part;
  unit_t [1:0]     part_unit;

  gds_intake #(.ComputeUnits(ComputeUnits)) u_intake (
    .clk_i,
    .rst_ni,
    .request_valid_i,
    .request_ready_o,
    .request_i,
    .taken_valid_o,
    .taken_ready_i,
    .taken_o,
    .beat_o        (beat),
    .unit_o        (unit),
    .share_valid_o (share_valid),
    .share_ready_i (share_ready),
    .sync_waits_o  (sync_waits),
    .sync_valid_o  (sync_valid),
    .sync_ready_i  (sync_ready)
  );

  gds_share #(.Latency(Latency)) u_share (
    .clk_i,
    .rst_ni,
    .size_i,
    .beat_valid_i     (share_valid),
    .beat_ready_o     (share_ready),
    .beat_i           (beat),
    .unit_i           (unit),
    .response_valid_o (part_valid[0]),
    .response_ready_i (part_ready[0]),
    .response_o       (part[0]),
    .response_unit_o  (part_unit[0])
  );

  gds_sync #(.Waves(ComputeUnits * WavesPerUnit)) u_sync (
    .clk_i,
    .rst_ni,
    .request_waits_i (sync_waits),
    .request_valid_i (sync_valid),
    .request_ready_o (sync_ready),
    .request_i       (beat),
    .unit_i          (unit),
    .wave_valid_i    (waves_valid_i),
    .wave_ready_o    (waves_ready_o),
    .wave_i          (waves_i),
    .answer_valid_o  (answer_valid),
    .answer_ready_i  (answer_ready),
    .answer_o        (answer)
  );

  gds_answers #(.Latency(Latency)) u_answers (
    .clk_i,
    .rst_ni,
    .answer_valid_i   (answer_valid),
    .answer_ready_o   (answer_ready),
    .answer_i         (answer),
    .response_valid_o (part_valid[1]),
    .response_ready_i (part_ready[1]),
    .response_o       (part[1]),
    .response_unit_o  (part_unit[1])
  );

  gds_reply #(.ComputeUnits(ComputeUnits)) u_reply (
    .clk_i,
    .rst_ni,
    .part_valid_i (part_valid),
    .part_ready_o (part_ready),
    .part_i       (part),
    .part_unit_i  (part_unit),
    .response_valid_o,
    .response_ready_i,
    .response_o
  );

endmodule
