// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// First execution stage of one lane. Binary32 sums leave as two terms, other binary32 results wait
// for their output modifiers; everything else completes here. Modifiers that an instruction lacks
// have no effect.

module valu_lane_execute
  import fp32_pkg::*;
  import valu_op_pkg::*;
  import valu_unit_pkg::*;
#(
  parameter int unsigned Arch = ArchGfx908
) (
  input  logic        enable_i,
  input  control_t    control_i,
  input  logic [63:0] src0_i,
  input  logic [63:0] src1_i,
  input  logic [63:0] src2_i,
  input  logic [31:0] old_i,
  input  logic        mask_i,
  input  logic [ 5:0] lane_i,  // within the wavefront

  output early_t      early_o,
  output term_t       product_o,
  output term_t       addend_o,
  output logic [31:0] high_o,
  output logic        mask_o
);

  if (Arch > LastArch) begin : gen_bad_arch
    $fatal(1, "valu_lane_execute: Arch is %0d, expected 0 to %0d", Arch, LastArch);
  end

  // Circuits that few instruction sets need.
  localparam logic HasWordPairs   = has_op(Arch, {UnitPacked, FuncPkFmaF32});
  localparam logic HasByteFloats  = has_op(Arch, {UnitRepack, FuncCvtF32Fp8});
  localparam logic HasSeparateMix = has_op(Arch, {UnitMix, FuncMadMixF32});
  localparam logic HasDots        = has_op(Arch, {UnitMix, FuncDot2F32F16});

  // Sources as integers, and as binary32 with their signs edited.
  logic [31:0] a;
  logic [31:0] b;
  logic [31:0] c;
  logic [31:0] x;
  logic [31:0] y;
  logic [31:0] z;

  assign a = src0_i[31:0];
  assign b = src1_i[31:0];
  assign c = src2_i[31:0];
  assign x = modify_input(a, control_i.abs_en[0], control_i.neg_en[0]);
  assign y = modify_input(b, control_i.abs_en[1], control_i.neg_en[1]);
  assign z = modify_input(c, control_i.abs_en[2], control_i.neg_en[2]);

  always_comb begin
    early_o   = '0;
    product_o = '0;
    addend_o  = '0;
    high_o    = '0;
    mask_o    = 1'b0;
    if (enable_i) begin
      unique case (control_i.unit)
        UnitTernary: early_o.bits = valu_ternary_pkg::ternary(control_i.func, a, b, c);
        UnitMinMax3: early_o.bits = valu_ternary_pkg::min_max_3(control_i.func, a, b, c);
        UnitBits:
          if (control_i.func <= FuncBfmB32) begin
            early_o.bits = valu_ternary_pkg::bits(control_i.func, a, b);
          end else begin
            early_o.bits = valu_byte_pkg::execute(control_i.func, a, b, c, lane_i,
                                                  control_i.clamp);
          end
        UnitMove:
          if (control_i.func == FuncCndmaskB32) begin
            early_o.bits = valu_int_pkg::move(control_i.func, x, y, mask_i);
          end else if (control_i.func < FuncCndmaskB32) begin
            early_o.bits = valu_int_pkg::move(control_i.func, a, b, mask_i);
          end else begin
            early_o.bits = valu_byte_pkg::pack(control_i.func, a, b);
          end
        UnitMul24:
          early_o.bits = valu_ternary_pkg::multiply_24(control_i.func, a[23:0], b[23:0], c,
                                                       control_i.clamp);
        UnitWide:
          valu_wide_pkg::execute(control_i.func, src0_i, src1_i, src2_i, control_i.pass,
                                 control_i.clamp, mask_o, {high_o, early_o.bits});
        UnitInt16: early_o.bits = valu_int16_pkg::single(control_i, a, b, c, old_i);
        UnitDot:   if (HasDots) early_o.bits = valu_int16_pkg::dot(control_i, a, b, c);
        UnitCompareShortLong:
          mask_o = valu_int16_pkg::compare(control_i.func, src0_i, src1_i);

        UnitFloatSum:
          valu_float_pkg::begin_sum(control_i, x, y, z, mask_i, product_o, addend_o, early_o);
        UnitConvert:
          valu_convert_pkg::convert(control_i, (control_i.func <= FuncCvtF32Ubyte3) ? a : x,
                                    product_o, addend_o, early_o);
        UnitFloatCompare:
          {mask_o, early_o.flags} = valu_float_pkg::compare(control_i, x, y);
        UnitFloatMinMax:
          if (control_i.func <= FuncMaxF32) begin
            {early_o.flags, early_o.bits} = valu_float_pkg::select(control_i, x, y);
          end else begin
            {mask_o, early_o.flags, early_o.bits} = valu_divide_pkg::execute(control_i, x, y, z);
          end
        UnitFraction:
          if (control_i.func >= FuncMulLegacyF32) begin
            {early_o.flags, early_o.bits} = valu_fp16_mixed_pkg::legacy(control_i, x, y, z);
          end else begin
            {early_o.flags, early_o.bits} = valu_unary_pkg::single(control_i, x, b);
          end
        UnitCube: {early_o.flags, early_o.bits} = valu_fp16_mixed_pkg::cube(control_i, x, y, z);
        UnitRepack:
          if (HasByteFloats && (control_i.func >= FuncCvtF32Fp8)) begin
            valu_byte_float_pkg::execute(control_i, x, y, a, b, old_i,
                                         {mask_o, early_o.flags, high_o, early_o.bits});
          end else begin
            {early_o.flags, early_o.bits} =
                valu_convert_fp16_pkg::execute(control_i, x, y, a, b, c, old_i);
          end
        UnitHalfSum:
          {early_o.flags, early_o.bits} = valu_fp16_mixed_pkg::sum(control_i, a, b, c, old_i);
        UnitHalfUnary:
          {early_o.flags, early_o.bits} = valu_unary_pkg::half(control_i, a, b, c, old_i);
        UnitPacked:
          if (HasWordPairs && (control_i.func >= FuncPkFmaF32)) begin
            valu_word_pair_pkg::execute(control_i, src0_i, src1_i, src2_i,
                                        {mask_o, early_o.flags, high_o, early_o.bits});
          end else if (control_i.func < FuncPkFmaF16) begin
            early_o.bits = valu_int16_pkg::pair(control_i, a, b, c);
          end else begin
            {early_o.flags, early_o.bits} = valu_fp16_mixed_pkg::pair(control_i, a, b, c);
          end
        UnitMix:
          if (HasDots && ((control_i.func == FuncDot2F32F16) ||
                          (control_i.func == FuncDot2cF32F16))) begin
            {early_o.flags, early_o.bits} = valu_fp16_mixed_pkg::dot(control_i, a, b, c);
          end else begin
            {early_o.flags, early_o.bits} = valu_fp16_mixed_pkg::mix(control_i, HasSeparateMix, a, b, c,
                                                               old_i);
          end
        UnitTranscendental:
          {early_o.flags, early_o.bits} =
              valu_transcendental_pkg::lane(control_i, x, a, old_i);
        UnitSelect:
          valu_minmax_pkg::select(control_i, src0_i, src1_i, src2_i, old_i,
                                  {mask_o, early_o.flags, high_o, early_o.bits});
        UnitCompareHalfDouble:
          {mask_o, early_o.flags} = valu_minmax_pkg::compare(control_i, src0_i, src1_i);
        UnitDoubleSum:
          valu_double_pkg::sum(control_i, src0_i, src1_i, src2_i, mask_i,
                               {early_o.flags, high_o, early_o.bits});
        UnitDoubleUnary:
          if ((control_i.func >= FuncRcpF64) && (control_i.func <= FuncDivFixupF64)) begin
            valu_double_divide_pkg::execute(control_i, src0_i, src1_i, src2_i,
                                            {mask_o, early_o.flags, high_o, early_o.bits});
          end else begin
            valu_double_pkg::unary(control_i, src0_i, b,
                                   {early_o.flags, high_o, early_o.bits});
          end
        default:
          {mask_o, early_o.bits} = valu_int_pkg::execute(control_i.unit, control_i.func, a, b,
                                                         mask_i, control_i.clamp);
      endcase
    end
  end

endmodule
