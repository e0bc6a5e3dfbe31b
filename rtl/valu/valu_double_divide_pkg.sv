// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Binary64 reciprocals and roots of one lane by digit recurrence, and the steps of a division
// around V_FMA_F64. Complete in the first execution stage. Rules: decisions.md D2, D3, D3b.

package valu_double_divide_pkg;

  import fp32_pkg::*;
  import fp64_pkg::*;
  import valu_double_pkg::*;
  import valu_op_pkg::*;
  import valu_unit_pkg::*;

  localparam logic [63:0] MinusDoubleNan = 64'hfff8_0000_0000_0000;

  typedef struct packed {
    logic           mask;
    double_result_t result;
  } divided_t;

  // {quotient 2^109 / divisor, remainder is not zero}.
  function automatic logic [58:0] divide_power(input logic [52:0] divisor);
    /* verilator no_inline_task */
    logic [57:0] quotient;
    logic [54:0] rest;
    quotient = 58'd0;
    rest     = 55'd1 << 51;
    for (int unsigned n = 0; n < 58; n++) begin
      rest     = rest << 1;
      quotient = quotient << 1;
      if (rest >= {2'b00, divisor}) begin
        rest        = rest - {2'b00, divisor};
        quotient[0] = 1'b1;
      end
    end
    return {quotient, rest != 55'd0};
  endfunction

  // {root of value * 2^60, remainder is not zero}: two bits of the radicand give one of the root.
  function automatic logic [57:0] square_root(input logic [53:0] value);
    /* verilator no_inline_task */
    logic [56:0] root;
    logic [60:0] rest;
    logic [60:0] trial;
    logic [53:0] left;
    root = 57'd0;
    rest = 61'd0;
    left = value;
    for (int unsigned n = 0; n < 57; n++) begin
      rest  = {rest[58:0], left[53:52]};
      left  = left << 2;
      trial = {2'b00, root, 2'b01};
      root  = root << 1;
      if (rest >= trial) begin
        rest    = rest - trial;
        root[0] = 1'b1;
      end
    end
    return {root, rest != 61'd0};
  endfunction

  // The root of 2^166 / value, the bits of the quotient going into it two at a time.
  function automatic logic [57:0] reciprocal_root(input logic [53:0] value);
    /* verilator no_inline_task */
    logic [57:0] root;
    logic [60:0] rest;
    logic [60:0] trial;
    logic [55:0] left;
    logic [ 1:0] digits;
    root = 58'd0;
    rest = 61'd0;
    left = 56'd1 << 50;
    for (int unsigned n = 0; n < 58; n++) begin
      left      = left << 1;
      digits[1] = left >= {2'b00, value};
      if (digits[1]) left = left - {2'b00, value};
      left      = left << 1;
      digits[0] = left >= {2'b00, value};
      if (digits[0]) left = left - {2'b00, value};
      rest  = {rest[58:0], digits};
      trial = {1'b0, root, 2'b01};
      root  = root << 1;
      if (rest >= trial) begin
        rest    = rest - trial;
        root[0] = 1'b1;
      end
    end
    return root;
  endfunction

  // V_RCP, V_SQRT, V_RSQ: nearest even, subnormals as MODE says.
  function automatic double_result_t machine_function(input control_t ctrl, input double_t x,
                                                      input logic [63:0] bits);
    double_result_t     result;
    logic signed [13:0] half;
    logic        [53:0] significand;
    logic        [57:0] quotient;
    logic        [57:0] root;
    logic               sticky;
    result = '0;
    if (x.nan) return same(x, bits);
    if (x.zero) begin
      result.flags.div_by_zero = ctrl.func != FuncSqrtF64;
      result.bits              = {x.sign, (ctrl.func == FuncSqrtF64) ? 63'd0 : DoubleInfinity};
      return result;
    end
    if (x.sign && (ctrl.func != FuncRcpF64)) begin
      result.flags.invalid = 1'b1;
      result.bits          = MinusDoubleNan;
      return result;
    end
    if (x.inf) begin
      result.bits = {x.sign, (ctrl.func == FuncSqrtF64) ? DoubleInfinity : 63'd0};
      return result;
    end
    // The value is significand * 2^(2 half): 53 or 54 bits.
    half        = (x.exp - 14'sd1075) >>> 1;
    significand = x.exp[0] ? {1'b0, x.sig} : {x.sig, 1'b0};
    if (ctrl.func == FuncSqrtF64) begin
      {root[56:0], sticky} = square_root(significand);
      return round_double_any(1'b0, half + 14'sd1049, {root[56:0], 70'd0, sticky},
                              RoundNearestEven, ctrl.flush_out_hd);
    end
    if (ctrl.func == FuncRsqF64) begin
      root = reciprocal_root(significand);
      // Irrational unless the operand is a power of four.
      sticky = significand != 54'h10_0000_0000_0000;
      return round_double_any(1'b0, 14'sd997 - half,
                              {root, 69'd0, sticky}, RoundNearestEven, ctrl.flush_out_hd);
    end
    {quotient, sticky} = divide_power(x.sig);
    return round_double_any(x.sign, 14'sd2046 - x.exp, {quotient, 69'd0, sticky},
                            RoundNearestEven, ctrl.flush_out_hd);
  endfunction

  // True if num / den lies below the smallest normal number, before any rounding.
  function automatic logic tiny_quotient_of(input double_t num, input double_t den);
    logic signed [13:0] apart;
    apart = num.exp - den.exp;
    if (num.inf || num.nan || den.inf || den.nan) return 1'b0;
    return (apart < -14'sd1022) || ((apart == -14'sd1022) && (num.sig < den.sig));
  endfunction

  // V_DIV_SCALE: as the one of binary32 in valu_divide_pkg.
  function automatic divided_t scale(input control_t ctrl, input logic [63:0] src0,
                                     input logic [63:0] src1, input logic [63:0] src2);
    divided_t           out;
    double_t            x;
    double_t            den;
    double_t            num;
    double_t            one;
    logic signed [13:0] apart;
    logic signed [13:0] power;
    logic               tiny_reciprocal;
    logic               tiny_quotient;
    x       = unpack_double(src0, ctrl.flush_in_hd);
    den     = unpack_double(src1, ctrl.flush_in_hd);
    num     = unpack_double(src2, ctrl.flush_in_hd);
    one     = '0;
    one.exp = 14'sd1023;
    one.sig = 53'h10_0000_0000_0000;
    apart   = $signed({3'd0, src2[62:52]}) - $signed({3'd0, src1[62:52]});
    power   = 14'sd0;
    out     = '0;
    tiny_reciprocal = tiny_quotient_of(one, den);
    tiny_quotient   = tiny_quotient_of(num, den);
    if (num.zero || den.zero) begin
      out.mask        = 1'b1;
      out.result.bits = DoubleNan;
      out.result.flags.input_denormal = x.denormal || den.denormal || num.denormal;
      return out;
    end
    if (apart >= 14'sd768) begin
      out.mask = 1'b1;
      if (src0 == src1) power = 14'sd128;
    end else if (den.denormal) begin
      power = 14'sd128;
    end else if (tiny_reciprocal && tiny_quotient) begin
      out.mask = 1'b1;
      if (src0 == src1) power = -14'sd128;
    end else if (tiny_reciprocal) begin
      power = -14'sd128;
    end else if (tiny_quotient) begin
      out.mask = 1'b1;
      if (src0 == src2) power = 14'sd128;
    end else if (src2[62:52] <= 11'd53) begin
      power = 14'sd128;
    end
    if (power == 14'sd0) begin
      out.result.bits = x.zero ? {x.sign, 63'd0} : src0;
    end else if (x.nan || x.inf || x.zero) begin
      out.result = same(x, src0);
    end else begin
      round_double(x.sign, x.exp + power, {x.sig, 75'd0}, ctrl.round_hd, ctrl.flush_out_hd,
                   out.result);
    end
    out.result.flags.input_denormal = x.denormal || den.denormal || num.denormal;
    return out;
  endfunction

  // V_DIV_FIXUP: as the one of binary32 in valu_divide_pkg.
  function automatic double_result_t fixup(input control_t ctrl, input logic [63:0] src0,
                                           input logic [63:0] src1, input logic [63:0] src2);
    double_t        quotient;
    double_t        den;
    double_t        num;
    double_result_t result;
    logic           sign;
    quotient = unpack_double(src0, ctrl.flush_in_hd);
    den      = unpack_double(src1, ctrl.flush_in_hd);
    num      = unpack_double(src2, ctrl.flush_in_hd);
    sign     = den.sign ^ num.sign;
    result   = '0;
    if (num.nan || den.nan) begin
      result.flags.invalid = num.snan || den.snan;
      result.bits          = quieted(num.nan ? src2 : src1);
    end else if ((den.zero && num.zero) || (den.inf && num.inf)) begin
      result.flags.invalid = 1'b1;
      result.bits          = MinusDoubleNan;
    end else if (den.zero || num.inf) begin
      result.flags.div_by_zero = !num.inf;
      result.bits              = {sign, DoubleInfinity};
    end else if (den.inf || num.zero) begin
      result.bits = {sign, 63'd0};
    end else if ({1'b0, src2[62:52]} + 12'd1075 < {1'b0, src1[62:52]}) begin
      // Far below the smallest subnormal number.
      round_double(sign, -14'sd1125, 128'd1 << 127, ctrl.round_hd, ctrl.flush_out_hd, result);
    end else if (quotient.nan) begin
      result.bits = {sign, DoubleInfinity};
    end else begin
      result.bits = {sign, quotient.zero ? 63'd0 : src0[62:0]};
    end
    result.flags.input_denormal = quotient.denormal || den.denormal || num.denormal;
    return result;
  endfunction

  // The functions of unit DoubleUnary from V_RCP_F64 to V_DIV_FIXUP_F64.
  function automatic void execute(input control_t ctrl, input logic [63:0] src0,
                                  input logic [63:0] src1, input logic [63:0] src2,
                                  output divided_t out);
    /* verilator no_inline_task */
    logic [63:0] a;
    logic [63:0] b;
    logic [63:0] c;
    double_t     x;
    a   = signed_source(ctrl, 2'd0, src0);
    b   = signed_source(ctrl, 2'd1, src1);
    c   = signed_source(ctrl, 2'd2, src2);
    out = '0;
    unique case (ctrl.func)
      FuncDivScaleF64: out = scale(ctrl, a, b, c);
      FuncDivFixupF64: out.result = fixup(ctrl, a, b, c);
      default: begin
        x          = unpack_double(a, ctrl.flush_in_hd);
        out.result = machine_function(ctrl, x, a);
        out.result.flags.input_denormal = x.denormal;
      end
    endcase
    out.result = modified(ctrl, out.result);
  endfunction

endpackage
