// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Cache in one of four roles: vector L1, scalar, instruction, L2 slice. Contract and times:
// docs/reference/cache.md.
//
// Requests come through the intake (cache_intake), one in a cycle, and go through three stages
// (cache_pipe), in the last of which they are answered with what is held, passed on, or left waiting
// behind a miss. Requests to the level below, and its answers, pass cache_below. Those never wait
// for a stage, so that the level below is never held up by what it holds up. cache_maintenance does Invalidate and Writeback.

`include "cuvette_assert.svh"

module cache
  import cache_unit_pkg::*;
  import cache_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned Role            = 3,    // the number of cache_pkg::role_e
  parameter int unsigned UpPorts         = 2,
  parameter int unsigned Sets            = 64,
  parameter int unsigned Ways            = 4,    // from 2 on, powers of two like the others
  parameter int unsigned LineBytes       = 64,   // 64 or 128
  parameter int unsigned HitCycles       = 4,    // from request to answer, from 4 on
  parameter int unsigned Misses          = 16,   // 64-byte blocks asked for at once
  parameter int unsigned Slices          = 1,    // among which addresses are spread
  parameter int unsigned InterleaveBytes = 64,   // in one piece of a slice
  parameter int unsigned Tree            = 0     // 1: replacement by tree-PLRU, not true LRU
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic [UpPorts-1:0]      up_request_valid_i,
  output logic [UpPorts-1:0]      up_request_ready_o,
  input  mem_req_t [UpPorts-1:0]  up_request_i,

  output logic [UpPorts-1:0]      up_response_valid_o,
  input  logic [UpPorts-1:0]      up_response_ready_i,
  output mem_resp_t [UpPorts-1:0] up_response_o,

  output logic                    down_request_valid_o,
  input  logic                    down_request_ready_i,
  output mem_req_t                down_request_o,

  input  logic                    down_response_valid_i,
  output logic                    down_response_ready_o,
  input  mem_resp_t               down_response_i
);

  // From a request at the pins to the cycle in which it is served, when nothing is in the way.
  localparam int unsigned ServeCycles = 3;

  if (Role > 3) begin : gen_refuse_role
    $error("cache: Role is %0d, expected 0 to 3", Role);
  end
  if ((Sets < 2) || (Sets != (1 << $clog2(Sets)))) begin : gen_refuse_sets
    $error("cache: Sets is %0d, expected a power of two from 2 on", Sets);
  end
  if ((Ways < 2) || (Ways != (1 << $clog2(Ways)))) begin : gen_refuse_ways
    $error("cache: Ways is %0d, expected a power of two from 2 on", Ways);
  end
  if ((LineBytes != 64) && (LineBytes != 128)) begin : gen_refuse_line
    $error("cache: LineBytes is %0d, expected 64 or 128", LineBytes);
  end
  if (HitCycles <= ServeCycles) begin : gen_refuse_hit
    $error("cache: HitCycles is %0d, expected 4 or more", HitCycles);
  end
  if (Slices != (1 << $clog2(Slices))) begin : gen_refuse_slices
    $error("cache: Slices is %0d, expected a power of two", Slices);
  end
  if ((InterleaveBytes < LineBytes) || (InterleaveBytes != (1 << $clog2(InterleaveBytes)))) begin : gen_refuse_piece
    $error("cache: InterleaveBytes is %0d, expected a power of two from a line on", InterleaveBytes);
  end

  localparam role_e       ThisRole = role_e'(Role);
  localparam int unsigned LineBits = BlockBits - $clog2(LineBytes / BlockBytes);

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Requests
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic   next_valid;
  asked_t next;
  logic   maintenance_waits;
  logic   maintenance_take;
  logic   clears;    // after reset
  logic   room;      // for a miss
  logic   new_take;
  assign  maintenance_waits = next_valid && is_maintenance(next.request.op);

  cache_intake #(.UpPorts(UpPorts)) u_intake (
    .clk_i,
    .rst_ni,
    .up_request_valid_i,
    .up_request_ready_o,
    .up_request_i,
    .valid_o (next_valid),
    .asked_o (next),
    .take_i  (new_take || maintenance_take)
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Stages
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic                      walk_valid;
  logic                      walk_ready;
  logic                      walk_done;
  step_e                     walk_step;
  logic [$clog2(Sets)-1:0]   walk_set;
  logic [$clog2(Ways)-1:0]   walk_way;
  logic [Ways-1:0]           walk_dirty;
  logic                      walk_release;
  logic                      walk_clear;
  logic                      pipe_idle;
  mem_resp_t                 reply;
  logic                      fill;
  entry_t                    fill_entry;
  asked_t                    asked;
  logic                      engine_idle;
  logic                      engine_take;
  logic [LineBits-1:0]       engine_line;
  logic [LineBytes-1:0][7:0] engine_data;
  logic [LineBytes-1:0]      engine_dirty;
  logic                      send_ready;
  logic                      send_valid;
  mem_req_t                  send;
  logic                      forward_room;
  entry_t                    forward_entry;
  logic                      forward;
  logic                      forwards_idle;
  logic                      reply_valid;
  answer_t                   reply_answer;
  logic                      serve_valid;
  answer_t                   serve_answer;
  logic [MaxPorts-1:0]       answer_room;

  cache_pipe #(
    .Role            (ThisRole),
    .Sets            (Sets),
    .Ways            (Ways),
    .LineBytes       (LineBytes),
    .Misses          (Misses),
    .Slices          (Slices),
    .InterleaveBytes (InterleaveBytes),
    .Tree            (Tree != 0)
  ) u_pipe (
    .clk_i,
    .rst_ni,
    .new_valid_i     (next_valid && !maintenance_waits && !clears && room),
    .new_i           (next),
    .new_take_o      (new_take),
    .asked_o         (asked),
    .idle_o          (pipe_idle),
    .room_o          (room),
    .fill_i          (fill),
    .fill_entry_i    (fill_entry),
    .fill_fault_i    (reply.status == StatusFault),
    .fill_data_i     (reply.data),
    .walk_valid_i    (walk_valid),
    .walk_ready_o    (walk_ready),
    .walk_step_i     (walk_step),
    .walk_set_i      (walk_set),
    .walk_way_i      (walk_way),
    .walk_done_o     (walk_done),
    .walk_dirty_o    (walk_dirty),
    .walk_release_i  (walk_release),
    .walk_clear_i    (walk_clear),
    .engine_idle_i   (engine_idle),
    .engine_take_o   (engine_take),
    .engine_line_o   (engine_line),
    .engine_dirty_o  (engine_dirty),
    .engine_data_o   (engine_data),
    .send_ready_i    (send_ready),
    .send_valid_o    (send_valid),
    .send_o          (send),
    .forward_room_i  (forward_room),
    .forward_entry_i (forward_entry),
    .forward_o       (forward),
    .answer_ready_i  (!reply_valid && answer_room[asked.port]),
    .answer_valid_o  (serve_valid),
    .answer_o        (serve_answer)
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // The level below
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic      settled;
  logic      fault;
  logic      told;
  logic      maintain_valid;
  logic      maintain_ready;
  logic      maintained;
  mem_req_t  maintain;
  logic [63:0] fault_address;

  cache_below #(
    .LineBytes (LineBytes),
    .Forwards  (Misses)
  ) u_below (
    .clk_i,
    .rst_ni,
    .take_i           (engine_take),
    .line_i           (engine_line),
    .dirty_i          (engine_dirty),
    .data_i           (engine_data),
    .engine_idle_o    (engine_idle),
    .settled_o        (settled),
    .fault_o          (fault),
    .fault_address_o  (fault_address),
    .told_i           (told),
    .serve_ready_o    (send_ready),
    .serve_valid_i    (send_valid),
    .serve_i          (send),
    .forward_room_o   (forward_room),
    .forward_entry_o  (forward_entry),
    .forward_i        (forward),
    .forward_asked_i  (asked),
    .forwards_idle_o  (forwards_idle),
    .maintain_valid_i (maintain_valid),
    .maintain_ready_o (maintain_ready),
    .maintain_i       (maintain),
    .maintained_o     (maintained),
    .reply_o          (reply),
    .fill_o           (fill),
    .fill_entry_o     (fill_entry),
    .room_i           (answer_room),
    .answer_valid_o   (reply_valid),
    .answer_o         (reply_answer),
    .down_request_valid_o,
    .down_request_ready_i,
    .down_request_o,
    .down_response_valid_i,
    .down_response_ready_o,
    .down_response_i
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Maintenance, and answers
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic    maintenance_gives;
  logic    answers_idle;
  answer_t maintenance_answer;
  answer_t answer;

  cache_maintenance #(
    .Role (ThisRole),
    .Sets (Sets),
    .Ways (Ways)
  ) u_maintenance (
    .clk_i,
    .rst_ni,
    .waits_i         (maintenance_waits),
    .asked_i         (next),
    .take_o          (maintenance_take),
    .quiet_i         (pipe_idle && forwards_idle),
    .clears_o        (clears),
    .set_o           (walk_set),
    .dirty_i         (walk_dirty),
    .release_o       (walk_release),
    .clear_o         (walk_clear),
    .step_valid_o    (walk_valid),
    .step_ready_i    (walk_ready),
    .step_o          (walk_step),
    .step_way_o      (walk_way),
    .step_done_i     (walk_done),
    .send_valid_o    (maintain_valid),
    .send_ready_i    (maintain_ready),
    .send_o          (maintain),
    .below_done_i    (maintained),
    .below_i         (reply),
    .settled_i       (settled),
    .fault_i         (fault),
    .fault_address_i (fault_address),
    .told_o          (told),
    .answer_ready_i  (answer_room[next.port]),
    .gives_o         (maintenance_gives),
    .answer_o        (maintenance_answer),
    .answered_i      (answers_idle)
  );

  assign answer = reply_valid ? reply_answer : (serve_valid ? serve_answer : maintenance_answer);

  cache_responses #(
    .UpPorts (UpPorts),
    .Delay   (HitCycles - ServeCycles)
  ) u_responses (
    .clk_i,
    .rst_ni,
    .give_i   (reply_valid || serve_valid || maintenance_gives),
    .answer_i (answer),
    .room_o   (answer_room),
    .idle_o   (answers_idle),
    .up_response_valid_o,
    .up_response_ready_i,
    .up_response_o
  );

  `CUVETTE_ASSERT(OneAnswer_A, $onehot0({reply_valid, serve_valid, maintenance_gives}))

endmodule
