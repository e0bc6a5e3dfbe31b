// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Two-stage fused sums of the matrix unit (mfma_numerics.md, gfx942): products of a group are
// aligned to the largest of their exponents and truncated, their sum and the accumulator to the
// larger of both, and one rounding to binary32 follows. Exponents of products are biased by 254, so
// that they are positive: twice the bias of factors, which is 127 in every format.

package fused_dot_pkg;

  import fp32_pkg::*;

  typedef enum logic [1:0] {
    Factor16  = 2'd0,  // binary16
    FactorB16 = 2'd1,  // bfloat16
    Factor32  = 2'd2,  // binary32 of which 10 fraction bits count
    Factor8   = 2'd3   // 8 bits, without infinities
  } factor_e;

  localparam int unsigned Groups16 = 8;  // products of a group at most, by bits of the factors
  localparam int unsigned Groups32 = 4;
  localparam int unsigned Groups8  = 16;

  // sig has 10 fraction bits; a subnormal number has the smallest exponent of its format, zero that
  // of binary32.
  typedef struct packed {
    logic        sign;
    logic        nan;
    logic        inf;
    logic [ 8:0] exp;
    logic [10:0] sig;
  } factor_t;

  // 24 fraction bits; exp biased by 254, of a product that is zero below all others.
  typedef struct packed {
    logic        sign;
    logic        nan;
    logic        inf;    // 2^128 and more, too
    logic [ 9:0] exp;
    logic [25:0] sig;
  } product_t;

  // A sum of aligned products: sum * 2^(exp - 254 - 24). exp is 0 when all are zero.
  typedef struct packed {
    logic               nan;
    logic               plus;   // an infinity
    logic               minus;
    logic               drops;  // a small accumulator counts as 0
    logic        [ 9:0] exp;
    logic signed [31:0] sum;
  } partial_t;

  // A factor of a format; `bf8`: 8 bits with 5 of exponent, else 4.
  function automatic factor_t unpack_factor(input factor_e format, input logic bf8,
                                            input logic [31:0] bits);
    /* verilator no_inline_task */
    factor_t     x;
    logic        tiny;
    logic [ 9:0] fraction;
    logic [ 8:0] field;
    logic [ 8:0] offset;
    x = '0;
    unique case (format)
      Factor16: begin
        x.sign   = bits[15];
        field    = {4'd0, bits[14:10]};
        fraction = bits[9:0];
        offset   = 9'd112;
        x.nan    = (&bits[14:10]) && (bits[9:0] != 10'd0);
        x.inf    = (&bits[14:10]) && (bits[9:0] == 10'd0);
      end
      FactorB16: begin
        x.sign   = bits[15];
        field    = {1'b0, bits[14:7]};
        fraction = {bits[6:0], 3'd0};
        offset   = 9'd0;
        x.nan    = (&bits[14:7]) && (bits[6:0] != 7'd0);
        x.inf    = (&bits[14:7]) && (bits[6:0] == 7'd0);
      end
      Factor32: begin
        x.sign   = bits[31];
        field    = {1'b0, bits[30:23]};
        fraction = bits[22:13];
        offset   = 9'd0;
        x.nan    = (&bits[30:23]) && (bits[22:0] != 23'd0);
        x.inf    = (&bits[30:23]) && (bits[22:0] == 23'd0);
      end
      default: begin
        x.sign   = bits[7];
        field    = bf8 ? {4'd0, bits[6:2]} : {5'd0, bits[6:3]};
        fraction = bf8 ? {bits[1:0], 8'd0} : {bits[2:0], 7'd0};
        offset   = bf8 ? 9'd111 : 9'd119;
        x.nan    = bits[7:0] == 8'h80;
      end
    endcase
    tiny  = field == 9'd0;
    x.exp = offset + (tiny ? 9'd1 : field);
    x.sig = {!tiny, fraction};
    if (tiny && (fraction == 10'd0)) x.exp = 9'd1;
    if (x.nan || x.inf) x.sig = '0;
    return x;
  endfunction

  function automatic product_t product_of(input factor_t x, input factor_t y);
    product_t p;
    logic     zero;
    zero    = ((x.sig == 11'd0) && !x.inf && !x.nan) || ((y.sig == 11'd0) && !y.inf && !y.nan);
    p.sign  = x.sign ^ y.sign;
    p.inf   = x.inf || y.inf;
    p.nan   = x.nan || y.nan || (p.inf && zero);
    p.exp   = {1'b0, x.exp} + {1'b0, y.exp};
    p.sig   = {{11'd0, x.sig} * {11'd0, y.sig}, 4'd0};
    if (p.sig == 26'd0) begin
      p.exp = 10'd0;
    end else if ((p.exp + {9'd0, p.sig[25]}) >= 10'd382) begin
      p.inf = 1'b1;
    end
    return p;
  endfunction

  // Truncated toward zero.
  function automatic logic signed [31:0] aligned(input product_t p, input logic [9:0] exp);
    logic [ 9:0] drop;
    logic [25:0] kept;
    drop = exp - p.exp;
    kept = (drop > 10'd25) ? 26'd0 : (p.sig >> drop[4:0]);
    return p.sign ? -$signed({6'd0, kept}) : $signed({6'd0, kept});
  endfunction

  // value / 2^amount, toward minus infinity.
  function automatic logic signed [41:0] shift_floor(input logic signed [41:0] value,
                                                     input logic [9:0] amount);
    return value >>> ((amount > 10'd41) ? 6'd41 : amount[5:0]);
  endfunction

  // The sum of a group. Formats of 8 bits sum even and odd k apart first.
  function automatic partial_t sum_group(input factor_e format, input logic a_bf8,
                                         input logic b_bf8, input logic [127:0] a,
                                         input logic [127:0] b);
    /* verilator no_inline_task */
    partial_t           s;
    factor_t            x;
    factor_t            y;
    product_t           p;
    logic [15:0][63:0]  products;  // product_t each; a power of two in size is selected by position
    logic        [ 9:0] even_exp;
    logic        [ 9:0] odd_exp;
    logic        [ 4:0] count;
    logic signed [31:0] even_sum;
    logic signed [31:0] odd_sum;
    logic signed [41:0] even_part;
    logic signed [41:0] odd_part;
    s        = '0;
    products = '0;
    even_exp = '0;
    odd_exp  = '0;
    even_sum = '0;
    odd_sum  = '0;
    count    = (format == Factor8) ? 5'(Groups8) : (format == Factor32) ? 5'(Groups32) : 5'(Groups16);
    for (int unsigned k = 0; k < 16; k++) begin
      if (5'(k) < count) begin
        unique case (format)
          Factor8: begin
            x = unpack_factor(format, a_bf8, {24'd0, a[8*k +: 8]});
            y = unpack_factor(format, b_bf8, {24'd0, b[8*k +: 8]});
          end
          Factor32: begin
            x = unpack_factor(format, 1'b0, a[32*(k % 4) +: 32]);
            y = unpack_factor(format, 1'b0, b[32*(k % 4) +: 32]);
          end
          default: begin
            x = unpack_factor(format, 1'b0, {16'd0, a[16*(k % 8) +: 16]});
            y = unpack_factor(format, 1'b0, {16'd0, b[16*(k % 8) +: 16]});
          end
        endcase
        p             = product_of(x, y);
        products[4'(k)] = 64'(p);
        s.nan         = s.nan || p.nan;
        s.plus        = s.plus || (p.inf && !p.sign);
        s.minus       = s.minus || (p.inf && p.sign);
        if ((k % 2) == 0) even_exp = (p.exp > even_exp) ? p.exp : even_exp;
        else              odd_exp  = (p.exp > odd_exp) ? p.exp : odd_exp;
      end
    end
    s.exp = (odd_exp > even_exp) ? odd_exp : even_exp;
    if (format != Factor8) begin
      even_exp = s.exp;
      odd_exp  = s.exp;
    end
    for (int unsigned k = 0; k < 16; k++) begin
      if (5'(k) < count) begin
        if ((k % 2) == 0) even_sum = even_sum + aligned(products[4'(k)][$bits(product_t)-1:0], even_exp);
        else              odd_sum  = odd_sum + aligned(products[4'(k)][$bits(product_t)-1:0], odd_exp);
      end
    end
    even_part = shift_floor(42'(even_sum), s.exp - even_exp);
    odd_part  = shift_floor(42'(odd_sum), s.exp - odd_exp);
    s.sum     = 32'(even_part) + 32'(odd_part);
    s.drops   = format == Factor8;
    return s;
  endfunction

  // The group added to c.
  function automatic logic [31:0] add_group(input partial_t s, input logic [31:0] c);
    /* verilator no_inline_task */
    result_t            rounded;
    logic               tiny;
    logic               nan;
    logic               plus;
    logic               minus;
    logic        [ 9:0] c_exp;
    logic        [ 9:0] top;
    logic signed [41:0] wide;
    logic signed [41:0] addend;
    logic signed [41:0] total;
    logic        [63:0] magnitude;
    logic        [ 5:0] zeros;
    logic        [ 5:0] leading;
    logic        [ 5:0] drop;
    nan   = s.nan || ((&c[30:23]) && (c[22:0] != 23'd0));
    plus  = s.plus || ((c[30:0] == Infinity) && !c[31]);
    minus = s.minus || ((c[30:0] == Infinity) && c[31]);
    if (nan || (plus && minus)) return DefaultNan;
    if (plus || minus) return {minus, Infinity};

    tiny   = c[30:23] == 8'd0;
    c_exp  = 10'd127 + (tiny ? 10'd1 : {2'd0, c[30:23]});
    top    = (s.exp > c_exp) ? s.exp : c_exp;
    wide   = shift_floor({{2{s.sum[31]}}, s.sum, 8'd0}, top - s.exp);
    addend = $signed({17'd0, !tiny, c[22:0], 1'b0});
    addend = shift_floor(c[31] ? -addend : addend, top - c_exp) <<< 8;
    if (s.drops && ((top - c_exp) > 10'd25)) addend = '0;
    total  = wide + addend;
    if (total == 42'sd0) return 32'd0;
    // Once more toward minus infinity, to 31 bits below the leading one; its exponent is not below
    // that of the least normal number, which a top there has one bit above.
    leading   = 6'd63 - leading_zeros({22'd0, total[41] ? 42'(-total) : 42'(total)});
    drop      = (leading > 6'd31) ? leading - 6'd31 : {5'd0, top == 10'd128};
    total     = (total >>> drop) <<< drop;
    magnitude = {22'd0, total[41] ? 42'(-total) : 42'(total)};
    zeros     = leading_zeros(magnitude);
    rounded   = round_pack(total[41], $signed({2'b00, top}) - 12'sd96 - $signed({6'd0, zeros}),
                           magnitude << zeros, RoundNearestEven, 1'b0);
    return rounded.bits;
  endfunction

endpackage
