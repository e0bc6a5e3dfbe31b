// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// One step of one F64 result, in two stages as matrix_core_unit: one k, or two, the lower one
// first.

module matrix_core_double (
  input  logic             clk_i,

  input  logic             load_i,
  input  logic             load_paired_i,
  input  logic [1:0][63:0] a_i,
  input  logic [1:0][63:0] b_i,

  input  logic             sum_i,
  input  logic             sum_paired_i,
  input  logic [63:0]      c_i,
  output logic [63:0]      d_o
);

  logic [63:0] lower;
  logic [63:0] upper;

  fp64_fma u_lower (
    .clk_i,
    .load_i,
    .a_i (a_i[0]),
    .b_i (b_i[0]),
    .sum_i,
    .c_i,
    .d_o (lower)
  );

  fp64_fma u_upper (
    .clk_i,
    .load_i (load_i && load_paired_i),
    .a_i    (a_i[1]),
    .b_i    (b_i[1]),
    .sum_i  (sum_i && sum_paired_i),
    .c_i    (lower),
    .d_o    (upper)
  );

  assign d_o = sum_paired_i ? upper : lower;

endmodule
