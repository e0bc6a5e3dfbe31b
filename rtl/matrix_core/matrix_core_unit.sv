// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// One step of one result of 32 bits in every format of Arch, in two stages: what the factors make with
// load_i, the sum with c_i while sum_i is high.

`include "cuvette_mutant.svh"

module matrix_core_unit
  import matrix_op_pkg::*;
#(
  parameter  int unsigned Arch  = ArchGfx908,
  localparam bit          Flush = Arch == ArchGfx90a
) (
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

  if (Arch > LastArch) begin : gen_bad_arch
    $fatal(1, "matrix_core_unit: Arch is %0d, expected 0 to %0d", Arch, LastArch);
  end

  logic [31:0] d_f32;
  logic [31:0] d_f16;
  logic [31:0] d_bf16;
  logic [31:0] d_i8;
  logic [31:0] d_bf16_k1;

  fp32_fma u_f32 (
    .clk_i,
    .load_i (load_i && (load_format_i == FormatF32)),
    .a_i    (a_i[31:0]),
    .b_i    (b_i[31:0]),
    .sum_i  (sum_i && (sum_format_i == FormatF32)),
    .c_i,
    .d_o    (d_f32)
  );

  fp_dot #(.Terms(4), .Bfloat(1'b0), .Flush(Flush)) u_f16 (
    .clk_i,
    .load_i (load_i && (load_format_i == FormatF16)),
    .a_i,
    .b_i,
    .sum_i  (sum_i && (sum_format_i == FormatF16)),
    .c_i,
    .d_o    (d_f16)
  );

  fp_dot #(.Terms(2), .Bfloat(1'b1), .Flush(Flush)) u_bf16 (
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

  if (Arch == ArchGfx90a) begin : gen_bf16_k1
    fp_dot #(.Terms(4), .Bfloat(1'b1), .Flush(Flush)) u_bf16_k1 (
      .clk_i,
      .load_i (load_i && (load_format_i == FormatBf16K1)),
      .a_i,
      .b_i,
      .sum_i  (sum_i && (sum_format_i == FormatBf16K1)),
      .c_i,
      .d_o    (d_bf16_k1)
    );
  end else begin : gen_no_bf16_k1
    assign d_bf16_k1 = '0;
  end

  // All but one are 0.
  assign d_o = d_f32 | d_f16 | d_bf16 | d_i8 | d_bf16_k1;

endmodule
