// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// One step of one result of a fused format, in two stages as matrix_core_unit: one group, or of
// sparse operations two, the lower one first.

module matrix_core_fused
  import matrix_op_pkg::*;
  import fused_dot_pkg::*;
(
  input  logic              clk_i,

  input  logic              load_i,
  input  op_t               load_op_i,
  input  logic [1:0][127:0] a_i,
  input  logic [1:0][127:0] b_i,

  input  logic              sum_i,
  input  logic              sum_sparse_i,
  input  logic [31:0]       c_i,
  output logic [31:0]       d_o
);

  factor_e     factor;
  logic [31:0] lower;
  logic [31:0] upper;

  always_comb begin
    unique case (load_op_i.format)
      FormatF16:  factor = Factor16;
      FormatBf16: factor = FactorB16;
      FormatXf32: factor = Factor32;
      default:    factor = Factor8;
    endcase
  end

  fused_dot u_lower (
    .clk_i,
    .load_i,
    .format_i (factor),
    .a_bf8_i  (load_op_i.a_bf8),
    .b_bf8_i  (load_op_i.b_bf8),
    .a_i      (a_i[0]),
    .b_i      (b_i[0]),
    .sum_i,
    .c_i,
    .d_o      (lower)
  );

  fused_dot u_upper (
    .clk_i,
    .load_i   (load_i && load_op_i.sparse),
    .format_i (factor),
    .a_bf8_i  (load_op_i.a_bf8),
    .b_bf8_i  (load_op_i.b_bf8),
    .a_i      (a_i[1]),
    .b_i      (b_i[1]),
    .sum_i    (sum_i && sum_sparse_i),
    .c_i      (lower),
    .d_o      (upper)
  );

  assign d_o = sum_sparse_i ? upper : lower;

endmodule
