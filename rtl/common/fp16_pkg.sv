// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Binary16 building blocks in the frames of fp32_pkg: every binary16 number is a binary32 number,
// so operands taken apart, terms and sums are those of fp32_pkg and only the ends differ. Products
// and sums take operands of either format. The rules are those of docs/reference/floating_point.md.

package fp16_pkg;

  import fp32_pkg::*;

  localparam logic [14:0] HalfInfinity = 15'h7c00;
  localparam logic [14:0] HalfMax = 15'h7bff;
  localparam logic [15:0] HalfOne = 16'h3c00;

  // A sum not yet rounded: sig * 2^(exp - 190) with its leading one in bit 63, bit 0 sticky.
  typedef struct packed {
    logic               zero;
    logic               sign;
    logic signed [11:0] exp;
    logic        [63:0] sig;
  } sum_t;

  // An operand with its bits in the shape of binary32, for NaN payloads.
  typedef struct packed {
    operand_t    op;
    logic [31:0] bits;
  } number_t;

  // An exact product and what its factors decide.
  typedef struct packed {
    flags_t      flags;
    logic        nan;        // nan_bits
    logic        undefined;  // zero times infinity
    logic        inf;        // of the sign of the term
    logic [31:0] nan_bits;
    term_t       term;
  } product_t;

  // A fused sum before its rounding.
  typedef struct packed {
    flags_t      flags;
    logic        special;  // a NaN, an infinity or a zero: bits, in the shape of binary32
    logic [31:0] bits;
    sum_t        finite;
  } fused_t;

  // As unpack() of fp32_pkg: the value is sig * 2^(exp - 150).
  function automatic operand_t unpack_half(input logic [15:0] bits, input logic flush);
    /* verilator no_inline_task */
    operand_t   op;
    logic       small_exp;
    logic       large_exp;
    logic       fraction;
    logic [5:0] shift;
    small_exp = bits[14:10] == 5'd0;
    large_exp = &bits[14:10];
    fraction  = |bits[9:0];
    op          = '0;
    op.sign     = bits[15];
    op.inf      = large_exp && !fraction;
    op.nan      = large_exp && fraction;
    op.snan     = op.nan && !bits[9];
    op.denormal = small_exp && fraction && !flush;
    op.zero     = small_exp && !op.denormal;
    op.exp      = {7'd0, bits[14:10]} + 12'sd112;
    op.sig      = {1'b1, bits[9:0], 13'd0};
    if (op.denormal) begin
      shift  = leading_zeros({bits[9:0], 54'd0}) + 6'd1;
      op.exp = 12'sd113 - $signed({6'd0, shift});
      op.sig = {1'b0, bits[9:0], 13'd0} << shift;
    end
    if (op.zero || large_exp) op.sig = '0;
    return op;
  endfunction

  // A NaN, infinity or zero in binary32; payloads keep their highest bits.
  function automatic logic [31:0] widened(input logic [15:0] half);
    return {half[15], {8{half[14]}}, half[9:0], 13'd0};
  endfunction

  // The way back.
  function automatic logic [15:0] narrowed(input logic [31:0] word);
    return {word[31], {5{word[30]}}, word[22:13]};
  endfunction

  function automatic number_t take_half(input logic [15:0] bits, input logic flush);
    return '{op: unpack_half(bits, flush), bits: widened(bits)};
  endfunction

  function automatic number_t take_word(input logic [31:0] bits, input logic flush);
    return '{op: unpack(bits, flush), bits: bits};
  endfunction

  function automatic term_t term_of(input operand_t op);
    return '{sign: op.sign, exp: op.exp, sig: {1'b0, op.sig, 23'd0}};
  endfunction

  // Beyond the largest finite number; with MODE.FP16_OVFL the result stays finite.
  function automatic result_t overflowed_half(input logic sign, input round_e mode,
                                              input logic stays_finite);
    result_t result;
    logic    away;
    away = (mode == RoundNearestEven) || (mode == (sign ? RoundMinusInf : RoundPlusInf));
    result = '0;
    result.flags.overflow = 1'b1;
    result.flags.inexact  = 1'b1;
    away = away && !stays_finite;
    result.bits[15:0] = {sign, away ? HalfInfinity : HalfMax};
    return result;
  endfunction

  // Rounds sig * 2^(exp - 190), sig with its leading one in bit 63, to binary16 in the low half.
  function automatic result_t round_half(input logic sign, input logic signed [11:0] exp,
                                         input logic [63:0] sig, input round_e mode,
                                         input logic flush, input logic stays_finite);
    /* verilator no_inline_task */
    result_t            result;
    logic signed [11:0] field;
    logic               tiny;
    logic        [63:0] frame;
    logic        [11:0] down;
    logic        [15:0] magnitude;
    result = '0;
    field  = exp - 12'sd112;
    tiny   = field < 12'sd1;
    if (field == 12'sd0) begin
      tiny = !((&sig[63:53]) && rounds_up(mode, sign, sig[53], sig[52], |sig[51:0]));
    end
    if (tiny && flush) begin
      result.flags.underflow = 1'b1;
      result.flags.inexact   = 1'b1;
      result.bits[15]        = sign;
      return result;
    end
    if (field > 12'sd30) return overflowed_half(sign, mode, stays_finite);
    down      = (field < 12'sd1) ? 12'(12'sd1 - field) : 12'd0;
    frame     = shift_right_sticky(sig, down);
    magnitude = {1'b0, (field < 12'sd1) ? 5'd0 : 5'(field - 12'sd1), 10'd0} + {5'd0, frame[63:53]};
    magnitude = magnitude + {15'd0, rounds_up(mode, sign, frame[53], frame[52], |frame[51:0])};
    if (magnitude[15:10] >= 6'd31) return overflowed_half(sign, mode, stays_finite);
    result.bits[15:0]      = {sign, magnitude[14:0]};
    result.flags.inexact   = |frame[52:0];
    result.flags.underflow = result.flags.inexact && tiny;
    return result;
  endfunction

  // The exact sum of two finite terms. The sign of a zero is that of both, else + or, rounding
  // down, - (as round_sum() of fp32_pkg).
  function automatic sum_t add_terms(input term_t p, input term_t z, input round_e mode);
    logic        [63:0] fp;
    logic        [63:0] fz;
    logic signed [11:0] exp;
    logic signed [11:0] distance;
    logic        [ 5:0] zeros;
    sum_t               sum;
    fp       = {2'b00, p.sig, 14'd0};
    fz       = {2'b00, z.sig, 14'd0};
    distance = p.exp - z.exp;
    exp      = p.exp;
    sum      = '0;
    sum.sign = p.sign;
    if (p.sig == 48'd0) begin
      exp = z.exp;
    end else if (z.sig != 48'd0) begin
      if (distance < 12'sd0) begin
        fp  = shift_right_sticky(fp, 12'(-distance));
        exp = z.exp;
      end else begin
        fz = shift_right_sticky(fz, 12'(distance));
      end
    end
    if (p.sign == z.sign) begin
      sum.sig = fp + fz;
    end else if (fp >= fz) begin
      sum.sig = fp - fz;
    end else begin
      sum.sig  = fz - fp;
      sum.sign = z.sign;
    end
    if (sum.sig == 64'd0) begin
      sum.zero = 1'b1;
      if (p.sign != z.sign) sum.sign = mode == RoundMinusInf;
      return sum;
    end
    zeros   = leading_zeros(sum.sig);
    sum.sig = sum.sig << zeros;
    sum.exp = exp + 12'sd3 - $signed({6'd0, zeros});
    return sum;
  endfunction

  function automatic product_t multiply(input number_t x, input number_t y);
    product_t product;
    product                      = '0;
    product.flags.input_denormal = x.op.denormal | y.op.denormal;
    product.flags.invalid        = x.op.snan | y.op.snan;
    product.nan       = x.op.nan | y.op.nan;
    product.nan_bits  = x.op.nan ? x.bits : y.bits;
    product.undefined = (x.op.inf && y.op.zero) || (x.op.zero && y.op.inf);
    product.inf       = x.op.inf | y.op.inf;
    product.term.sign = x.op.sign ^ y.op.sign;
    product.term.exp  = x.op.exp + y.op.exp - 12'sd127;
    product.term.sig  = {24'd0, x.op.sig} * {24'd0, y.op.sig};
    return product;
  endfunction

  // p + z. The first NaN in the order of the operands is the result; beside a quiet one in z, zero
  // times infinity raises nothing.
  function automatic fused_t add_product(input product_t p, input number_t z, input round_e mode);
    fused_t result;
    result                      = '0;
    result.flags                = p.flags;
    result.flags.input_denormal = p.flags.input_denormal | z.op.denormal;
    result.special              = 1'b1;
    if (p.nan || z.op.nan) begin
      result.flags.invalid = p.flags.invalid | z.op.snan;
      result.bits          = (p.nan ? p.nan_bits : z.bits) | 32'h0040_0000;
    end else if (p.undefined || (p.inf && z.op.inf && (p.term.sign != z.op.sign))) begin
      result.flags.invalid = 1'b1;
      result.bits          = DefaultNan;
    end else if (p.inf || z.op.inf) begin
      result.bits = {p.inf ? p.term.sign : z.op.sign, Infinity};
    end else begin
      result.finite  = add_terms(p.term, term_of(z.op), mode);
      result.special = result.finite.zero;
      result.bits    = {result.finite.sign, 31'd0};
    end
    return result;
  endfunction

  // Output multiplier and CLAMP on a rounded binary16 number (MI100 ISA 6.2). OMOD is in use only
  // where results are flushed.
  function automatic result_t finish_half(input result_t in, input omod_e omod,
                                          input logic do_clamp, input logic dx10,
                                          input round_e mode, input logic stays_finite);
    result_t  result;
    result_t  scaled;
    operand_t x;
    result = in;
    x      = unpack_half(in.bits[15:0], 1'b0);
    if ((omod != OmodNone) && !x.nan && !x.inf) begin
      result.bits = 32'd0;
      if (!x.zero) begin
        scaled = round_half(x.sign, x.exp + ((omod == OmodTimes2) ? 12'sd1 :
                                             ((omod == OmodTimes4) ? 12'sd2 : -12'sd1)),
                            {x.sig, 40'd0}, mode, 1'b1, stays_finite);
        result.flags = result.flags | scaled.flags;
        result.bits  = (scaled.bits[14:0] == 15'd0) ? 32'd0 : scaled.bits;
      end
    end
    if (do_clamp) begin
      if (x.nan) begin
        if (dx10) result.bits = 32'd0;
      end else if (result.bits[15]) begin
        result.bits = 32'd0;
      end else if (result.bits[14:0] > HalfOne[14:0]) begin
        result.bits = {16'd0, HalfOne};
      end
    end
    return result;
  endfunction

endpackage
