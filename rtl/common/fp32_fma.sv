// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Fused multiply-add of binary32, round to nearest even, subnormals kept, one quiet NaN, in two
// stages: the exact product is taken with load_i; while sum_i is high d_o is the last product taken
// plus c_i, otherwise 0.

module fp32_fma
  import fp_mac_pkg::*;
(
  input  logic        clk_i,

  input  logic        load_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,

  input  logic        sum_i,
  input  logic [31:0] c_i,
  output logic [31:0] d_o
);

  value_t product_q;

  always_ff @(posedge clk_i) begin
    if (load_i) product_q <= product_f32(a_i, b_i);
  end

  always_comb begin
    d_o = '0;
    if (sum_i) d_o = sum_values(product_q, from_f32(c_i));
  end

endmodule
