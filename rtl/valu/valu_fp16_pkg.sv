// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Helpers shared by binary16 and binary32 operations that complete in the first stage: operands of
// either format, multiply and add by fp16_pkg, rounding into either format (floating_point.md).

package valu_fp16_pkg;

  import fp16_pkg::*;
  import fp32_pkg::*;
  import valu_unit_pkg::*;

  // Rules of taking operands and rounding a result.
  typedef struct packed {
    logic   half;  // binary16
    round_e round;
    logic   flush_in;
    logic   flush_out;
    logic   stays_finite;  // MODE.FP16_OVFL
  } rules_t;

  function automatic rules_t rules_of(input control_t ctrl, input logic half);
    if (half) begin
      return '{half: 1'b1, round: ctrl.round_hd, flush_in: ctrl.flush_in_hd,
               flush_out: ctrl.flush_out_hd, stays_finite: ctrl.fp16_ovfl};
    end
    return '{half: 1'b0, round: ctrl.round, flush_in: ctrl.flush_in, flush_out: ctrl.flush_out,
             stays_finite: 1'b0};
  endfunction

  // A binary16 source: half by OP_SEL, then abs and neg.
  function automatic logic [15:0] half_source(input control_t ctrl, input logic [1:0] index,
                                              input logic [31:0] word);
    logic [15:0] half;
    half = half_of(word, ctrl.op_sel[index]);
    return {(half[15] & ~ctrl.abs_en[index]) ^ ctrl.neg_en[index], half[14:0]};
  endfunction

  function automatic number_t take(input rules_t rules, input logic [31:0] bits);
    return rules.half ? take_half(bits[15:0], rules.flush_in) : take_word(bits, rules.flush_in);
  endfunction

  // A result that is a NaN, an infinity or a zero, given in the shape of binary32.
  function automatic logic [31:0] shaped(input rules_t rules, input logic [31:0] word);
    return rules.half ? {16'd0, narrowed(word)} : word;
  endfunction

  function automatic logic [31:0] quiet_nan(input rules_t rules, input logic [31:0] word);
    return shaped(rules, word | 32'h0040_0000);
  endfunction

  // sig * 2^(exp - 190), sig with its leading one in bit 63.
  function automatic result_t round_number(input rules_t rules, input logic sign,
                                           input logic signed [11:0] exp, input logic [63:0] sig);
    if (rules.half) begin
      return round_half(sign, exp, sig, rules.round, rules.flush_out, rules.stays_finite);
    end
    return round_pack(sign, exp, sig, rules.round, rules.flush_out);
  endfunction

  // The same for any sig; zero gives a zero of the sign.
  function automatic result_t round_any(input rules_t rules, input logic sign,
                                        input logic signed [11:0] exp, input logic [63:0] sig);
    logic [5:0] zeros;
    if (sig == 64'd0) return {7'd0, shaped(rules, {sign, 31'd0})};
    zeros = leading_zeros(sig);
    return round_number(rules, sign, exp - $signed({6'd0, zeros}), sig << zeros);
  endfunction

  function automatic result_t rounded_sum(input rules_t rules, input term_t p, input term_t z);
    /* verilator no_inline_task */
    sum_t sum;
    sum = add_terms(p, z, rules.round);
    if (sum.zero) return {7'd0, shaped(rules, {sum.sign, 31'd0})};
    return round_number(rules, sum.sign, sum.exp, sum.sig);
  endfunction

  // x * y + z, fused or with the product rounded by itself. Flags of the operands included.
  function automatic result_t multiply_add(input rules_t rules, input logic separate,
                                           input number_t x, input number_t y, input number_t z);
    /* verilator no_inline_task */
    product_t product;
    result_t  rounded;
    number_t  factor;
    fused_t   sum;
    result_t  result;
    product = multiply(x, y);
    rounded = '0;
    if (separate && !z.op.nan && (product.term.sig != 48'd0)) begin
      rounded      = round_any(rules, product.term.sign, product.term.exp + 12'sd1,
                               {product.term.sig, 16'd0});
      factor       = rules.half ? take_half(rounded.bits[15:0], 1'b0) :
                                  take_word(rounded.bits, 1'b0);
      product.term = term_of(factor.op);
      product.inf  = factor.op.inf;
    end
    sum    = add_product(product, z, rules.round);
    result = '0;
    if (sum.special) begin
      result.bits = shaped(rules, sum.bits);
    end else begin
      result = round_number(rules, sum.finite.sign, sum.finite.exp, sum.finite.sig);
    end
    result.flags = result.flags | rounded.flags | sum.flags;
    return result;
  endfunction

  // Factors and addends that change nothing.
  function automatic number_t unit_factor();
    number_t one;
    one        = '0;
    one.op.exp = 12'sd127;
    one.op.sig = 24'h80_0000;
    one.bits   = One;
    return one;
  endfunction

  function automatic number_t zero_addend(input logic sign);
    number_t zero;
    zero         = '0;
    zero.op.zero = 1'b1;
    zero.op.sign = sign;
    return zero;
  endfunction

  function automatic number_t negated(input number_t in);
    number_t out;
    out         = in;
    out.op.sign = !in.op.sign;  // the bits stay: a NaN keeps its sign
    return out;
  endfunction

endpackage
