// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Sequencing of the matrix core: takes beats of operands, starts one slot per cycle, and says what
// leaves. Two instructions may be under way, the older one in its last slots while the operands of
// the younger one come in. Timing: docs/reference/matrix_core.md.

`include "cuvette_assert.svh"

module matrix_core_control
  import matrix_core_pkg::*;
  import matrix_op_pkg::*;
#(
  parameter int unsigned Arch = ArchGfx908
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       operands_valid_i,
  output logic       operands_ready_o,
  input  operands_t  operands_i,

  output logic       result_valid_o,
  input  logic       result_ready_i,

  // A beat of operands is taken.
  output logic       take_o,
  output logic       take_bank_o,
  output logic [5:0] take_beat_o,
  output logic       take_addend_o,  // it has rows of C

  // The next slot starts: its operands are read, first stage of the units.
  output logic       fire_o,
  output logic       fire_bank_o,
  output logic [5:0] fire_slot_o,
  output job_t       fire_job_o,

  // The slot in the second stage of the units.
  output logic       sum_o,
  output tag_t       sum_tag_o
);

  if (Arch > LastArch) begin : gen_bad_arch
    $fatal(1, "matrix_core_control: Arch is %0d, expected 0 to %0d", Arch, LastArch);
  end

  logic [1:0]      valid_q;
  job_t            job_q     [2];
  logic [1:0][6:0] arrived_q;  // beats of operands
  logic [1:0][2:0] age_q;      // cycles since the first beat, up to 7
  logic            in_bank_q;
  logic [5:0]      in_beat_q;  // the next one; 0: of the next instruction
  logic            run_bank_q;
  logic [5:0]      run_slot_q;
  logic [4:0]      waiting_q;  // beats of C whose slot has not started
  logic            sum_q;
  tag_t            tag_q;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Operands
  ////////////////////////////////////////////////////////////////////////////////////////////////
  op_t  new_op;
  op_t  in_op;
  logic first;
  logic last_slots;
  logic may_start;
  logic take;
  logic take_addend;

  if (Arch == ArchGfx942) begin : gen_gfx942
    assign new_op = matrix_row_pkg::op_of_row_gfx942(operands_i.row);
  end else if (Arch == ArchGfx90a) begin : gen_gfx90a
    assign new_op = matrix_row_pkg::op_of_row_gfx90a(operands_i.row);
  end else begin : gen_gfx908
    assign new_op = matrix_row_pkg::op_of_row_gfx908(operands_i.row);
  end
  assign first  = in_beat_q == 6'd0;
  assign in_op  = first ? new_op : job_q[in_bank_q].op;

  // An instruction occupies the unit for all its slots: the next one may start when the slots left
  // are those that its own first beat is ahead of its first slot.
  assign last_slots = run_slot_q >= last_slot(job_q[run_bank_q].op) - (6'(Ahead) - 6'd1);
  assign may_start  = !valid_q[in_bank_q] && (!valid_q[!in_bank_q] || last_slots);

  assign operands_ready_o = (!first || may_start) && (waiting_q != 5'(Room));
  assign take             = operands_valid_i && operands_ready_o;

  assign take_o      = take;
  assign take_bank_o = in_bank_q;
  assign take_beat_o = in_beat_q;

  // A and B may have more registers than C has pairs of them.
  assign take_addend = take && (in_beat_q <= last_beat(in_op));
  assign take_addend_o = take_addend;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Slots
  ////////////////////////////////////////////////////////////////////////////////////////////////
  op_t        run_op;
  logic [6:0] arrived_now;
  logic       sources_in;
  logic       first_step;
  logic       addend_in;
  logic       sum_ready;
  logic       fire;

  assign run_op      = job_q[run_bank_q].op;
  assign arrived_now = arrived_q[run_bank_q] + 7'(take && (in_bank_q == run_bank_q));
  assign sources_in  = arrived_now > 7'(last_source_beat(run_op));
  assign first_step  = run_slot_q <= last_beat(run_op);
  assign addend_in   = !first_step || (7'(run_slot_q) < arrived_q[run_bank_q]);
  assign fire = valid_q[run_bank_q] && (age_q[run_bank_q] >= 3'(Ahead)) && sources_in &&
                addend_in && sum_ready;

  assign fire_o      = fire;
  assign fire_bank_o = run_bank_q;
  assign fire_slot_o = run_slot_q;
  assign fire_job_o  = job_q[run_bank_q];

  assign sum_ready      = !sum_q || !tag_q.final_step || result_ready_i;
  assign sum_o          = sum_q;
  assign sum_tag_o      = tag_q;
  assign result_valid_o = sum_q && tag_q.final_step;

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // State
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic last_fire;

  assign last_fire = fire && (run_slot_q == last_slot(run_op));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q    <= '0;
      in_bank_q  <= 1'b0;
      in_beat_q  <= '0;
      run_bank_q <= 1'b0;
      run_slot_q <= '0;
      waiting_q  <= '0;
      sum_q      <= 1'b0;
    end else begin
      if (last_fire) begin
        valid_q[run_bank_q] <= 1'b0;
        run_bank_q          <= !run_bank_q;
        run_slot_q          <= '0;
      end else if (fire) begin
        run_slot_q <= run_slot_q + 6'd1;
      end
      if (take) begin
        valid_q[in_bank_q] <= 1'b1;
        if (in_beat_q == last_operand_beat(in_op)) begin
          in_beat_q <= '0;
          in_bank_q <= !in_bank_q;
        end else begin
          in_beat_q <= in_beat_q + 6'd1;
        end
      end
      waiting_q <= waiting_q + 5'(take_addend) - 5'(fire && first_step);
      if (sum_ready) sum_q <= fire;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < 2; b++) begin
      if (age_q[b] != 3'd7) age_q[b] <= age_q[b] + 3'd1;
    end
    if (take) begin
      arrived_q[in_bank_q] <= first ? 7'd1 : arrived_q[in_bank_q] + 7'd1;
      if (first) begin
        age_q[in_bank_q] <= 3'd1;
        job_q[in_bank_q] <= '{id: operands_i.id, op: new_op, cbsz: operands_i.cbsz,
                              abid: operands_i.abid, blgp: operands_i.blgp};
      end
    end
    if (fire) begin
      tag_q <= '{id:         job_q[run_bank_q].id,
                 format:     run_op.format,
                 paired:     run_op.paired,
                 sparse:     run_op.sparse,
                 bank:       run_bank_q,
                 final_step: (run_slot_q | last_beat(run_op)) == last_slot(run_op),
                 beats:      last_beat(run_op),
                 result:     result_of(run_op, run_slot_q)};
    end
  end

  `CUVETTE_ASSERT(KnownRow_A, operands_valid_i |-> in_op.known)
  `CUVETTE_ASSERT(BeatsInOrder_A, operands_valid_i |-> (operands_i.beat == in_beat_q[1:0]) &&
      (operands_i.pass == 8'(in_beat_q[5:2])))
  `CUVETTE_ASSERT(LastPass_A, operands_valid_i |->
      (operands_i.last == (in_beat_q[5:2] == 4'(last_operand_beat(in_op) >> 2))))
  `CUVETTE_ASSERT(TwoRows_A, operands_valid_i |->
      operands_i.c_rows == ((in_beat_q <= last_beat(in_op)) ? 2'(RowsPerPass) : 2'd0))
  `CUVETTE_ASSERT(RoomForBeats_A, waiting_q <= 5'(Room))
  `CUVETTE_COVER(Stalls_C, result_valid_o && !result_ready_i && operands_valid_i)

endmodule
