// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Floating-point atomic operations (decisions.md D8): one rounding to nearest even, subnormals
// flushed as the request says in all formats but F64, which keeps them. `old` is the first operand
// where NaNs are chosen (docs/reference/floating_point.md). Combinational functions.

package lds_float_pkg;

  import fp32_pkg::*;
  import fp16_pkg::*;
  import fp64_pkg::*;

  function automatic logic [31:0] add_single(input logic [31:0] old, input logic [31:0] data,
                                             input logic flush_in, input logic flush_out);
    /* verilator no_inline_task */
    operand_t x;
    operand_t y;
    result_t  sum;
    x = unpack(old, flush_in);
    y = unpack(data, flush_in);
    if (x.nan) return old | 32'h0040_0000;
    if (y.nan) return data | 32'h0040_0000;
    if (x.inf && y.inf && (x.sign != y.sign)) return DefaultNan;
    if (x.inf) return old;
    if (y.inf) return data;
    sum = round_sum(term_of(x), term_of(y), RoundNearestEven, flush_out);
    return sum.bits;
  endfunction

  function automatic logic [63:0] add_double(input logic [63:0] old, input logic [63:0] data);
    /* verilator no_inline_task */
    double_t        x;
    double_t        y;
    double_result_t sum;
    x = unpack_double(old, 1'b0);
    y = unpack_double(data, 1'b0);
    if (x.nan) return old | DoubleQuiet;
    if (y.nan) return data | DoubleQuiet;
    if (x.inf && y.inf && (x.sign != y.sign)) return DoubleNan;
    if (x.inf) return old;
    if (y.inf) return data;
    round_double_sum('{sign: x.sign, exp: x.exp, sig: {1'b0, x.sig, 52'd0}},
                     '{sign: y.sign, exp: y.exp, sig: {1'b0, y.sig, 52'd0}},
                     RoundNearestEven, 1'b0, sum);
    return sum.bits;
  endfunction

  function automatic logic [15:0] add_half(input logic [15:0] old, input logic [15:0] data,
                                           input logic flush_in, input logic flush_out);
    /* verilator no_inline_task */
    fused_t  sum;
    result_t rounded;
    sum = add_product(multiply(take_half(old, flush_in), take_half(HalfOne, 1'b0)),
                      take_half(data, flush_in), RoundNearestEven);
    if (sum.special) return narrowed(sum.bits);
    rounded = round_half(sum.finite.sign, sum.finite.exp, sum.finite.sig, RoundNearestEven,
                         flush_out, 1'b0);
    return rounded.bits[15:0];
  endfunction

  // Rounds sig * 2^(exp - 190), sig with its leading one in bit 63, to BF16, whose exponents are
  // those of F32 and whose significand has 8 bits.
  function automatic logic [15:0] round_brain(input logic sign, input logic signed [11:0] exp,
                                              input logic [63:0] sig, input logic flush);
    logic        tiny;
    logic [11:0] down;
    logic [63:0] frame;
    logic [15:0] magnitude;
    tiny = exp < 12'sd1;
    if (exp == 12'sd0) begin
      tiny = !((&sig[63:56]) && rounds_up(RoundNearestEven, sign, sig[56], sig[55], |sig[54:0]));
    end
    if (tiny && flush) return {sign, 15'd0};
    if (exp > 12'sd254) return {sign, Infinity[30:16]};
    down      = (exp < 12'sd1) ? 12'(12'sd1 - exp) : 12'd0;
    frame     = shift_right_sticky(sig, down);
    magnitude = {1'b0, (exp < 12'sd1) ? 8'd0 : 8'(exp - 12'sd1), 7'd0} + {8'd0, frame[63:56]};
    magnitude = magnitude +
        {15'd0, rounds_up(RoundNearestEven, sign, frame[56], frame[55], |frame[54:0])};
    return {sign, magnitude[14:0]};  // a carry out of the largest number gives infinity
  endfunction

  function automatic logic [15:0] add_brain(input logic [15:0] old, input logic [15:0] data,
                                            input logic flush_in, input logic flush_out);
    /* verilator no_inline_task */
    operand_t x;
    operand_t y;
    sum_t     sum;
    x = unpack({old, 16'd0}, flush_in);
    y = unpack({data, 16'd0}, flush_in);
    if (x.nan) return old | 16'h0040;
    if (y.nan) return data | 16'h0040;
    if (x.inf && y.inf && (x.sign != y.sign)) return DefaultNan[31:16];
    if (x.inf) return old;
    if (y.inf) return data;
    sum = add_terms(term_of(x), term_of(y), RoundNearestEven);
    if (sum.zero) return {sum.sign, 15'd0};
    return round_brain(sum.sign, sum.exp, sum.sig, flush_out);
  endfunction

  // F32 is at the top of 64 bits below: signs, magnitudes and quiet bits compare alike.
  typedef struct packed {
    logic nan;
    logic signaling;
    logic zero;
    logic subnormal;
  } kind_t;

  function automatic kind_t kind_of(input logic [63:0] bits, input logic wide);
    kind_t       kind;
    logic        small_exp;
    logic        large_exp;
    logic [51:0] fraction;
    small_exp = wide ? (bits[62:52] == 11'd0) : (bits[62:55] == 8'd0);
    large_exp = wide ? (&bits[62:52]) : (&bits[62:55]);
    fraction  = wide ? bits[51:0] : bits[54:3];
    kind.nan       = large_exp && (fraction != 52'd0);
    kind.signaling = kind.nan && !fraction[51];
    kind.zero      = small_exp && (fraction == 52'd0);
    kind.subnormal = small_exp && (fraction != 52'd0);
    return kind;
  endfunction

  // -0 is below +0.
  function automatic logic is_less(input logic [63:0] x, input logic [63:0] y);
    if (x[63] != y[63]) return x[63];
    return (x != y) && ((x[62:0] < y[62:0]) != x[63]);
  endfunction

  // A number wins over a quiet NaN, of two the second stays; a signaling one is the result, quieted.
  function automatic logic [63:0] min_max(input logic maximum, input logic wide,
                                          input logic [63:0] old, input logic [63:0] data,
                                          input logic flush_in, input logic flush_out);
    logic [63:0] quiet;
    logic [63:0] x;
    logic [63:0] y;
    logic [63:0] result;
    kind_t       kx;
    kind_t       ky;
    kind_t       kind;
    quiet = wide ? DoubleQuiet : 64'h0040_0000_0000_0000;
    kx    = kind_of(old, wide);
    ky    = kind_of(data, wide);
    x     = (kx.subnormal && flush_in) ? {old[63], 63'd0} : old;
    y     = (ky.subnormal && flush_in) ? {data[63], 63'd0} : data;
    if (kx.signaling) return x | quiet;
    if (ky.signaling) return y | quiet;
    if (kx.nan) result = y;
    else if (ky.nan) result = x;
    else result = (is_less(x, y) != maximum) ? x : y;
    kind = kind_of(result, wide);
    return (kind.subnormal && flush_out) ? {result[63], 63'd0} : result;
  endfunction

  // Zeros of both signs are equal, NaNs to nothing.
  function automatic logic is_equal(input logic wide, input logic [63:0] x, input logic [63:0] y,
                                    input logic flush_in);
    kind_t kx;
    kind_t ky;
    kx = kind_of(x, wide);
    ky = kind_of(y, wide);
    if (kx.nan || ky.nan) return 1'b0;
    return (x == y) || ((kx.zero || (kx.subnormal && flush_in)) &&
                        (ky.zero || (ky.subnormal && flush_in)));
  endfunction

endpackage
