// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Binary32 and integers, one lane: conversions both ways and rounding to integral values. Results
// that have to be rounded to binary32 leave as a term for the second execution stage.

package valu_convert_pkg;

  import fp32_pkg::*;
  import valu_op_pkg::*;
  import valu_unit_pkg::*;

  // The exponent of a term whose significand is an integer.
  localparam logic signed [11:0] IntegerExp = 12'sd173;

  typedef struct packed {
    logic        too_big;  // 2^32 or more
    logic        inexact;
    logic [32:0] value;    // magnitude
  } integral_t;

  // The magnitude of a finite operand rounded to an integer.
  function automatic integral_t integral(input operand_t x, input round_e direction);
    integral_t          result;
    logic signed [11:0] scale;
    logic        [63:0] frame;
    // Integer part in bits 63:32 of the frame; what is lost below bit 0 is sticky.
    scale  = x.exp - 12'sd150;
    frame  = {8'd0, x.sig, 32'd0};
    result = '0;
    if (scale > 12'sd8) begin
      result.too_big = x.sig != 24'd0;
    end else if (scale >= 12'sd0) begin
      frame = frame << scale[3:0];
    end else begin
      frame = shift_right_sticky(frame, 12'(-scale));
    end
    result.inexact = |frame[31:0];
    result.value   = {1'b0, frame[63:32]} +
        {32'd0, rounds_up(direction, x.sign, frame[32], frame[31], |frame[30:0])};
    return result;
  endfunction

  // To an integer, saturated; a NaN gives 0. Inexact is reported with CLAMP only (Vega ISA VOP1).
  function automatic early_t to_integer(input control_t ctrl, input operand_t x);
    early_t      early;
    integral_t   number;
    logic        is_signed;
    logic [32:0] limit;
    is_signed = ctrl.func != FuncCvtU32F32;
    early     = '0;
    early.flags.input_denormal = x.denormal;
    if (x.nan) begin
      early.flags.invalid = 1'b1;
      return early;
    end
    number = integral(x, (ctrl.func == FuncCvtFlrI32F32) ? RoundMinusInf : RoundZero);
    limit  = is_signed ? (33'h0_7fff_ffff + {32'd0, x.sign}) : (x.sign ? 33'd0 : 33'h0_ffff_ffff);
    if (x.inf || number.too_big || (number.value > limit)) begin
      early.flags.invalid = 1'b1;
      number.value        = limit;
    end else begin
      early.flags.inexact = number.inexact && ctrl.clamp;
    end
    early.bits = x.sign ? (32'd0 - number.value[31:0]) : number.value[31:0];
    return early;
  endfunction

  // Every operation of unit Convert.
  function automatic void convert(input control_t ctrl, input logic [31:0] src0, output term_t p,
                                  output term_t z, output early_t early);
    /* verilator no_inline_task */
    operand_t    x;
    integral_t   number;
    round_e      direction;
    logic [31:0] word;
    logic        negative;
    p     = '0;
    z     = '0;
    early = '0;
    if (ctrl.func <= FuncCvtF32Ubyte3) begin
      // From an integer: the second stage rounds.
      unique case (ctrl.func)
        FuncCvtF32Ubyte0: word = {24'd0, src0[7:0]};
        FuncCvtF32Ubyte1: word = {24'd0, src0[15:8]};
        FuncCvtF32Ubyte2: word = {24'd0, src0[23:16]};
        FuncCvtF32Ubyte3: word = {24'd0, src0[31:24]};
        default:          word = src0;
      endcase
      negative  = (ctrl.func == FuncCvtF32I32) && word[31];
      early.sum = 1'b1;
      p         = '{sign: negative, exp: IntegerExp,
                    sig: {16'd0, negative ? (32'd0 - word) : word}};
      z.sign    = negative;
      return;
    end

    x = unpack(src0, ctrl.flush_in);
    if (ctrl.func <= FuncCvtFlrI32F32) begin
      early = to_integer(ctrl, x);
      return;
    end
    early.flags.input_denormal = x.denormal;
    if (x.nan) begin
      early.flags.invalid = x.snan;
      early.bits          = src0 | 32'h0040_0000;
    end else if (x.inf || (x.exp > 12'sd150)) begin
      early.bits = src0;
    end else begin
      unique case (ctrl.func)
        FuncTruncF32: direction = RoundZero;
        FuncCeilF32:  direction = RoundPlusInf;
        FuncFloorF32: direction = RoundMinusInf;
        default:      direction = RoundNearestEven;
      endcase
      number    = integral(x, direction);
      early.sum = 1'b1;
      p         = '{sign: x.sign, exp: IntegerExp, sig: {15'd0, number.value}};
      z.sign    = x.sign;
    end
  endfunction

endpackage
