// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// V_EXP, V_LOG, V_SIN and V_COS of one lane in binary16 and binary32, by the cubics and widths of
// transcendentals.md. Complete in the first execution stage but for output modifiers.

package valu_transcendental_pkg;

  import fp16_pkg::*;
  import fp32_pkg::*;
  import transcendental_table_pkg::*;
  import valu_fp16_pkg::*;
  import valu_op_pkg::*;
  import valu_unit_pkg::*;

  localparam logic [31:0] MinusNan = 32'hffc0_0000;

  // c0 + d (c1 + d (c2 + d c3)), d in units of 2^-30; each product is cut to a unit of 2^-36.
  function automatic logic signed [39:0] cubic(input logic signed [39:0] c0,
                                               input logic signed [39:0] c1,
                                               input logic signed [39:0] c2,
                                               input logic signed [39:0] c3,
                                               input logic        [29:0] d);
    logic signed [71:0] wide;
    logic signed [39:0] value;
    wide  = {{32{c3[39]}}, c3} * $signed({42'd0, d});
    value = c2 + 40'(wide >>> 30);
    wide  = {{32{value[39]}}, value} * $signed({42'd0, d});
    value = c1 + 40'(wide >>> 30);
    wide  = {{32{value[39]}}, value} * $signed({42'd0, d});
    return c0 + 40'(wide >>> 30);
  endfunction

  // |x| in units of 2^-36, cut; |x| is below 2^9.
  function automatic logic [47:0] fixed_point(input operand_t x);
    logic signed [11:0] up;
    logic        [47:0] value;
    up    = x.exp - 12'sd114;
    value = {24'd0, x.sig};
    if (up >= 12'sd0) return value << up[5:0];
    return (up < -12'sd24) ? 48'd0 : (value >> 6'(-up));
  endfunction

  // 2^x for a number.
  function automatic result_t exponential(input rules_t rules, input operand_t x);
    logic        [47:0] magnitude;
    logic signed [47:0] fixed;
    logic signed [11:0] whole;
    logic signed [39:0] value;
    logic         [5:0] n;
    if (x.exp >= 12'sd136) begin
      return round_number(rules, 1'b0, x.sign ? -12'sd385 : 12'sd639, 64'h8000_0000_0000_0000);
    end
    magnitude = fixed_point(x);
    fixed     = x.sign ? -$signed(magnitude) : $signed(magnitude);
    whole     = fixed[47:36];
    n         = fixed[35:30];
    if ((fixed[35:0] == 36'd0) && (magnitude != 48'd0)) begin
      return round_number(rules, 1'b0, 12'sd127 + whole, 64'h8000_0000_0000_0000);
    end
    value = cubic(40'(Exp2C0[n]), 40'(Exp2C1[n]), 40'(Exp2C2[n]), 40'(Exp2C3[n]), fixed[29:0]);
    // Units of 2^-36: bit 36 counts one. A sticky bit, as the value is never exact.
    return round_any(rules, 1'b0, 12'sd129 + whole, {value[38:0], 1'b1, 24'd0});
  endfunction

  // log2(x) for a positive number.
  function automatic result_t logarithm(input rules_t rules, input operand_t x);
    logic signed [11:0] e;
    logic signed [24:0] t;
    logic signed [39:0] slope;
    logic signed [63:0] product;
    logic signed [63:0] sum;
    logic        [ 6:0] n;
    logic        [63:0] magnitude;
    // x = (1 + t 2^-24) 2^e with 1 + t 2^-24 in [3/4, 3/2).
    e = x.exp - 12'sd127;
    if (x.sig >= 24'hc0_0000) begin
      t = $signed({1'b0, x.sig}) - 25'sd16777216;
      e = e + 12'sd1;
    end else begin
      t = $signed({x.sig, 1'b0} - 25'h100_0000);
    end
    if (t == 25'sd0) begin
      magnitude = {52'd0, e[11] ? 12'(-e) : e};
      return round_any(rules, e[11], 12'sd190, magnitude);
    end
    n       = t[24:18] + 7'd16;
    slope   = cubic(40'(Log2C0[n[5:0]]), 40'(Log2C1[n[5:0]]), 40'(Log2C2[n[5:0]]),
                    40'(Log2C3[n[5:0]]), {t[17:0], 12'd0});
    product = {{39{t[24]}}, t} * {{24{slope[39]}}, slope};
    // Units of 2^-60; with an integer part the product is cut to 2^-40.
    sum = product;
    if (e != 12'sd0) begin
      sum = product >>> 20;
      sum = sum + $signed({{12{e[11]}}, e, 40'd0});
    end
    magnitude = sum[63] ? -sum : sum;
    return round_any(rules, sum[63], (e != 12'sd0) ? 12'sd149 : 12'sd129, {magnitude[62:0], 1'b1});
  endfunction

  // sin(2 pi x) for a number within 256 turns; cos with a quarter added.
  function automatic result_t sine(input rules_t rules, input operand_t x, input logic cosine);
    result_t            result;
    logic        [35:0] phase;
    logic        [34:0] half;
    logic        [34:0] turn;
    logic signed [11:0] cut;
    logic               sign;
    logic               exact;
    logic               own_scale;
    logic        [34:0] q;
    logic        [34:0] fixed;
    logic signed [39:0] slope;
    logic        [73:0] product;
    logic        [47:0] magnitude;
    logic        [ 5:0] n;
    logic signed [11:0] exp;
    logic        [23:0] lost;
    magnitude = fixed_point(x);
    phase     = magnitude[35:0] + {1'b0, cosine, 34'd0};
    half      = phase[34:0];
    turn      = 35'h4_0000_0000;  // a quarter
    fixed     = (half > turn) ? (35'd0 - half) : half;
    sign      = phase[35] ^ (x.sign && !cosine);
    // Bits below 2^-36.
    cut       = 12'sd114 - x.exp;
    lost      = (cut >= 12'sd24) ? x.sig : (x.sig & ~(24'hff_ffff << cut[4:0]));
    exact     = (cut <= 12'sd0) || (lost == 24'd0);
    own_scale = !exact && !cosine;
    result    = '0;
    if (exact && (fixed == 35'd0)) return {7'd0, shaped(rules, 32'd0)};
    if (fixed == turn) begin
      result.flags.inexact = !exact;
      result.bits          = shaped_one(rules, sign);
      return result;
    end
    n       = fixed[33:28];
    slope   = cubic(40'(SinC0[n]), 40'(SinC1[n]), 40'(SinC2[n]), 40'(SinC3[n]),
                    {fixed[27:0], 2'd0});
    q       = own_scale ? {11'd0, x.sig} : fixed;
    // Units of 2^-72, or of 2^-36 at the scale of x.
    product = {39'd0, q} * {35'd0, slope[38:0]};
    exp     = own_scale ? (x.exp - 12'sd150) : -12'sd36;
    return round_wide(rules, sign, exp, product);
  endfunction

  function automatic logic [31:0] shaped_one(input rules_t rules, input logic sign);
    return rules.half ? {16'd0, sign, HalfOne[14:0]} : {sign, One[30:0]};
  endfunction

  // product * 2^(exp - 36), not exact: the highest 63 bits and a sticky one.
  function automatic result_t round_wide(input rules_t rules, input logic sign,
                                         input logic signed [11:0] exp,
                                         input logic [73:0] product);
    if (product[73:63] != 11'd0) begin
      return round_any(rules, sign, exp + 12'sd164, {product[73:11], 1'b1});
    end
    return round_any(rules, sign, exp + 12'sd153, {product[62:0], 1'b1});
  endfunction

  // Unit Transcendental. The source has its sign already.
  function automatic result_t execute(input control_t ctrl, input logic half,
                                      input logic [31:0] source);
    /* verilator no_inline_task */
    rules_t     rules;
    number_t    x;
    result_t    result;
    logic [4:0] func;
    logic       invalid;
    func        = half ? (ctrl.func - FuncExpF16) : ctrl.func;
    rules       = rules_of(ctrl, half);
    rules.round = RoundNearestEven;
    if (!half && (func <= FuncLogF32)) begin
      // Binary32 exponentials and logarithms flush whatever MODE says.
      rules.flush_in  = 1'b1;
      rules.flush_out = 1'b1;
    end
    x       = take(rules, source);
    result  = '0;
    invalid = 1'b0;
    if (x.op.nan) begin
      result.flags.invalid = x.op.snan;
      result.bits          = quiet_nan(rules, x.bits);
    end else begin
      unique case (func)
        FuncExpF32: begin
          if (x.op.inf) result.bits = shaped(rules, {1'b0, x.op.sign ? 31'd0 : Infinity});
          else if (x.op.zero) result.bits = shaped_one(rules, 1'b0);
          else result = exponential(rules, x.op);
        end
        FuncLogF32: begin
          if (x.op.zero) begin
            result.flags.div_by_zero = 1'b1;
            result.bits              = shaped(rules, {1'b1, Infinity});
          end else if (x.op.sign) begin
            invalid = 1'b1;
          end else if (x.op.inf) begin
            result.bits = shaped(rules, {1'b0, Infinity});
          end else begin
            result = logarithm(rules, x.op);
          end
        end
        default: begin
          // More than 256 turns are out of the domain: sine +0, cosine 1.
          if (x.op.inf) begin
            invalid = 1'b1;
          end else if (x.op.zero || (x.op.exp > 12'sd135) ||
                       ((x.op.exp == 12'sd135) && (x.op.sig != 24'h80_0000))) begin
            if (func == FuncCosF32) result.bits = shaped_one(rules, 1'b0);
            else result.bits = shaped(rules, {x.op.sign && x.op.zero, 31'd0});
          end else begin
            result = sine(rules, x.op, func == FuncCosF32);
          end
        end
      endcase
      if (invalid) begin
        result.flags.invalid = 1'b1;
        result.bits          = shaped(rules, MinusNan);
      end
    end
    result.flags.input_denormal = x.op.denormal;
    return result;
  endfunction

  // One lane: `word` is the source as binary32 with its sign edited, `source` as it came.
  function automatic result_t lane(input control_t ctrl, input logic [31:0] word,
                                   input logic [31:0] source, input logic [31:0] old);
    result_t result;
    if (ctrl.func < FuncExpF16) return execute(ctrl, 1'b0, word);
    result = execute(ctrl, 1'b1, {16'd0, half_source(ctrl, 2'd0, source)});
    result = finish_half(result, ctrl.omod_hd, ctrl.clamp, ctrl.dx10_clamp, ctrl.round_hd,
                         ctrl.fp16_ovfl);
    result.bits = placed(result.bits[15:0], ctrl.op_sel[3], 1'b0, old);
    return result;
  endfunction

endpackage
