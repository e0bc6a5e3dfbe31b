// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Fused multiply-add of binary16 as V_FMA_F16 computes it (floating_point.md), in two stages:
// the exact product is taken with load_i; while sum_i is high d_o is the last product taken plus
// c_i and flags_o has the exceptions of all three operands and of the result, otherwise both are 0.
// flush_in_i counts with each of the operands, the other modes with sum_i.

module fp16_fma
  import fp16_pkg::*;
  import fp32_pkg::*;
(
  input  logic        clk_i,

  input  logic        flush_in_i,   // subnormal operands are zeros

  input  logic        load_i,
  input  logic [15:0] a_i,
  input  logic [15:0] b_i,

  input  logic        sum_i,
  input  logic [15:0] c_i,
  input  round_e      mode_i,
  input  logic        flush_out_i,      // tiny results are zeros
  input  logic        stays_finite_i,   // MODE.FP16_OVFL
  output logic [15:0] d_o,
  output flags_t      flags_o
);

  product_t product_q;
  fused_t   sum;
  result_t  result;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      product_q <= multiply(take_half(a_i, flush_in_i), take_half(b_i, flush_in_i));
    end
  end

  always_comb begin
    sum     = '0;
    result  = '0;
    d_o     = '0;
    flags_o = '0;
    if (sum_i) begin
      sum     = add_product(product_q, take_half(c_i, flush_in_i), mode_i);
      result  = round_half(sum.finite.sign, sum.finite.exp, sum.finite.sig, mode_i, flush_out_i,
                           stays_finite_i);
      d_o     = sum.special ? narrowed(sum.bits) : result.bits[15:0];
      flags_o = sum.special ? sum.flags : (sum.flags | result.flags);
    end
  end

endmodule
