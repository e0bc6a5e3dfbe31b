// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// One fused group of a dot product (fused_dot_pkg), added to a binary32 accumulator: 16 products of
// 8-bit factors, 8 of 16-bit ones, 4 of 32-bit ones; factors that are 0 in both sources do not
// matter. Two stages: the sum of the group is taken with load_i; while sum_i is high d_o is that sum
// plus c_i, rounded, otherwise 0.

module fused_dot
  import fused_dot_pkg::*;
(
  input  logic         clk_i,

  input  logic         load_i,
  input  factor_e      format_i,
  input  logic         a_bf8_i,
  input  logic         b_bf8_i,
  input  logic [127:0] a_i,
  input  logic [127:0] b_i,

  input  logic         sum_i,
  input  logic [31:0]  c_i,
  output logic [31:0]  d_o
);

  partial_t group_q;

  always_ff @(posedge clk_i) begin
    if (load_i) group_q <= sum_group(format_i, a_bf8_i, b_bf8_i, a_i, b_i);
  end

  always_comb begin
    d_o = '0;
    if (sum_i) d_o = add_group(group_q, c_i);
  end

endmodule
