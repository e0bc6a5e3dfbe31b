// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Binary64 building blocks, as fp32_pkg in frames of 128 bits. Combinational functions; the rules
// are those of docs/reference/floating_point.md.

package fp64_pkg;

  import fp32_pkg::*;

  // An operand taken apart. Finite and not zero: sig has its leading one in bit 52 and the value is
  // sig * 2^(exp - 1075). Zero and the special values have sig 0.
  typedef struct packed {
    logic               sign;
    logic               zero;
    logic               inf;
    logic               nan;
    logic               snan;
    logic               denormal;
    logic signed [13:0] exp;
    logic        [52:0] sig;
  } double_t;

  // A term of a sum: sig * 2^(exp - 1023 - 104); a product of two operands fills all 106 bits.
  typedef struct packed {
    logic                sign;
    logic signed [ 13:0] exp;
    logic        [105:0] sig;
  } double_term_t;

  typedef struct packed {
    flags_t      flags;
    logic [63:0] bits;
  } double_result_t;

  localparam logic [63:0] DoubleNan = 64'h7ff8_0000_0000_0000;
  localparam logic [63:0] DoubleOne = 64'h3ff0_0000_0000_0000;
  localparam logic [62:0] DoubleInfinity = 63'h7ff0_0000_0000_0000;
  localparam logic [62:0] DoubleMax = 63'h7fef_ffff_ffff_ffff;
  localparam logic [63:0] DoubleQuiet = 64'h0008_0000_0000_0000;

  // Leading zeros of a non-zero value.
  function automatic logic [6:0] leading_zeros_wide(input logic [127:0] value);
    if (value[127:64] != 64'd0) return {1'b0, leading_zeros(value[127:64])};
    return {1'b1, leading_zeros(value[63:0])};
  endfunction

  // value >> amount with every lost one ored into bit 0.
  function automatic logic [127:0] shift_right_sticky_wide(input logic [127:0] value,
                                                           input logic [13:0] amount);
    logic [127:0] kept;
    logic [127:0] back;
    if (amount > 14'd127) return {127'd0, |value};
    kept = value >> amount[6:0];
    back = kept << amount[6:0];
    return {kept[127:1], kept[0] | (back != value)};
  endfunction

  function automatic double_t unpack_double(input logic [63:0] bits, input logic flush);
    double_t    op;
    logic       small_exp;
    logic       large_exp;
    logic       fraction;
    logic [5:0] shift;
    small_exp = bits[62:52] == 11'd0;
    large_exp = &bits[62:52];
    fraction  = |bits[51:0];
    op          = '0;
    op.sign     = bits[63];
    op.inf      = large_exp && !fraction;
    op.nan      = large_exp && fraction;
    op.snan     = op.nan && !bits[51];
    op.denormal = small_exp && fraction && !flush;
    op.zero     = small_exp && !op.denormal;
    op.exp      = {3'd0, bits[62:52]};
    op.sig      = {1'b1, bits[51:0]};
    if (op.denormal) begin
      shift  = leading_zeros({bits[51:0], 12'd0}) + 6'd1;
      op.exp = 14'sd1 - $signed({8'd0, shift});
      op.sig = {1'b0, bits[51:0]} << shift;
    end
    if (op.zero || large_exp) op.sig = '0;
    return op;
  endfunction

  function automatic double_result_t overflowed_double(input logic sign, input round_e mode);
    double_result_t result;
    logic           away;
    away = (mode == RoundNearestEven) || (mode == (sign ? RoundMinusInf : RoundPlusInf));
    result = '0;
    result.flags.overflow = 1'b1;
    result.flags.inexact  = 1'b1;
    result.bits = {sign, away ? DoubleInfinity : DoubleMax};
    return result;
  endfunction

  // Rounds sig * 2^(exp - 1150), sig with its leading one in bit 127, its bit 0 possibly sticky.
  function automatic void round_double(input logic sign, input logic signed [13:0] exp,
                                       input logic [127:0] sig, input round_e mode,
                                       input logic flush, output double_result_t result);
    /* verilator no_inline_task */
    logic           tiny;
    logic [127:0]   frame;
    logic  [13:0]   down;
    logic  [63:0]   magnitude;
    result = '0;
    tiny   = exp < 14'sd1;
    if (exp == 14'sd0) begin
      tiny = !((&sig[127:75]) && rounds_up(mode, sign, sig[75], sig[74], |sig[73:0]));
    end
    if (tiny && flush) begin
      result.flags.underflow = 1'b1;
      result.flags.inexact   = 1'b1;
      result.bits[63]        = sign;
      return;
    end
    if (exp > 14'sd2046) begin
      result = overflowed_double(sign, mode);
      return;
    end
    down      = (exp < 14'sd1) ? 14'(14'sd1 - exp) : 14'd0;
    frame     = shift_right_sticky_wide(sig, down);
    magnitude = {1'b0, (exp < 14'sd1) ? 11'd0 : 11'(exp - 14'sd1), 52'd0} +
                {11'd0, frame[127:75]};
    magnitude = magnitude + {63'd0, rounds_up(mode, sign, frame[75], frame[74], |frame[73:0])};
    if (magnitude[63:52] >= 12'd2047) begin
      result = overflowed_double(sign, mode);
      return;
    end
    result.bits            = {sign, magnitude[62:0]};
    result.flags.inexact   = |frame[74:0];
    result.flags.underflow = result.flags.inexact && tiny;
  endfunction

  // The same for any sig; zero gives a zero of the sign.
  function automatic double_result_t round_double_any(input logic sign,
                                                      input logic signed [13:0] exp,
                                                      input logic [127:0] sig, input round_e mode,
                                                      input logic flush);
    double_result_t result;
    logic [6:0]     zeros;
    if (sig == 128'd0) return {7'd0, sign, 63'd0};
    zeros = leading_zeros_wide(sig);
    round_double(sign, exp - $signed({7'd0, zeros}), sig << zeros, mode, flush, result);
    return result;
  endfunction

  // The sum of two finite terms, rounded. Bits that fall out while aligning are at least 20 bits
  // below the other term, so a sticky bit suffices.
  function automatic void round_double_sum(input double_term_t p, input double_term_t z,
                                           input round_e mode, input logic flush,
                                           output double_result_t result);
    /* verilator no_inline_task */
    logic       [127:0] fp;
    logic       [127:0] fz;
    logic       [127:0] sum;
    logic signed [13:0] exp;
    logic signed [13:0] distance;
    logic               sign;
    fp       = {2'b00, p.sig, 20'd0};
    fz       = {2'b00, z.sig, 20'd0};
    distance = p.exp - z.exp;
    exp      = p.exp;
    sign     = p.sign;
    if (p.sig == 106'd0) begin
      exp = z.exp;
    end else if (z.sig != 106'd0) begin
      if (distance < 14'sd0) begin
        fp  = shift_right_sticky_wide(fp, 14'(-distance));
        exp = z.exp;
      end else begin
        fz = shift_right_sticky_wide(fz, 14'(distance));
      end
    end
    if (p.sign == z.sign) begin
      sum = fp + fz;
    end else if (fp >= fz) begin
      sum = fp - fz;
    end else begin
      sum  = fz - fp;
      sign = z.sign;
    end
    if ((sum == 128'd0) && (p.sign != z.sign)) sign = mode == RoundMinusInf;
    result = round_double_any(sign, exp + 14'sd3, sum, mode, flush);
  endfunction

  // Output multiplier and CLAMP. OMOD is in use only where results are flushed.
  function automatic double_result_t finish_double(input double_result_t in, input omod_e omod,
                                                   input logic do_clamp, input logic dx10,
                                                   input round_e mode);
    double_result_t result;
    double_result_t scaled;
    double_t        x;
    result = in;
    x      = unpack_double(in.bits, 1'b0);
    if ((omod != OmodNone) && !x.nan && !x.inf) begin
      result.bits = 64'd0;
      if (!x.zero) begin
        round_double(x.sign, x.exp + ((omod == OmodTimes2) ? 14'sd1 :
                                      ((omod == OmodTimes4) ? 14'sd2 : -14'sd1)),
                     {x.sig, 75'd0}, mode, 1'b1, scaled);
        result.flags = result.flags | scaled.flags;
        result.bits  = (scaled.bits[62:0] == 63'd0) ? 64'd0 : scaled.bits;
      end
    end
    if (do_clamp) begin
      if (x.nan) begin
        if (dx10) result.bits = 64'd0;
      end else if (result.bits[63]) begin
        result.bits = 64'd0;
      end else if (result.bits > DoubleOne) begin
        result.bits = DoubleOne;
      end
    end
    return result;
  endfunction

endpackage
