// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Requests of the local data share: gathers the four beats of a request, while the one before it is
// served from the other of two buffers. A request is whole in the cycle after its last beat was
// taken, and stays until done_i.

`include "cuvette_assert.svh"

module lds_request
  import lds_unit_pkg::*;
  import lds_pkg::*;
  import vrf_pkg::*;
(
  input  logic     clk_i,
  input  logic     rst_ni,

  input  logic     request_valid_i,
  output logic     request_ready_o,
  input  request_t request_i,

  output logic     work_valid_o,     // a whole request
  output work_t    work_o,
  input  logic     done_i            // it makes room
);

  localparam int unsigned Beats = Lanes / BeatLanes;

  logic [1:0]     whole_q;
  logic           fill_q;  // the buffer that beats go to
  logic           serve_q;
  logic           take;
  work_t [1:0]    work_q;

  logic [1:0][BeatLanes-1:0]     reaches;  // all of its bytes are in the allocation
  address_t [1:0][BeatLanes-1:0] address;

  assign request_ready_o = !whole_q[fill_q];
  assign take            = request_valid_i && request_ready_o;
  assign work_valid_o    = whole_q[serve_q];
  assign work_o          = work_q[serve_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      whole_q <= '0;
      fill_q  <= 1'b0;
      serve_q <= 1'b0;
    end else begin
      if (done_i) begin
        whole_q[serve_q] <= 1'b0;
        serve_q          <= !serve_q;
      end
      if (take && (request_i.beat == 2'd3)) begin
        whole_q[fill_q] <= 1'b1;
        fill_q          <= !fill_q;
      end
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Fields of a beat
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic                      second;  // the second place means something
  logic [1:0][BeatLanes-1:0] want;
  logic [BeatLanes-1:0]      outside;

  for (genvar w = 0; w < 2; w++) begin : gen_range
    lds_range #(.BeatLanes(BeatLanes)) u_range (
      .base_i    (request_i.base),
      .limit_i   (request_i.limit),
      .bytes_i   (request_i.bytes),
      .offset_i  (request_i.offset[w]),
      .address_o (address[w]),
      .inside_o  (reaches[w])
    );
  end

  assign second  = (request_i.accesses == 2'd2) || request_i.operand_in_lds;
  assign want[0] = request_i.exec & reaches[0];
  assign want[1] = second ? (request_i.exec & reaches[1]) : '0;
  assign outside = request_i.exec & ~(reaches[0] & (reaches[1] | {BeatLanes{!second}}));

  for (genvar u = 0; u < 2; u++) begin : gen_buffer
    always_ff @(posedge clk_i) begin
      if (take && (fill_q == u)) begin
        work_q[u].header <= '{id: request_i.id, kind: request_i.kind, atomic: request_i.atomic,
                              flush_in: request_i.flush_in, flush_out: request_i.flush_out,
                              operand_in_lds: request_i.operand_in_lds,
                              two: request_i.accesses == 2'd2, bytes: request_i.bytes};
      end
    end

    for (genvar b = 0; b < Beats; b++) begin : gen_beat
      always_ff @(posedge clk_i) begin
        if (take && (fill_q == u) && (request_i.beat == 2'(b))) begin
          work_q[u].outside[BeatLanes*b +: BeatLanes] <= outside;
          for (int unsigned w = 0; w < 2; w++) begin
            work_q[u].want[w][BeatLanes*b +: BeatLanes]    <= want[w];
            work_q[u].address[w][BeatLanes*b +: BeatLanes] <= address[w];
            work_q[u].compare[w][BeatLanes*b +: BeatLanes] <= request_i.compare[w];
          end
          for (int unsigned d = 0; d < Chunks; d++) begin
            work_q[u].data[d][BeatLanes*b +: BeatLanes] <= request_i.data[d];
          end
        end
      end
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Assumptions about requesters (docs/reference/lds.md)
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [1:0] due_q;
  logic [5:0] together;  // bytes of both accesses

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      due_q <= 2'd0;
    end else if (take) begin
      due_q <= due_q + 2'd1;
    end
  end

  assign together = (request_i.accesses == 2'd2) ? {request_i.bytes, 1'b0} : {1'b0, request_i.bytes};

  `CUVETTE_ASSERT(RequestHeld_A, (request_valid_i && !request_ready_o) |=>
      (request_valid_i && $stable(request_i)))
  `CUVETTE_ASSERT(BeatsInOrder_A, request_valid_i |-> (request_i.beat == due_q))
  `CUVETTE_ASSERT(Accesses_A, request_valid_i |-> (request_i.accesses inside {2'd1, 2'd2}))
  `CUVETTE_ASSERT(Bytes_A, request_valid_i |->
      ((request_i.bytes inside {5'd1, 5'd2, 5'd4, 5'd8, 5'd12, 5'd16}) && (together <= 6'd16) &&
       ((request_i.accesses == 2'd1) || (request_i.bytes inside {5'd4, 5'd8}))))
  // Only exchanges (DS_WRXCHG2) have two addresses, without an operand in the memory.
  `CUVETTE_ASSERT(Atomic_A, (request_valid_i && request_i.kind[1]) |->
      ((request_i.bytes inside {5'd4, 5'd8}) &&
       ((request_i.accesses == 2'd1) ||
        ((request_i.atomic == memory_pkg::AtomicSwap) && !request_i.operand_in_lds))))
  `CUVETTE_ASSERT(OperandOfAtomic_A, (request_valid_i && request_i.operand_in_lds) |->
      request_i.kind[1])

endmodule
