// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Integer operations of one lane with three operands, bit fields, bit counts and 24-bit products:
// complete in the first execution stage.

package valu_ternary_pkg;

  import fp32_pkg::leading_zeros;
  import valu_op_pkg::*;

  // Ones below bit `width`.
  function automatic logic [31:0] field_mask(input logic [4:0] width);
    return (32'd1 << width) - 32'd1;
  endfunction

  // A field taken with an arithmetic shift, its top bit extended.
  function automatic logic [31:0] signed_field(input logic [31:0] value, input logic [4:0] offset,
                                               input logic [4:0] width);
    logic [31:0] moved;
    logic [31:0] mask;
    moved = $signed(value) >>> offset;
    mask  = field_mask(width);
    if (width == 5'd0) return 32'd0;
    return moved[width - 5'd1] ? (moved | ~mask) : (moved & mask);
  endfunction

  function automatic logic [31:0] ternary(input logic [4:0] func, input logic [31:0] src0,
                                          input logic [31:0] src1, input logic [31:0] src2);
    /* verilator no_inline_task */
    logic [63:0] pair;
    pair = {src0, src1};
    unique case (func)
      FuncLshlAddU32: return (src0 << src1[4:0]) + src2;
      FuncAddLshlU32: return (src0 + src1) << src2[4:0];
      FuncAdd3U32:    return src0 + src1 + src2;
      FuncLshlOrB32:  return (src0 << src1[4:0]) | src2;
      FuncAndOrB32:   return (src0 & src1) | src2;
      FuncOr3B32:     return src0 | src1 | src2;
      FuncXadU32:     return (src0 ^ src1) + src2;
      FuncBfeU32:     return (src0 >> src1[4:0]) & field_mask(src2[4:0]);
      FuncBfeI32:     return signed_field(src0, src1[4:0], src2[4:0]);
      FuncBfiB32:     return (src0 & src1) | (~src0 & src2);
      FuncAlignbitB32: begin
        pair = pair >> src2[4:0];
        return pair[31:0];
      end
      default: begin
        // Shifts of eight bytes and more leave nothing.
        pair = pair >> {src2[4:0], 3'b000};
        return pair[31:0];
      end
    endcase
  endfunction

  // Minimum, maximum, median of three.
  function automatic logic [31:0] min_max_3(input logic [4:0] func, input logic [31:0] src0,
                                            input logic [31:0] src1, input logic [31:0] src2);
    /* verilator no_inline_task */
    logic [31:0] flip;
    logic [31:0] x;
    logic [31:0] y;
    logic [31:0] z;
    logic [31:0] low;
    logic [31:0] high;
    logic [31:0] result;
    // Flipping the sign bits turns the signed order into the unsigned one.
    flip = (func <= FuncMed3I32) ? 32'h8000_0000 : 32'd0;
    x    = src0 ^ flip;
    y    = src1 ^ flip;
    z    = src2 ^ flip;
    low  = (x < y) ? x : y;
    high = (x < y) ? y : x;
    unique case (func)
      FuncMin3I32, FuncMin3U32: result = (low < z) ? low : z;
      FuncMax3I32, FuncMax3U32: result = (high < z) ? z : high;
      default: result = (z < low) ? low : ((z < high) ? z : high);
    endcase
    return result ^ flip;
  endfunction

  function automatic logic [31:0] reversed(input logic [31:0] value);
    logic [31:0] result;
    for (int unsigned i = 0; i < 32; i++) begin
      result[i] = value[31-i];
    end
    return result;
  endfunction

  // Distance of the highest one from bit 31; all ones when there is none.
  function automatic logic [31:0] find_high(input logic [31:0] value);
    if (value == 32'd0) return 32'hffff_ffff;
    return {26'd0, leading_zeros({value, 32'd0})};
  endfunction

  // Ones of a word, as a tree of sums.
  function automatic logic [31:0] count_ones(input logic [31:0] value);
    logic [31:0] v;
    v = (value & 32'h5555_5555) + ((value >> 1) & 32'h5555_5555);
    v = (v & 32'h3333_3333) + ((v >> 2) & 32'h3333_3333);
    v = (v & 32'h0f0f_0f0f) + ((v >> 4) & 32'h0f0f_0f0f);
    v = (v & 32'h00ff_00ff) + ((v >> 8) & 32'h00ff_00ff);
    return (v & 32'h0000_ffff) + ((v >> 16) & 32'h0000_ffff);
  endfunction

  function automatic logic [31:0] bits(input logic [4:0] func, input logic [31:0] src0,
                                       input logic [31:0] src1);
    /* verilator no_inline_task */
    unique case (func)
      FuncBfrevB32: return reversed(src0);
      FuncFfbhU32:  return find_high(src0);
      FuncFfblB32:  return find_high(reversed(src0));
      FuncFfbhI32:  return find_high(src0 ^ {32{src0[31]}});
      FuncBcntU32B32: return count_ones(src0) + src1;
      default:      return field_mask(src0[4:0]) << src1[4:0];
    endcase
  endfunction

  // Products of the low 24 bits of sources 0 and 1, their upper half, or with an addend; with
  // `saturate` the nearest 32-bit number.
  function automatic logic [31:0] multiply_24(input logic [4:0] func, input logic [23:0] src0,
                                              input logic [23:0] src1, input logic [31:0] src2,
                                              input logic saturate);
    /* verilator no_inline_task */
    logic signed [63:0] x;
    logic signed [63:0] y;
    logic signed [63:0] product;
    logic               is_signed;
    is_signed = (func == FuncMulI32I24) || (func == FuncMulHiI32I24) || (func == FuncMadI32I24);
    x         = {{40{is_signed & src0[23]}}, src0};
    y         = {{40{is_signed & src1[23]}}, src1};
    product   = x * y;
    if ((func == FuncMulHiU32U24) || (func == FuncMulHiI32I24)) return product[63:32];
    if ((func == FuncMadU32U24) || (func == FuncMadI32I24)) begin
      product = product + $signed({{32{is_signed & src2[31]}}, src2});
    end
    if (saturate) begin
      if (!is_signed && (product[63:32] != 32'd0)) return 32'hffff_ffff;
      if (is_signed && (product[63:31] != {33{product[63]}})) begin
        return {product[63], {31{!product[63]}}};
      end
    end
    return product[31:0];
  endfunction

endpackage
