// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Performs what a request asks of the bytes: a read asks the store in the cycle after its place was
// taken and answers in the next one, a write is in the store then, an atomic is written back a cycle
// later. The scheduler leaves an access after an atomic four cycles or more.

`include "cuvette_assert.svh"

module memory_access
  import memory_unit_pkg::*;
  import memory_pkg::*;
(
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  logic                       start_i,        // a place was taken
  input  work_t                      work_i,         // in the cycle after start_i
  input  logic [63:0]                serial_i,       // of a store whose answer is given now

  output logic                       read_o,
  output block_t                     read_block_o,
  input  logic [BlockBytes-1:0][7:0] read_data_i,
  output logic [BlockBytes-1:0]      write_lanes_o,
  output block_t                     write_block_o,
  output logic [BlockBytes-1:0][7:0] write_data_o,

  output logic                       give_o,
  output mem_resp_t                  answer_o
);

  logic        asks_q;      // work_i is there
  logic        answers_q;
  work_t       work_q;      // that is answered
  logic        writes;
  logic        starts;      // an atomic
  logic [63:0] word;        // 8 bytes with the operand
  logic [63:0] old;         // value of the operand
  logic [63:0] kept;
  logic        done;
  logic [63:0] result;
  logic [5:0]  place_q;     // of an atomic's operand
  logic        wide_q;
  block_t      block_q;
  logic        unused;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      asks_q    <= 1'b0;
      answers_q <= 1'b0;
    end else begin
      asks_q    <= start_i;
      answers_q <= asks_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (asks_q) work_q <= work_i;
    if (starts) begin
      place_q <= work_q.address[5:0];
      wide_q  <= work_q.wide;
      block_q <= work_q.block;
    end
  end

  assign read_o       = asks_q && work_i.exists && ((work_i.op == MemRead) || is_atomic(work_i.op));
  assign read_block_o = work_i.block;
  assign writes       = asks_q && work_i.exists && (work_i.op == MemWrite);

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Atomics
  ////////////////////////////////////////////////////////////////////////////////////////////////
  assign starts = answers_q && work_q.exists && is_atomic(work_q.op);
  assign word   = read_data_i[{work_q.address[5:3], 3'd0}+:8];
  assign old = work_q.wide ? word : {32'd0, work_q.address[2] ? word[63:32] : word[31:0]};

  cache_atomic u_atomic (
    .clk_i,
    .rst_ni,
    .start_i     (starts),
    .operation_i (work_q.atomic),
    .wide_i      (work_q.wide),
    .flush_i     (work_q.flush),
    .old_i       (old),
    .data_i      (work_q.data[7:0]),
    .compare_i   (work_q.data[15:8]),
    .valid_o     (done),
    .result_o    (result),
    .old_o       (kept),
    .taken_i     (done)
  );

  always_comb begin
    write_lanes_o = writes ? work_i.byte_mask : '0;
    write_block_o = work_i.block;
    write_data_o  = work_i.data;
    if (done) begin
      write_lanes_o = (wide_q ? BlockBytes'(8'hff) : BlockBytes'(4'hf)) << place_q;
      write_block_o = block_q;
      write_data_o  = {8{wide_q ? result : {2{result[31:0]}}}};
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Answers
  ////////////////////////////////////////////////////////////////////////////////////////////////
  assign give_o = answers_q;

  always_comb begin
    answer_o         = '0;
    answer_o.id      = work_q.id;
    answer_o.address = work_q.address;
    answer_o.status  = (touches(work_q.op) && !work_q.exists) ? StatusFault : StatusOk;
    answer_o.serial  = is_store(work_q.op) ? serial_i : '0;
    if (work_q.exists && (work_q.op == MemRead)) begin
      for (int unsigned i = 0; i < BlockBytes; i++) begin
        if (work_q.byte_mask[i]) answer_o.data[i] = read_data_i[i];
      end
    end
    if (work_q.exists && (work_q.op == MemAtomicReturn)) answer_o.data[7:0] = old;
  end

  assign unused = ^{work_q.data[BlockBytes-1:16], kept};

  `CUVETTE_ASSERT(WritesOne_A, !(writes && done))
  `CUVETTE_ASSERT(AtomicIsAlone_A, starts |-> !asks_q)

endmodule
