// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Request queue of a port: places for requests that wait for their turn, taken in any order. A
// request is there from the cycle after it came. The places know who is older; what is asked for is
// in a memory and is given in the cycle after a place was taken.

`include "cuvette_assert.svh"

module memory_queue
  import memory_unit_pkg::*;
#(
  parameter int unsigned Requests = 16,
  parameter int unsigned BankBits = 4,
  localparam int unsigned PlaceBits = $clog2(Requests)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  input  logic                              enters_i,    // only with room
  output logic                              room_o,
  input  work_t                             work_i,
  input  logic                              in_row_i,    // its bytes are in a row
  input  logic [BankBits-1:0]               bank_i,
  input  block_t                            row_i,

  output logic [Requests-1:0]               waits_o,
  output logic [Requests-1:0]               in_row_o,
  output logic [Requests-1:0]               stores_o,
  output logic [Requests-1:0]               atomic_o,
  output logic [Requests-1:0][BankBits-1:0] bank_o,
  output block_t [Requests-1:0]             row_o,
  output logic [Requests-1:0][Requests-1:0] older_o,     // [p]: places that wait for longer than p
  output logic [Requests-1:0]               behind_o,    // an older one is of the same bank

  input  logic                              take_i,
  input  logic [PlaceBits-1:0]              take_place_i,  // one that waits
  output work_t                             work_o       // of the place that was taken last
);

  if ((Requests < 2) || (Requests > 64) || (Requests != (1 << PlaceBits))) begin : gen_refuse_requests
    $error("memory_queue: Requests is %0d, expected a power of two from 2 to 64", Requests);
  end

  logic [Requests-1:0]               waits_q;
  logic [Requests-1:0]               in_row_q;
  logic [Requests-1:0]               stores_q;
  logic [Requests-1:0]               atomic_q;
  logic [Requests-1:0][BankBits-1:0] bank_q;
  block_t [Requests-1:0]             row_q;
  logic [Requests-1:0][Requests-1:0] older_q;
  logic [Requests-1:0][Requests-1:0] rivals_q;   // older ones of the same bank
  logic [Requests-1:0]               free;       // the lowest place that is free
  logic [PlaceBits-1:0]              free_place;
  logic [Requests-1:0]               leaves;
  logic [Requests-1:0]               stays;
  logic [Requests-1:0]               same_bank;

  assign room_o   = waits_q != '1;
  assign free     = ~waits_q & (waits_q + 1'b1);
  assign leaves   = take_i ? (Requests'(1) << take_place_i) : '0;
  assign stays    = waits_q & ~leaves;
  assign waits_o  = waits_q;
  assign in_row_o = in_row_q;
  assign stores_o = stores_q;
  assign atomic_o = atomic_q;
  assign bank_o   = bank_q;
  assign row_o    = row_q;
  assign older_o  = older_q;

  always_comb begin
    free_place = '0;
    for (int unsigned p = 0; p < Requests; p++) begin
      if (free[p]) free_place |= PlaceBits'(p);
      same_bank[p] = in_row_q[p] && (bank_q[p] == bank_i);
      behind_o[p]  = rivals_q[p] != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) waits_q <= '0;
    else         waits_q <= stays | (enters_i ? free : '0);
  end

  for (genvar p = 0; p < Requests; p++) begin : gen_place
    always_ff @(posedge clk_i) begin
      if (enters_i && free[p]) begin
        in_row_q[p] <= in_row_i;
        stores_q[p] <= is_store(work_i.op);
        atomic_q[p] <= is_atomic(work_i.op) && in_row_i;
        bank_q[p]   <= bank_i;
        row_q[p]    <= row_i;
        older_q[p]  <= stays;
        rivals_q[p] <= in_row_i ? (stays & same_bank) : '0;
      end else begin
        older_q[p]  <= older_q[p] & ~leaves;
        rivals_q[p] <= rivals_q[p] & ~leaves;
      end
    end
  end

  ram_1r1w #(
    .Words    (Requests),
    .Lanes    (1),
    .LaneBits ($bits(work_t))
  ) u_work (
    .clk_i,
    .read_i          (take_i),
    .read_address_i  (take_place_i),
    .read_data_o     (work_o),
    .write_lanes_i   (enters_i),
    .write_address_i (free_place),
    .write_data_i    (work_i)
  );

  `CUVETTE_ASSERT(EntersWithRoom_A, enters_i |-> room_o)
  `CUVETTE_ASSERT(TakesWhoWaits_A, take_i |-> waits_q[take_place_i])

endmodule
