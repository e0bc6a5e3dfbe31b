// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The 8-bit floats of gfx942: FP8 has four exponent bits with bias 8, BF8 five with bias 16. No
// infinity, one zero; 80 hex is the NaN. Conversions of one lane to and from binary32, complete in
// the first execution stage but for the output modifiers of single binary32 results.

package valu_byte_float_pkg;

  import fp32_pkg::*;
  import valu_op_pkg::*;
  import valu_unit_pkg::*;

  localparam logic [7:0] ByteNan = 8'h80;

  // Every 8-bit float is a binary32 number.
  function automatic logic [31:0] widened(input logic bf8, input logic [7:0] bits);
    logic [6:0] magnitude;
    logic [7:0] exp;
    logic [2:0] down;
    magnitude = bits[6:0];
    if (bits == ByteNan) return DefaultNan;
    if (magnitude == 7'd0) return 32'd0;
    if (bf8) begin
      if (magnitude[6:2] != 5'd0) begin
        return {bits[7], {3'd0, magnitude[6:2]} + 8'd111, magnitude[1:0], 21'd0};
      end
      // 1 to 3 units of 2^-17.
      down = magnitude[1] ? 3'd0 : 3'd1;
      exp  = 8'd111 - {5'd0, down};
      return {bits[7], exp, magnitude[1] && magnitude[0], 22'd0};
    end
    if (magnitude[6:3] != 4'd0) begin
      return {bits[7], {4'd0, magnitude[6:3]} + 8'd119, magnitude[2:0], 20'd0};
    end
    // 1 to 7 units of 2^-10.
    down      = magnitude[2] ? 3'd0 : (magnitude[1] ? 3'd1 : 3'd2);
    exp       = 8'd119 - {5'd0, down};
    magnitude = magnitude << down;
    return {bits[7], exp, magnitude[1:0], 21'd0};
  endfunction

  // A binary32 number as an 8-bit float: to nearest even, or cut after `random`, a fraction of a
  // unit in the last place of the result, is added (transcendentals.md). Results are never
  // flushed. Overflow gives the NaN, or the largest number when `stays_finite`.
  function automatic result_t narrowed(input logic bf8, input logic stochastic, input operand_t x,
                                       input logic [31:0] random, input logic stays_finite);
    /* verilator no_inline_task */
    result_t            result;
    logic signed [11:0] above;  // exponent over that of the smallest normal number
    logic        [11:0] down;
    logic        [63:0] sig;
    logic        [63:0] frame;
    logic        [64:0] sum;
    logic        [20:0] part;
    logic        [ 9:0] magnitude;
    logic               below;
    logic               tiny;
    logic               up;
    result      = '0;
    result.bits = {24'd0, ByteNan};
    result.flags.input_denormal = x.denormal;
    result.flags.invalid        = x.snan;
    if (x.nan || x.inf) return result;
    if (x.zero) begin
      result.bits = 32'd0;
      return result;
    end
    above = x.exp - (bf8 ? 12'sd112 : 12'sd120);
    below = above < 12'sd0;
    // The significand in units of the last place above bit 60: four of its bits, of BF8 three.
    sig   = bf8 ? {1'b0, x.sig, 39'd0} : {x.sig, 40'd0};
    down  = below ? 12'(-above) : 12'd0;
    frame = shift_right_sticky(sig, down);
    part  = bf8 ? random[31:11] : {random[31:12], 1'b0};
    sum   = {1'b0, frame} + {5'd0, part, 39'd0};
    up    = rounds_up(RoundNearestEven, 1'b0, frame[60], frame[59], |frame[58:0]);
    // The result is tiny if it is so when rounded as if there were smaller normal numbers.
    tiny  = below;
    if (!stochastic && (down == 12'd1)) begin
      tiny = !((&x.sig[23:21]) && (bf8 || x.sig[20]) &&
               rounds_up(RoundNearestEven, 1'b0, 1'b1, bf8 ? x.sig[20] : x.sig[19],
                         bf8 ? (x.sig[19:0] != 20'd0) : (x.sig[18:0] != 19'd0)));
    end
    if (stochastic) begin
      magnitude = {5'd0, sum[64:60]};
    end else begin
      magnitude = {6'd0, frame[63:60]} + {9'd0, up};
    end
    if (!below) begin
      magnitude = magnitude + (bf8 ? {3'd0, above[4:0], 2'd0} : {2'd0, above[4:0], 3'd0});
    end
    if ((!below && (above > 12'sd31)) || (magnitude > 10'd127)) begin
      result.flags.overflow = 1'b1;
      result.flags.inexact  = 1'b1;
      if (stays_finite) result.bits[7:0] = {x.sign, 7'h7f};
      return result;
    end
    result.flags.inexact   = |frame[59:0];
    result.flags.underflow = result.flags.inexact && tiny;
    result.bits[7:0]       = {x.sign && (magnitude[6:0] != 7'd0), magnitude[6:0]};
    return result;
  endfunction

  // Output modifiers of binary32, for pairs: of single results the last stage applies them.
  function automatic result_t modified(input control_t ctrl, input logic [31:0] bits);
    result_t result;
    result = {7'd0, bits};
    if (ctrl.omod != OmodNone) result = modify_output(result, ctrl.omod, ctrl.round);
    if (ctrl.clamp) result.bits = clamp(result.bits, ctrl.dx10_clamp);
    return result;
  endfunction

  // The conversions of unit Repack from FuncCvtF32Fp8 on, those with BF8 odd. `x` and `y` are sources
  // 0 and 1 with binary32 signs edited. OP_SEL names the half or byte written; the others stay.
  function automatic void execute(input control_t ctrl, input logic [31:0] x,
                                  input logic [31:0] y, input logic [31:0] src0,
                                  input logic [31:0] src1, input logic [31:0] old,
                                  output complete_t result);
    /* verilator no_inline_task */
    result_t     low;
    result_t     high;
    logic [31:0] bits;
    logic        bf8;
    bf8    = ctrl.func[0];
    result = '0;
    high   = '0;
    bits   = old;
    unique case (ctrl.func)
      FuncCvtF32Fp8, FuncCvtF32Bf8: result.bits[31:0] = widened(bf8, src0[7:0]);
      FuncCvtPkF32Fp8, FuncCvtPkF32Bf8: begin
        low          = modified(ctrl, widened(bf8, src0[7:0]));
        high         = modified(ctrl, widened(bf8, src0[15:8]));
        result.flags = low.flags | high.flags;
        result.bits  = {high.bits, low.bits};
      end
      FuncCvtPkFp8F32, FuncCvtPkBf8F32: begin
        low  = narrowed(bf8, 1'b0, unpack(x, ctrl.flush_in), 32'd0, ctrl.fp16_ovfl);
        high = narrowed(bf8, 1'b0, unpack(y, ctrl.flush_in), 32'd0, ctrl.fp16_ovfl);
        bits[{ctrl.op_sel[3], 4'd0} +: 16] = {high.bits[7:0], low.bits[7:0]};
        result.flags = low.flags | high.flags;
        result.bits  = {32'd0, bits};
      end
      default: begin
        low = narrowed(bf8, 1'b1, unpack(x, ctrl.flush_in), src1, ctrl.fp16_ovfl);
        bits[{ctrl.op_sel[3:2], 3'd0} +: 8] = low.bits[7:0];
        result.flags = low.flags;
        result.bits  = {32'd0, bits};
      end
    endcase
  endfunction

endpackage
