// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Binary32 reciprocals and roots of one lane by digit recurrence, and the steps of a division
// around V_FMA: complete in the first execution stage except for the output modifiers. V_DIV_FMAS
// is a sum (valu_float_pkg). Rules: docs/reference/decisions.md D2, D3, D3b.

package valu_divide_pkg;

  import fp32_pkg::*;
  import valu_op_pkg::*;
  import valu_unit_pkg::*;

  localparam logic [31:0] MinusNan = 32'hffc0_0000;

  typedef struct packed {
    logic    mask;
    result_t result;
  } divided_t;

  // 2^76 / divisor without remainder: one quotient bit per step, the highest is bit 53.
  function automatic logic [53:0] divide_power(input logic [24:0] divisor);
    /* verilator no_inline_task */
    logic [53:0] quotient;
    logic [25:0] rest;
    quotient = 54'd0;
    rest     = 26'h040_0000;  // the dividend from bit 54 up; only zeros follow
    for (int unsigned n = 0; n < 54; n++) begin
      rest     = rest << 1;
      quotient = quotient << 1;
      if (rest >= {1'b0, divisor}) begin
        rest        = rest - {1'b0, divisor};
        quotient[0] = 1'b1;
      end
    end
    return quotient;
  endfunction

  // {root, remainder is not zero}: one bit of the root per step from two bits of the radicand.
  function automatic logic [27:0] square_root(input logic [53:0] radicand);
    /* verilator no_inline_task */
    logic [26:0] root;
    logic [29:0] rest;
    logic [29:0] trial;
    logic [53:0] left;
    root = 27'd0;
    rest = 30'd0;
    left = radicand;
    for (int unsigned n = 0; n < 27; n++) begin
      rest  = {rest[27:0], left[53:52]};
      left  = left << 2;
      trial = {1'b0, root, 2'b01};
      root  = root << 1;
      if (rest >= trial) begin
        rest    = rest - trial;
        root[0] = 1'b1;
      end
    end
    return {root, rest != 30'd0};
  endfunction

  // The value frame * 2^(exp - 190) of a result of machine functions: nearest even, flushed. The
  // highest one of the frame is bit 63 or 62.
  function automatic result_t machine_round(input logic sign, input logic signed [11:0] exp,
                                            input logic [63:0] frame);
    if (frame[63]) return round_pack(sign, exp, frame, RoundNearestEven, 1'b1);
    return round_pack(sign, exp - 12'sd1, frame << 1, RoundNearestEven, 1'b1);
  endfunction

  // V_RCP, V_SQRT, V_RSQ: subnormal operands and results are flushed whatever MODE says.
  function automatic result_t machine_function(input logic [4:0] func, input logic [31:0] src0);
    /* verilator no_inline_task */
    operand_t           x;
    result_t            result;
    logic               odd;
    logic signed [11:0] half;
    logic        [24:0] significand;
    logic        [53:0] quotient;
    logic        [26:0] root;
    logic               sticky;
    x      = unpack(src0, 1'b1);
    result = '0;
    if (x.nan) begin
      result.flags.invalid = x.snan;
      result.bits          = src0 | 32'h0040_0000;
      return result;
    end
    if (x.zero) begin
      result.flags.div_by_zero = func != FuncSqrtF32;
      result.bits              = {x.sign, (func == FuncSqrtF32) ? 31'd0 : Infinity};
      return result;
    end
    if (x.sign && ((func == FuncSqrtF32) || (func == FuncRsqF32))) begin
      result.flags.invalid = 1'b1;
      result.bits          = MinusNan;
      return result;
    end
    if (x.inf) begin
      result.bits = {x.sign, (func == FuncSqrtF32) ? Infinity : 31'd0};
      return result;
    end
    // The value is significand * 2^(2 half) with an even exponent: 24 or 25 bits.
    odd         = x.exp[0];
    half        = (x.exp - 12'sd150) >>> 1;
    significand = odd ? {x.sig, 1'b0} : {1'b0, x.sig};
    if (func == FuncSqrtF32) begin
      {root, sticky} = square_root({1'b0, significand, 28'd0});
      return machine_round(1'b0, half + 12'sd139, {root, 36'd0, sticky});
    end
    if (func == FuncRsqF32) begin
      quotient       = divide_power(significand);
      {root, sticky} = square_root(quotient);
      // Irrational unless the operand is a power of four.
      sticky = sticky | (significand != 25'h100_0000);
      return machine_round(1'b0, 12'sd115 - half, {root, 36'd0, sticky});
    end
    quotient = divide_power({1'b0, x.sig});
    // Inexact unless the operand is a power of two.
    return machine_round(x.sign, 12'sd254 - x.exp, {quotient, 9'd0, x.sig[22:0] != 23'd0});
  endfunction

  // An integer division by zero is the only thing V_RCP_IFLAG reports.
  function automatic result_t reciprocal(input logic [4:0] func, input logic [31:0] src0);
    result_t result;
    result = machine_function(func, src0);
    if (func == FuncRcpIflagF32) begin
      result.flags = '0;
      result.flags.int_div_by_zero = src0[30:23] == 8'd0;
    end
    return result;
  endfunction

  // True if num / den lies below the smallest normal number, before any rounding.
  function automatic logic tiny_quotient_of(input operand_t num, input operand_t den);
    logic signed [11:0] apart;
    apart = num.exp - den.exp;
    if (num.inf || num.nan || den.inf || den.nan) return 1'b0;
    return (apart < -12'sd126) || ((apart == -12'sd126) && (num.sig < den.sig));
  endfunction

  // op * 2^power; zeros and infinities return themselves.
  function automatic result_t scaled(input control_t ctrl, input operand_t op,
                                     input logic [31:0] bits, input logic signed [11:0] power);
    result_t result;
    result = '0;
    if (op.nan) begin
      result.flags.invalid = op.snan;
      result.bits          = bits | 32'h0040_0000;
    end else if (op.inf || op.zero) begin
      result.bits = op.zero ? {op.sign, 31'd0} : bits;
    end else begin
      result = round_pack(op.sign, op.exp + power, {op.sig, 40'd0}, ctrl.round, ctrl.flush_out);
    end
    return result;
  endfunction

  // V_DIV_SCALE: source 0, equal to the denominator or to the numerator, brought into a range where
  // the steps of the division neither overflow nor vanish. The mask tells V_DIV_FMAS to undo it.
  function automatic divided_t scale(input control_t ctrl, input logic [31:0] src0,
                                     input logic [31:0] src1, input logic [31:0] src2);
    /* verilator no_inline_task */
    divided_t           out;
    operand_t           x;
    operand_t           den;
    operand_t           num;
    operand_t           one;
    logic signed [11:0] apart;
    logic signed [11:0] power;
    logic               tiny_reciprocal;
    logic               tiny_quotient;
    logic        [ 7:0] num_field;
    logic        [ 7:0] den_field;
    x         = unpack(src0, ctrl.flush_in);
    den       = unpack(src1, ctrl.flush_in);
    num       = unpack(src2, ctrl.flush_in);
    one       = unpack(One, 1'b0);
    num_field = src2[30:23];
    den_field = src1[30:23];
    apart     = $signed({4'd0, num_field}) - $signed({4'd0, den_field});
    power     = 12'sd0;
    out       = '0;
    tiny_reciprocal = tiny_quotient_of(one, den);
    tiny_quotient   = tiny_quotient_of(num, den);
    if (num.zero || den.zero) begin
      out.mask        = 1'b1;
      out.result.bits = DefaultNan;
      out.result.flags.input_denormal = x.denormal || den.denormal || num.denormal;
      return out;
    end
    if (apart >= 12'sd96) begin
      out.mask = 1'b1;
      if (src0 == src1) power = 12'sd64;
    end else if (den.denormal) begin
      power = 12'sd64;
    end else if (tiny_reciprocal && tiny_quotient) begin
      out.mask = 1'b1;
      if (src0 == src1) power = -12'sd64;
    end else if (tiny_reciprocal) begin
      power = -12'sd64;
    end else if (tiny_quotient) begin
      out.mask = 1'b1;
      if (src0 == src2) power = 12'sd64;
    end else if (num_field <= 8'd23) begin
      power = 12'sd64;
    end
    if (power != 12'sd0) begin
      out.result = scaled(ctrl, x, src0, power);
    end else begin
      out.result.bits = x.zero ? {x.sign, 31'd0} : src0;
    end
    out.result.flags.input_denormal = x.denormal || den.denormal || num.denormal;
    return out;
  endfunction

  // V_DIV_FIXUP: the quotient of source 0 unless the operands, denominator source 1 and numerator
  // source 2, decide by themselves.
  function automatic result_t fixup(input control_t ctrl, input logic [31:0] src0,
                                    input logic [31:0] src1, input logic [31:0] src2);
    /* verilator no_inline_task */
    operand_t quotient;
    operand_t den;
    operand_t num;
    result_t  result;
    logic     sign;
    quotient = unpack(src0, ctrl.flush_in);
    den      = unpack(src1, ctrl.flush_in);
    num      = unpack(src2, ctrl.flush_in);
    sign     = den.sign ^ num.sign;
    result   = '0;
    if (num.nan || den.nan) begin
      result.flags.invalid = num.snan || den.snan;
      result.bits          = (num.nan ? src2 : src1) | 32'h0040_0000;
    end else if ((den.zero && num.zero) || (den.inf && num.inf)) begin
      result.flags.invalid = 1'b1;
      result.bits          = MinusNan;
    end else if (den.zero || num.inf) begin
      result.flags.div_by_zero = !num.inf;
      result.bits              = {sign, Infinity};
    end else if (den.inf || num.zero) begin
      result.bits = {sign, 31'd0};
    end else if ({1'b0, src2[30:23]} + 9'd150 < {1'b0, src1[30:23]}) begin
      // Far below the smallest subnormal number.
      result = round_pack(sign, -12'sd171, 64'h8000_0000_0000_0000, ctrl.round, ctrl.flush_out);
    end else if (quotient.nan) begin
      result.bits = {sign, Infinity};
    end else begin
      result.bits = {sign, quotient.zero ? 31'd0 : src0[30:0]};
    end
    result.flags.input_denormal = quotient.denormal || den.denormal || num.denormal;
    return result;
  endfunction

  // The upper functions of unit FloatMinMax.
  function automatic divided_t execute(input control_t ctrl, input logic [31:0] src0,
                                       input logic [31:0] src1, input logic [31:0] src2);
    unique case (ctrl.func)
      FuncDivScaleF32: return scale(ctrl, src0, src1, src2);
      FuncDivFixupF32: return '{mask: 1'b0, result: fixup(ctrl, src0, src1, src2)};
      default:         return '{mask: 1'b0, result: reciprocal(ctrl.func, src0)};
    endcase
  endfunction

endpackage
