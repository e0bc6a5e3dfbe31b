// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Products and sums of binary64 in the matrix unit: round to nearest even, subnormals kept, one
// quiet NaN. No flags: matrix instructions raise none.

package fp64_mac_pkg;

  import fp32_pkg::*;
  import fp64_pkg::*;

  // Term of a sum: a number of up to 106 significant bits, a signed infinity, or a NaN. The
  // significand of zeros, infinities and NaNs is 0.
  typedef struct packed {
    logic         nan;
    logic         inf;
    double_term_t term;
  } double_value_t;

  // The exact product.
  function automatic void product_f64(input logic [63:0] a, input logic [63:0] b,
                                      output double_value_t value);
    /* verilator no_inline_task */
    double_t x;
    double_t y;
    x = unpack_double(a, 1'b0);
    y = unpack_double(b, 1'b0);
    value.nan       = x.nan || y.nan || (x.inf && y.zero) || (x.zero && y.inf);
    value.inf       = x.inf || y.inf;
    value.term.sign = x.sign ^ y.sign;
    value.term.exp  = x.exp + y.exp - 14'sd1023;
    value.term.sig  = {53'd0, x.sig} * {53'd0, y.sig};
  endfunction

  // value + c, rounded once.
  function automatic logic [63:0] add_f64(input double_value_t value, input logic [63:0] c);
    /* verilator no_inline_task */
    double_t        z;
    double_term_t   term;
    double_result_t rounded;
    z    = unpack_double(c, 1'b0);
    term = '{sign: z.sign, exp: z.exp, sig: {1'b0, z.sig, 52'd0}};
    if (value.nan || z.nan || (value.inf && z.inf && (value.term.sign != z.sign))) return DoubleNan;
    if (value.inf) return {value.term.sign, DoubleInfinity};
    if (z.inf) return {z.sign, DoubleInfinity};
    round_double_sum(value.term, term, RoundNearestEven, 1'b0, rounded);
    return rounded.bits;
  endfunction

endpackage
