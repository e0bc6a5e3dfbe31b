// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// One step of one result of 32 bits in every format of Arch, in two stages: what the factors make
// with load_i, the sum with c_i while sum_i is high.

module matrix_core_unit
  import matrix_op_pkg::*;
#(
  parameter  int unsigned Arch = ArchGfx908,
  localparam int unsigned Bits = step_bits(Arch)
) (
  input  logic            clk_i,

  input  logic            load_i,
  input  op_t             load_op_i,
  input  logic [Bits-1:0] a_i,
  input  logic [Bits-1:0] b_i,

  input  logic            sum_i,
  input  format_e         sum_format_i,
  input  logic            sum_sparse_i,
  input  logic [31:0]     c_i,
  output logic [31:0]     d_o
);

  if (Arch > LastArch) begin : gen_bad_arch
    $fatal(1, "matrix_core_unit: Arch is %0d, expected 0 to %0d", Arch, LastArch);
  end

  logic [31:0] d_f32;
  logic [31:0] d_f16;
  logic [31:0] d_bf16;
  logic [31:0] d_bf16_k1;
  logic [31:0] d_i8;
  logic [31:0] d_fused;

  fp32_fma u_f32 (
    .clk_i,
    .load_i (load_i && (load_op_i.format == FormatF32)),
    .a_i    (a_i[31:0]),
    .b_i    (b_i[31:0]),
    .sum_i  (sum_i && (sum_format_i == FormatF32)),
    .c_i,
    .d_o    (d_f32)
  );

  // All but one are 0.
  assign d_o = d_f32 | d_f16 | d_bf16 | d_bf16_k1 | d_i8 | d_fused;

  if (Arch == ArchGfx942) begin : gen_fused
    localparam int unsigned Terms = 16;
    logic        load_fused;
    logic        sum_fused;
    logic        load_i8;
    logic        sum_i8;
    logic [31:0] d_i8_lower;
    logic [31:0] d_i8_upper;

    assign load_fused = load_i && (load_op_i.format inside {FormatF16, FormatBf16, FormatXf32,
                                                            FormatF8});
    assign sum_fused  = sum_i && (sum_format_i inside {FormatF16, FormatBf16, FormatXf32, FormatF8});
    assign load_i8    = load_i && (load_op_i.format == FormatI8);
    assign sum_i8     = sum_i && (sum_format_i == FormatI8);

    matrix_core_fused u_fused (
      .clk_i,
      .load_i       (load_fused),
      .load_op_i,
      .a_i,
      .b_i,
      .sum_i        (sum_fused),
      .sum_sparse_i,
      .c_i,
      .d_o          (d_fused)
    );

    int8_dot #(.Terms(Terms)) u_i8_lower (
      .clk_i,
      .load_i (load_i8),
      .a_i    (a_i[127:0]),
      .b_i    (b_i[127:0]),
      .sum_i  (sum_i8),
      .c_i,
      .d_o    (d_i8_lower)
    );

    int8_dot #(.Terms(Terms)) u_i8_upper (
      .clk_i,
      .load_i (load_i8 && load_op_i.sparse),
      .a_i    (a_i[255:128]),
      .b_i    (b_i[255:128]),
      .sum_i  (sum_i8 && sum_sparse_i),
      .c_i    (d_i8_lower),
      .d_o    (d_i8_upper)
    );

    assign d_i8      = sum_sparse_i ? d_i8_upper : d_i8_lower;
    assign d_f16     = '0;
    assign d_bf16    = '0;
    assign d_bf16_k1 = '0;
  end else begin : gen_narrow
    if (Arch == ArchGfx908) begin : gen_exact
      exact_dot #(.Bfloat(1'b0)) u_f16 (
        .clk_i,
        .load_i (load_i && (load_op_i.format == FormatF16)),
        .a_i    (a_i[63:0]),
        .b_i    (b_i[63:0]),
        .sum_i  (sum_i && (sum_format_i == FormatF16)),
        .c_i,
        .d_o    (d_f16)
      );

      exact_dot #(.Bfloat(1'b1)) u_bf16 (
        .clk_i,
        .load_i (load_i && (load_op_i.format == FormatBf16)),
        .a_i    (a_i[31:0]),
        .b_i    (b_i[31:0]),
        .sum_i  (sum_i && (sum_format_i == FormatBf16)),
        .c_i,
        .d_o    (d_bf16)
      );

      assign d_bf16_k1 = '0;
    end else begin : gen_pairwise
      fp_dot #(.Terms(4), .Bfloat(1'b0)) u_f16 (
        .clk_i,
        .load_i (load_i && (load_op_i.format == FormatF16)),
        .a_i    (a_i[63:0]),
        .b_i    (b_i[63:0]),
        .sum_i  (sum_i && (sum_format_i == FormatF16)),
        .c_i,
        .d_o    (d_f16)
      );

      fp_dot #(.Terms(2), .Bfloat(1'b1)) u_bf16 (
        .clk_i,
        .load_i (load_i && (load_op_i.format == FormatBf16)),
        .a_i    (a_i[31:0]),
        .b_i    (b_i[31:0]),
        .sum_i  (sum_i && (sum_format_i == FormatBf16)),
        .c_i,
        .d_o    (d_bf16)
      );

      fp_dot #(.Terms(4), .Bfloat(1'b1)) u_bf16_k1 (
        .clk_i,
        .load_i (load_i && (load_op_i.format == FormatBf16K1)),
        .a_i    (a_i[63:0]),
        .b_i    (b_i[63:0]),
        .sum_i  (sum_i && (sum_format_i == FormatBf16K1)),
        .c_i,
        .d_o    (d_bf16_k1)
      );
    end

    int8_dot #(.Terms(4)) u_i8 (
      .clk_i,
      .load_i (load_i && (load_op_i.format == FormatI8)),
      .a_i    (a_i[31:0]),
      .b_i    (b_i[31:0]),
      .sum_i  (sum_i && (sum_format_i == FormatI8)),
      .c_i    (c_i),
      .d_o    (d_i8)
    );

    assign d_fused = '0;
  end

endmodule
