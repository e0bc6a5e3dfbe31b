// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Operands of the matrix core: A and B of two instructions, the beats of C on their way to their
// slots, and results between steps. Reads what a slot needs; cbsz, abid and blgp act here.

`include "cuvette_mutant.svh"

module matrix_core_operands
  import matrix_core_pkg::*;
  import matrix_op_pkg::*;
  import vrf_pkg::*;
#(
  parameter  int unsigned Arch   = ArchGfx908,
  localparam int unsigned Groups = lane_groups(Arch)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  input  logic                              take_i,
  input  logic                              take_bank_i,
  input  logic [5:0]                        take_beat_i,
  input  logic                              take_addend_i,
  input  lanes_t                            take_a_i,
  input  lanes_t                            take_b_i,
  input  lanes_t [RowsPerPass-1:0]          take_c_i,

  input  logic                              fire_i,
  input  logic                              fire_bank_i,
  input  logic [5:0]                        fire_slot_i,
  input  job_t                              fire_job_i,
  // Two registers per lane. A by row of D and four lanes, B by lane; by group of lanes of a pair.
  output logic [Groups-1:0][RowsPerPass-1:0][3:0][63:0] a_o,
  output logic [Groups-1:0][BeatLanes-1:0][63:0]        b_o,

  // Of the second stage: C, or the result of the step before; and the result, kept when it is not
  // the last.
  output lanes_t [RowsPerPass-1:0]          c_o,
  input  logic                              keep_i,
  input  logic [4:0]                        keep_index_i,
  input  lanes_t [RowsPerPass-1:0]          d_i
);

  if (Arch > LastArch) begin : gen_bad_arch
    $fatal(1, "matrix_core_operands: Arch is %0d, expected 0 to %0d", Arch, LastArch);
  end

  lanes_t                   a_q      [16];  // bank, register, beat
  lanes_t                   b_q      [16];
  lanes_t [RowsPerPass-1:0] c_q      [8];
  lanes_t [RowsPerPass-1:0] steps_q  [32];
  lanes_t [RowsPerPass-1:0] addend_q;
  logic   [2:0]             c_write_q;
  logic   [2:0]             c_read_q;

  op_t  op;
  logic first_step;

  assign op         = fire_job_i.op;
  assign first_step = fire_slot_i <= last_beat(op);

  always_ff @(posedge clk_i) begin
    if (take_addend_i) c_q[c_write_q] <= take_c_i;
    if (take_i) begin
      if (take_beat_i < 6'd8) begin
        a_q[{take_bank_i, take_beat_i[2:0]}] <= take_a_i;
        b_q[{take_bank_i, take_beat_i[2:0]}] <= take_b_i;
      end
    end
    if (keep_i) steps_q[keep_index_i] <= d_i;
    if (fire_i) begin
      addend_q <= first_step ? c_q[c_read_q]
                             : steps_q[`MUTANT(80, 5'(result_of(op, fire_slot_i)), 5'(fire_slot_i))];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      c_write_q <= '0;
      c_read_q  <= '0;
    end else begin
      if (take_addend_i) c_write_q <= c_write_q + 3'd1;
      if (fire_i && first_step) c_read_q <= c_read_q + 3'd1;
    end
  end

  assign c_o = addend_q;

  // The block of A that a block of results takes: 2^cbsz blocks share the abid-th of them.
  function automatic logic [3:0] block_of_a(input logic [3:0] block, input job_t job);
    logic [3:0] shared;
    unique case (job.cbsz)
      3'd0:    shared = 4'd0;
      3'd1:    shared = 4'd1;
      3'd2:    shared = 4'd3;
      3'd3:    shared = `MUTANT(81, 4'd7, 4'd15);
      default: shared = 4'd15;
    endcase
    if (!job.op.several) shared = 4'd0;
    return (block & ~shared) | (job.abid & shared);
  endfunction

  // 16 lanes of B after blgp.
  function automatic logic [1:0] beat_of_b(input logic [1:0] beat, input logic [2:0] blgp);
    unique case (blgp)
      3'd0:    return beat;
      3'd1:    return {1'b0, beat[0]};
      3'd2:    return {1'b1, beat[0]};
      3'd3:    return beat + `MUTANT(82, 2'd1, 2'd3);
      default: return blgp[1:0];
    endcase
  endfunction

  // The second register of A and B may be at the pins in the cycle of the first slot.
  logic arriving;
  assign arriving = take_i && (take_bank_i == fire_bank_i) && `MUTANT(83, (take_beat_i == 6'd7), 1'b0);

  function automatic logic [63:0] lane_of_a(input logic [5:0] lane);
    logic [31:0] high;
    high = (arriving && (lane[5:4] == 2'd3)) ? take_a_i[lane[3:0]]
                                             : a_q[{fire_bank_i, 1'b1, lane[5:4]}][lane[3:0]];
    return {high, a_q[{fire_bank_i, 1'b0, lane[5:4]}][lane[3:0]]};
  endfunction

  // Lane of A for row `half` of the slot's two rows of D and four lanes of it, in the group `upper`
  // of a pair. Layouts: tests/oracles/mfma/layout.
  function automatic logic [5:0] a_lane(input job_t job, input logic [5:0] slot, input logic upper,
                                        input logic half, input logic [1:0] quad);
    logic [3:0] block;
    if (job.op.format == FormatF64) begin
      // A beat of D is a row of every block.
      if (job.op.paired) return {slot[4], `MUTANT(150, upper, !upper), slot[3:0]};
      return {slot[3:2], quad, slot[1:0]};
    end
    unique case (job.op.side)
      Side32: begin
        block = block_of_a({3'd0, slot[5]}, job);
        return {block[0], slot[4:3], `MUTANT(84, slot[1], slot[0]), slot[2], half};
      end
      Side16: begin
        block = block_of_a({2'd0, slot[4:3]}, job);
        return {block[1:0], slot[1:0], slot[2], half};
      end
      default: begin
        block = block_of_a({slot[1:0], quad}, job);
        return {block, slot[2], half};
      end
    endcase
  endfunction

  function automatic logic [1:0] b_beat(input op_t op_of_job, input logic [5:0] slot,
                                        input logic upper);
    if (op_of_job.format == FormatF64) return op_of_job.paired ? {slot[4], upper} : slot[3:2];
    unique case (op_of_job.side)
      Side32:  return {slot[5], slot[0]};
      Side16:  return slot[4:3];
      default: return slot[1:0];
    endcase
  endfunction

  // A block of side 4 has four lanes of D; wider ones have all 16 lanes in one row of A.
  always_comb begin
    a_o = '0;
    if (fire_i) begin
      for (int unsigned g = 0; g < Groups; g++) begin
        for (int unsigned h = 0; h < RowsPerPass; h++) begin
          for (int unsigned q = 0; q < 4; q++) begin
            if ((g == 0) || op.paired) begin
              a_o[g][h][q] = lane_of_a(a_lane(fire_job_i, fire_slot_i, 1'(g), 1'(h), 2'(q)));
            end
          end
        end
      end
    end
  end

  for (genvar g = 0; g < Groups; g++) begin : gen_b
    logic [1:0] beat;
    lanes_t     low;
    lanes_t     high;

    always_comb begin
      beat = b_beat(op, fire_slot_i, 1'(g));
      if (op.permutes) beat = beat_of_b(beat, fire_job_i.blgp);
    end

    assign low  = b_q[{fire_bank_i, 1'b0, beat}];
    assign high = (arriving && (beat == 2'd3)) ? take_b_i : b_q[{fire_bank_i, 1'b1, beat}];

    always_comb begin
      b_o[g] = '0;
      if (fire_i && ((g == 0) || op.paired)) begin
        for (int unsigned l = 0; l < BeatLanes; l++) b_o[g][l] = {high[l], low[l]};
      end
    end
  end

endmodule
