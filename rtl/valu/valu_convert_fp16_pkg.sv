// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Conversions of one lane between binary16, binary32 and small integers, and into packed halves and
// bytes (Vega ISA 12.7, 12.9).

package valu_convert_fp16_pkg;

  import fp16_pkg::*;
  import fp32_pkg::*;
  import valu_fp16_pkg::*;
  import valu_op_pkg::*;
  import valu_unit_pkg::*;

  // A number rounded to an integer and brought into a range. A NaN gives 0; what lies outside gives
  // the nearest bound and raises invalid alone.
  function automatic result_t to_integer(input operand_t x, input round_e direction,
                                         input logic [32:0] most, input logic [32:0] least);
    valu_convert_pkg::integral_t number;
    result_t                     result;
    logic [32:0]                 limit;
    result = '0;
    if (x.nan) begin
      result.flags.invalid = 1'b1;
      return result;
    end
    number = valu_convert_pkg::integral(x, direction);
    limit  = x.sign ? least : most;
    if (x.inf || number.too_big || (number.value > limit)) begin
      result.flags.invalid = 1'b1;
      number.value         = limit;
    end else begin
      result.flags.inexact = number.inexact;
    end
    result.bits = x.sign ? (32'd0 - number.value[31:0]) : number.value[31:0];
    return result;
  endfunction

  // x held in [-1, 1] or [0, 1] times 2^15 - 1 or 2^16 - 1, rounded as MODE says; a NaN gives 0.
  function automatic result_t normalized(input number_t x, input logic is_signed,
                                         input round_e direction);
    /* verilator no_inline_task */
    result_t            result;
    logic        [39:0] product;
    logic        [63:0] frame;
    logic signed [11:0] down;
    logic        [15:0] value;
    result = '0;
    result.flags.input_denormal = x.op.denormal;
    if (x.op.nan) begin
      result.flags.invalid = 1'b1;
      return result;
    end
    if (x.op.sign && !is_signed) return result;
    // Integer part in bits 63:47 for a number in [1, 2).
    product = {16'd0, x.op.sig} * (is_signed ? 40'd32767 : 40'd65535);
    down    = 12'sd127 - x.op.exp;
    frame   = {product, 24'd0};
    if (x.op.inf || (down <= 12'sd0)) begin
      frame = {1'b0, is_signed ? 16'h7fff : 16'hffff, 47'd0};
    end else begin
      frame = shift_right_sticky(frame, down);
    end
    value = frame[62:47] + {15'd0, rounds_up(direction, x.op.sign, frame[47], frame[46],
                                             |frame[45:0])};
    result.flags.inexact = |frame[46:0];
    result.bits[15:0]    = x.op.sign ? (16'd0 - value) : value;
    return result;
  endfunction

  function automatic result_t pack_normalized(input number_t x, input number_t y,
                                              input logic is_signed, input round_e direction);
    result_t low;
    result_t high;
    low  = normalized(x, is_signed, direction);
    high = normalized(y, is_signed, direction);
    return '{flags: low.flags | high.flags, bits: {high.bits[15:0], low.bits[15:0]}};
  endfunction

  // floor(x + 1/2) as a signed integer.
  function automatic result_t round_half_up(input operand_t x);
    result_t            result;
    logic signed [11:0] scale;
    logic        [63:0] frame;
    logic        [63:0] sum;
    result = '0;
    scale  = x.exp - 12'sd150;
    // Integer part in bits 63:32 of the frame; a sticky bit below.
    frame = {8'd0, x.sig, 32'd0};
    frame = (scale >= 12'sd0) ? (frame << scale[2:0]) : shift_right_sticky(frame, 12'(-scale));
    sum   = x.sign ? (64'h8000_0000 - frame) : (64'h8000_0000 + frame);
    result.bits          = sum[63:32];
    result.flags.inexact = |sum[31:0];
    if (x.nan) begin
      result               = '0;
      result.flags.invalid = 1'b1;
    end else if (x.inf || (scale >= 12'sd8)) begin
      // 2^31 or more; only -2^31 itself is an integer of 32 bits, to which the half is inexact.
      result.bits          = {x.sign, {31{!x.sign}}};
      result.flags.inexact = x.sign && !x.inf && (scale == 12'sd8) && (x.sig == 24'h80_0000);
      result.flags.invalid = !result.flags.inexact;
    end
    return result;
  endfunction

  // An integer of up to 16 bits as binary16.
  function automatic result_t half_of_integer(input rules_t rules, input logic sign,
                                              input logic [15:0] magnitude);
    if (magnitude == 16'd0) return '0;
    return round_any(rules, sign, 12'sd190, {48'd0, magnitude});
  endfunction

  // Binary32 to binary16; operands as MODE says for binary32.
  function automatic result_t word_to_half(input control_t ctrl, input logic [31:0] word,
                                           input round_e direction);
    rules_t  rules;
    number_t x;
    result_t result;
    rules       = rules_of(ctrl, 1'b1);
    rules.round = direction;
    x           = take_word(word, ctrl.flush_in);
    result      = valu_fp16_mixed_pkg::to_half(rules, x);
    result.flags.input_denormal = x.op.denormal;
    return result;
  endfunction

  // One half of V_CVT_PKRTZ; what OMOD gives is rounded in the same direction.
  function automatic result_t half_of_pair(input control_t ctrl, input logic [31:0] word,
                                           input round_e direction);
    return finish_half(word_to_half(ctrl, word, direction), ctrl.omod_hd, ctrl.clamp,
                       ctrl.dx10_clamp, direction, ctrl.fp16_ovfl);
  endfunction

  // Binary16 to binary32, exact; operands as MODE says for binary16.
  function automatic result_t half_to_word(input control_t ctrl, input logic [15:0] half);
    rules_t  rules;
    number_t x;
    result_t result;
    rules = rules_of(ctrl, 1'b0);
    x     = take_half(half, ctrl.flush_in_hd);
    if (x.op.nan || x.op.inf || x.op.zero) begin
      result = valu_unary_pkg::same(rules, x);
    end else begin
      result = round_number(rules, x.op.sign, x.op.exp, {x.op.sig, 40'd0});
    end
    result.flags.input_denormal = x.op.denormal;
    return result;
  endfunction

  // Unit Repack. `x` and `y` are sources 0 and 1 with binary32 signs edited.
  function automatic result_t execute(input control_t ctrl, input logic [31:0] x,
                                      input logic [31:0] y, input logic [31:0] src0,
                                      input logic [31:0] src1, input logic [31:0] src2,
                                      input logic [31:0] old);
    /* verilator no_inline_task */
    result_t     result;
    result_t     part;
    logic [15:0] hx;
    logic [15:0] hy;
    number_t     number;
    number_t     other;
    logic        modifies;
    logic        places;
    logic        is_signed;
    logic        drops_inexact;
    hx            = half_source(ctrl, 2'd0, src0);
    hy            = half_source(ctrl, 2'd1, src1);
    modifies      = 1'b0;
    places        = 1'b0;
    drops_inexact = 1'b0;
    is_signed     = 1'b0;
    unique case (ctrl.func)
      FuncCvtPknormI16F32, FuncCvtPknormI16F16, FuncCvtNormI16F16, FuncCvtF16I16, FuncCvtI16F16:
        is_signed = 1'b1;
      default: ;
    endcase
    number = take_half(hx, ctrl.flush_in_hd);
    other  = take_half(hy, ctrl.flush_in_hd);
    unique case (ctrl.func)
      FuncCvtF16F32: begin
        result   = word_to_half(ctrl, x, ctrl.round_hd);
        modifies = 1'b1;
      end
      FuncCvtF32F16: result = half_to_word(ctrl, hx);
      FuncCvtPkrtzF16F32: begin
        result = half_of_pair(ctrl, x, RoundZero);
        part   = half_of_pair(ctrl, y, RoundZero);
        result = '{flags: result.flags | part.flags, bits: {part.bits[15:0], result.bits[15:0]}};
      end
      FuncPackB32F16: result = {7'd0, hy, hx};
      FuncCvtPknormI16F32, FuncCvtPknormU16F32:
        result = pack_normalized(take_word(x, ctrl.flush_in), take_word(y, ctrl.flush_in),
                                 is_signed, ctrl.round);
      FuncCvtPknormI16F16, FuncCvtPknormU16F16:
        result = pack_normalized(number, other, is_signed, ctrl.round_hd);
      FuncCvtNormI16F16, FuncCvtNormU16F16: begin
        result = normalized(number, is_signed, ctrl.round_hd);
        places = 1'b1;
      end
      FuncCvtF16U16, FuncCvtF16I16: begin
        hx       = half_of(src0, ctrl.op_sel[0]);
        is_signed = is_signed && hx[15];
        result   = half_of_integer(rules_of(ctrl, 1'b1), is_signed,
                                   is_signed ? (16'd0 - hx) : hx);
        modifies = 1'b1;
      end
      FuncCvtU16F16, FuncCvtI16F16: begin
        result = to_integer(number.op, RoundZero, is_signed ? 33'd32767 : 33'd65535,
                            is_signed ? 33'd32768 : 33'd0);
        result.flags.input_denormal = number.op.denormal;
        drops_inexact               = !ctrl.clamp;
        places                      = 1'b1;
      end
      FuncCvtPkU8F32, FuncCvtPkaccumU8F32: begin
        number = take_word(x, ctrl.flush_in);
        part   = to_integer(number.op, ctrl.round, 33'd255, 33'd0);
        result = '{flags: part.flags, bits: src2};
        result.flags.input_denormal = number.op.denormal;
        result.bits[{src1[1:0], 3'b000} +: 8] = part.bits[7:0];
      end
      FuncCvtRpiI32F32: begin
        number = take_word(x, ctrl.flush_in);
        result = round_half_up(number.op);
        result.flags.input_denormal = number.op.denormal;
        drops_inexact               = !ctrl.clamp;
      end
      default: begin
        // Sixteenths of the signed low nibble.
        result = '0;
        if (src0[3:0] != 4'd0) begin
          result = round_any(rules_of(ctrl, 1'b0), src0[3], 12'sd186,
                             {60'd0, src0[3] ? (4'd0 - src0[3:0]) : src0[3:0]});
        end
      end
    endcase
    if (drops_inexact) result.flags.inexact = 1'b0;
    if (modifies) result = valu_fp16_mixed_pkg::modified(ctrl, result);
    if (modifies || places) begin
      result.bits = placed(result.bits[15:0], ctrl.op_sel[3], 1'b0, old);
    end
    return result;
  endfunction

endpackage
