// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Minimum, maximum, median, classes and compares of one lane in the three formats, on bit patterns
// moved to the top of 64 bits: sign and magnitude order alike there (Vega ISA 12.8, 12.9).

package valu_order_pkg;

  import fp32_pkg::flags_t;
  import valu_op_pkg::*;
  import valu_unit_pkg::*;

  typedef enum logic [1:0] {
    Binary16 = 2'd0,
    Binary32 = 2'd1,
    Binary64 = 2'd2
  } format_e;

  typedef struct packed {
    flags_t      flags;
    logic [63:0] bits;
  } choice_t;

  // Class of a pattern.
  typedef struct packed {
    logic nan;
    logic quiet;
    logic inf;
    logic zero;
    logic subnormal;
  } kind_t;

  function automatic logic [63:0] infinity(input format_e format);
    unique case (format)
      Binary16: return 64'h7c00_0000_0000_0000;
      Binary32: return 64'h7f80_0000_0000_0000;
      default:  return 64'h7ff0_0000_0000_0000;
    endcase
  endfunction

  // The highest bit of the fraction.
  function automatic logic [63:0] quiet_bit(input format_e format);
    unique case (format)
      Binary16: return 64'd1 << 57;
      Binary32: return 64'd1 << 54;
      default:  return 64'd1 << 51;
    endcase
  endfunction

  function automatic kind_t kind_of(input format_e format, input logic [63:0] bits);
    kind_t       kind;
    logic [63:0] magnitude;
    magnitude      = {1'b0, bits[62:0]};
    kind.nan       = magnitude > infinity(format);
    kind.quiet     = (bits & quiet_bit(format)) != 64'd0;
    kind.inf       = magnitude == infinity(format);
    kind.zero      = magnitude == 64'd0;
    kind.subnormal = ((magnitude & infinity(format)) == 64'd0) && !kind.zero;
    return kind;
  endfunction

  function automatic logic is_nan(input format_e format, input logic [63:0] bits);
    return {1'b0, bits[62:0]} > infinity(format);
  endfunction

  function automatic logic is_subnormal(input format_e format, input logic [63:0] bits);
    return ((bits & infinity(format)) == 64'd0) && (bits[62:0] != 63'd0);
  endfunction

  // An operand: a subnormal is flushed or reported.
  function automatic choice_t take(input format_e format, input logic [63:0] bits,
                                   input logic flush);
    choice_t out;
    out      = '0;
    out.bits = bits;
    if (is_subnormal(format, bits)) begin
      if (flush) out.bits[62:0] = 63'd0;
      else       out.flags.input_denormal = 1'b1;
    end
    return out;
  endfunction

  // For numbers, -0 below +0.
  function automatic logic is_less(input logic [63:0] x, input logic [63:0] y);
    if (x[63] != y[63]) return x[63];
    return (x != y) && ((x[62:0] < y[62:0]) != x[63]);
  endfunction

  typedef struct packed {
    format_e format;
    logic    flush_in;
    logic    flush_out;
    logic    ieee;
  } rules_t;

  // The smaller or larger operand. With MODE.IEEE a signaling NaN is returned quieted, otherwise
  // the operand that is no NaN wins, of two NaNs the second.
  function automatic void pick(input rules_t rules, input logic larger, input logic [63:0] src0,
                               input logic [63:0] src1, output choice_t out);
    /* verilator no_inline_task */
    choice_t x;
    choice_t y;
    kind_t   kx;
    kind_t   ky;
    x         = take(rules.format, src0, rules.flush_in);
    y         = take(rules.format, src1, rules.flush_in);
    kx        = kind_of(rules.format, x.bits);
    ky        = kind_of(rules.format, y.bits);
    out       = '0;
    out.flags = x.flags | y.flags;
    if (rules.ieee && ((kx.nan && !kx.quiet) || (ky.nan && !ky.quiet))) begin
      out.flags.invalid = 1'b1;
      out.bits          = ((kx.nan && !kx.quiet) ? x.bits : y.bits) | quiet_bit(rules.format);
      return;
    end
    if (kx.nan) begin
      out.bits = y.bits;
    end else if (ky.nan) begin
      out.bits = x.bits;
    end else begin
      out.bits = (is_less(x.bits, y.bits) != larger) ? x.bits : y.bits;
    end
    if (rules.flush_out && is_subnormal(rules.format, out.bits)) begin
      out.flags.underflow = 1'b1;
      out.flags.inexact   = 1'b1;
      out.bits[62:0]      = 63'd0;
    end
  endfunction

  function automatic choice_t pick_3(input rules_t rules, input logic larger,
                                     input logic [63:0] src0, input logic [63:0] src1,
                                     input logic [63:0] src2);
    choice_t first;
    choice_t out;
    pick(rules, larger, src0, src1, first);
    pick(rules, larger, first.bits, src2, out);
    out.flags = out.flags | first.flags;
    return out;
  endfunction

  // Equal as numbers after the flush of operands.
  function automatic logic same_value(input rules_t rules, input logic [63:0] x,
                                      input logic [63:0] y);
    choice_t left;
    choice_t right;
    left  = take(rules.format, x, rules.flush_in);
    right = take(rules.format, y, rules.flush_in);
    return (left.bits == right.bits) || ((left.bits[62:0] | right.bits[62:0]) == 63'd0);
  endfunction

  // The manual's steps: a NaN gives the minimum of three; else what equals the maximum is left out
  // and the larger of the other two stays.
  function automatic choice_t median(input rules_t rules, input logic [63:0] src0,
                                     input logic [63:0] src1, input logic [63:0] src2);
    choice_t largest;
    choice_t out;
    rules_t  whole;
    if (is_nan(rules.format, src0) || is_nan(rules.format, src1) ||
        is_nan(rules.format, src2)) begin
      return pick_3(rules, 1'b0, src0, src1, src2);
    end
    // Compared with its sources, so flushed as they are.
    whole           = rules;
    whole.flush_out = 1'b0;
    largest         = pick_3(whole, 1'b1, src0, src1, src2);
    if (same_value(rules, largest.bits, src0)) begin
      pick(rules, 1'b1, src1, src2, out);
    end else if (same_value(rules, largest.bits, src1)) begin
      pick(rules, 1'b1, src0, src2, out);
    end else begin
      pick(rules, 1'b1, src0, src1, out);
    end
    out.flags = out.flags | largest.flags;
    return out;
  endfunction

  // V_CMP_CLASS: whether the class of source 0 is among the bits of source 1. Subnormals are seen
  // whatever MODE says.
  function automatic logic in_class(input format_e format, input logic [63:0] bits,
                                    input logic [9:0] classes);
    /* verilator no_inline_task */
    kind_t kind;
    kind = kind_of(format, bits);
    if (kind.nan)       return classes[kind.quiet ? 1 : 0];
    if (kind.inf)       return classes[bits[63] ? 2 : 9];
    if (kind.zero)      return classes[bits[63] ? 5 : 6];
    if (kind.subnormal) return classes[bits[63] ? 4 : 7];
    return classes[bits[63] ? 3 : 8];
  endfunction

  // V_CMP of binary16 and binary64: condition bit 0 less, 1 equal, 2 greater, 3 unordered; bit 4
  // says binary64. "Never" and "always" look at no operand.
  function automatic complete_t compare(input control_t ctrl, input logic [63:0] src0,
                                        input logic [63:0] src1);
    complete_t   out;
    format_e     format;
    choice_t     x;
    choice_t     y;
    kind_t       kx;
    kind_t       ky;
    logic  [3:0] relation;
    out    = '0;
    format = ctrl.func[4] ? Binary64 : Binary16;
    x      = take(format, src0, ctrl.flush_in_hd);
    y      = take(format, src1, ctrl.flush_in_hd);
    kx     = kind_of(format, x.bits);
    ky     = kind_of(format, y.bits);
    if (kx.nan || ky.nan) begin
      relation = 4'b1000;
    end else if ((x.bits == y.bits) || (kx.zero && ky.zero)) begin
      relation = 4'b0010;
    end else begin
      relation = is_less(x.bits, y.bits) ? 4'b0001 : 4'b0100;
    end
    out.mask = |(relation & ctrl.func[3:0]);
    if ((ctrl.func[3:0] != 4'b0000) && (ctrl.func[3:0] != 4'b1111)) begin
      out.flags         = x.flags | y.flags;
      out.flags.invalid = (kx.nan && !kx.quiet) || (ky.nan && !ky.quiet) ||
                          (ctrl.clamp && (kx.nan || ky.nan));
    end
    return out;
  endfunction

  // Every operation of unit Select on aligned sources; the result is aligned too.
  function automatic complete_t execute(input control_t ctrl, input logic [63:0] src0,
                                        input logic [63:0] src1, input logic [63:0] src2,
                                        input logic [9:0] classes);
    complete_t out;
    choice_t   choice;
    rules_t    rules;
    out    = '0;
    choice = '0;
    rules  = '{format: format_of(ctrl.func), flush_in: ctrl.flush_in_hd,
               flush_out: ctrl.flush_out_hd, ieee: ctrl.ieee};
    if (rules.format == Binary32) begin
      rules.flush_in  = ctrl.flush_in;
      rules.flush_out = ctrl.flush_out;
    end
    unique case (ctrl.func)
      FuncMin3F32, FuncMin3F16: choice = pick_3(rules, 1'b0, src0, src1, src2);
      FuncMax3F32, FuncMax3F16: choice = pick_3(rules, 1'b1, src0, src1, src2);
      FuncMed3F32, FuncMed3F16: choice = median(rules, src0, src1, src2);
      FuncMinF16, FuncMinF64:   pick(rules, 1'b0, src0, src1, choice);
      FuncMaxF16, FuncMaxF64:   pick(rules, 1'b1, src0, src1, choice);
      default: out.mask = in_class(rules.format, src0, classes);
    endcase
    out.flags = choice.flags;
    out.bits  = choice.bits;
    return out;
  endfunction

  function automatic format_e format_of(input logic [4:0] func);
    unique case (func)
      FuncMin3F32, FuncMax3F32, FuncMed3F32, FuncCmpClassF32: return Binary32;
      FuncMinF64, FuncMaxF64, FuncCmpClassF64:                return Binary64;
      default:                                                return Binary16;
    endcase
  endfunction

endpackage
