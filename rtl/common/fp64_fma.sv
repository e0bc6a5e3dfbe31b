// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Binary64 fused multiply-add, nearest even, subnormals kept, one quiet NaN. Two stages: the exact
// product is taken with load_i; while sum_i is high d_o is product + c_i, otherwise 0.

module fp64_fma
  import fp64_mac_pkg::*;
(
  input  logic        clk_i,

  input  logic        load_i,
  input  logic [63:0] a_i,
  input  logic [63:0] b_i,

  input  logic        sum_i,
  input  logic [63:0] c_i,
  output logic [63:0] d_o
);

  double_value_t product_d;
  double_value_t product_q;

  always_comb begin
    product_d = '0;
    if (load_i) product_f64(a_i, b_i, product_d);
  end

  always_ff @(posedge clk_i) begin
    if (load_i) product_q <= product_d;
  end

  always_comb begin
    d_o = '0;
    if (sum_i) d_o = add_f64(product_q, c_i);
  end

endmodule
