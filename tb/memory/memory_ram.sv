// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// A small memory behind one port of docs/reference/memory.md, for the test of the transactors
// (tests/memory/memory_port_test.cpp): Blocks blocks from address Base on, read, written, and changed by
// atomics Add and Swap. Everything outside is a Fault. Each request takes Latency cycles; a receiver
// that stalls stops the pipe.

`include "cuvette_assert.svh"

module memory_ram
  import memory_pkg::*;
#(
  parameter int unsigned Blocks  = 8,
  parameter int unsigned Latency = 3,
  parameter logic [63:0] Base    = 64'h1000
) (
  input  logic      clk_i,
  input  logic      rst_ni,

  input  logic      request_valid_i,
  output logic      request_ready_o,
  input  mem_req_t  request_i,

  output logic      response_valid_o,
  input  logic      response_ready_i,
  output mem_resp_t response_o
);

  if (Blocks < 2 || Latency < 1) begin : gen_refuse
    $error("memory_ram: Blocks is %0d, expected 2 or more; Latency is %0d, expected 1 or more",
           Blocks, Latency);
  end

  localparam int unsigned IndexWidth = $clog2(Blocks);
  localparam int unsigned BlockBits  = BlockBytes * 8;

  logic [BlockBytes-1:0][7:0] ram_q [Blocks];

  logic [Latency-1:0] valid_q;
  mem_resp_t          pipe_q [Latency];
  logic [63:0]        serial_q;

  logic advance;
  assign advance          = !valid_q[Latency-1] || response_ready_i;
  assign request_ready_o  = advance;
  assign response_valid_o = valid_q[Latency-1];
  assign response_o       = pipe_q[Latency-1];

  // Values that the request finds
  logic [63:0]                place;
  logic [IndexWidth-1:0]      index;
  logic                       inside_memory;
  logic [BlockBytes-1:0][7:0] block;
  assign place         = request_i.address - Base;
  assign index         = place[6+:IndexWidth];
  assign inside_memory = (place >> 6) < 64'(Blocks);
  assign block         = ram_q[index];

  // Atomics: the operand is aligned, so it is within one word of 64 bits.
  logic [8:0]  shift;
  logic [63:0] operand;
  logic [63:0] word;
  logic [63:0] old;
  logic [63:0] width_mask;
  logic [63:0] updated;
  assign shift      = {place[5:0], 3'b000};
  assign operand    = request_i.data[7:0];
  assign width_mask = (request_i.atomic_bytes == 4'd8) ? '1 : 64'h0000_0000_ffff_ffff;
  assign word       = block[{place[5:3], 3'b000}+:8];
  assign old        = (place[2] ? word >> 32 : word) & width_mask;
  assign updated    = (request_i.atomic == AtomicAdd) ? old + operand : operand;

  logic is_read, is_write, is_atomic, known_atomic, touches;
  assign is_read      = request_i.op == MemRead;
  assign is_write     = request_i.op == MemWrite;
  assign is_atomic    = request_i.op == MemAtomic || request_i.op == MemAtomicReturn;
  assign known_atomic = request_i.atomic == AtomicAdd || request_i.atomic == AtomicSwap;
  assign touches      = is_read || is_write || is_atomic;

  logic fault;
  assign fault = touches && (!inside_memory || (is_atomic && !known_atomic));

  logic taken;
  assign taken = request_valid_i && request_ready_o;

  // The block as the request leaves it
  logic [BlockBytes-1:0][7:0] source;
  assign source = is_write ? request_i.data : BlockBits'(updated) << shift;

  always_ff @(posedge clk_i) begin
    if (taken && !fault && (is_write || is_atomic)) begin
      for (int unsigned i = 0; i < BlockBytes; ++i) begin
        if (request_i.byte_mask[i]) ram_q[index][i] <= source[i];
      end
    end
  end

  // The answer
  mem_resp_t answer;
  always_comb begin
    answer         = '0;
    answer.id      = request_i.id;
    answer.status  = fault ? StatusFault : StatusOk;
    answer.address = request_i.address;
    answer.serial  = (is_write || is_atomic) ? serial_q : '0;
    if (is_read && !fault) begin
      for (int unsigned i = 0; i < BlockBytes; ++i) begin
        if (request_i.byte_mask[i]) answer.data[i] = block[i];
      end
    end
    if (request_i.op == MemAtomicReturn && !fault) answer.data = BlockBits'(old);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q  <= '0;
      serial_q <= 64'd1;
    end else begin
      if (advance) valid_q <= Latency'({valid_q, taken});
      if (taken && (is_write || is_atomic)) serial_q <= serial_q + 64'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance) begin
      pipe_q[0] <= answer;
      for (int unsigned i = 1; i < Latency; ++i) pipe_q[i] <= pipe_q[i-1];
    end
  end

  // Fields that decide nothing here: the requester, the time, the scope.
  logic unused;
  assign unused = ^{request_i.cu, request_i.wave, request_i.timestamp, request_i.seq,
                    request_i.flush_subnormals, request_i.scope, request_i.glc, request_i.slc,
                    request_i.scc, request_i.nv, request_i.mtype, request_i.serial};

  `CUVETTE_ASSERT(KeepsTheAnswer_A, (response_valid_o && !response_ready_i) |=> response_valid_o)

endmodule
