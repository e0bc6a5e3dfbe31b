// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Binary16 sums and products of one lane, alone, two at a time and mixed with binary32, the legacy
// binary32 products and cube maps (Vega ISA 12.6, 12.9, 12.10).

package valu_fp16_mixed_pkg;

  import fp16_pkg::*;
  import fp32_pkg::*;
  import valu_fp16_pkg::*;
  import valu_op_pkg::*;
  import valu_unit_pkg::*;

  // A binary16 result behind its output modifiers.
  function automatic result_t modified(input control_t ctrl, input result_t in);
    return finish_half(in, ctrl.omod_hd, ctrl.clamp, ctrl.dx10_clamp, ctrl.round_hd,
                       ctrl.fp16_ovfl);
  endfunction

  // Unit HalfSum.
  function automatic result_t sum(input control_t ctrl, input logic [31:0] src0,
                                  input logic [31:0] src1, input logic [31:0] src2,
                                  input logic [31:0] old);
    /* verilator no_inline_task */
    rules_t  rules;
    number_t x;
    number_t y;
    number_t z;
    result_t result;
    logic    keep;
    rules = rules_of(ctrl, 1'b1);
    x     = take_half(half_source(ctrl, 2'd0, src0), rules.flush_in);
    y     = take_half(half_source(ctrl, 2'd1, src1), rules.flush_in);
    keep  = (ctrl.func == FuncMadF16) || (ctrl.func == FuncFmaF16);
    unique case (ctrl.func)
      FuncAddF16: result = multiply_add(rules, 1'b0, x, unit_factor(), y);
      // Source 0 comes first when a NaN is chosen.
      FuncSubF16: result = multiply_add(rules, 1'b0, x, unit_factor(), negated(y));
      FuncSubrevF16: result = multiply_add(rules, 1'b0, negated(x), unit_factor(), y);
      FuncMulF16:
        result = multiply_add(rules, 1'b0, x, y, zero_addend(x.op.sign ^ y.op.sign));
      default: begin
        // The destination as the third source has no OP_SEL.
        z = take_half((ctrl.func == FuncMacF16) ? src2[15:0] : half_source(ctrl, 2'd2, src2),
                      rules.flush_in);
        result = multiply_add(rules, ctrl.func >= FuncMadF16, x, y, z);
      end
    endcase
    result      = modified(ctrl, result);
    result.bits = placed(result.bits[15:0], ctrl.op_sel[3], keep, old);
    return result;
  endfunction

  // One of the two results of a packed operation.
  function automatic result_t pair_part(input control_t ctrl, input logic high,
                                        input logic [31:0] src0, input logic [31:0] src1,
                                        input logic [31:0] src2);
    /* verilator no_inline_task */
    rules_t      rules;
    logic [2:0]  select;
    logic [2:0]  negate;
    logic [15:0] half [3];
    number_t     x;
    number_t     y;
    number_t     z;
    rules  = rules_of(ctrl, 1'b1);
    select = high ? ctrl.op_sel_hi : ctrl.op_sel[2:0];
    negate = high ? ctrl.neg_hi : ctrl.neg_en;
    if (ctrl.func == FuncPkFmacF16) begin
      // A VOP2 instruction: both halves as they stand, abs and neg for both.
      select = {3{high}};
      negate = {1'b0, ctrl.neg_en[1:0]};
    end
    half[0] = half_of(src0, select[0]);
    half[1] = half_of(src1, select[1]);
    half[2] = half_of(src2, select[2]);
    if (ctrl.func == FuncPkFmacF16) begin
      half[0] = half[0] & ~{ctrl.abs_en[0], 15'd0};
      half[1] = half[1] & ~{ctrl.abs_en[1], 15'd0};
    end
    half[0] = half[0] ^ {negate[0], 15'd0};
    half[1] = half[1] ^ {negate[1], 15'd0};
    half[2] = half[2] ^ {negate[2], 15'd0};
    if ((ctrl.func == FuncPkMinF16) || (ctrl.func == FuncPkMaxF16)) begin
      return picked(ctrl, half[0], half[1]);
    end
    x = take_half(half[0], rules.flush_in);
    y = take_half(half[1], rules.flush_in);
    unique case (ctrl.func)
      FuncPkAddF16: return modified(ctrl, multiply_add(rules, 1'b0, x, unit_factor(), y));
      FuncPkMulF16: return modified(ctrl, multiply_add(rules, 1'b0, x, y,
                                                       zero_addend(x.op.sign ^ y.op.sign)));
      default: begin
        z = take_half(half[2], rules.flush_in);
        return modified(ctrl, multiply_add(rules, 1'b0, x, y, z));
      end
    endcase
  endfunction

  function automatic result_t picked(input control_t ctrl, input logic [15:0] x,
                                     input logic [15:0] y);
    valu_order_pkg::choice_t choice;
    valu_order_pkg::pick('{format: valu_order_pkg::Binary16,
                            flush_in: ctrl.flush_in_hd, flush_out: ctrl.flush_out_hd,
                            ieee: ctrl.ieee},
                          ctrl.func == FuncPkMaxF16, {x, 48'd0}, {y, 48'd0}, choice);
    return modified(ctrl, '{flags: choice.flags, bits: {16'd0, choice.bits[63:48]}});
  endfunction

  function automatic result_t pair(input control_t ctrl, input logic [31:0] src0,
                                   input logic [31:0] src1, input logic [31:0] src2);
    result_t low;
    result_t high;
    low  = pair_part(ctrl, 1'b0, src0, src1, src2);
    high = pair_part(ctrl, 1'b1, src0, src1, src2);
    return '{flags: low.flags | high.flags, bits: {high.bits[15:0], low.bits[15:0]}};
  endfunction

  // A binary16 operand of a binary32 operation: exact, subnormals as MODE says for binary16.
  typedef struct packed {
    flags_t  flags;
    number_t number;
  } wide_t;

  function automatic wide_t widen(input control_t ctrl, input logic [15:0] half);
    wide_t out;
    out                      = '0;
    out.number               = take_half(half, ctrl.flush_in_hd);
    out.flags.invalid        = out.number.op.snan;
    out.flags.input_denormal = out.number.op.denormal;
    // In binary32 it is a normal number, and a NaN arrives quieted.
    out.number.op.denormal   = 1'b0;
    out.number.op.snan       = 1'b0;
    if (out.number.op.nan) out.number.bits = out.number.bits | 32'h0040_0000;
    return out;
  endfunction

  // A source of V_FMA_MIX or V_MAD_MIX: binary32, or with OP_SEL_HI the half that OP_SEL names. NEG_HI is abs.
  function automatic wide_t mixed_source(input control_t ctrl, input logic [1:0] index,
                                         input logic [31:0] word);
    wide_t       out;
    logic        sign;
    out = '0;
    if (ctrl.op_sel_hi[index]) begin
      out = widen(ctrl, half_of(word, ctrl.op_sel[index]));
    end else begin
      out.number = take_word(word, ctrl.flush_in);
    end
    sign = (out.number.bits[31] & ~ctrl.neg_hi[index]) ^ ctrl.neg_en[index];
    out.number.op.sign  = sign;
    out.number.bits[31] = sign;
    return out;
  endfunction

  // V_FMA_MIX, or V_MAD_MIX with the product rounded by itself: rounded to binary32, then for the
  // 16-bit forms to binary16. Finished here but for the output modifiers of the binary32 form.
  function automatic result_t mix(input control_t ctrl, input logic separate,
                                  input logic [31:0] src0, input logic [31:0] src1,
                                  input logic [31:0] src2, input logic [31:0] old);
    /* verilator no_inline_task */
    wide_t   x;
    wide_t   y;
    wide_t   z;
    result_t result;
    result_t half;
    logic [4:0] kind;
    // The three V_MAD_MIX in the order of the three V_FMA_MIX.
    kind         = separate ? (ctrl.func - FuncMadMixF32) : ctrl.func;
    x            = mixed_source(ctrl, 2'd0, src0);
    y            = mixed_source(ctrl, 2'd1, src1);
    z            = mixed_source(ctrl, 2'd2, src2);
    result       = multiply_add(rules_of(ctrl, 1'b0), separate, x.number, y.number, z.number);
    result.flags = result.flags | x.flags | y.flags | z.flags;
    if (kind == FuncFmaMixF32) return result;
    half         = modified(ctrl, to_half(rules_of(ctrl, 1'b1), take_word(result.bits, 1'b0)));
    result.flags = result.flags | half.flags;
    result.bits  = (kind == FuncFmaMixhiF16) ?
                   {half.bits[15:0], old[15:0]} : {old[31:16], half.bits[15:0]};
    return result;
  endfunction

  // A binary32 number rounded to binary16. Subnormal operands are not reported.
  function automatic result_t to_half(input rules_t rules, input number_t in);
    result_t result;
    result = '0;
    if (in.op.nan) begin
      result.flags.invalid = in.op.snan;
      result.bits[15:0]    = narrowed(in.bits | 32'h0040_0000);
    end else if (in.op.inf || in.op.zero) begin
      result.bits[15:0] = {in.op.sign, in.op.inf ? HalfInfinity : 15'd0};
    end else begin
      result = round_half(in.op.sign, in.op.exp, {in.op.sig, 40'd0}, rules.round, rules.flush_out,
                          rules.stays_finite);
    end
    return result;
  endfunction

  // A subnormal number that is flushed counts as +0 here (docs/reference/decisions.md D52).
  function automatic logic [15:0] cleared_half(input logic [15:0] half, input logic flush);
    return (flush && (half[14:10] == 5'd0) && (half[9:0] != 10'd0)) ? 16'd0 : half;
  endfunction

  function automatic logic [31:0] cleared_word(input logic [31:0] word, input logic flush);
    return (flush && (word[30:23] == 8'd0) && (word[22:0] != 23'd0)) ? 32'd0 : word;
  endfunction

  // V_DOT2_F32_F16: source 2 plus the product of the low elements, then plus that of the high ones,
  // two fused steps (valu.md). The VOP2 form has no selects and signs both elements alike. No
  // step has a subnormal result: it is a multiple of 2^-72, or as large as the product.
  function automatic result_t dot(input control_t ctrl, input logic [31:0] src0,
                                  input logic [31:0] src1, input logic [31:0] src2);
    /* verilator no_inline_task */
    logic        plain;
    logic [ 1:0] select;
    logic [ 1:0] negate;
    logic [15:0] x;
    logic [15:0] y;
    wide_t       wx;
    wide_t       wy;
    result_t     step;
    flags_t      flags;
    plain    = ctrl.func == FuncDot2cF32F16;
    flags    = '0;
    step     = '0;
    step.bits = cleared_word(src2 ^ {ctrl.neg_en[2] && !plain, 31'd0}, ctrl.flush_in);
    for (int unsigned n = 0; n < 2; n++) begin
      select = plain ? {2{n != 0}} : ((n == 0) ? ctrl.op_sel[1:0] : ctrl.op_sel_hi[1:0]);
      negate = (plain || (n == 0)) ? ctrl.neg_en[1:0] : ctrl.neg_hi[1:0];
      x      = half_of(src0, select[0]);
      y      = half_of(src1, select[1]);
      x[15]  = (x[15] & ~ctrl.abs_en[0]) ^ negate[0];
      y[15]  = (y[15] & ~ctrl.abs_en[1]) ^ negate[1];
      wx     = widen(ctrl, cleared_half(x, ctrl.flush_in_hd));
      wy     = widen(ctrl, cleared_half(y, ctrl.flush_in_hd));
      step   = multiply_add(rules_of(ctrl, 1'b0), 1'b0, wx.number, wy.number,
                            take_word(step.bits, ctrl.flush_in));
      flags  = flags | step.flags | wx.flags | wy.flags;
    end
    step.flags = flags;
    return step;
  endfunction

  // V_MUL_LEGACY, V_MAD_LEGACY: zero times anything is +0. Sources have their signs already.
  function automatic result_t legacy(input control_t ctrl, input logic [31:0] src0,
                                     input logic [31:0] src1, input logic [31:0] src2);
    /* verilator no_inline_task */
    rules_t  rules;
    number_t x;
    number_t y;
    number_t z;
    logic    vanishes;
    logic    adds;
    rules    = rules_of(ctrl, 1'b0);
    x        = take_word(src0, rules.flush_in);
    y        = take_word(src1, rules.flush_in);
    adds     = ctrl.func == FuncMadLegacyF32;
    z        = adds ? take_word(src2, rules.flush_in) : zero_addend(x.op.sign ^ y.op.sign);
    vanishes = x.op.zero || y.op.zero;
    if (vanishes && !adds) return '0;
    if (vanishes) return multiply_add(rules, 1'b0, zero_addend(1'b0), unit_factor(), z);
    return multiply_add(rules, adds, x, y, z);
  endfunction

  // Cube maps: the face is that of the largest coordinate, z before y before x; NaNs compare false.
  // Sources have their signs already.
  function automatic result_t cube(input control_t ctrl, input logic [31:0] src0,
                                   input logic [31:0] src1, input logic [31:0] src2);
    /* verilator no_inline_task */
    result_t     result;
    logic [31:0] axis;
    logic        by_z;
    logic        by_y;
    logic        negative;
    number_t     major;
    control_t    order;
    logic [7:0]  z_over_x;
    logic [7:0]  z_over_y;
    logic [7:0]  y_over_x;
    logic [7:0]  below;
    order       = ctrl;
    order.clamp = 1'b0;
    order.func  = 5'b00110;  // greater or equal
    z_over_x = valu_float_pkg::compare(order, {1'b0, src2[30:0]}, {1'b0, src0[30:0]});
    z_over_y = valu_float_pkg::compare(order, {1'b0, src2[30:0]}, {1'b0, src1[30:0]});
    y_over_x = valu_float_pkg::compare(order, {1'b0, src1[30:0]}, {1'b0, src0[30:0]});
    by_z     = z_over_x[7] && z_over_y[7];
    by_y     = !by_z && y_over_x[7];
    axis     = by_z ? src2 : (by_y ? src1 : src0);
    order.func = 5'b00001;  // less
    below    = valu_float_pkg::compare(order, axis, 32'd0);
    negative = below[7];
    result   = '0;
    // A comparison that decides nothing is not made.
    result.flags = z_over_x[6:0] | below[6:0];
    if (z_over_x[7]) result.flags = result.flags | z_over_y[6:0];
    if (!by_z) result.flags = result.flags | y_over_x[6:0];
    unique case (ctrl.func)
      FuncCubeidF32:
        unique case ({by_z, by_y, negative})
          3'b000:  result.bits = 32'h0000_0000;
          3'b001:  result.bits = 32'h3f80_0000;
          3'b010:  result.bits = 32'h4000_0000;
          3'b011:  result.bits = 32'h4040_0000;
          3'b100:  result.bits = 32'h4080_0000;
          default: result.bits = 32'h40a0_0000;
        endcase
      FuncCubescF32:
        if (by_z) begin
          result.bits = src0 ^ {negative, 31'd0};
        end else if (by_y) begin
          result.bits = src0;
        end else begin
          result.bits = src2 ^ {!negative, 31'd0};
        end
      FuncCubetcF32: result.bits = by_y ? (src2 ^ {negative, 31'd0}) : (src1 ^ 32'h8000_0000);
      default: begin
        // Twice the largest coordinate.
        major        = take_word(axis, ctrl.flush_in);
        result.flags.input_denormal = result.flags.input_denormal | major.op.denormal;
        if (major.op.nan) begin
          result.flags.invalid = result.flags.invalid | major.op.snan;
          result.bits          = axis | 32'h0040_0000;
        end else if (major.op.inf || major.op.zero) begin
          result.bits = {axis[31], major.op.inf ? Infinity : 31'd0};
        end else begin
          result = doubled(ctrl, result.flags, major.op);
        end
      end
    endcase
    return result;
  endfunction

  function automatic result_t doubled(input control_t ctrl, input flags_t flags,
                                      input operand_t x);
    result_t result;
    result = round_pack(x.sign, x.exp + 12'sd1, {x.sig, 40'd0}, ctrl.round, ctrl.flush_out);
    result.flags = result.flags | flags;
    return result;
  endfunction

endpackage
