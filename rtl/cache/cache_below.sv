// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The side of the level below: the write-back engine, the queue of requests, what was passed on,
// and the answers. Times are those of its parts.

module cache_below
  import cache_unit_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned LineBytes = 64,
  parameter int unsigned Forwards  = 16,  // passed on at once
  localparam int unsigned LineBits = BlockBits - $clog2(LineBytes / BlockBytes)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // A line is written back
  input  logic                      take_i,           // only when idle
  input  logic [LineBits-1:0]       line_i,
  input  logic [LineBytes-1:0]      dirty_i,
  input  logic [LineBytes-1:0][7:0] data_i,
  output logic                      engine_idle_o,
  output logic                      settled_o,        // every write is acknowledged
  output logic                      fault_o,          // one was refused and is not reported yet
  output logic [63:0]               fault_address_o,
  input  logic                      told_i,

  // Requests of the last stage, and what of them is passed on
  output logic                      serve_ready_o,
  input  logic                      serve_valid_i,    // only when ready
  input  mem_req_t                  serve_i,
  output logic                      forward_room_o,
  output entry_t                    forward_entry_o,
  input  logic                      forward_i,        // only with room
  input  asked_t                    forward_asked_i,
  output logic                      forwards_idle_o,

  // Requests of maintenance
  input  logic                      maintain_valid_i,
  output logic                      maintain_ready_o,
  input  mem_req_t                  maintain_i,
  output logic                      maintained_o,     // reply_o is the answer

  // Fills, and answers to what was passed on
  output mem_resp_t                 reply_o,
  output logic                      fill_o,
  output entry_t                    fill_entry_o,
  input  logic [MaxPorts-1:0]       room_i,
  output logic                      answer_valid_o,
  output answer_t                   answer_o,

  // Pins
  output logic                      down_request_valid_o,
  input  logic                      down_request_ready_i,
  output mem_req_t                  down_request_o,
  input  logic                      down_response_valid_i,
  output logic                      down_response_ready_o,
  input  mem_resp_t                 down_response_i
);

  logic        write_valid;
  logic        write_ready;
  mem_req_t    write;
  logic        acknowledge;
  port_t       port;
  logic [63:0] id;

  cache_write_back #(.LineBytes(LineBytes)) u_write_back (
    .clk_i,
    .rst_ni,
    .take_i,
    .line_i,
    .dirty_i,
    .data_i,
    .idle_o        (engine_idle_o),
    .send_valid_o  (write_valid),
    .send_ready_i  (write_ready),
    .send_o        (write),
    .acknowledge_i (acknowledge),
    .refused_i     (reply_o.status == StatusFault),
    .address_i     (reply_o.address),
    .settled_o,
    .fault_o,
    .fault_address_o,
    .told_i
  );

  cache_down u_down (
    .clk_i,
    .rst_ni,
    .write_valid_i (write_valid),
    .write_ready_o (write_ready),
    .write_i       (write),
    .serve_ready_o,
    .serve_valid_i,
    .serve_i,
    .maintain_valid_i,
    .maintain_ready_o,
    .maintain_i,
    .down_request_valid_o,
    .down_request_ready_i,
    .down_request_o
  );

  cache_forwards #(.Entries(Forwards)) u_forwards (
    .clk_i,
    .rst_ni,
    .room_o       (forward_room_o),
    .entry_o      (forward_entry_o),
    .add_i        (forward_i),
    .port_i       (forward_asked_i.port),
    .id_i         (forward_asked_i.request.id),
    .done_entry_i (fill_entry_o),
    .done_port_o  (port),
    .done_id_o    (id),
    .done_i       (answer_valid_o),
    .idle_o       (forwards_idle_o)
  );

  cache_replies u_replies (
    .clk_i,
    .rst_ni,
    .down_response_valid_i,
    .down_response_ready_o,
    .down_response_i,
    .reply_o,
    .entry_o       (fill_entry_o),
    .fill_o,
    .acknowledge_o (acknowledge),
    .maintained_o,
    .forwarded_o   (answer_valid_o),
    .port_i        (port),
    .id_i          (id),
    .room_i,
    .answer_o
  );

endmodule
