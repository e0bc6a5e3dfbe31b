// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Local data share of one compute unit: 64 KiB in 32 banks of 4 bytes with an atomic unit. Contract:
// docs/reference/lds.md, with the times.
//
// A request is gathered from its beats (lds_request), cut into passes of 32 lanes and one access, of
// which every bank serves a word in a cycle (lds_schedule), and answered from a slot (lds_answer).
// A cycle that serves words of a load or store is, in this order: which bank serves whom, read or
// write; a cycle later, loads have their words and are put into the slot. Atomic operations act lane
// by lane beside the schedule, which is their time (lds_atomic_unit).

`include "cuvette_assert.svh"

module lds
  import lds_unit_pkg::*;
  import lds_pkg::*;
  import memory_pkg::*;
  import vrf_pkg::*;
#(
  parameter int unsigned Latency = 64  // of an answer, in cycles, without conflicts
) (
  input  logic      clk_i,
  input  logic      rst_ni,

  input  logic      request_valid_i,
  output logic      request_ready_o,
  input  request_t  request_i,

  output logic      response_valid_o,
  input  logic      response_ready_i,
  output response_t response_o
);

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // The request that is served
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic  work_valid;
  work_t work;
  logic  atomic;
  logic  start;
  logic  picked;
  logic  done;
  logic  acted;
  logic  room;

  assign atomic = is_atomic(work.header.kind);

  lds_request u_request (
    .clk_i,
    .rst_ni,
    .request_valid_i,
    .request_ready_o,
    .request_i,
    .work_valid_o (work_valid),
    .work_o       (work),
    .done_i       (done)
  );

  logic [3:0]                              cycles;
  logic                                    group;
  logic                                    second;   // access
  address_t [GroupLanes-1:0]               address;
  logic [LdsBanks-1:0]                     active;
  row_t [LdsBanks-1:0]                     row;
  logic [LdsBanks-1:0][GroupLanes-1:0]     lanes;
  logic [GroupLanes-1:0][Chunks-1:0]       served;

  lds_schedule u_schedule (
    .clk_i,
    .rst_ni,
    .work_valid_i (work_valid),
    .kind_i       (work.header.kind),
    .bytes_i      (work.header.bytes),
    .want_i       (work.want),
    .address_i    (work.address),
    .may_start_i  (room),
    .acted_i      (acted),
    .start_o      (start),
    .picked_o     (picked),
    .cycles_o     (cycles),
    .done_o       (done),
    .group_o      (group),
    .access_o     (second),
    .address_o    (address),
    .active_o     (active),
    .row_o        (row),
    .lanes_o      (lanes),
    .served_o     (served)
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Stores
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic                                    store;
  logic [1:0]                              first;      // dword of the access
  logic [1:0][GroupLanes-1:0]              order_want;
  address_t [1:0][GroupLanes-1:0]          order_address;
  logic [1:0][GroupLanes-1:0][15:0]        stays;
  logic [Chunks-1:0][GroupLanes-1:0][31:0] store_data;
  logic [1:0][LdsBanks-1:0][3:0]           store_bytes;
  bank_words_t [1:0]                       store_words;

  assign store = work_valid && (work.header.kind == KindStore);
  assign first = second ? 2'(dwords_of(work.header.bytes)) : 2'd0;

  for (genvar l = 0; l < GroupLanes; l++) begin : gen_store_lane
    for (genvar w = 0; w < 2; w++) begin : gen_access
      assign order_want[w][l]    = work.want[w][{group, 5'(l)}];
      assign order_address[w][l] = work.address[w][{group, 5'(l)}];
    end
    for (genvar k = 0; k < Chunks; k++) begin : gen_chunk
      logic [1:0] dword;
      assign dword            = first + 2'(k);
      assign store_data[k][l] = work.data[dword][{group, 5'(l)}];
    end
  end

  lds_store_order u_store_order (
    .store_i   (store),
    .bytes_i   (work.header.bytes),
    .want_i    (order_want),
    .address_i (order_address),
    .stays_o   (stays)
  );

  lds_store_merge u_store_merge (
    .store_i   (store),
    .address_i (address),
    .data_i    (store_data),
    .stays_i   (stays[second]),
    .lanes_i   (lanes),
    .bytes_o   (store_bytes),
    .data_o    (store_words)
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Atomic operations
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic                          unit_reads;
  logic                          unit_writes;
  row_t [1:0][LdsBanks-1:0]      unit_read_row;
  row_t [1:0][LdsBanks-1:0]      unit_write_row;
  logic [1:0][LdsBanks-1:0][3:0] unit_bytes;
  bank_words_t [1:0]             unit_words;
  logic [$clog2(Lanes)-1:0]      old_lane;
  logic [Chunks-1:0]             old_valid;
  logic [Chunks-1:0][31:0]       old;
  bank_words_t [1:0]             words;

  lds_atomic_unit u_atomic_unit (
    .clk_i,
    .rst_ni,
    .start_i       (start && atomic),
    .work_i        (work),
    .done_i        (done),
    .acted_o       (acted),
    .read_o        (unit_reads),
    .read_row_o    (unit_read_row),
    .words_i       (words),
    .write_o       (unit_writes),
    .write_row_o   (unit_write_row),
    .write_bytes_o (unit_bytes),
    .write_data_o  (unit_words),
    .lane_o        (old_lane),
    .old_valid_o   (old_valid),
    .old_o         (old)
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Banks
  ////////////////////////////////////////////////////////////////////////////////////////////////
  row_t [1:0][LdsBanks-1:0]  pick_row;  // of the words served, and of those behind them
  logic [1:0][LdsBanks-1:0]  read;
  row_t [1:0][LdsBanks-1:0]  read_row;

  assign pick_row[0] = row;
  for (genvar b = 0; b < LdsBanks; b++) begin : gen_behind
    if (b == 0) assign pick_row[1][b] = row[LdsBanks-1] + 1'b1;
    else        assign pick_row[1][b] = row[b-1];
  end

  assign read     = unit_reads ? '1 : {active, active};
  assign read_row = unit_reads ? unit_read_row : pick_row;

  lds_banks u_banks (
    .clk_i,
    .read_i        ({{read[1][LdsBanks-2:0], read[1][LdsBanks-1]}, read[0]}),
    .read_row_i    (read_row),
    .read_data_o   (words),
    .write_row_i   (unit_writes ? unit_write_row : pick_row),
    .write_bytes_i (unit_writes ? unit_bytes : store_bytes),
    .write_data_i  (unit_writes ? unit_words : store_words)
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Loads and answers
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic                                    load_q;
  slot_t                                   load_slot_q;
  logic                                    load_group_q;
  logic [1:0]                              load_dword_q;
  logic [GroupLanes-1:0][Chunks-1:0]       load_chunks_q;
  logic [Chunks-1:0][GroupLanes-1:0][31:0] load_data;
  slot_t                                   slot;
  slot_t                                   slot_q;  // of a request after its first cycle

  lds_gather u_gather (
    .clk_i,
    .bytes_i   (work.header.bytes),
    .address_i (address),
    .words_i   (words),
    .data_o    (load_data)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) load_q <= 1'b0;
    else         load_q <= work_valid && (work.header.kind == KindLoad) && (active != '0);
  end

  always_ff @(posedge clk_i) begin
    if (start) slot_q <= slot;
    load_slot_q   <= start ? slot : slot_q;
    load_group_q  <= group;
    load_dword_q  <= first;
    load_chunks_q <= served;
  end

  lds_answer #(.Latency(Latency)) u_answer (
    .clk_i,
    .rst_ni,
    .room_o        (room),
    .start_i       (start),
    .id_i          (work.header.id),
    .outside_i     (work.outside),
    .slot_o        (slot),
    .picked_i      (picked),
    .cycles_i      (cycles),
    .load_valid_i  (load_q),
    .load_slot_i   (load_slot_q),
    .load_group_i  (load_group_q),
    .load_dword_i  (load_dword_q),
    .load_chunks_i (load_chunks_q),
    .load_data_i   (load_data),
    .old_lane_i    (old_lane),
    .old_valid_i   (old_valid),
    .old_i         (old),
    .response_valid_o,
    .response_ready_i,
    .response_o
  );

  `CUVETTE_ASSERT(OneWriter_A, unit_writes |-> !store)
  `CUVETTE_COVER(Conflict_C, work_valid && (active != '0) && !picked)

endmodule
