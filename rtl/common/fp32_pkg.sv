// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Binary32 building blocks: taking operands apart, counting zeros, rounding and packing, output
// modifiers. Combinational functions; the rules are those of docs/reference/floating_point.md.

package fp32_pkg;

  // MODE.FP_ROUND (Vega ISA "Mode register").
  typedef enum logic [1:0] {
    RoundNearestEven = 2'd0,
    RoundPlusInf     = 2'd1,
    RoundMinusInf    = 2'd2,
    RoundZero        = 2'd3
  } round_e;

  // OMOD field of VOP3.
  typedef enum logic [1:0] {
    OmodNone   = 2'd0,
    OmodTimes2 = 2'd1,
    OmodTimes4 = 2'd2,
    OmodHalf   = 2'd3
  } omod_e;

  // Bit order of TRAPSTS.EXCP: invalid is bit 0.
  typedef struct packed {
    logic int_div_by_zero;
    logic inexact;
    logic underflow;
    logic overflow;
    logic div_by_zero;
    logic input_denormal;
    logic invalid;
  } flags_t;

  // An operand taken apart. Finite and not zero: sig has its leading one in bit 23 and the value is
  // sig * 2^(exp - 150). Zero and the special values have sig 0.
  typedef struct packed {
    logic               sign;
    logic               zero;
    logic               inf;
    logic               nan;
    logic               snan;
    logic               denormal;
    logic signed [11:0] exp;
    logic        [23:0] sig;
  } operand_t;

  // A term of a sum: sig * 2^(exp - 127 - 46); a product of two operands fills all 48 bits.
  typedef struct packed {
    logic               sign;
    logic signed [11:0] exp;
    logic        [47:0] sig;
  } term_t;

  typedef struct packed {
    flags_t      flags;
    logic [31:0] bits;
  } result_t;

  localparam logic [31:0] DefaultNan = 32'h7fc0_0000;
  localparam logic [31:0] One = 32'h3f80_0000;
  localparam logic [30:0] Infinity = 31'h7f80_0000;
  localparam logic [30:0] MaxFinite = 31'h7f7f_ffff;

  // Leading zeros of a non-zero value, as a tree of selections.
  function automatic logic [5:0] leading_zeros(input logic [63:0] value);
    /* verilator no_inline_task */
    logic [ 5:0] count;
    logic [31:0] v32;
    logic [15:0] v16;
    logic [ 7:0] v8;
    logic [ 3:0] v4;
    count[5] = ~|value[63:32];
    v32      = count[5] ? value[31:0] : value[63:32];
    count[4] = ~|v32[31:16];
    v16      = count[4] ? v32[15:0] : v32[31:16];
    count[3] = ~|v16[15:8];
    v8       = count[3] ? v16[7:0] : v16[15:8];
    count[2] = ~|v8[7:4];
    v4       = count[2] ? v8[3:0] : v8[7:4];
    count[1] = ~|v4[3:2];
    count[0] = count[1] ? ~v4[1] : ~v4[3];
    return count;
  endfunction

  // value >> amount with every lost one ored into bit 0; amounts of 64 and more leave the sticky.
  function automatic logic [63:0] shift_right_sticky(input logic [63:0] value,
                                                     input logic [11:0] amount);
    logic [63:0] kept;
    logic [63:0] lost;
    if (amount == 12'd0) return value;
    if (amount > 12'd63) return {63'd0, |value};
    kept = value >> amount[5:0];
    lost = value << (6'd0 - amount[5:0]);
    return {kept[63:1], kept[0] | (|lost)};
  endfunction

  // Input modifiers: edits of the sign bit, on NaNs as well.
  function automatic logic [31:0] modify_input(input logic [31:0] bits, input logic abs_en,
                                               input logic neg_en);
    return {(bits[31] & ~abs_en) ^ neg_en, bits[30:0]};
  endfunction

  // With `flush` a subnormal operand is a zero of the same sign and not reported as denormal.
  function automatic operand_t unpack(input logic [31:0] bits, input logic flush);
    /* verilator no_inline_task */
    operand_t   op;
    logic       small_exp;
    logic       large_exp;
    logic       fraction;
    logic [5:0] shift;
    small_exp = bits[30:23] == 8'd0;
    large_exp = &bits[30:23];
    fraction  = |bits[22:0];
    op          = '0;
    op.sign     = bits[31];
    op.inf      = large_exp && !fraction;
    op.nan      = large_exp && fraction;
    op.snan     = op.nan && !bits[22];
    op.denormal = small_exp && fraction && !flush;
    op.zero     = small_exp && !op.denormal;
    op.exp      = {4'd0, bits[30:23]};
    op.sig      = {1'b1, bits[22:0]};
    if (op.denormal) begin
      // Normalize: the product below relies on leading ones in bit 23.
      shift  = leading_zeros({bits[22:0], 41'd0}) + 6'd1;
      op.exp = 12'sd1 - $signed({6'd0, shift});
      op.sig = {1'b0, bits[22:0]} << shift;
    end
    if (op.zero || large_exp) op.sig = '0;
    return op;
  endfunction

  // True if the magnitude above the dropped part (guard bit and the rest below it) goes up.
  function automatic logic rounds_up(input round_e mode, input logic sign, input logic odd,
                                     input logic guard, input logic rest);
    unique case (mode)
      RoundNearestEven: return guard && (rest || odd);
      RoundPlusInf:     return (guard || rest) && !sign;
      RoundMinusInf:    return (guard || rest) && sign;
      default:          return 1'b0;
    endcase
  endfunction

  // Result of a magnitude beyond the largest finite number.
  function automatic result_t overflowed(input logic sign, input round_e mode);
    result_t result;
    logic    away;
    away = (mode == RoundNearestEven) || (mode == (sign ? RoundMinusInf : RoundPlusInf));
    result = '0;
    result.flags.overflow = 1'b1;
    result.flags.inexact  = 1'b1;
    result.bits = {sign, away ? Infinity : MaxFinite};
    return result;
  endfunction

  // Rounds sig * 2^(exp - 190), sig with its leading one in bit 63, its bit 0 possibly sticky.
  // Tininess is found after rounding with an unbounded exponent; a tiny result is flushed to a zero
  // of its sign when `flush` says so.
  function automatic result_t round_pack(input logic sign, input logic signed [11:0] exp,
                                         input logic [63:0] sig, input round_e mode,
                                         input logic flush);
    /* verilator no_inline_task */
    result_t     result;
    logic        tiny;
    logic [63:0] frame;
    logic [11:0] down;
    logic [31:0] magnitude;
    logic        inexact;
    result = '0;
    tiny   = exp < 12'sd1;
    if (exp == 12'sd0) begin
      // Only here can rounding at full precision carry up to the smallest normal number.
      tiny = !((&sig[63:40]) && rounds_up(mode, sign, sig[40], sig[39], |sig[38:0]));
    end
    if (tiny && flush) begin
      result.flags.underflow = 1'b1;
      result.flags.inexact   = 1'b1;
      result.bits = {sign, 31'd0};
      return result;
    end
    if (exp > 12'sd254) return overflowed(sign, mode);

    down    = (exp < 12'sd1) ? 12'(12'sd1 - exp) : 12'd0;
    frame   = shift_right_sticky(sig, down);
    inexact = |frame[39:0];
    // The hidden one of a normal significand adds one to the exponent field, as does a carry.
    magnitude = {1'b0, (exp < 12'sd1) ? 8'd0 : 8'(exp - 12'sd1), 23'd0} + {8'd0, frame[63:40]};
    magnitude = magnitude +
        {31'd0, rounds_up(mode, sign, frame[40], frame[39], |frame[38:0])};
    if (magnitude[31:23] >= 9'd255) return overflowed(sign, mode);
    result.bits            = {sign, magnitude[30:0]};
    result.flags.inexact   = inexact;
    result.flags.underflow = inexact && tiny;
    return result;
  endfunction

  // The sum of two finite terms, rounded. An exact zero from terms that are not zeros of one sign
  // is +0, or -0 when rounding down.
  function automatic result_t round_sum(input term_t p, input term_t z, input round_e mode,
                                        input logic flush);
    /* verilator no_inline_task */
    logic [63:0]        fp;
    logic [63:0]        fz;
    logic [63:0]        sum;
    logic signed [11:0] exp;
    logic signed [11:0] distance;
    logic               sign;
    logic        [ 5:0] zeros;
    // Frames have a leading bit 60 or 61: room for a carry above, for guard bits below. Bits that
    // fall out while aligning are at least 14 bits below the other term, so a sticky bit suffices.
    fp       = {2'b00, p.sig, 14'd0};
    fz       = {2'b00, z.sig, 14'd0};
    distance = p.exp - z.exp;
    exp      = p.exp;
    sign     = p.sign;
    if (p.sig == 48'd0) begin
      exp = z.exp;
    end else if (z.sig != 48'd0) begin
      if (distance < 12'sd0) begin
        fp  = shift_right_sticky(fp, 12'(-distance));
        exp = z.exp;
      end else begin
        fz = shift_right_sticky(fz, 12'(distance));
      end
    end
    if (p.sign == z.sign) begin
      sum = fp + fz;
    end else if (fp >= fz) begin
      sum = fp - fz;
    end else begin
      sum  = fz - fp;
      sign = z.sign;
    end
    if (sum == 64'd0) begin
      if (p.sign != z.sign) sign = mode == RoundMinusInf;
      return {7'd0, sign, 31'd0};
    end
    zeros = leading_zeros(sum);
    return round_pack(sign, exp + 12'sd3 - $signed({6'd0, zeros}), sum << zeros, mode, flush);
  endfunction

  // Output multiplier on a rounded result (Vega ISA "Output modifiers"): only in use when results
  // are flushed, so a tiny result and -0 become +0.
  function automatic result_t modify_output(input result_t in, input omod_e omod,
                                            input round_e mode);
    result_t     result;
    logic  [9:0] exp;
    result = in;
    if (&in.bits[30:23]) return result;
    if (in.bits[30:23] == 8'd0) begin
      // A subnormal operand passed on may become normal.
      if ((omod == OmodTimes2) && in.bits[22]) begin
        result.bits = {in.bits[31], 8'd1, in.bits[21:0], 1'b0};
      end else if ((omod == OmodTimes4) && (in.bits[22:21] != 2'd0)) begin
        result.bits = in.bits[22] ? {in.bits[31], 8'd2, in.bits[21:0], 1'b0} :
                                    {in.bits[31], 8'd1, in.bits[20:0], 2'b00};
      end else begin
        result.bits            = 32'd0;
        result.flags.underflow = in.flags.underflow | (in.bits[22:0] != 23'd0);
        result.flags.inexact   = in.flags.inexact | (in.bits[22:0] != 23'd0);
      end
      return result;
    end
    unique case (omod)
      OmodTimes2: exp = {2'd0, in.bits[30:23]} + 10'd1;
      OmodTimes4: exp = {2'd0, in.bits[30:23]} + 10'd2;
      default:    exp = {2'd0, in.bits[30:23]} - 10'd1;
    endcase
    if (exp == 10'd0) begin
      result.bits = 32'd0;
      result.flags.underflow = 1'b1;
      result.flags.inexact   = 1'b1;
    end else if (exp >= 10'd255) begin
      result       = overflowed(in.bits[31], mode);
      result.flags = result.flags | in.flags;
    end else begin
      result.bits[30:23] = exp[7:0];
    end
    return result;
  endfunction

  // CLAMP: into [+0, 1]; a NaN becomes +0 with MODE.DX10_CLAMP and stays without.
  function automatic logic [31:0] clamp(input logic [31:0] bits, input logic dx10);
    if (bits[30:0] > Infinity) return dx10 ? 32'd0 : bits;
    if (bits[31]) return 32'd0;
    return (bits > One) ? One : bits;
  endfunction

endpackage
