// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// One step of one result in every format, in two stages: what the factors make with load_i, the sum
// with c_i while sum_i is high.

`include "cuvette_mutant.svh"

module matrix_core_unit
  import matrix_op_pkg::*;
(
  input  logic        clk_i,

  input  logic        load_i,
  input  format_e     load_format_i,
  input  logic [63:0] a_i,
  input  logic [63:0] b_i,

  input  logic        sum_i,
  input  format_e     sum_format_i,
  input  logic [31:0] c_i,
  output logic [31:0] d_o
);

  logic [31:0] d_f32;
  logic [31:0] d_f16;
  logic [31:0] d_bf16;
  logic [31:0] d_i8;

  fp32_fma u_f32 (
    .clk_i,
    .load_i (load_i && (load_format_i == FormatF32)),
    .a_i    (a_i[31:0]),
    .b_i    (b_i[31:0]),
    .sum_i  (sum_i && (sum_format_i == FormatF32)),
    .c_i,
    .d_o    (d_f32)
  );

  fp_dot #(.Terms(4), .Bfloat(1'b0)) u_f16 (
    .clk_i,
    .load_i (load_i && (load_format_i == FormatF16)),
    .a_i,
    .b_i,
    .sum_i  (sum_i && (sum_format_i == FormatF16)),
    .c_i,
    .d_o    (d_f16)
  );

  fp_dot #(.Terms(2), .Bfloat(1'b1)) u_bf16 (
    .clk_i,
    .load_i (load_i && (load_format_i == FormatBf16)),
    .a_i    (a_i[31:0]),
    .b_i    (b_i[31:0]),
    .sum_i  (sum_i && (sum_format_i == FormatBf16)),
    .c_i,
    .d_o    (d_bf16)
  );

  int8_dot #(.Terms(4)) u_i8 (
    .clk_i,
    .load_i (load_i && (load_format_i == FormatI8)),
    .a_i    (a_i[31:0]),
    .b_i    (b_i[31:0]),
    .sum_i  (sum_i && (sum_format_i == FormatI8)),
    .c_i    (`MUTANT(85, c_i, {1'b0, c_i[30:0]})),
    .d_o    (d_i8)
  );

  // All but one are 0.
  assign d_o = d_f32 | d_f16 | d_bf16 | d_i8;

endmodule
