// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Exact sums of the matrix unit of gfx908 (docs/reference/mfma_numerics.md; widths derived in
// matrix_core.md): the products of a group and the accumulator are added without rounding and
// rounded once to binary32, nearest even, one quiet NaN. Sums are signed; a frame is a number with
// its lowest bit reserved for what was cut off below.

package exact_dot_pkg;

  import fp32_pkg::*;
  import fp_mac_pkg::*;

  // Four products of binary16 factors in fixed point, units of 2^-48: each is below 2^32, a multiple
  // of 2^-48.
  localparam int unsigned HalfSumWidth = 83;
  // The sum and an accumulator, units of 2^-75: 26 bits below the least that a sum that is not zero
  // can be.
  localparam int unsigned HalfFrameWidth = 112;
  localparam int unsigned HalfSumPlace   = 27;   // of 2^-48
  localparam logic signed [11:0] HalfTopExp = 12'sd34;  // a sum is below 2^34

  typedef struct packed {
    logic nan;
    logic plus;   // an infinity
    logic minus;
  } special_t;

  typedef struct packed {
    special_t                       special;
    logic signed [HalfSumWidth-1:0] sum;
  } half_sum_t;

  function automatic special_t with_special(input special_t others, input logic nan,
                                            input logic inf, input logic sign);
    special_t special;
    special.nan   = others.nan || nan;
    special.plus  = others.plus || (inf && !nan && !sign);
    special.minus = others.minus || (inf && !nan && sign);
    return special;
  endfunction

  // An accumulator among the products.
  function automatic special_t with_accumulator(input special_t products, input logic [31:0] c);
    return with_special(products, c[30:0] > Infinity, c[30:0] == Infinity, c[31]);
  endfunction

  function automatic logic is_special(input special_t special);
    return special.nan || special.plus || special.minus;
  endfunction

  function automatic logic [31:0] special_result(input special_t special);
    if (special.nan || (special.plus && special.minus)) return DefaultNan;
    return {special.minus, Infinity};
  endfunction

  // The product of two binary16 factors: sig * 2^(shift - 48), shift at most 58.
  typedef struct packed {
    logic        nan;
    logic        inf;
    logic        sign;
    logic [ 5:0] shift;
    logic [21:0] sig;
  } half_product_t;

  function automatic half_product_t product_half(input logic [15:0] x, input logic [15:0] y);
    /* verilator no_inline_task */
    half_product_t p;
    logic          x_tiny;
    logic          y_tiny;
    logic [ 5:0]   x_exp;
    logic [ 5:0]   y_exp;
    x_tiny  = x[14:10] == 5'd0;
    y_tiny  = y[14:10] == 5'd0;
    x_exp   = x_tiny ? 6'd1 : {1'b0, x[14:10]};
    y_exp   = y_tiny ? 6'd1 : {1'b0, y[14:10]};
    p.inf   = ((&x[14:10]) && (x[9:0] == 10'd0)) || ((&y[14:10]) && (y[9:0] == 10'd0));
    p.nan   = ((&x[14:10]) && (x[9:0] != 10'd0)) || ((&y[14:10]) && (y[9:0] != 10'd0)) ||
              (p.inf && ((x[14:0] == 15'd0) || (y[14:0] == 15'd0)));
    p.sign  = x[15] ^ y[15];
    p.shift = x_exp + y_exp - 6'd2;
    p.sig   = {11'd0, !x_tiny, x[9:0]} * {11'd0, !y_tiny, y[9:0]};
    if ((&x[14:10]) || (&y[14:10])) p.sig = '0;
    return p;
  endfunction

  // The products of four binary16 factors of two sources.
  function automatic half_sum_t sum_f16(input logic [63:0] a, input logic [63:0] b);
    half_sum_t               s;
    half_product_t           p;
    logic [HalfSumWidth-1:0] placed;
    s = '0;
    for (int unsigned k = 0; k < 4; k++) begin
      p         = product_half(a[16*k +: 16], b[16*k +: 16]);
      s.special = with_special(s.special, p.nan, p.inf, p.sign);
      placed    = {61'd0, p.sig} << p.shift;
      s.sum     = p.sign ? (s.sum - $signed(placed)) : (s.sum + $signed(placed));
    end
    return s;
  endfunction

  // Without flags, which nobody asks for.
  function automatic logic [31:0] bits_of(input result_t result);
    return result.bits;
  endfunction

  // A signed frame rounded to binary32. place_exp: the exponent of its lowest bit, biased by 127. The
  // frame is not zero.
  function automatic logic [31:0] rounded_frame(input logic signed [HalfFrameWidth-1:0] frame,
                                                input logic signed [11:0] place_exp);
    /* verilator no_inline_task */
    logic                      sign;
    logic [HalfFrameWidth-1:0] magnitude;
    logic [             127:0] wide;
    logic [               6:0] zeros;
    sign      = frame[HalfFrameWidth-1];
    magnitude = sign ? -frame : frame;
    wide      = {magnitude, 16'd0};
    if (wide[127:64] != 64'd0) begin
      zeros = {1'b0, leading_zeros(wide[127:64])};
    end else begin
      zeros = {1'b1, leading_zeros(wide[63:0])};
    end
    wide = wide << zeros;
    // The leading one was bit 111 - zeros of the frame.
    return bits_of(round_pack(sign, place_exp + 12'sd111 - $signed({5'd0, zeros}),
                              {wide[127:65], wide[64] | (|wide[63:0])},
                              RoundNearestEven, 1'b0));
  endfunction

  // The sum of four products and c.
  function automatic logic [31:0] add_f16(input half_sum_t s, input logic [31:0] c);
    /* verilator no_inline_task */
    special_t                         special;
    operand_t                         d;
    logic signed [              11:0] exp;    // of d
    logic        [              11:0] above;  // distance of d's exponent from the top of sums
    logic        [              11:0] below;  // distance of d's lowest bit from that of the frame
    logic signed [HalfFrameWidth-1:0] sum_frame;
    logic signed [HalfFrameWidth-1:0] kept;
    logic        [HalfFrameWidth-1:0] d_frame;
    logic signed [HalfFrameWidth-1:0] total;
    special = with_accumulator(s.special, c);
    if (is_special(special)) return special_result(special);
    d = unpack(c, 1'b0);
    if (s.sum == '0) return d.zero ? 32'd0 : c;

    exp       = d.exp - 12'sd127;
    above     = (!d.zero && (exp > HalfTopExp)) ? 12'(exp - HalfTopExp) : 12'd0;
    // Bit 27 and up: nothing is there below before the shift.
    sum_frame = {{2{s.sum[HalfSumWidth-1]}}, s.sum, 27'd0};
    // Bits lost there do not matter: from 28 above on the sum is below a quarter of d's last place.
    kept      = sum_frame >>> above[6:0];
    // d.sig * 2^(exp - 23), its lowest bit at place exp + 52 - above.
    d_frame = '0;
    if (!d.zero) begin
      below = 12'(exp + 12'sd52 - $signed(above));
      if ($signed(below) >= 12'sd1) begin
        d_frame = {88'd0, d.sig} << below[6:0];
      end else begin
        d_frame    = {88'd0, shift_d(d.sig, 12'(12'sd1 - $signed(below)))} << 1;
        d_frame[0] = lost_d(d.sig, 12'(12'sd1 - $signed(below)));
      end
    end
    total = kept + (d.sign ? -$signed(d_frame) : $signed(d_frame));
    if (total == '0) return 32'd0;
    return rounded_frame(total, 12'sd52 + $signed(above));  // 127 - 75
  endfunction

  function automatic logic [23:0] shift_d(input logic [23:0] sig, input logic [11:0] amount);
    return (amount > 12'd24) ? 24'd0 : (sig >> amount[4:0]);
  endfunction
  // True if a shift loses a one.
  function automatic logic lost_d(input logic [23:0] sig, input logic [11:0] amount);
    return (amount > 12'd23) ? |sig : |(sig & ~(24'hff_ffff << amount[4:0]));
  endfunction

  // The product of two bfloat16 factors with its leading one in bit 47, or 0.
  function automatic value_t product_bf16(input logic [15:0] x, input logic [15:0] y);
    /* verilator no_inline_task */
    value_t value;
    value = product_f32({x, 16'd0}, {y, 16'd0});
    if (value.nan || value.inf) value.term.sig = '0;
    if (value.term.sig[47]) begin
      value.term.exp = value.term.exp + 12'sd1;
    end else begin
      value.term.sig = value.term.sig << 1;
    end
    return value;
  endfunction

  // True if a term of 24 bits loses bits when it is moved down in a frame of 64 bits, where its
  // leading one is bit 61 before: all below bit 1.
  function automatic logic cut_off(input logic [23:0] sig, input logic [11:0] down);
    if (down <= 12'd37) return 1'b0;
    if (down > 12'd60) return sig != 24'd0;
    return |(sig & ~(24'hff_ffff << (down[4:0] - 5'd5)));  // the lowest down - 37
  endfunction
  // The term there; bit 0 is set when something is cut off.
  function automatic logic [63:0] framed(input logic [23:0] sig, input logic [11:0] down);
    logic [62:0] kept;
    kept = (down > 12'd62) ? 63'd0 : (63'({2'b00, sig, 37'd0}) >> down[5:0]);
    return {kept, cut_off(sig, down)};
  endfunction

  function automatic logic signed [65:0] signed_frame(input term_t t, input logic signed [11:0] top);
    logic [63:0] frame;
    frame = framed(t.sig[47:24], 12'(top - t.exp));
    return t.sign ? -$signed({2'b00, frame}) : $signed({2'b00, frame});
  endfunction

  // The sum of two products and c. Terms that are 2^37 times smaller than the largest are cut
  // off. Two at once leave the largest alone, which is a binary32 number. One at once
  // leaves a bit in its place, unless the others cancel: then it is the sum.
  function automatic logic [31:0] add_bf16(input value_t low, input value_t high,
                                           input logic [31:0] c);
    /* verilator no_inline_task */
    special_t           special;
    value_t             value;
    term_t              d;
    logic signed [11:0] top;
    logic               cut_low;
    logic               cut_high;
    logic               cut_d;
    logic signed [65:0] part_low;
    logic signed [65:0] part_high;
    logic signed [65:0] part_d;
    logic signed [65:0] whole;  // of terms that nothing is cut off from
    logic signed [65:0] total;
    special = with_special('0, low.nan, low.inf, low.term.sign);
    special = with_special(special, high.nan, high.inf, high.term.sign);
    special = with_accumulator(special, c);
    if (is_special(special)) return special_result(special);
    value = from_f32(c);
    d     = '{sign: value.term.sign, exp: value.term.exp, sig: value.term.sig << 1};
    top   = -12'sd2048;
    if (low.term.sig[47] && (low.term.exp > top)) top = low.term.exp;
    if (high.term.sig[47] && (high.term.exp > top)) top = high.term.exp;
    if (d.sig[47] && (d.exp > top)) top = d.exp;
    cut_low   = cut_off(low.term.sig[47:24], 12'(top - low.term.exp));
    cut_high  = cut_off(high.term.sig[47:24], 12'(top - high.term.exp));
    cut_d     = cut_off(d.sig[47:24], 12'(top - d.exp));
    part_low  = signed_frame(low.term, top);
    part_high = signed_frame(high.term, top);
    part_d    = signed_frame(d, top);
    total     = part_low + part_high + part_d;
    whole     = (cut_low ? 66'sd0 : part_low) + (cut_high ? 66'sd0 : part_high) +
                (cut_d ? 66'sd0 : part_d);
    if (whole == 66'sd0) begin
      // The other two cancel, or all are zero.
      if (cut_low) return rounded_term(low.term);
      if (cut_high) return rounded_term(high.term);
      return cut_d ? c : 32'd0;
    end
    return rounded_total(total, top);
  endfunction

  function automatic logic [31:0] rounded_term(input term_t t);
    return bits_of(round_pack(t.sign, t.exp, {t.sig, 16'd0}, RoundNearestEven, 1'b0));
  endfunction

  // Bit 61 has the weight 2^(top - 127).
  function automatic logic [31:0] rounded_total(input logic signed [65:0] total,
                                                input logic signed [11:0] top);
    logic [63:0] magnitude;
    logic [ 5:0] zeros;
    magnitude = total[65] ? 64'(-total) : 64'(total);
    zeros     = leading_zeros(magnitude);
    return bits_of(round_pack(total[65], top + 12'sd2 - $signed({6'd0, zeros}),
                              magnitude << zeros, RoundNearestEven, 1'b0));
  endfunction

endpackage
