// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// One port of the memory with the banks behind it, as the channel of an HBM stack: requests wait in
// the queue, the scheduler takes them out as the rows of the banks allow, the access performs them on
// the bytes, answers leave `Latency` cycles after the request of an open row came, when nothing is
// before it. Fault, Invalidate and Writeback need no row.

`include "cuvette_assert.svh"

module memory_channel
  import memory_unit_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned Ports           = 1,    // of the memory: whose blocks are numbered
  parameter int unsigned InterleaveBytes = 256,
  parameter int unsigned Requests        = 16,
  parameter int unsigned Banks           = 16,
  parameter int unsigned RowBytes        = 2048,
  parameter int unsigned Latency         = 350,
  parameter int unsigned CyclesPerBlock  = 3,
  parameter int unsigned ActivateCycles  = 21,
  parameter int unsigned PrechargeCycles = 21,
  parameter int unsigned ActiveCycles    = 50,
  parameter int unsigned RecoveryCycles  = 22,
  parameter int unsigned Overtakes       = 8,
  parameter int unsigned Bytes           = 0,
  parameter int unsigned Base            = 0
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [63:0] serial_i,   // of a store that is performed now, ascending

  input  logic        request_valid_i,
  output logic        request_ready_o,
  input  mem_req_t    request_i,

  output logic        response_valid_o,
  input  logic        response_ready_i,
  output mem_resp_t   response_o
);

  if ((Latency < 4) || (Latency > 32767)) begin : gen_refuse_latency
    $error("memory_channel: Latency is %0d, expected 4 to 32767", Latency);
  end

  // From the access of a request at the pins to its answer.
  localparam int unsigned Steps     = 3;
  // As many answers as are on their way at the full rate.
  localparam int unsigned Depth     = 1 << $clog2(Latency / CyclesPerBlock + 4);
  localparam int unsigned BankBits  = $clog2(Banks);
  localparam int unsigned PlaceBits = $clog2(Requests);

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Arriving requests
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic                enters;
  logic                exists;
  logic                in_row;
  block_t              block;
  block_t              row;
  logic [BankBits-1:0] bank;
  work_t               entering;
  logic                unused;

  assign enters = request_valid_i && request_ready_o;
  assign in_row = exists && touches(request_i.op);
  assign unused = ^{request_i.cu, request_i.wave, request_i.timestamp, request_i.seq, request_i.scope,
                    request_i.glc, request_i.slc, request_i.scc, request_i.nv, request_i.mtype,
                    request_i.serial, request_i.atomic_bytes[2:0]};

  always_comb begin
    entering           = '0;
    entering.id        = request_i.id;
    entering.op        = request_i.op;
    entering.atomic    = request_i.atomic;
    entering.wide      = request_i.atomic_bytes[3];
    entering.flush     = request_i.flush_subnormals;
    entering.address   = request_i.address;
    entering.byte_mask = request_i.byte_mask;
    entering.data      = request_i.data;
    entering.block     = block;
    entering.exists    = exists;
  end

  memory_map #(
    .Ports           (Ports),
    .InterleaveBytes (InterleaveBytes),
    .Banks           (Banks),
    .RowBytes        (RowBytes),
    .Bytes           (Bytes),
    .Base            (Base)
  ) u_map (
    .address_i (request_i.address),
    .exists_o  (exists),
    .block_o   (block),
    .bank_o    (bank),
    .row_o     (row)
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Waiting requests, and the banks
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [Requests-1:0]               waits;
  logic [Requests-1:0]               queued_in_row;
  logic [Requests-1:0]               queued_stores;
  logic [Requests-1:0]               queued_atomics;
  logic [Requests-1:0][BankBits-1:0] queued_bank;
  block_t [Requests-1:0]             queued_row;
  logic [Requests-1:0][Requests-1:0] older;
  logic [Requests-1:0]               behind;
  logic                              access;
  logic [PlaceBits-1:0]              access_place;
  logic                              overtakes;
  row_command_e                      command;
  logic [PlaceBits-1:0]              command_place;
  work_t                             work;
  logic [Banks-1:0]                  open;
  block_t [Banks-1:0]                open_row;
  logic [Banks-1:0]                  bank_ready;
  logic [Banks-1:0]                  may_close;
  logic [Banks-1:0]                  limited;
  logic                              room;

  memory_queue #(
    .Requests (Requests),
    .BankBits (BankBits)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .enters_i     (enters),
    .room_o       (request_ready_o),
    .work_i       (entering),
    .in_row_i     (in_row),
    .bank_i       (bank),
    .row_i        (row),
    .waits_o      (waits),
    .in_row_o     (queued_in_row),
    .stores_o     (queued_stores),
    .atomic_o     (queued_atomics),
    .bank_o       (queued_bank),
    .row_o        (queued_row),
    .older_o      (older),
    .behind_o     (behind),
    .take_i       (access),
    .take_place_i (access_place),
    .work_o       (work)
  );

  memory_schedule #(
    .Requests       (Requests),
    .Banks          (Banks),
    .CyclesPerBlock (CyclesPerBlock)
  ) u_schedule (
    .clk_i,
    .rst_ni,
    .waits_i         (waits),
    .in_row_i        (queued_in_row),
    .atomic_i        (queued_atomics),
    .bank_i          (queued_bank),
    .row_i           (queued_row),
    .older_i         (older),
    .behind_i        (behind),
    .open_i          (open),
    .open_row_i      (open_row),
    .ready_i         (bank_ready),
    .may_close_i     (may_close),
    .limited_i       (limited),
    .room_i          (room),
    .access_o        (access),
    .access_place_o  (access_place),
    .overtakes_o     (overtakes),
    .command_o       (command),
    .command_place_o (command_place)
  );

  memory_banks #(
    .Banks           (Banks),
    .ActivateCycles  (ActivateCycles),
    .PrechargeCycles (PrechargeCycles),
    .ActiveCycles    (ActiveCycles),
    .RecoveryCycles  (RecoveryCycles),
    .Overtakes       (Overtakes)
  ) u_banks (
    .clk_i,
    .rst_ni,
    .command_i     (command),
    .bank_i        (queued_bank[command_place]),
    .row_i         (queued_row[command_place]),
    .access_i      (access && queued_in_row[access_place]),
    .access_bank_i (queued_bank[access_place]),
    .stores_i      (queued_stores[access_place]),
    .overtakes_i   (overtakes),
    .open_o        (open),
    .row_o         (open_row),
    .ready_o       (bank_ready),
    .may_close_o   (may_close),
    .limited_o     (limited)
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Bytes and answers
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic                       read;
  block_t                     read_block;
  logic [BlockBytes-1:0][7:0] read_data;
  logic [BlockBytes-1:0]      write_lanes;
  block_t                     write_block;
  logic [BlockBytes-1:0][7:0] write_data;
  logic                       give;
  mem_resp_t                  answer;

  memory_access u_access (
    .clk_i,
    .rst_ni,
    .start_i       (access),
    .work_i        (work),
    .serial_i,
    .read_o        (read),
    .read_block_o  (read_block),
    .read_data_i   (read_data),
    .write_lanes_o (write_lanes),
    .write_block_o (write_block),
    .write_data_o  (write_data),
    .give_o        (give),
    .answer_o      (answer)
  );

  memory_store #(.Blocks(Bytes / 64 / Ports)) u_store (
    .clk_i,
    .read_i        (read),
    .read_block_i  (read_block),
    .read_data_o   (read_data),
    .write_lanes_i (write_lanes),
    .write_block_i (write_block),
    .write_data_i  (write_data)
  );

  memory_answers #(
    .Depth (Depth),
    .Delay (Latency - Steps)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .start_i  (access),
    .room_o   (room),
    .give_i   (give),
    .answer_i (answer),
    .response_valid_o,
    .response_ready_i,
    .response_o
  );

  `CUVETTE_ASSERT(RequestHeld_A, (request_valid_i && !request_ready_o) |=>
      (request_valid_i && $stable(request_i)))
  `CUVETTE_ASSERT(KnownRequest_A, request_valid_i |-> (request_i.op <= MemWriteback))

endmodule
