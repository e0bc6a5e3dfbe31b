// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The MFMA unit of one SIMD: V_MFMA of gfx908. 32 units make one step of two rows by 16 lanes of D
// per cycle. Contract, layouts and timing: docs/matrix_core.md.

`include "cuvette_assert.svh"
`include "cuvette_mutant.svh"

module matrix_core
  import matrix_core_pkg::*;
  import matrix_op_pkg::*;
  import vrf_pkg::*;
(
  input  logic      clk_i,
  input  logic      rst_ni,

  input  logic      operands_valid_i,
  output logic      operands_ready_o,
  input  operands_t operands_i,

  output logic      result_valid_o,
  input  logic      result_ready_i,
  output result_t   result_o
);

  logic       take;
  logic       take_bank;
  logic [5:0] take_beat;
  logic       fire;
  logic       fire_bank;
  logic [5:0] fire_slot;
  job_t       fire_job;
  logic       sum;
  tag_t       tag;

  matrix_core_control u_control (
    .clk_i,
    .rst_ni,
    .operands_valid_i,
    .operands_ready_o,
    .operands_i,
    .result_valid_o,
    .result_ready_i,
    .take_o      (take),
    .take_bank_o (take_bank),
    .take_beat_o (take_beat),
    .fire_o      (fire),
    .fire_bank_o (fire_bank),
    .fire_slot_o (fire_slot),
    .fire_job_o  (fire_job),
    .sum_o       (sum),
    .sum_tag_o   (tag)
  );

  logic   [RowsPerPass-1:0][3:0][63:0] a;
  logic   [BeatLanes-1:0][63:0]        b;
  lanes_t [RowsPerPass-1:0]            c;
  lanes_t [RowsPerPass-1:0]            d;

  matrix_core_operands u_operands (
    .clk_i,
    .rst_ni,
    .take_i       (take),
    .take_bank_i  (take_bank),
    .take_beat_i  (take_beat),
    .take_a_i     (operands_i.a),
    .take_b_i     (operands_i.b),
    .take_c_i     (operands_i.c),
    .fire_i       (fire),
    .fire_bank_i  (fire_bank),
    .fire_slot_i  (fire_slot),
    .fire_job_i   (fire_job),
    .a_o          (a),
    .b_o          (b),
    .c_o          (c),
    .keep_i       (sum && !tag.final_step),
    .keep_index_i (tag.result[4:0]),
    .d_i          (d)
  );

  for (genvar h = 0; h < RowsPerPass; h++) begin : gen_row
    for (genvar l = 0; l < BeatLanes; l++) begin : gen_lane
      matrix_core_unit u_unit (
        .clk_i,
        .load_i        (fire),
        .load_format_i (fire_job.op.format),
        .a_i           (a[h][l/4]),
        .b_i           (b[l]),
        .sum_i         (sum),
        .sum_format_i  (tag.format),
        .c_i           (c[h][l]),
        .d_o           (d[h][l])
      );
    end
  end

  always_comb begin
    result_o           = '0;
    result_o.id        = tag.id;
    result_o.pass      = 8'(tag.result[5:2]);
    result_o.last      = tag.result[5:2] == `MUTANT(86, tag.beats[5:2], 4'd15);
    result_o.beat      = tag.result[1:0];
    result_o.first_row = {3'd0, tag.result[5:2], `MUTANT(87, 1'b0, 1'b1)};
    result_o.rows      = 2'(RowsPerPass);
    result_o.d[0]      = d[`MUTANT(88, 0, 1)];
    result_o.d[1]      = d[1];
  end

  `CUVETTE_ASSERT(OperandsHeld_A, (operands_valid_i && !operands_ready_o) |=> (operands_valid_i &&
      $stable(operands_i.id) && $stable(operands_i.pass) && $stable(operands_i.beat)))
  `CUVETTE_ASSERT(ResultHeld_A, (result_valid_o && !result_ready_i) |=> (result_valid_o &&
      $stable(result_o)))

endmodule
