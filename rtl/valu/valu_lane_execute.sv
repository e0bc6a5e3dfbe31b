// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// First execution stage of one lane: input modifiers; integer operations, compares, minima and
// special values complete here; sums leave as two terms. The requester sets no modifiers that an
// instruction lacks; of the integer unit only V_CNDMASK has abs and neg.

`include "cuvette_mutant.svh"

module valu_lane_execute
  import fp32_pkg::*;
  import valu_op_pkg::*;
  import valu_pkg::*;
(
  input  logic        enable_i,
  input  control_t    control_i,
  input  logic        is_float_i,
  input  logic [63:0] src0_i,
  input  logic [63:0] src1_i,
  input  logic [63:0] src2_i,
  input  logic        mask_i,
  input  logic [ 5:0] lane_i,  // within the wavefront

  output early_t      early_o,
  output term_t       product_o,
  output term_t       addend_o,
  output logic [31:0] high_o,
  output logic        mask_o
);

  logic [31:0] x;
  logic [31:0] y;
  logic [31:0] z;

  assign x = modify_input(src0_i[31:0], control_i.abs_en[0], control_i.neg_en[0]);
  assign y = modify_input(src1_i[31:0], control_i.abs_en[1], control_i.neg_en[`MUTANT(27, 1, 0)]);
  assign z = modify_input(src2_i[31:0], control_i.abs_en[2], control_i.neg_en[2]);

  always_comb begin
    early_o   = '0;
    product_o = '0;
    addend_o  = '0;
    high_o    = '0;
    mask_o    = 1'b0;
    if (enable_i) begin
      if (!is_float_i) begin
        unique case (control_i.unit)
          UnitTernary: early_o.bits = valu_ternary_pkg::ternary(control_i.func, x, y, z);
          UnitMinMax3: early_o.bits = valu_ternary_pkg::min_max_3(control_i.func, x, y, z);
          UnitBits:
            if (control_i.func <= FuncBfmB32) begin
              early_o.bits = valu_ternary_pkg::bits(control_i.func, x, y);
            end else begin
              early_o.bits = valu_byte_pkg::execute(control_i.func, x, y, z, lane_i,
                                                    control_i.clamp);
            end
          UnitMove:
            if (control_i.func <= FuncCndmaskB32) begin
              early_o.bits = valu_int_pkg::move(control_i.func, x, y, mask_i);
            end else begin
              early_o.bits = valu_byte_pkg::pack(control_i.func, x, y);
            end
          UnitMul24:
            early_o.bits = valu_ternary_pkg::multiply_24(control_i.func, x[23:0], y[23:0], z);
          UnitWide:
            valu_wide_pkg::execute(control_i.func, src0_i, src1_i, src2_i, mask_o,
                                   {high_o, early_o.bits});
          default:
            {mask_o, early_o.bits} = valu_int_pkg::execute(control_i.unit, control_i.func, x, y,
                                                           mask_i, control_i.clamp);
        endcase
      end else begin
        unique case (control_i.unit)
          UnitFloatSum:
            valu_float_pkg::begin_sum(control_i, x, y, z, mask_i, product_o, addend_o, early_o);
          UnitConvert:
            valu_convert_pkg::convert(control_i, x, product_o, addend_o, early_o);
          UnitFloatCompare:
            {mask_o, early_o.flags} = valu_float_pkg::compare(control_i, x, y);
          default:
            if (control_i.func <= FuncMaxF32) begin
              {early_o.flags, early_o.bits} = valu_float_pkg::select(control_i, x, y);
            end else begin
              {mask_o, early_o.flags, early_o.bits} =
                  valu_divide_pkg::execute(control_i, x, y, z);
            end
        endcase
      end
    end
  end

endmodule
