// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Binary32 arithmetic of one lane, in the two parts that the pipeline separates: multiply or
// compare, then add and round.

package valu_float_pkg;

  import fp32_pkg::*;
  import valu_op_pkg::*;
  import valu_unit_pkg::*;

  // The NaN an operation returns: the first NaN operand, quieted.
  function automatic logic [31:0] quieted(input logic [31:0] bits);
    return bits | 32'h0040_0000;
  endfunction

  function automatic term_t term_of(input operand_t op);
    return '{sign: op.sign, exp: op.exp, sig: {1'b0, op.sig, 23'd0}};
  endfunction

  // First part of a sum: operands taken apart, products made, special values answered. x * y + z,
  // x + z or x * y by `func`; sources are in instruction order, modifiers applied. V_DIV_FMAS with
  // `undo` scales by 2^64 when source 2, the quotient so far, is large, else by 2^-64.
  function automatic void begin_sum(input control_t ctrl, input logic [31:0] src0,
                                    input logic [31:0] src1, input logic [31:0] src2,
                                    input logic undo, output term_t p, output term_t z,
                                    output early_t early);
    /* verilator no_inline_task */
    logic [31:0] x_bits;
    logic [31:0] y_bits;
    logic [31:0] z_bits;
    operand_t    ux;
    operand_t    uy;
    operand_t    uz;
    operand_t    product;
    result_t     rounded;
    logic        multiplies;
    logic        adds;
    logic        two_roundings;
    logic        p_inf;
    logic [47:0] raw;
    logic signed [11:0] scale;

    multiplies    = ctrl.func >= FuncMulF32;
    adds          = ctrl.func != FuncMulF32;
    two_roundings = (ctrl.func == FuncMadF32) || (ctrl.func == FuncMacF32);
    x_bits        = src0;
    y_bits        = src1;
    z_bits        = multiplies ? src2 : src1;

    ux = unpack(x_bits, ctrl.flush_in);
    uy = multiplies ? unpack(y_bits, ctrl.flush_in) : operand_t'('0);
    uz = adds ? unpack(z_bits, ctrl.flush_in) : operand_t'('0);

    p           = term_of(ux);
    p.sign      = ux.sign ^ (ctrl.func == FuncSubrevF32);
    z           = term_of(uz);
    z.sign      = uz.sign ^ (ctrl.func == FuncSubF32);
    p_inf       = ux.inf;
    early       = '0;
    early.sum   = 1'b1;
    early.flags.input_denormal = ux.denormal | uy.denormal | uz.denormal;

    if (ux.nan || uy.nan || uz.nan) begin
      early.sum           = 1'b0;
      early.flags.invalid = ux.snan | uy.snan | uz.snan;
      early.bits          = quieted(ux.nan ? x_bits : (uy.nan ? y_bits : z_bits));
      return;
    end

    if (multiplies) begin
      p.sign = ux.sign ^ uy.sign;
      p.exp  = ux.exp + uy.exp - 12'sd127;
      raw    = {24'd0, ux.sig} * {24'd0, uy.sig};
      p.sig  = raw;
      p_inf  = ux.inf || uy.inf;
      if ((ux.inf && uy.zero) || (ux.zero && uy.inf)) begin
        early.sum           = 1'b0;
        early.flags.invalid = 1'b1;
        early.bits          = DefaultNan;
        // A separate product is an operand of the addition, which returns the same NaN.
        return;
      end
      if (two_roundings && (raw != 48'd0)) begin
        rounded     = raw[47] ?
            round_pack(p.sign, p.exp + 12'sd1, {raw, 16'd0}, ctrl.round, ctrl.flush_out) :
            round_pack(p.sign, p.exp, {raw[46:0], 17'd0}, ctrl.round, ctrl.flush_out);
        early.flags = early.flags | rounded.flags;
        product     = unpack(rounded.bits, 1'b0);
        p           = term_of(product);
        p_inf       = product.inf;
      end
    end

    if (p_inf || uz.inf) begin
      early.sum = 1'b0;
      if (p_inf && uz.inf && (p.sign != z.sign)) begin
        early.flags.invalid = 1'b1;
        early.bits          = DefaultNan;
      end else begin
        early.bits = {p_inf ? p.sign : z.sign, Infinity};
      end
    end
    if (!adds) begin
      // A zero of the product's sign changes nothing.
      z.sign = p.sign;
      z.sig  = 48'd0;
    end
    if ((ctrl.func == FuncDivFmasF32) && undo) begin
      // Both terms move, so the sum is rounded once.
      scale = (z_bits[30:23] > 8'd127) ? 12'sd64 : -12'sd64;
      p.exp = p.exp + scale;
      z.exp = z.exp + scale;
    end
  endfunction

  // A comparison operand: a subnormal is flushed, or reported.
  typedef struct packed {
    logic        nan;
    logic        snan;
    logic        denormal;
    logic [31:0] bits;
  } compared_t;

  function automatic compared_t take(input logic [31:0] bits, input logic flush);
    compared_t op;
    logic      subnormal;
    subnormal   = (bits[30:23] == 8'd0) && (bits[22:0] != 23'd0);
    op.nan      = bits[30:0] > Infinity;
    op.snan     = op.nan && !bits[22];
    op.denormal = subnormal && !flush;
    op.bits     = (subnormal && flush) ? {bits[31], 31'd0} : bits;
    return op;
  endfunction

  // x < y for numbers, with -0 < +0.
  function automatic logic is_less(input logic [31:0] x, input logic [31:0] y);
    if (x[31] != y[31]) return x[31];
    return (x != y) && ((x[30:0] < y[30:0]) != x[31]);
  endfunction

  // {mask, flags} of V_CMP: condition bit 0 less, 1 equal, 2 greater, 3 unordered. A signaling NaN
  // is invalid; with CLAMP a quiet one is too. The conditions "never" and "always" look at no
  // operand and raise nothing.
  function automatic logic [7:0] compare(input control_t ctrl, input logic [31:0] src0,
                                         input logic [31:0] src1);
    /* verilator no_inline_task */
    compared_t  x;
    compared_t  y;
    flags_t     flags;
    logic [3:0] relation;
    logic       unordered;
    x         = take(src0, ctrl.flush_in);
    y         = take(src1, ctrl.flush_in);
    unordered = x.nan || y.nan;
    flags     = '0;
    flags.input_denormal = x.denormal || y.denormal;
    flags.invalid        = x.snan || y.snan || (ctrl.clamp && unordered);
    if (unordered) begin
      relation = 4'b1000;
    end else if ((x.bits == y.bits) || ((x.bits[30:0] | y.bits[30:0]) == 31'd0)) begin
      relation = 4'b0010;
    end else begin
      relation = is_less(x.bits, y.bits) ? 4'b0001 : 4'b0100;
    end
    if ((ctrl.func[3:0] == 4'b0000) || (ctrl.func[3:0] == 4'b1111)) flags = '0;
    return {|(relation & ctrl.func[3:0]), flags};
  endfunction

  // V_MIN and V_MAX: with MODE.IEEE a signaling NaN is returned quieted, otherwise the operand that
  // is no NaN wins, of two NaNs source 1.
  function automatic result_t select(input control_t ctrl, input logic [31:0] src0,
                                     input logic [31:0] src1);
    /* verilator no_inline_task */
    compared_t x;
    compared_t y;
    result_t   result;
    x      = take(src0, ctrl.flush_in);
    y      = take(src1, ctrl.flush_in);
    result = '0;
    result.flags.input_denormal = x.denormal || y.denormal;
    if (ctrl.ieee && (x.snan || y.snan)) begin
      result.flags.invalid = 1'b1;
      result.bits          = quieted(x.snan ? x.bits : y.bits);
      return result;
    end
    if (x.nan) begin
      result.bits = y.bits;
    end else if (y.nan) begin
      result.bits = x.bits;
    end else begin
      result.bits = (is_less(x.bits, y.bits) == (ctrl.func == FuncMinF32)) ? x.bits : y.bits;
    end
    if (ctrl.flush_out && (result.bits[30:23] == 8'd0) && (result.bits[22:0] != 23'd0)) begin
      result.flags.underflow = 1'b1;
      result.flags.inexact   = 1'b1;
      result.bits[30:0]      = 31'd0;
    end
    return result;
  endfunction

  // Second part: the sum where there is one, then the output modifiers.
  function automatic result_t finish(input control_t ctrl, input term_t p, input term_t z,
                                     input early_t early);
    /* verilator no_inline_task */
    result_t result;
    result = '{flags: early.flags, bits: early.bits};
    if (early.sum) begin
      result       = round_sum(p, z, ctrl.round, ctrl.flush_out);
      result.flags = result.flags | early.flags;
    end
    if (ctrl.omod != OmodNone) begin
      result = modify_output(result, ctrl.omod, ctrl.round);
    end
    if (ctrl.clamp) result.bits = clamp(result.bits, ctrl.dx10_clamp);
    return result;
  endfunction

endpackage
