// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The MFMA unit of one SIMD. Parameter Arch: V_MFMA of gfx908 or of gfx90a, V_MFMA and V_SMFMAC of
// gfx942. 32 units make one step of two rows by 16 lanes of D per cycle, for F64 16 units one of 16
// lanes. Contract, layouts and timing: docs/reference/matrix_core.md.

`include "cuvette_assert.svh"

module matrix_core
  import matrix_core_pkg::*;
  import matrix_op_pkg::*;
  import vrf_pkg::*;
#(
  parameter  int unsigned Arch = ArchGfx908,  // arch_e
  localparam int unsigned Bits = step_bits(Arch)
) (
  input  logic      clk_i,
  input  logic      rst_ni,

  input  logic      operands_valid_i,
  output logic      operands_ready_o,
  input  operands_t operands_i,

  output logic      result_valid_o,
  input  logic      result_ready_i,
  output result_t   result_o
);

  if (Arch > LastArch) begin : gen_bad_arch
    $fatal(1, "matrix_core: Arch is %0d, expected 0 to %0d", Arch, LastArch);
  end

  logic       take;
  logic       take_bank;
  logic [5:0] take_beat;
  logic       take_addend;
  logic       fire;
  logic       fire_bank;
  logic [5:0] fire_slot;
  job_t       fire_job;
  logic       sum;
  tag_t       tag;

  matrix_core_control #(.Arch(Arch)) u_control (
    .clk_i,
    .rst_ni,
    .operands_valid_i,
    .operands_ready_o,
    .operands_i,
    .result_valid_o,
    .result_ready_i,
    .take_o        (take),
    .take_bank_o   (take_bank),
    .take_beat_o   (take_beat),
    .take_addend_o (take_addend),
    .fire_o        (fire),
    .fire_bank_o   (fire_bank),
    .fire_slot_o   (fire_slot),
    .fire_job_o    (fire_job),
    .sum_o         (sum),
    .sum_tag_o     (tag)
  );

  logic   [RowsPerPass-1:0][3:0][Bits-1:0] a;
  logic   [BeatLanes-1:0][Bits-1:0]        b;
  lanes_t [RowsPerPass-1:0]                c;
  lanes_t [RowsPerPass-1:0]                d_word;
  lanes_t [RowsPerPass-1:0]                d_double;
  lanes_t [RowsPerPass-1:0]                d;

  matrix_core_operands #(.Arch(Arch)) u_operands (
    .clk_i,
    .rst_ni,
    .take_i             (take),
    .take_bank_i        (take_bank),
    .take_beat_i        (take_beat),
    .take_addend_i      (take_addend),
    .take_a_i           (operands_i.a),
    .take_b_i           (operands_i.b),
    .take_c_i           (operands_i.c),
    .take_forward_i     (operands_i.forward),
    .take_forward_from_i(operands_i.forward_from),
    .take_forward_row_i (operands_i.forward_row),
    .take_index_i       (operands_i.index),
    .fire_i             (fire),
    .fire_bank_i        (fire_bank),
    .fire_slot_i        (fire_slot),
    .fire_job_i         (fire_job),
    .a_o                (a),
    .b_o                (b),
    .c_o                (c),
    .sum_i              (sum),
    .sum_tag_i          (tag),
    .d_i                (d)
  );

  for (genvar h = 0; h < RowsPerPass; h++) begin : gen_row
    for (genvar l = 0; l < BeatLanes; l++) begin : gen_lane
      matrix_core_unit #(.Arch(Arch)) u_unit (
        .clk_i,
        .load_i        (fire),
        .load_op_i     (fire_job.op),
        .a_i           (a[h][l/4]),
        .b_i           (b[l]),
        .sum_i         (sum),
        .sum_format_i  (tag.format),
        .sum_sparse_i  (tag.sparse),
        .c_i           (c[h][l]),
        .d_o           (d_word[h][l])
      );
    end
  end

  // A double has its low half in the first row, its high half in the second.
  if (Arch == ArchGfx908) begin : gen_no_double
    assign d_double = '0;
  end else begin : gen_double
    for (genvar l = 0; l < BeatLanes; l++) begin : gen_lane
      logic [63:0] double;
      matrix_core_double u_double (
        .clk_i,
        .load_i        (fire && (fire_job.op.format == FormatF64)),
        .load_paired_i (fire_job.op.paired),
        .a_i           (a[0][l/4][127:0]),
        .b_i           (b[l][127:0]),
        .sum_i         (sum && (tag.format == FormatF64)),
        .sum_paired_i  (tag.paired),
        .c_i           ({c[1][l], c[0][l]}),
        .d_o           (double)
      );
      assign d_double[0][l] = double[31:0];
      assign d_double[1][l] = double[63:32];
    end
  end

  assign d = d_word | d_double;

  always_comb begin
    result_o           = '0;
    result_o.id        = tag.id;
    result_o.pass      = 8'(tag.result[5:2]);
    result_o.last      = tag.result[5:2] == tag.beats[5:2];
    result_o.beat      = tag.result[1:0];
    result_o.first_row = {3'd0, tag.result[5:2], 1'b0};
    result_o.rows      = 2'(RowsPerPass);
    result_o.d[0]      = d[0];
    result_o.d[1]      = d[1];
  end

  `CUVETTE_ASSERT(OperandsHeld_A, (operands_valid_i && !operands_ready_o) |=> (operands_valid_i &&
      $stable(operands_i.id) && $stable(operands_i.pass) && $stable(operands_i.beat)))
  `CUVETTE_ASSERT(ResultHeld_A, (result_valid_o && !result_ready_i) |=> (result_valid_o &&
      $stable(result_o)))

endmodule
