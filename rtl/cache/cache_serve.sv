// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Last stage: serves a request with the line that was found for it or that has to
// make room. A cycle when everything it needs is free: room for its answer, in the queue to the
// level below, and among what was passed on; else it stays. Dirty bytes of a block that is asked
// for below, or goes past the cache, are written back first, in a cycle of their own; atomics take
// one for the atomic unit. So the level below is never older than the requests sent to it.

`include "cuvette_assert.svh"

module cache_serve
  import cache_unit_pkg::*;
  import cache_pkg::*;
  import memory_pkg::*;
#(
  parameter role_e       Role      = RoleL2,
  parameter int unsigned LineBytes = 64,
  localparam int unsigned Blocks   = LineBytes / BlockBytes
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // The request and its line
  input  logic                      valid_i,
  input  step_e                     step_i,
  input  asked_t                    asked_i,
  input  logic                      faulted_i,
  input  logic                      hit_i,
  input  logic [LineBytes-1:0]      line_valid_i,
  input  logic [LineBytes-1:0]      line_dirty_i,
  input  logic [LineBytes-1:0][7:0] line_data_i,
  output logic                      done_o,
  output logic                      write_o,         // the line
  output logic [LineBytes-1:0]      write_valid_o,
  output logic [LineBytes-1:0]      write_dirty_o,
  output logic [LineBytes-1:0]      write_bytes_o,
  output logic [LineBytes-1:0][7:0] write_data_o,
  output logic                      claim_o,
  output logic                      touch_o,

  // Misses
  input  logic                      match_i,         // the block was asked for below
  input  entry_t                    free_entry_i,
  input  entry_t                    due_entry_i,
  output logic                      add_o,
  output logic                      append_o,
  output logic                      served_o,
  output logic                      again_o,
  output logic                      installed_o,

  // Write-back engine
  input  logic                      engine_idle_i,
  output logic                      engine_take_o,   // line_data_i
  output logic [LineBytes-1:0]      engine_dirty_o,

  // The level below
  input  logic                      send_ready_i,    // and the engine is idle
  output logic                      send_valid_o,
  output mem_req_t                  send_o,
  input  logic                      forward_room_i,
  input  entry_t                    forward_entry_i,
  output logic                      forward_o,

  // Answers
  input  logic                      answer_ready_i,
  output logic                      answer_valid_o,
  output answer_t                   answer_o
);

  localparam int unsigned HalfBits = (Blocks > 1) ? 1 : 0;

  mem_req_t r;
  assign r = asked_i.request;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // The block of the line
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [LineBytes-1:0] own;        // bytes of the line that are the block's
  bytes_t               own_valid;
  bytes_t               own_dirty;
  data_t                own_data;
  logic                 cleaned_q;  // its dirty bytes have been written back

  if (HalfBits == 0) begin : gen_whole
    assign own       = '1;
    assign own_valid = hit_i ? line_valid_i : '0;
    assign own_dirty = (hit_i && !cleaned_q) ? line_dirty_i : '0;
    assign own_data  = line_data_i;
  end else begin : gen_half
    logic upper;
    assign upper     = r.address[$clog2(BlockBytes)];
    assign own       = upper ? {{BlockBytes{1'b1}}, {BlockBytes{1'b0}}} :
                               {{BlockBytes{1'b0}}, {BlockBytes{1'b1}}};
    assign own_valid = !hit_i ? '0 : (upper ? line_valid_i[BlockBytes +: BlockBytes] :
                                              line_valid_i[0 +: BlockBytes]);
    assign own_dirty = (!hit_i || cleaned_q) ? '0 :
                       (upper ? line_dirty_i[BlockBytes +: BlockBytes] :
                                line_dirty_i[0 +: BlockBytes]);
    assign own_data  = upper ? line_data_i[BlockBytes +: BlockBytes] :
                               line_data_i[0 +: BlockBytes];
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Action on the request
  ////////////////////////////////////////////////////////////////////////////////////////////////
  act_e act;
  logic covered;  // every byte that is needed is held

  assign covered = (own_valid & r.byte_mask) == r.byte_mask;

  cache_decide #(.Role(Role)) u_decide (
    .step_i    (step_i),
    .request_i (r),
    .match_i   (match_i),
    .covered_i (covered),
    .faulted_i (faulted_i),
    .act_o     (act)
  );

  logic evicts;    // the line that has to make room has dirty bytes
  logic flushes;   // the block's dirty bytes go first
  logic cleans;
  logic sends;
  logic forwards;
  logic answers;
  logic has_result;
  logic may;       // everything is free

  assign evicts   = ((act == ActStore) || (act == ActInstall)) && !hit_i && (line_dirty_i != '0);
  assign flushes  = ((act == ActPass) || (act == ActFill)) && (own_dirty != '0);
  assign cleans   = (act == ActClean) && (line_dirty_i != '0);
  assign forwards = ((act == ActPass) || (act == ActThrough)) && !flushes;
  assign sends    = forwards || ((act == ActFill) && !flushes);
  assign answers  = (act == ActRead) || (act == ActFault) || (act == ActStore) || (act == ActAtomic);
  assign may      = valid_i && (engine_idle_i || !(evicts || flushes || cleans)) &&
                    (send_ready_i || !sends) && (forward_room_i || !forwards) &&
                    (answer_ready_i || !answers) && (has_result || (act != ActAtomic));
  assign done_o   = may && !flushes;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)             cleaned_q <= 1'b0;
    else if (done_o)         cleaned_q <= 1'b0;
    else if (may && flushes) cleaned_q <= 1'b1;
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Atomic unit
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [63:0] result;
  logic [63:0] old;

  if (Role == RoleL2) begin : gen_atomic
    cache_atomic u_atomic (
      .clk_i,
      .rst_ni,
      .start_i     (valid_i && (act == ActAtomic) && !has_result),
      .operation_i (r.atomic),
      .wide_i      (r.atomic_bytes == 4'd8),
      .flush_i     (r.flush_subnormals),
      .old_i       (own_data[{r.address[5:2], 2'b00} +: 8]),
      .data_i      (r.data[7:0]),
      .compare_i   (r.data[15:8]),
      .valid_o     (has_result),
      .result_o    (result),
      .old_o       (old),
      .taken_i     (may && (act == ActAtomic))
    );
  end else begin : gen_no_atomic
    assign has_result = 1'b0;
    assign result     = '0;
    assign old        = '0;
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // The line afterwards
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [LineBytes-1:0] valid;    // bytes of the line that stay
  logic [LineBytes-1:0] dirty;
  logic [LineBytes-1:0] written;  // bytes of the request in the line
  data_t                data;

  assign valid   = (hit_i || (act == ActClean)) ? line_valid_i : '0;
  assign dirty   = hit_i ? line_dirty_i : '0;
  assign written = own & {Blocks{r.byte_mask}};

  always_comb begin
    write_valid_o = valid;
    write_dirty_o = flushes || cleaned_q ? (dirty & ~own) : dirty;
    write_bytes_o = '0;
    data          = r.data;
    unique case (act)
      ActStore: begin
        write_valid_o = valid | written;
        write_dirty_o = dirty | written;
        write_bytes_o = written;
      end
      ActAtomic: begin
        write_dirty_o = dirty | written;
        write_bytes_o = written;
        data          = data_t'(result) << {r.address[5:2], 5'd0};
      end
      ActInstall: begin
        write_valid_o = valid | own;
        write_bytes_o = own;
      end
      ActThrough: write_bytes_o = written & valid;
      ActPass:    if (!flushes) write_valid_o = valid & ~own;
      ActDrop: begin
        write_valid_o = line_dirty_i;
        write_dirty_o = line_dirty_i;
      end
      default: ;
    endcase
  end

  assign write_data_o = {Blocks{data}};
  assign write_o      = may && (flushes || (act == ActStore) || (act == ActAtomic) ||
                                (act == ActInstall) || (act == ActClean) || (act == ActDrop) ||
                                (hit_i && ((act == ActThrough) || (act == ActPass))));
  assign claim_o      = may && !hit_i && ((act == ActStore) || (act == ActInstall));
  assign touch_o      = done_o && (claim_o || (hit_i && ((act == ActRead) || (act == ActStore) ||
                        (act == ActAtomic) || (act == ActInstall) || (act == ActThrough))));

  assign engine_take_o  = may && (evicts || flushes || cleans);
  assign engine_dirty_o = flushes ? (line_dirty_i & own) : line_dirty_i;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Misses and the level below
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic    replays;
  below_id_t id;

  assign replays      = step_i == StepReplay;
  assign append_o     = done_o && (act == ActAppend);
  assign add_o        = done_o && (act == ActFill) && !replays;
  assign again_o      = done_o && (act == ActFill) && replays;
  assign served_o     = done_o && (act != ActFill) && replays;
  assign installed_o  = done_o && (act == ActInstall);
  assign send_valid_o = may && sends;
  assign forward_o    = may && forwards;

  always_comb begin
    id = '0;
    if (act == ActFill) begin
      id.why   = BelowFill;
      id.entry = replays ? due_entry_i : free_entry_i;
    end else begin
      id.why   = BelowForward;
      id.entry = forward_entry_i;
    end
    send_o           = r;
    send_o.id        = id;
    send_o.timestamp = '0;
    send_o.serial    = '0;
    if (act == ActFill) begin
      send_o.op        = MemRead;
      send_o.address   = {r.address[63 -: BlockBits], {(64 - BlockBits){1'b0}}};
      send_o.byte_mask = '1;
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Answers
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [63:0] serial_q;  // of the last store or atomic that was done here
  logic        counts;

  assign counts         = (Role == RoleL2) && ((act == ActStore) || (act == ActAtomic));
  assign answer_valid_o = may && answers;

  always_comb begin
    answer_o                  = '0;
    answer_o.port             = asked_i.port;
    answer_o.response.id      = r.id;
    answer_o.response.address = r.address;
    answer_o.response.status  = (act == ActFault) ? StatusFault : StatusOk;
    if (counts)           answer_o.response.serial = serial_q + 64'd1;
    if (act == ActRead)   answer_o.response.data   = own_data;
    if (act == ActAtomic) answer_o.response.data   = data_t'(old);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni)                     serial_q <= '0;
    else if (answer_valid_o && counts) serial_q <= serial_q + 64'd1;
  end

  `CUVETTE_ASSERT(InstallsUnderNothingDirty_A, (valid_i && (act == ActInstall)) |->
      (own_dirty == '0))
  `CUVETTE_ASSERT(FirstLevelIsClean_A, (valid_i && !keeps_dirty(Role)) |-> (line_dirty_i == '0))
  `CUVETTE_ASSERT(InstructionsAreRead_A, (valid_i && (Role == RoleInstruction) &&
      ((step_i == StepAccess) || (step_i == StepReplay))) |-> (r.op == MemRead))
  `CUVETTE_ASSERT(AtomicIsAligned_A, (valid_i && (act == ActAtomic)) |->
      ((r.address[1:0] == '0) && ((r.atomic_bytes == 4'd4) ||
       ((r.atomic_bytes == 4'd8) && !r.address[2]))))
  `CUVETTE_COVER(FlushesBeforeFill_C, may && flushes && (act == ActFill))
  `CUVETTE_COVER(Evicts_C, may && evicts)
  `CUVETTE_COVER(StoreWaitsForAnswer_C, valid_i && (act == ActStore) && !answer_ready_i)

endmodule
