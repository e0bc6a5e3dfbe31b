// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Products and sums of the matrix unit: binary32, binary16 and bfloat16 factors, binary32 results,
// round to nearest even, one quiet NaN; subnormals kept, and for pairwise groups flushed. No flags:
// matrix instructions raise none.

package fp_mac_pkg;

  import fp32_pkg::*;

  // Term of a sum: a number of up to 48 significant bits, a signed infinity, or a NaN. The
  // significand of zeros, infinities and NaNs is 0.
  typedef struct packed {
    logic  nan;
    logic  inf;
    term_t term;
  } value_t;

  // A binary16 operand taken apart, its exponent in the bias of binary32. Finite and not zero: sig
  // has its leading one in bit 10. Subnormal numbers and zeros are +0, as in all pairwise groups.
  typedef struct packed {
    logic               sign;
    logic               zero;
    logic               inf;
    logic               nan;
    logic signed [11:0] exp;
    logic        [10:0] sig;
  } half_t;

  function automatic value_t from_f32(input logic [31:0] bits);
    /* verilator no_inline_task */
    operand_t op;
    value_t   value;
    op         = unpack(bits, 1'b0);
    value.nan  = op.nan;
    value.inf  = op.inf;
    value.term = '{sign: op.sign, exp: op.exp, sig: {1'b0, op.sig, 23'd0}};
    return value;
  endfunction

  // The exact product.
  function automatic value_t product_f32(input logic [31:0] a, input logic [31:0] b);
    /* verilator no_inline_task */
    operand_t x;
    operand_t y;
    value_t   value;
    x = unpack(a, 1'b0);
    y = unpack(b, 1'b0);
    value.nan       = x.nan || y.nan || (x.inf && y.zero) || (x.zero && y.inf);
    value.inf       = x.inf || y.inf;
    value.term.sign = x.sign ^ y.sign;
    value.term.exp  = x.exp + y.exp - 12'sd127;
    value.term.sig  = {24'd0, x.sig} * {24'd0, y.sig};
    return value;
  endfunction

  function automatic half_t unpack_f16(input logic [15:0] bits);
    /* verilator no_inline_task */
    half_t half;
    logic  fraction;
    fraction  = |bits[9:0];
    half      = '0;
    half.zero = (bits[14:10] == 5'd0);
    half.sign = bits[15] && !half.zero;
    half.inf  = (&bits[14:10]) && !fraction;
    half.nan  = (&bits[14:10]) && fraction;
    half.exp  = 12'sd112 + $signed({7'd0, bits[14:10]});
    half.sig  = {1'b1, bits[9:0]};
    if (half.zero || (&bits[14:10])) half.sig = '0;
    return half;
  endfunction

  // The exact product; it is a binary32 number as well.
  function automatic value_t product_f16(input logic [15:0] a, input logic [15:0] b);
    /* verilator no_inline_task */
    half_t  x;
    half_t  y;
    value_t value;
    x = unpack_f16(a);
    y = unpack_f16(b);
    value.nan       = x.nan || y.nan || (x.inf && y.zero) || (x.zero && y.inf);
    value.inf       = x.inf || y.inf;
    value.term.sign = x.sign ^ y.sign;
    value.term.exp  = x.exp + y.exp - 12'sd127;
    value.term.sig  = {{11'd0, x.sig} * {11'd0, y.sig}, 26'd0};
    return value;
  endfunction

  // A value rounded to binary32.
  function automatic logic [31:0] round_value(input value_t value);
    /* verilator no_inline_task */
    result_t     rounded;
    logic [63:0] sig;
    if (value.nan) return DefaultNan;
    if (value.inf) return {value.term.sign, Infinity};
    if (value.term.sig == 48'd0) return {value.term.sign, 31'd0};
    sig = {value.term.sig, 16'd0};
    if (!sig[63]) begin
      rounded = round_pack(value.term.sign, value.term.exp, sig << 1, RoundNearestEven, 1'b0);
    end else begin
      rounded = round_pack(value.term.sign, value.term.exp + 12'sd1, sig, RoundNearestEven, 1'b0);
    end
    return rounded.bits;
  endfunction

  // x + y, rounded once.
  function automatic logic [31:0] sum_values(input value_t x, input value_t y);
    /* verilator no_inline_task */
    result_t rounded;
    if (x.nan || y.nan || (x.inf && y.inf && (x.term.sign != y.term.sign))) begin
      return DefaultNan;
    end
    if (x.inf) return {x.term.sign, Infinity};
    if (y.inf) return {y.term.sign, Infinity};
    rounded = round_sum(x.term, y.term, RoundNearestEven, 1'b0);
    return rounded.bits;
  endfunction

  function automatic logic [31:0] add_f32(input logic [31:0] x, input logic [31:0] y);
    return sum_values(from_f32(x), from_f32(y));
  endfunction

  // The pairwise groups of gfx90a have no subnormals: an operand that is subnormal or a zero is +0, a
  // result that is subnormal a zero of its sign.
  function automatic logic [31:0] flush_operand(input logic [31:0] bits);
    return (bits[30:23] == 8'd0) ? 32'd0 : bits;
  endfunction

  function automatic logic [31:0] flush_step(input logic [31:0] bits);
    return (bits[30:23] == 8'd0) ? {bits[31], 31'd0} : bits;
  endfunction

  // Two packed operands.
  function automatic logic [31:0] flush_bf16(input logic [31:0] bits);
    logic [31:0] kept;
    kept = bits;
    for (int unsigned h = 0; h < 2; h++) begin
      if (bits[16*h + 7 +: 8] == 8'd0) kept[16*h +: 16] = '0;
    end
    return kept;
  endfunction

  // Two products, each rounded, and their sum, rounded: two k of a pairwise group. Products of
  // binary16 numbers need no rounding; none of normal ones, and no sum of two, is subnormal.
  function automatic logic [31:0] pair_f16(input logic [31:0] a, input logic [31:0] b);
    return sum_values(product_f16(a[15:0], b[15:0]), product_f16(a[31:16], b[31:16]));
  endfunction

  function automatic logic [31:0] pair_bf16(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] x;
    logic [31:0] y;
    logic [31:0] low;
    logic [31:0] high;
    x    = flush_bf16(a);
    y    = flush_bf16(b);
    low  = round_value(product_f32({x[15:0], 16'd0}, {y[15:0], 16'd0}));
    high = round_value(product_f32({x[31:16], 16'd0}, {y[31:16], 16'd0}));
    return flush_step(add_f32(flush_step(low), flush_step(high)));
  endfunction

endpackage
