// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Integral values, fractions, exponents, reciprocals, roots and the end of a division in binary16
// and the fractions and exponents of binary32 (Vega ISA 12.7, 12.9; floating_point.md).

package valu_unary_pkg;

  import fp16_pkg::*;
  import fp32_pkg::*;
  import valu_fp16_pkg::*;
  import valu_op_pkg::*;
  import valu_unit_pkg::*;

  // A NaN operand quieted, its signaling reported.
  function automatic result_t nan_result(input rules_t rules, input number_t x);
    result_t result;
    result               = '0;
    result.flags.invalid = x.op.snan;
    result.bits          = quiet_nan(rules, x.bits);
    return result;
  endfunction

  // A result that is the operand itself: NaN, infinity or zero.
  function automatic result_t same(input rules_t rules, input number_t x);
    if (x.op.nan) return nan_result(rules, x);
    return {7'd0, shaped(rules, {x.op.sign, x.op.inf ? Infinity : 31'd0})};
  endfunction

  function automatic logic is_special(input operand_t x);
    return x.nan || x.inf || x.zero;
  endfunction

  // An integer in the direction given.
  function automatic result_t integral(input rules_t rules, input number_t x,
                                       input round_e direction);
    valu_convert_pkg::integral_t number;
    if (is_special(x.op)) return same(rules, x);
    if (x.op.exp > 12'sd150) return round_any(rules, x.op.sign, x.op.exp, {x.op.sig, 40'd0});
    number = valu_convert_pkg::integral(x.op, direction);
    return round_any(rules, x.op.sign, 12'sd190, {31'd0, number.value});
  endfunction

  function automatic round_e direction_of(input logic [4:0] func);
    unique case (func)
      FuncTruncF16: return RoundZero;
      FuncCeilF16:  return RoundPlusInf;
      FuncFloorF16: return RoundMinusInf;
      default:      return RoundNearestEven;
    endcase
  endfunction

  // x - floor(x), rounded, and below one.
  function automatic result_t fraction(input rules_t rules, input number_t x);
    valu_convert_pkg::integral_t number;
    result_t                     result;
    term_t                       whole;
    logic [5:0]                  zeros;
    if (x.op.nan) return nan_result(rules, x);
    if (x.op.inf) begin
      result               = '0;
      result.flags.invalid = 1'b1;
      result.bits          = shaped(rules, DefaultNan);
      return result;
    end
    whole = term_of(x.op);
    if (!x.op.zero && (x.op.exp <= 12'sd150)) begin
      number    = valu_convert_pkg::integral(x.op, RoundMinusInf);
      // Terms have their leading one at the top.
      whole.sig = {number.value, 15'd0};
      whole.exp = 12'sd158;
      if (number.value != 33'd0) begin
        zeros     = leading_zeros({number.value, 31'd0});
        whole.sig = whole.sig << zeros;
        whole.exp = whole.exp - $signed({6'd0, zeros});
      end
    end
    whole.sign = !x.op.sign;
    result     = rounded_sum(rules, term_of(x.op), whole);
    if (!rules.half && (result.bits == One)) result.bits = One - 32'd1;
    if (rules.half && (result.bits[15:0] == HalfOne)) result.bits = {16'd0, HalfOne} - 32'd1;
    return result;
  endfunction

  // Mantissa in [0.5, 1).
  function automatic result_t mantissa(input rules_t rules, input number_t x);
    if (is_special(x.op)) return same(rules, x);
    return round_number(rules, x.op.sign, 12'sd126, {x.op.sig, 40'd0});
  endfunction

  // The exponent of that mantissa, an integer; 0 for what has none.
  function automatic result_t exponent(input number_t x);
    result_t            result;
    logic signed [11:0] value;
    result = '0;
    value  = x.op.exp - 12'sd126;
    if (is_special(x.op)) begin
      result.flags.invalid = x.op.snan;
    end else begin
      result.bits = {{20{value[11]}}, value};
    end
    return result;
  endfunction

  // x * 2^by.
  function automatic result_t scaled(input rules_t rules, input number_t x,
                                     input logic signed [31:0] by);
    logic signed [11:0] power;
    if (is_special(x.op)) return same(rules, x);
    // Beyond the whole range of both formats.
    power = by[11:0];
    if (by > 32'sd1000) power = 12'sd1000;
    if (by < -32'sd1000) power = -12'sd1000;
    return round_number(rules, x.op.sign, x.op.exp + power, {x.op.sig, 40'd0});
  endfunction

  // V_RCP, V_SQRT, V_RSQ of binary16: nearest even, subnormals as MODE says.
  function automatic result_t machine_function(input rules_t mode, input logic [4:0] func,
                                               input number_t x);
    /* verilator no_inline_task */
    result_t            result;
    rules_t             rules;
    logic signed [11:0] half;
    logic        [24:0] significand;
    logic        [53:0] quotient;
    logic        [26:0] root;
    logic               sticky;
    rules       = mode;
    rules.round = RoundNearestEven;
    result      = '0;
    if (x.op.nan) return nan_result(rules, x);
    if (x.op.zero) begin
      result.flags.div_by_zero = func != FuncSqrtF16;
      result.bits = shaped(rules, {x.op.sign, (func == FuncSqrtF16) ? 31'd0 : Infinity});
      return result;
    end
    if (x.op.sign && (func != FuncRcpF16)) begin
      result.flags.invalid = 1'b1;
      result.bits          = shaped(rules, 32'hffc0_0000);
      return result;
    end
    if (x.op.inf) begin
      result.bits = shaped(rules, {x.op.sign, (func == FuncSqrtF16) ? Infinity : 31'd0});
      return result;
    end
    half        = (x.op.exp - 12'sd150) >>> 1;
    significand = x.op.exp[0] ? {x.op.sig, 1'b0} : {1'b0, x.op.sig};
    if (func == FuncSqrtF16) begin
      {root, sticky} = valu_divide_pkg::square_root({1'b0, significand, 28'd0});
      return round_any(rules, 1'b0, half + 12'sd139, {root, 36'd0, sticky});
    end
    if (func == FuncRsqF16) begin
      quotient       = valu_divide_pkg::divide_power(significand);
      {root, sticky} = valu_divide_pkg::square_root(quotient);
      sticky         = sticky | (significand != 25'h100_0000);
      return round_any(rules, 1'b0, 12'sd115 - half, {root, 36'd0, sticky});
    end
    quotient = valu_divide_pkg::divide_power({1'b0, x.op.sig});
    return round_any(rules, x.op.sign, 12'sd254 - x.op.exp,
                     {quotient, 9'd0, x.op.sig[22:0] != 23'd0});
  endfunction

  // V_DIV_FIXUP_F16: quotient, denominator, numerator. A quotient of binary16 numbers never lies
  // far below them, so that nothing underflows here.
  function automatic result_t fixup(input rules_t rules, input number_t quotient,
                                    input number_t den, input number_t num);
    result_t result;
    logic    sign;
    result = '0;
    sign   = den.op.sign ^ num.op.sign;
    if (num.op.nan || den.op.nan) begin
      result.flags.invalid = num.op.snan || den.op.snan;
      result.bits          = quiet_nan(rules, num.op.nan ? num.bits : den.bits);
    end else if ((den.op.zero && num.op.zero) || (den.op.inf && num.op.inf)) begin
      result.flags.invalid = 1'b1;
      result.bits          = shaped(rules, 32'hffc0_0000);
    end else if (den.op.zero || num.op.inf) begin
      result.flags.div_by_zero = !num.op.inf;
      result.bits              = shaped(rules, {sign, Infinity});
    end else if (den.op.inf || num.op.zero) begin
      result.bits = shaped(rules, {sign, 31'd0});
    end else if (quotient.op.nan) begin
      result.bits = shaped(rules, {sign, Infinity});
    end else begin
      result.bits     = '0;
      result.bits[15] = sign;
    end
    return result;
  endfunction

  // Unit Fraction but for the legacy products. The source has its sign already.
  function automatic result_t single(input control_t ctrl, input logic [31:0] src0,
                                     input logic [31:0] src1);
    /* verilator no_inline_task */
    rules_t  rules;
    number_t x;
    result_t result;
    rules = rules_of(ctrl, 1'b0);
    x     = take_word(src0, rules.flush_in);
    unique case (ctrl.func)
      FuncFractF32:       result = fraction(rules, x);
      FuncFrexpMantF32:   result = mantissa(rules, x);
      FuncFrexpExpI32F32: result = exponent(x);
      default:            result = scaled(rules, x, src1);
    endcase
    result.flags.input_denormal = x.op.denormal;
    return result;
  endfunction

  // Unit HalfUnary.
  function automatic result_t half(input control_t ctrl, input logic [31:0] src0,
                                   input logic [31:0] src1, input logic [31:0] src2,
                                   input logic [31:0] old);
    /* verilator no_inline_task */
    rules_t      rules;
    logic [15:0] bits;
    logic [15:0] by;
    number_t     x;
    number_t     y;
    number_t     z;
    result_t     result;
    logic        modifies;
    rules = rules_of(ctrl, 1'b1);
    bits  = half_source(ctrl, 2'd0, src0);
    x     = take_half(bits, rules.flush_in);
    y     = zero_addend(1'b0);
    z     = zero_addend(1'b0);
    by    = half_of(src1, ctrl.op_sel[1]);
    modifies = 1'b1;
    unique case (ctrl.func)
      FuncTruncF16, FuncCeilF16, FuncFloorF16, FuncRndneF16:
        result = integral(rules, x, direction_of(ctrl.func));
      FuncFractF16:     result = fraction(rules, x);
      FuncFrexpMantF16: result = mantissa(rules, x);
      FuncFrexpExpI16F16: begin
        result   = exponent(x);
        modifies = 1'b0;
      end
      FuncLdexpF16: result = scaled(rules, x, {{16{by[15]}}, by});
      FuncDivFixupF16, FuncDivFixupLegacyF16: begin
        y      = take_half(half_source(ctrl, 2'd1, src1), rules.flush_in);
        z      = take_half(half_source(ctrl, 2'd2, src2), rules.flush_in);
        result = fixup(rules, x, y, z);
        // An ordinary quotient keeps its magnitude.
        if (ordinary(x.op, y.op, z.op)) result.bits[14:0] = x.op.zero ? 15'd0 : bits[14:0];
      end
      default: result = machine_function(rules, ctrl.func, x);
    endcase
    result.flags.input_denormal = x.op.denormal || y.op.denormal || z.op.denormal;
    if (modifies) begin
      result = finish_half(result, ctrl.omod_hd, ctrl.clamp, ctrl.dx10_clamp, ctrl.round_hd,
                           ctrl.fp16_ovfl);
    end
    result.bits = placed(result.bits[15:0], ctrl.op_sel[3], ctrl.func == FuncDivFixupF16, old);
    return result;
  endfunction

  function automatic logic ordinary(input operand_t quotient, input operand_t den,
                                    input operand_t num);
    return !quotient.nan && !is_special(den) && !is_special(num);
  endfunction

endpackage
