// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// What an operation writes, which mode it runs in and which stages it needs. Purely combinational.

`include "cuvette_mutant.svh"

module valu_decode
  import fp32_pkg::*;
  import valu_op_pkg::*;
  import valu_pkg::*;
(
  input  logic [7:0] op_i,
  input  logic [1:0] round_i,
  input  logic [1:0] denorm_i,
  input  logic       dx10_clamp_i,
  input  logic       ieee_i,
  input  logic [2:0] abs_i,
  input  logic [2:0] neg_i,
  input  logic [1:0] omod_i,
  input  logic       clamp_i,

  output control_t   control_o,
  output logic       writes_dst_o,
  output logic       has_mask_o,
  output logic       is_float_o,
  output logic       finishes_o,
  output logic       is_wide_o,
  output logic       accumulates_o
);

  unit_e      unit;
  logic [3:0] func;
  logic       two_roundings;

  assign unit = unit_e'(op_i[7:4]);
  assign func = op_i[3:0];

  // V_MAD and V_MAC flush subnormals whatever MODE says (MI100 ISA "Denormalized modes").
  assign two_roundings = (unit == UnitFloatSum) &&
                         ((func == FuncMadF32) || (func == FuncMacF32));

  always_comb begin
    control_o            = '0;
    control_o.unit       = unit;
    control_o.func       = func;
    control_o.round      = round_e'(round_i);
    // V_DIV_FMAS takes subnormal operands whatever MODE says.
    control_o.flush_in   = (`MUTANT(25, !denorm_i[0], !denorm_i[1]) || two_roundings) &&
                           !((unit == UnitFloatSum) && (func == FuncDivFmasF32));
    control_o.flush_out  = !denorm_i[1] || two_roundings;
    control_o.dx10_clamp = dx10_clamp_i;
    control_o.ieee       = ieee_i;
    control_o.abs_en     = abs_i;
    control_o.neg_en     = neg_i;
    // OMOD takes part only where MODE flushes results and is not IEEE (MI100 ISA 6.2).
    control_o.omod       = (denorm_i[1] || `MUTANT(33, ieee_i, 1'b0)) ? OmodNone : omod_e'(omod_i);
    control_o.clamp      = clamp_i;
  end

  always_comb begin
    writes_dst_o = 1'b1;
    has_mask_o   = 1'b0;
    is_float_o   = 1'b0;
    unique case (unit)
      UnitAdd: has_mask_o = (func >= FuncAddCoU32) && (func <= FuncSubbrevCoU32);
      UnitCompare: begin
        writes_dst_o = 1'b0;
        has_mask_o   = 1'b1;
      end
      UnitFloatCompare: begin
        writes_dst_o = `MUTANT(26, 1'b0, 1'b1);
        has_mask_o   = 1'b1;
        is_float_o   = 1'b1;
      end
      UnitFloatSum, UnitConvert: is_float_o = 1'b1;
      UnitFloatMinMax: begin
        is_float_o = 1'b1;
        has_mask_o = func == FuncDivScaleF32;
      end
      UnitWide: has_mask_o = (func == FuncMadU64U32) || (func == FuncMadI64I32);
      default: ;
    endcase
  end

  // Binary32 results: rounded and modified in the last stage. Conversions to integers are complete
  // before and have no output modifiers.
  assign finishes_o = is_float_o && writes_dst_o &&
      !((unit == UnitConvert) && (func >= FuncCvtI32F32) && (func <= FuncCvtFlrI32F32));

  assign is_wide_o = unit == UnitWide;

  assign accumulates_o = (unit == UnitFloatSum) && ((func == FuncFmacF32) || (func == FuncMacF32));

endmodule
