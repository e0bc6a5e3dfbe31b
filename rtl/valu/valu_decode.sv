// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Decoder of an operation: the registers it writes, the mode it runs in and the stages it needs. An
// operation that Arch does not have goes to no unit. Purely combinational.

module valu_decode
  import fp32_pkg::*;
  import valu_op_pkg::*;
  import valu_unit_pkg::*;
#(
  parameter int unsigned Arch = ArchGfx908
) (
  input  logic [9:0] op_i,
  input  logic       pass_i,
  input  logic [1:0] round_i,
  input  logic [1:0] round_hd_i,
  input  logic [1:0] denorm_i,
  input  logic [1:0] denorm_hd_i,
  input  logic       dx10_clamp_i,
  input  logic       ieee_i,
  input  logic       fp16_ovfl_i,
  input  logic [2:0] abs_i,
  input  logic [2:0] neg_i,
  input  logic [2:0] neg_hi_i,
  input  logic [3:0] op_sel_i,
  input  logic [2:0] op_sel_hi_i,
  input  logic [1:0] omod_i,
  input  logic       clamp_i,
  input  logic [2:0] sdwa_dst_i,
  input  logic [1:0] sdwa_unused_i,

  output control_t   control_o,
  output logic       writes_dst_o,
  output logic       has_mask_o,
  output logic       finishes_o,
  output logic       is_wide_o,
  output logic       accumulates_o
);

  if (Arch > LastArch) begin : gen_bad_arch
    $fatal(1, "valu_decode: Arch is %0d, expected 0 to %0d", Arch, LastArch);
  end

  unit_e      unit;
  logic [4:0] func;
  logic       two_roundings;
  logic       mixes_apart;
  logic       dots;
  logic       takes_all;

  assign unit = has_op(Arch, op_i) ? unit_e'(op_i[9:5]) : UnitNone;
  assign func = op_i[4:0];

  // V_MAD and V_MAC flush subnormals whatever MODE says (MI100 ISA "Denormalized modes").
  assign two_roundings = ((unit == UnitFloatSum) &&
                          ((func == FuncMadF32) || (func == FuncMacF32))) ||
                         ((unit == UnitFraction) && (func == FuncMadLegacyF32)) ||
                         ((unit == UnitHalfSum) && (func >= FuncMadF16));
  // V_MAD_MIX flushes those of binary32, and those of binary16 in its results; operands of binary16
  // are as MODE says (docs/reference/decisions.md D5, D53).
  assign mixes_apart = (unit == UnitMix) && (func >= FuncMadMixF32);
  // V_DOT2_F32_F16 flushes those of binary32; those of binary16 are a matter of Arch (D52).
  assign dots        = (unit == UnitMix) && ((func == FuncDot2F32F16) || (func == FuncDot2cF32F16));
  // V_DIV_FMAS takes subnormal operands whatever MODE says.
  assign takes_all = ((unit == UnitFloatSum) && (func == FuncDivFmasF32)) ||
                     ((unit == UnitDoubleSum) && (func == FuncDivFmasF64));

  always_comb begin
    control_o              = '0;
    control_o.unit         = unit;
    control_o.func         = func;
    control_o.pass         = pass_i;
    control_o.round        = round_e'(round_i);
    control_o.round_hd     = round_e'(round_hd_i);
    control_o.flush_in     = (!denorm_i[0] || two_roundings || mixes_apart || dots) && !takes_all;
    control_o.flush_out    = !denorm_i[1] || two_roundings || mixes_apart || dots;
    control_o.flush_in_hd  = dots ? (Arch == ArchGfx90a) :
                             ((!denorm_hd_i[0] || two_roundings) && !takes_all);
    control_o.flush_out_hd = !denorm_hd_i[1] || two_roundings || mixes_apart;
    control_o.dx10_clamp   = dx10_clamp_i;
    control_o.ieee         = ieee_i;
    control_o.fp16_ovfl    = fp16_ovfl_i;
    control_o.abs_en       = abs_i;
    control_o.neg_en       = neg_i;
    if (accumulates_o) begin
      // The destination as the third source has no modifiers.
      control_o.abs_en[2] = 1'b0;
      control_o.neg_en[2] = 1'b0;
    end
    control_o.neg_hi       = neg_hi_i;
    control_o.op_sel       = op_sel_i;
    control_o.op_sel_hi    = op_sel_hi_i;
    // OMOD takes part only where MODE flushes results and is not IEEE (MI100 ISA 6.2).
    control_o.omod         = (denorm_i[1] || ieee_i) ? OmodNone : omod_e'(omod_i);
    control_o.omod_hd      = (denorm_hd_i[1] || ieee_i) ? OmodNone : omod_e'(omod_i);
    control_o.clamp        = clamp_i;
    // A result of two registers has no select.
    control_o.sdwa_dst     = is_wide_o ? SelectDword : sdwa_dst_i;
    control_o.sdwa_unused  = sdwa_unused_i;
  end

  // Binary32 results are rounded and modified in the last stage. Conversions to integers and all of
  // the units behind Convert that have other results are complete before.
  always_comb begin
    writes_dst_o = 1'b1;
    has_mask_o   = 1'b0;
    finishes_o   = 1'b0;
    is_wide_o    = 1'b0;
    unique case (unit)
      UnitAdd: has_mask_o = (func >= FuncAddCoU32) && (func <= FuncSubbrevCoU32);
      UnitCompare, UnitCompareShortLong, UnitCompareHalfDouble: begin
        writes_dst_o = 1'b0;
        has_mask_o   = 1'b1;
      end
      UnitFloatCompare: begin
        writes_dst_o = 1'b0;
        has_mask_o   = 1'b1;
      end
      UnitFloatSum: finishes_o = 1'b1;
      UnitConvert:  finishes_o = (func < FuncCvtI32F32) || (func > FuncCvtFlrI32F32);
      UnitFloatMinMax: begin
        finishes_o = 1'b1;
        has_mask_o = func == FuncDivScaleF32;
      end
      UnitWide: begin
        is_wide_o  = 1'b1;
        has_mask_o = (func == FuncMadU64U32) || (func == FuncMadI64I32);
      end
      UnitSelect: begin
        if (func >= FuncCmpClassF32) begin
          writes_dst_o = 1'b0;
          has_mask_o   = 1'b1;
        end
        finishes_o = func <= FuncMed3F32;
        is_wide_o  = (func == FuncMinF64) || (func == FuncMaxF64);
      end
      UnitFraction: finishes_o = func != FuncFrexpExpI32F32;
      UnitRepack: begin
        finishes_o = (func == FuncCvtF32F16) || (func == FuncCvtOffF32I4) ||
                     (func == FuncCvtF32Fp8) || (func == FuncCvtF32Bf8);
        is_wide_o  = (func == FuncCvtPkF32Fp8) || (func == FuncCvtPkF32Bf8);
      end
      UnitPacked:   is_wide_o = func >= FuncPkFmaF32;
      UnitCube:     finishes_o = 1'b1;
      UnitMix:      finishes_o = (func != FuncFmaMixloF16) && (func != FuncFmaMixhiF16) &&
                                 (func <= FuncMadMixF32);
      UnitTranscendental: finishes_o = func <= FuncCosF32;
      UnitDoubleSum: is_wide_o = 1'b1;
      UnitDoubleUnary: begin
        is_wide_o  = !((func == FuncFrexpExpI32F64) || (func == FuncCvtI32F64) ||
                       (func == FuncCvtU32F64) || (func == FuncCvtF32F64));
        has_mask_o = func == FuncDivScaleF64;
        finishes_o = func == FuncCvtF32F64;
      end
      default: ;
    endcase
  end

  // The destination is the third operand.
  assign accumulates_o =
      ((unit == UnitFloatSum) && ((func == FuncFmacF32) || (func == FuncMacF32))) ||
      ((unit == UnitHalfSum) && (func == FuncMacF16)) ||
      ((unit == UnitDoubleSum) && (func == FuncFmacF64)) ||
      ((unit == UnitPacked) && (func == FuncPkFmacF16)) ||
      ((unit == UnitMix) && (func == FuncDot2cF32F16)) ||
      ((unit == UnitDot) && (func >= FuncDot2cI32I16)) ||
      ((unit == UnitRepack) && (func == FuncCvtPkaccumU8F32));

endmodule
