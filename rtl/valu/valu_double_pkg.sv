// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Binary64 of one lane: sums and products, integral values, fractions, exponents, conversions and
// the slices of 2 / pi. Complete in the first execution stage (Vega ISA 12.7, 12.9).

package valu_double_pkg;

  import fp32_pkg::*;
  import fp64_pkg::*;
  import valu_op_pkg::*;
  import valu_unit_pkg::*;

  // The first 1201 fraction bits of 2 / pi, the highest first, and zeros.
  localparam logic [1215:0] TwoOverPi = {
    64'ha2f9_836e_4e44_1529,
    64'hfc27_57d1_f534_ddc0,
    64'hdb62_9599_3c43_9041,
    64'hfe51_63ab_debb_c561,
    64'hb724_6e3a_424d_d2e0,
    64'h0649_2eea_09d1_921c,
    64'hfe1d_eb1c_b129_a73e,
    64'he882_35f5_2ebb_4484,
    64'he99c_7026_b45f_7e41,
    64'h3991_d639_8353_39f4,
    64'h9c84_5f8b_bdf9_283b,
    64'h1ff8_97ff_de05_980f,
    64'hef2f_118b_5a0a_6d1f,
    64'h6d36_7ecf_27cb_09b7,
    64'h4f46_3f66_9e5f_ea2d,
    64'h7527_bac7_ebe5_f17b,
    64'h3d07_39f7_8a52_92ea,
    64'h6bfb_5fb1_1f8d_5d08,
    64'h5603_3046_fc7b_0000};

  function automatic logic [63:0] quieted(input logic [63:0] bits);
    return bits | DoubleQuiet;
  endfunction

  function automatic logic [63:0] signed_source(input control_t ctrl, input logic [1:0] index,
                                                input logic [63:0] bits);
    return {(bits[63] & ~ctrl.abs_en[index]) ^ ctrl.neg_en[index], bits[62:0]};
  endfunction

  function automatic double_result_t modified(input control_t ctrl, input double_result_t in);
    return finish_double(in, ctrl.omod_hd, ctrl.clamp, ctrl.dx10_clamp, ctrl.round_hd);
  endfunction

  function automatic double_term_t term_of(input double_t op);
    return '{sign: op.sign, exp: op.exp, sig: {1'b0, op.sig, 52'd0}};
  endfunction

  // x * y + z with one rounding, both terms times 2^power before it.
  function automatic double_result_t multiply_add(input control_t ctrl, input double_t x,
                                                  input double_t y, input double_t z,
                                                  input logic [63:0] nan,
                                                  input logic signed [13:0] power);
    double_result_t result;
    double_term_t   p;
    double_term_t   addend;
    flags_t         flags;
    logic           p_inf;
    result               = '0;
    flags                = '0;
    flags.input_denormal = x.denormal | y.denormal | z.denormal;
    if (x.nan || y.nan || z.nan) begin
      flags.invalid = x.snan | y.snan | z.snan;
      return '{flags: flags, bits: quieted(nan)};
    end
    p_inf  = x.inf || y.inf;
    p.sign = x.sign ^ y.sign;
    if ((x.inf && y.zero) || (x.zero && y.inf) || (p_inf && z.inf && (p.sign != z.sign))) begin
      flags.invalid = 1'b1;
      return '{flags: flags, bits: DoubleNan};
    end
    if (p_inf || z.inf) begin
      return '{flags: flags, bits: {p_inf ? p.sign : z.sign, DoubleInfinity}};
    end
    p.exp        = x.exp + y.exp - 14'sd1023 + power;
    p.sig        = {53'd0, x.sig} * {53'd0, y.sig};
    addend       = term_of(z);
    addend.exp   = addend.exp + power;
    round_double_sum(p, addend, ctrl.round_hd, ctrl.flush_out_hd, result);
    result.flags = result.flags | flags;
    return result;
  endfunction

  // Unit DoubleSum.
  function automatic void sum(input control_t ctrl, input logic [63:0] src0,
                              input logic [63:0] src1, input logic [63:0] src2, input logic undo,
                              output double_result_t result);
    /* verilator no_inline_task */
    logic        [63:0] x_bits;
    logic        [63:0] y_bits;
    logic        [63:0] z_bits;
    double_t            x;
    double_t            y;
    double_t            z;
    logic signed [13:0] power;
    x_bits = signed_source(ctrl, 2'd0, src0);
    y_bits = signed_source(ctrl, 2'd1, src1);
    z_bits = signed_source(ctrl, 2'd2, src2);
    x      = unpack_double(x_bits, ctrl.flush_in_hd);
    y      = unpack_double(y_bits, ctrl.flush_in_hd);
    power  = 14'sd0;
    unique case (ctrl.func)
      FuncAddF64: begin
        z      = y;
        y      = '0;
        y.exp  = 14'sd1023;
        y.sig  = 53'h10_0000_0000_0000;
        z_bits = y_bits;
      end
      FuncMulF64: begin
        z      = '0;
        z.zero = 1'b1;
        z.sign = x.sign ^ y.sign;
      end
      default: begin
        z = unpack_double(z_bits, ctrl.flush_in_hd);
        if ((ctrl.func == FuncDivFmasF64) && undo) begin
          power = (z_bits[62:52] > 11'd1023) ? 14'sd128 : -14'sd128;
        end
      end
    endcase
    result = modified(ctrl, multiply_add(ctrl, x, y, z,
                                         x.nan ? x_bits : (y.nan ? y_bits : z_bits), power));
  endfunction

  // An integral magnitude with what was lost.
  typedef struct packed {
    logic        inexact;
    logic [53:0] value;
  } whole_t;

  // The magnitude of a number below 2^53 as an integer.
  function automatic whole_t integral(input double_t x, input round_e direction);
    logic signed [13:0] down;
    logic        [53:0] kept;
    logic               guard;
    logic               rest;
    whole_t             out;
    down  = 14'sd1075 - x.exp;
    kept  = 54'd0;
    guard = 1'b0;
    rest  = x.sig != 53'd0;
    if (down <= 14'sd0) begin
      kept = {1'b0, x.sig};
      rest = 1'b0;
    end else if (down <= 14'sd53) begin
      {kept, guard} = {1'b0, x.sig, 1'b0} >> down[5:0];
      rest          = (x.sig & ~(53'h1f_ffff_ffff_ffff << (down[5:0] - 6'd1))) != 53'd0;
    end
    out.inexact = guard || rest;
    out.value   = kept + {53'd0, rounds_up(direction, x.sign, kept[0], guard, rest)};
    return out;
  endfunction

  // An integer of at most 53 bits.
  function automatic double_result_t exact(input logic sign, input logic [53:0] magnitude);
    logic [ 5:0] zeros;
    logic [63:0] sig;
    if (magnitude == 54'd0) return {7'd0, sign, 63'd0};
    zeros = leading_zeros({magnitude, 10'd0});
    sig   = {magnitude, 10'd0} << zeros;
    return {7'd0, sign, 11'd1076 - {5'd0, zeros}, sig[62:11]};
  endfunction

  // A number rounded to an integral one.
  function automatic double_result_t rounded(input double_t x, input logic [63:0] bits,
                                             input round_e direction);
    whole_t number;
    if (x.exp >= 14'sd1075) return {7'd0, bits};
    number = integral(x, direction);
    return exact(x.sign, number.value);
  endfunction

  function automatic round_e direction_of(input logic [4:0] func);
    unique case (func)
      FuncTruncF64: return RoundZero;
      FuncCeilF64:  return RoundPlusInf;
      FuncFloorF64: return RoundMinusInf;
      default:      return RoundNearestEven;
    endcase
  endfunction

  // x - floor(x), rounded, and below one.
  function automatic double_result_t fraction(input control_t ctrl, input double_t x);
    double_result_t result;
    double_term_t   whole;
    whole_t         number;
    logic [5:0]     zeros;
    whole = term_of(x);
    if (!x.zero && (x.exp < 14'sd1075)) begin
      number    = integral(x, RoundMinusInf);
      // Terms have their leading one at the top.
      whole.exp = 14'sd1075;
      whole.sig = {number.value, 52'd0};
      if (number.value != 54'd0) begin
        zeros     = leading_zeros({number.value, 10'd0});
        whole.sig = whole.sig << zeros;
        whole.exp = whole.exp - $signed({8'd0, zeros});
      end
    end
    whole.sign = !x.sign;
    round_double_sum(term_of(x), whole, ctrl.round_hd, ctrl.flush_out_hd, result);
    if (result.bits == DoubleOne) result.bits = DoubleOne - 64'd1;
    return result;
  endfunction

  // 53 bits of 2 / pi at a place that source 1 and the exponent of source 0 choose, scaled to it;
  // cut.
  function automatic double_result_t slice(input control_t ctrl, input logic [10:0] exponent,
                                           input logic [4:0] segment);
    logic signed [13:0] place;
    logic signed [13:0] power;
    logic      [1215:0] moved;
    place = {9'd0, segment} * 14'd53;
    if (exponent > 11'd1077) place = place + {3'd0, exponent} - 14'd1077;
    power = -14'sd53 - place;
    if (exponent >= 11'd1968) power = power + 14'sd128;
    moved = TwoOverPi << place[11:0];
    return round_double_any(1'b0, 14'sd1150 + power, {75'd0, moved[1215:1163]}, RoundZero,
                            ctrl.flush_out_hd);
  endfunction

  // To an integer of 32 bits, cut and saturated; inexact with CLAMP only.
  function automatic double_result_t to_integer(input control_t ctrl, input double_t x);
    double_result_t result;
    whole_t         number;
    logic    [53:0] limit;
    logic           is_signed;
    result    = '0;
    is_signed = ctrl.func == FuncCvtI32F64;
    limit     = is_signed ? (54'h7fff_ffff + {53'd0, x.sign}) : (x.sign ? 54'd0 : 54'hffff_ffff);
    if (x.nan) begin
      result.flags.invalid = 1'b1;
      return result;
    end
    number = integral(x, RoundZero);
    if (x.inf || (x.exp > 14'sd1075) || (number.value > limit)) begin
      result.flags.invalid = 1'b1;
      number.value         = limit;
    end else begin
      result.flags.inexact = number.inexact && ctrl.clamp;
    end
    result.bits[31:0] = x.sign ? (32'd0 - number.value[31:0]) : number.value[31:0];
    return result;
  endfunction

  // To binary32; the output modifiers come later.
  function automatic double_result_t to_single(input control_t ctrl, input double_t x,
                                               input logic [63:0] bits);
    double_result_t result;
    result = '0;
    if (x.nan) begin
      result.flags.invalid = x.snan;
      result.bits[31:0]    = {bits[63], 8'hff, 1'b1, bits[50:29]};
    end else if (x.inf || x.zero) begin
      result.bits[31:0] = {x.sign, x.inf ? Infinity : 31'd0};
    end else begin
      {result.flags, result.bits[31:0]} =
          round_pack(x.sign, 12'(x.exp - 14'sd896), {x.sig, 11'd0},
                     ctrl.round, ctrl.flush_out);
    end
    return result;
  endfunction

  function automatic double_result_t from_single(input control_t ctrl, input logic [31:0] bits);
    double_result_t result;
    operand_t       x;
    x      = unpack(bits, ctrl.flush_in);
    result = '0;
    if (x.nan) begin
      result.flags.invalid = x.snan;
      result.bits          = {bits[31], 11'h7ff, 1'b1, bits[21:0], 29'd0};
    end else if (x.inf || x.zero) begin
      result.bits = {x.sign, x.inf ? DoubleInfinity : 63'd0};
    end else begin
      result.bits = {x.sign, 11'(x.exp + 12'sd896), x.sig[22:0], 29'd0};
    end
    result.flags.input_denormal = x.denormal;
    return result;
  endfunction

  function automatic double_result_t from_integer(input logic is_signed, input logic [31:0] word);
    logic sign;
    sign = is_signed && word[31];
    return exact(sign, {22'd0, sign ? (32'd0 - word) : word});
  endfunction

  // A NaN, infinity or zero as its own result.
  function automatic double_result_t same(input double_t x, input logic [63:0] bits);
    double_result_t result;
    result               = '0;
    result.flags.invalid = x.snan;
    result.bits          = x.nan ? quieted(bits) : {x.sign, x.inf ? DoubleInfinity : 63'd0};
    return result;
  endfunction

  // Unit DoubleUnary but for reciprocals, roots and division. Results other than binary64 are
  // complete.
  function automatic void unary(input control_t ctrl, input logic [63:0] src0,
                                input logic [31:0] src1, output double_result_t result);
    /* verilator no_inline_task */
    logic        [63:0] bits;
    double_t            x;
    logic               special;
    logic               finished;
    logic signed [13:0] power;
    logic signed [31:0] by;
    bits    = signed_source(ctrl, 2'd0, src0);
    x       = unpack_double(bits, ctrl.flush_in_hd);
    special = x.nan || x.inf || x.zero;
    by      = src1;
    power   = (by > 32'sd3000) ? 14'sd3000 : ((by < -32'sd3000) ? -14'sd3000 : by[13:0]);
    unique case (ctrl.func)
      FuncCvtF64F32:
        result = from_single(ctrl, modify_input(src0[31:0], ctrl.abs_en[0], ctrl.neg_en[0]));
      FuncCvtF64I32:    result = from_integer(1'b1, src0[31:0]);
      FuncCvtF64U32:    result = from_integer(1'b0, src0[31:0]);
      FuncTrigPreopF64: result = slice(ctrl, bits[62:52], src1[4:0]);
      FuncCvtF32F64:    result = to_single(ctrl, x, bits);
      FuncCvtI32F64, FuncCvtU32F64: result = to_integer(ctrl, x);
      FuncFrexpExpI32F64: begin
        result               = '0;
        result.flags.invalid = x.snan;
        power                = x.exp - 14'sd1022;
        if (!special) result.bits[31:0] = {{18{power[13]}}, power};
      end
      FuncFractF64: begin
        result = same(x, bits);
        if (x.inf) begin
          result.flags.invalid = 1'b1;
          result.bits          = DoubleNan;
        end
        if (!x.nan && !x.inf) result = fraction(ctrl, x);
      end
      default:
        if (special) begin
          result = same(x, bits);
        end else begin
          unique case (ctrl.func)
            FuncTruncF64, FuncCeilF64, FuncFloorF64, FuncRndneF64:
              result = rounded(x, bits, direction_of(ctrl.func));
            FuncFrexpMantF64: result = {7'd0, x.sign, 11'd1022, x.sig[51:0]};
            default:
              round_double(x.sign, x.exp + power, {x.sig, 75'd0}, ctrl.round_hd,
                           ctrl.flush_out_hd, result);
          endcase
        end
    endcase
    unique case (ctrl.func)
      FuncCvtF64F32, FuncCvtF64I32, FuncCvtF64U32, FuncTrigPreopF64: ;
      default: result.flags.input_denormal = x.denormal;
    endcase
    finished = (ctrl.func == FuncCvtF32F64) || (ctrl.func == FuncCvtI32F64) ||
               (ctrl.func == FuncCvtU32F64) || (ctrl.func == FuncFrexpExpI32F64);
    if (!finished) result = modified(ctrl, result);
  endfunction

endpackage
