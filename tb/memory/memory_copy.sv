// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Copies blocks_i blocks of 64 bytes from source_i to target_i through one port of memory.md,
// for the test of the transactors (tests/memory/memory_port_test.cpp). Slots reads and writes are under way
// at a time; the slot is the id. Starts with start_i while idle and holds done_o until the next
// start.

`include "cuvette_assert.svh"

module memory_copy
  import memory_pkg::*;
#(
  parameter int unsigned Slots = 4
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        start_i,
  input  logic [63:0] source_i,
  input  logic [63:0] target_i,
  input  logic [15:0] blocks_i,
  output logic        done_o,
  output logic        fault_o,   // an answer was a Fault

  output logic        request_valid_o,
  input  logic        request_ready_i,
  output mem_req_t    request_o,

  input  logic        response_valid_i,
  output logic        response_ready_o,
  input  mem_resp_t   response_i
);

  if (Slots < 2) begin : gen_refuse
    $error("memory_copy: Slots is %0d, expected 2 or more", Slots);
  end

  localparam int unsigned SlotWidth = $clog2(Slots);

  typedef enum logic [1:0] {
    SlotFree,
    SlotReading,
    SlotHolds,     // the bytes are there and not on their way
    SlotWriting
  } slot_e;

  slot_e                      slot_q  [Slots];
  logic [15:0]                block_q [Slots];
  logic [BlockBytes-1:0][7:0] data_q  [Slots];

  logic        busy_q;
  logic        fault_q;
  logic [63:0] source_q;
  logic [63:0] target_q;
  logic [15:0] blocks_q;
  logic [15:0] next_q;     // the next block to read
  logic [15:0] written_q;
  logic [31:0] seq_q;

  logic     valid_q;
  mem_req_t request_q;
  assign request_valid_o = valid_q;
  assign request_o       = request_q;
  // Answers never wait for a request of one's own.
  assign response_ready_o = 1'b1;
  assign done_o           = !busy_q;
  assign fault_o          = fault_q;

  // Bytes that are there go out first: that frees a slot.
  logic                 write_any, free_any;
  logic [SlotWidth-1:0] write_slot, free_slot;
  always_comb begin
    write_any  = 1'b0;
    free_any   = 1'b0;
    write_slot = '0;
    free_slot  = '0;
    for (int unsigned i = 0; i < Slots; ++i) begin
      if (!write_any && slot_q[i] == SlotHolds) begin
        write_any  = 1'b1;
        write_slot = SlotWidth'(i);
      end
      if (!free_any && slot_q[i] == SlotFree) begin
        free_any  = 1'b1;
        free_slot = SlotWidth'(i);
      end
    end
  end

  logic may_send, send_write, send_read;
  assign may_send   = busy_q && (!valid_q || request_ready_i);
  assign send_write = may_send && write_any;
  assign send_read  = may_send && !write_any && free_any && next_q != blocks_q;

  mem_req_t next_request;
  always_comb begin
    next_request           = '0;
    next_request.seq       = seq_q;
    next_request.scope     = ScopeAgent;
    next_request.mtype     = MtypeReadWrite;
    next_request.byte_mask = '1;
    if (send_write) begin
      next_request.id      = 64'(write_slot);
      next_request.op      = MemWrite;
      next_request.address = target_q + {42'b0, block_q[write_slot], 6'b0};
      next_request.data    = data_q[write_slot];
    end else begin
      next_request.id      = 64'(free_slot);
      next_request.op      = MemRead;
      next_request.address = source_q + {42'b0, next_q, 6'b0};
    end
  end

  logic [SlotWidth-1:0] answer_slot;
  assign answer_slot = response_i.id[SlotWidth-1:0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      fault_q <= 1'b0;
      valid_q <= 1'b0;
      seq_q   <= '0;
      for (int unsigned i = 0; i < Slots; ++i) slot_q[i] <= SlotFree;
    end else begin
      if (start_i && !busy_q) begin
        busy_q    <= blocks_i != '0;
        fault_q   <= 1'b0;
        source_q  <= source_i;
        target_q  <= target_i;
        blocks_q  <= blocks_i;
        next_q    <= '0;
        written_q <= '0;
      end
      if (valid_q && request_ready_i) valid_q <= 1'b0;
      if (send_write || send_read) begin
        valid_q   <= 1'b1;
        request_q <= next_request;
        seq_q     <= seq_q + 32'd1;
      end
      if (send_write) slot_q[write_slot] <= SlotWriting;
      if (send_read) begin
        slot_q[free_slot]  <= SlotReading;
        block_q[free_slot] <= next_q;
        next_q             <= next_q + 16'd1;
      end
      if (response_valid_i) begin
        if (response_i.status == StatusFault) fault_q <= 1'b1;
        if (slot_q[answer_slot] == SlotReading) begin
          slot_q[answer_slot] <= SlotHolds;
          data_q[answer_slot] <= response_i.data;
        end else begin
          slot_q[answer_slot] <= SlotFree;
          written_q           <= written_q + 16'd1;
          if (written_q + 16'd1 == blocks_q) busy_q <= 1'b0;
        end
      end
    end
  end

  logic unused;
  assign unused = ^{response_i.id[63:SlotWidth], response_i.timestamp, response_i.address,
                    response_i.serial};

  slot_e answered;
  assign answered = slot_q[answer_slot];
  `CUVETTE_ASSERT(AskedForIt_A, response_valid_i |->
                  (answered == SlotReading || answered == SlotWriting))

endmodule
