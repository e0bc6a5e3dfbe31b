// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The arithmetic cells of rtl/common at the parameters their test wants (tests/rtl/fp_cells_test.cpp).
module fp_cells_tb (
  input  logic                clk_i,

  // lzc, widths 2, 11, 32 and 64 of the low bits
  input  logic [63:0]         value_i,
  output logic [0:0]          count_2_o,
  output logic [3:0]          count_11_o,
  output logic [4:0]          count_32_o,
  output logic [5:0]          count_64_o,
  output logic [3:0]          empty_o,

  // fp32_round, 64 bits and the highest 26 of them
  input  logic                sign_i,
  input  logic signed [11:0]  exp_i,
  input  logic [63:0]         sig_i,
  input  fp32_pkg::round_e    mode_i,
  input  logic                flush_i,
  output logic [31:0]         round_64_o,
  output fp32_pkg::flags_t    flags_64_o,
  output logic [31:0]         round_26_o,
  output fp32_pkg::flags_t    flags_26_o,

  // The rest: factors in one cycle, the sum in the next
  input  logic                load_i,
  input  logic [127:0]        a_i,
  input  logic [127:0]        b_i,
  input  logic                sum_i,
  input  logic [31:0]         c_i,
  output logic [31:0]         fma_o,
  output logic [31:0]         exact_f16_o,
  output logic [31:0]         exact_bf16_o,
  output logic [31:0]         dot_f16_2_o,
  output logic [31:0]         dot_f16_4_o,
  output logic [31:0]         dot_bf16_2_o,
  output logic [31:0]         dot_bf16_4_o,
  output logic [31:0]         dot_i8_1_o,
  output logic [31:0]         dot_i8_4_o,
  output logic [31:0]         dot_i8_16_o,
  input  logic [63:0]         wide_c_i,
  output logic [63:0]         wide_fma_o,
  input  logic                flush_in_i,
  input  logic                stays_finite_i,
  output logic [15:0]         half_fma_o,
  output fp32_pkg::flags_t    half_flags_o,
  input  fused_dot_pkg::factor_e fused_format_i,
  input  logic                a_bf8_i,
  input  logic                b_bf8_i,
  output logic [31:0]         fused_o
);

  lzc #(.Width(2))  u_lzc_2  (.value_i(value_i[1:0]),  .count_o(count_2_o),  .empty_o(empty_o[0]));
  lzc #(.Width(11)) u_lzc_11 (.value_i(value_i[10:0]), .count_o(count_11_o), .empty_o(empty_o[1]));
  lzc #(.Width(32)) u_lzc_32 (.value_i(value_i[31:0]), .count_o(count_32_o), .empty_o(empty_o[2]));
  lzc #(.Width(64)) u_lzc_64 (.value_i(value_i),       .count_o(count_64_o), .empty_o(empty_o[3]));

  fp32_round #(.SigWidth(64)) u_round_64 (
    .sign_i, .exp_i, .sig_i(sig_i), .mode_i, .flush_i, .bits_o(round_64_o), .flags_o(flags_64_o)
  );
  fp32_round #(.SigWidth(26)) u_round_26 (
    .sign_i, .exp_i, .sig_i(sig_i[63:38]), .mode_i, .flush_i, .bits_o(round_26_o),
    .flags_o(flags_26_o)
  );

  fp32_fma u_fma (
    .clk_i, .load_i, .a_i(a_i[31:0]), .b_i(b_i[31:0]), .sum_i, .c_i, .d_o(fma_o)
  );
  exact_dot #(.Bfloat(1'b0)) u_exact_f16 (
    .clk_i, .load_i, .a_i(a_i[63:0]), .b_i(b_i[63:0]), .sum_i, .c_i, .d_o(exact_f16_o)
  );
  exact_dot #(.Bfloat(1'b1)) u_exact_bf16 (
    .clk_i, .load_i, .a_i(a_i[31:0]), .b_i(b_i[31:0]), .sum_i, .c_i, .d_o(exact_bf16_o)
  );
  int8_dot #(.Terms(1)) u_dot_i8_1 (
    .clk_i, .load_i, .a_i(a_i[7:0]), .b_i(b_i[7:0]), .sum_i, .c_i, .d_o(dot_i8_1_o)
  );
  int8_dot #(.Terms(4)) u_dot_i8_4 (
    .clk_i, .load_i, .a_i(a_i[31:0]), .b_i(b_i[31:0]), .sum_i, .c_i, .d_o(dot_i8_4_o)
  );
  int8_dot #(.Terms(16)) u_dot_i8_16 (
    .clk_i, .load_i, .a_i, .b_i, .sum_i, .c_i, .d_o(dot_i8_16_o)
  );
  // As matrix_core_operands gives it to pairwise groups.
  logic [31:0] flushed_c;
  assign flushed_c = fp_mac_pkg::flush_operand(c_i);
  fp_dot #(.Terms(2), .Bfloat(1'b0)) u_dot_f16_2 (
    .clk_i, .load_i, .a_i(a_i[31:0]), .b_i(b_i[31:0]), .sum_i, .c_i(flushed_c), .d_o(dot_f16_2_o)
  );
  fp_dot #(.Terms(4), .Bfloat(1'b0)) u_dot_f16_4 (
    .clk_i, .load_i, .a_i(a_i[63:0]), .b_i(b_i[63:0]), .sum_i, .c_i(flushed_c), .d_o(dot_f16_4_o)
  );
  fp_dot #(.Terms(2), .Bfloat(1'b1)) u_dot_bf16_2 (
    .clk_i, .load_i, .a_i(a_i[31:0]), .b_i(b_i[31:0]), .sum_i, .c_i(flushed_c), .d_o(dot_bf16_2_o)
  );
  fp_dot #(.Terms(4), .Bfloat(1'b1)) u_dot_bf16_4 (
    .clk_i, .load_i, .a_i(a_i[63:0]), .b_i(b_i[63:0]), .sum_i, .c_i(flushed_c), .d_o(dot_bf16_4_o)
  );
  fp64_fma u_wide_fma (
    .clk_i, .load_i, .a_i(a_i[63:0]), .b_i(b_i[63:0]), .sum_i, .c_i(wide_c_i), .d_o(wide_fma_o)
  );
  fp16_fma u_half_fma (
    .clk_i, .flush_in_i, .load_i, .a_i(a_i[15:0]), .b_i(b_i[15:0]), .sum_i, .c_i(c_i[15:0]),
    .mode_i, .flush_out_i(flush_i), .stays_finite_i, .d_o(half_fma_o), .flags_o(half_flags_o)
  );
  fused_dot u_fused (
    .clk_i, .load_i, .format_i(fused_format_i), .a_bf8_i, .b_bf8_i, .a_i, .b_i, .sum_i, .c_i,
    .d_o(fused_o)
  );

endmodule
