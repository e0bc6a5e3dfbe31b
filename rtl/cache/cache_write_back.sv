// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Write-back engine: takes the dirty bytes of a line in one cycle and sends them below from the next
// one on, a request for each 64-byte block that has any, and counts those that are not acknowledged.
// The first refused write is kept until it is reported.

`include "cuvette_assert.svh"

module cache_write_back
  import cache_unit_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned LineBytes = 64,
  localparam int unsigned Blocks   = LineBytes / BlockBytes,
  localparam int unsigned LineBits = BlockBits - $clog2(Blocks)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic                      take_i,     // only when idle
  input  logic [LineBits-1:0]       line_i,
  input  logic [LineBytes-1:0]      dirty_i,
  input  logic [LineBytes-1:0][7:0] data_i,
  output logic                      idle_o,     // all that was taken is sent

  output logic                      send_valid_o,
  input  logic                      send_ready_i,
  output mem_req_t                  send_o,

  input  logic                      acknowledge_i,  // a write by the level below
  input  logic                      refused_i,      // it was not done
  input  logic [63:0]               address_i,
  output logic                      settled_o,      // every write is acknowledged

  output logic                      fault_o,        // one was refused and is not reported yet
  output logic [63:0]               fault_address_o,
  input  logic                      told_i
);

  localparam int unsigned CountBits = $bits(below_id_t) - $bits(entry_t) - 2;

  logic [Blocks-1:0][BlockBytes-1:0]      dirty_q;
  logic [Blocks-1:0][BlockBytes-1:0][7:0] data_q;
  logic [LineBits-1:0]                    line_q;
  logic [CountBits-1:0]                   sent_q;
  logic [CountBits-1:0]                   acknowledged_q;
  logic                                   fault_q;
  logic [63:0]                            fault_address_q;
  logic                                   sends;
  logic [Blocks-1:0]                      some;   // dirty bytes, by block
  logic [Blocks-1:0]                      first;  // one-hot
  bytes_t                                 mask;
  data_t                                  data;
  block_t                                 block;

  for (genvar b = 0; b < Blocks; b++) begin : gen_some
    assign some[b] = dirty_q[b] != '0;
  end

  assign first           = some & (~some + 1'b1);
  assign idle_o          = some == '0;
  assign send_valid_o    = !idle_o;
  assign sends           = send_valid_o && send_ready_i;
  assign settled_o       = idle_o && (sent_q == acknowledged_q);
  assign fault_o         = fault_q;
  assign fault_address_o = fault_address_q;

  if (Blocks == 1) begin : gen_one
    assign mask  = dirty_q[0];
    assign data  = data_q[0];
    assign block = line_q;
  end else begin : gen_two
    assign mask  = first[0] ? dirty_q[0] : dirty_q[1];
    assign data  = first[0] ? data_q[0] : data_q[1];
    assign block = {line_q, !first[0]};
  end

  always_comb begin
    send_o           = '0;
    send_o.id        = below_id_t'{count: sent_q, entry: '0, why: BelowWrite};
    send_o.op        = MemWrite;
    send_o.mtype     = MtypeReadWrite;
    send_o.address   = {block, {(64 - BlockBits){1'b0}}};
    send_o.byte_mask = mask;
    send_o.data      = data;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      dirty_q <= '0;
    end else if (take_i) begin
      dirty_q <= dirty_i;
    end else if (sends) begin
      for (int unsigned b = 0; b < Blocks; b++) begin
        if (first[b]) dirty_q[b] <= '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i) begin
      line_q <= line_i;
      data_q <= data_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sent_q         <= '0;
      acknowledged_q <= '0;
      fault_q        <= 1'b0;
    end else begin
      if (sends) sent_q <= sent_q + 1'b1;
      if (acknowledge_i) acknowledged_q <= acknowledged_q + 1'b1;
      if (acknowledge_i && refused_i) fault_q <= 1'b1;
      else if (told_i)                fault_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (acknowledge_i && refused_i && !fault_q) fault_address_q <= address_i;
  end

  `CUVETTE_ASSERT(TakesWhenIdle_A, take_i |-> idle_o)
  `CUVETTE_ASSERT(AcknowledgesSent_A, acknowledge_i |-> (sent_q != acknowledged_q))
  `CUVETTE_ASSERT(SendHeld_A, (send_valid_o && !send_ready_i) |=>
      (send_valid_o && $stable(send_o)))

endmodule
