// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// 16-bit integers of one lane, alone and two at a time, dot products of integers, and compares of
// 16 and 64 bits: complete in the first execution stage (Vega ISA 12.6, 12.9, 12.10).

package valu_int16_pkg;

  import valu_op_pkg::*;
  import valu_unit_pkg::*;

  // Operation on halves of a register.
  typedef enum logic [3:0] {
    ShortAdd   = 4'd0,
    ShortSub   = 4'd1,
    ShortMul   = 4'd2,
    ShortMad   = 4'd3,
    ShortLeft  = 4'd4,  // source 1 shifted by source 0
    ShortRight = 4'd5,
    ShortMin   = 4'd6,
    ShortMax   = 4'd7,
    ShortMin3  = 4'd8,
    ShortMax3  = 4'd9,
    ShortMed3  = 4'd10
  } short_e;

  // Exact values of 16-bit operations fit into 34 bits, signed.
  typedef logic signed [33:0] exact_t;

  function automatic exact_t extended(input logic [15:0] half, input logic is_signed);
    return {{18{is_signed & half[15]}}, half};
  endfunction

  function automatic exact_t smaller(input exact_t x, input exact_t y);
    return (x < y) ? x : y;
  endfunction

  function automatic exact_t larger(input exact_t x, input exact_t y);
    return (x < y) ? y : x;
  endfunction

  // One half. With `saturate` a sum or product sum outside of its type becomes the nearest bound.
  function automatic logic [15:0] operate(input short_e kind, input logic is_signed,
                                          input logic saturate, input logic [15:0] src0,
                                          input logic [15:0] src1, input logic [15:0] src2);
    /* verilator no_inline_task */
    exact_t x;
    exact_t y;
    exact_t z;
    exact_t exact;
    exact_t low;
    exact_t high;
    x = extended(src0, is_signed);
    y = extended(src1, is_signed);
    z = extended(src2, is_signed);
    unique case (kind)
      ShortAdd:   exact = x + y;
      ShortSub:   exact = x - y;
      ShortMul:   exact = x * y;
      ShortMad:   exact = x * y + z;
      ShortLeft:  exact = y <<< src0[3:0];
      ShortRight: exact = y >>> src0[3:0];
      ShortMin:   exact = smaller(x, y);
      ShortMax:   exact = larger(x, y);
      ShortMin3:  exact = smaller(smaller(x, y), z);
      ShortMax3:  exact = larger(larger(x, y), z);
      default:    exact = larger(smaller(x, y), smaller(larger(x, y), z));
    endcase
    low  = is_signed ? -34'sd32768 : 34'sd0;
    high = is_signed ? 34'sd32767 : 34'sd65535;
    if (saturate && (kind != ShortLeft)) begin
      exact = smaller(larger(exact, low), high);
    end
    return exact[15:0];
  endfunction

  // 16 by 16 plus 32 bits.
  function automatic logic [31:0] multiply_add_word(input logic is_signed, input logic saturate,
                                                    input logic [15:0] src0,
                                                    input logic [15:0] src1,
                                                    input logic [31:0] src2);
    exact_t exact;
    exact = extended(src0, is_signed) * extended(src1, is_signed) +
            $signed({{2{is_signed & src2[31]}}, src2});
    return saturate ? word_bound(is_signed, {{6{exact[33]}}, exact}) : exact[31:0];
  endfunction

  // An exact value brought into 32 bits.
  function automatic logic [31:0] word_bound(input logic is_signed,
                                             input logic signed [39:0] exact);
    if (is_signed) begin
      if (exact < -40'sd2147483648) return 32'h8000_0000;
      if (exact > 40'sd2147483647) return 32'h7fff_ffff;
    end else begin
      if (exact < 40'sd0) return 32'd0;
      if (exact > 40'sd4294967295) return 32'hffff_ffff;
    end
    return exact[31:0];
  endfunction

  // Unit Int16: halves by OP_SEL.
  function automatic logic [31:0] single(input control_t ctrl, input logic [31:0] src0,
                                         input logic [31:0] src1, input logic [31:0] src2,
                                         input logic [31:0] old);
    /* verilator no_inline_task */
    short_e      kind;
    logic        is_signed;
    logic        keep;
    logic [15:0] x;
    logic [15:0] y;
    logic [15:0] z;
    x         = half_of(src0, ctrl.op_sel[0]);
    y         = half_of(src1, ctrl.op_sel[1]);
    z         = half_of(src2, ctrl.op_sel[2]);
    is_signed = 1'b0;
    keep      = (ctrl.func == FuncMadU16) || (ctrl.func == FuncMadI16);
    unique case (ctrl.func)
      FuncAddI16, FuncSubI16, FuncAshrrevI16, FuncMinI16, FuncMaxI16, FuncMin3I16, FuncMax3I16,
      FuncMed3I16, FuncMadI16, FuncMadLegacyI16, FuncMadI32I16: is_signed = 1'b1;
      default: ;
    endcase
    unique case (ctrl.func)
      FuncMadU32U16, FuncMadI32I16:
        return multiply_add_word(is_signed, ctrl.clamp, x, y, src2);
      FuncAddU16, FuncAddI16:                         kind = ShortAdd;
      FuncSubU16, FuncSubI16, FuncSubrevU16:          kind = ShortSub;
      FuncMulLoU16:                                   kind = ShortMul;
      FuncLshlrevB16:                                 kind = ShortLeft;
      FuncLshrrevB16, FuncAshrrevI16:                 kind = ShortRight;
      FuncMinU16, FuncMinI16:                         kind = ShortMin;
      FuncMaxU16, FuncMaxI16:                         kind = ShortMax;
      FuncMin3U16, FuncMin3I16:                       kind = ShortMin3;
      FuncMax3U16, FuncMax3I16:                       kind = ShortMax3;
      FuncMed3U16, FuncMed3I16:                       kind = ShortMed3;
      default:                                        kind = ShortMad;
    endcase
    if (ctrl.func == FuncSubrevU16) begin
      z = x;
      x = y;
      y = z;
    end
    return placed(operate(kind, is_signed, ctrl.clamp, x, y, z), ctrl.op_sel[3], keep, old);
  endfunction

  // The integers of unit Packed: OP_SEL and OP_SEL_HI pick the halves for the low and high result.
  function automatic logic [31:0] pair(input control_t ctrl, input logic [31:0] src0,
                                       input logic [31:0] src1, input logic [31:0] src2);
    /* verilator no_inline_task */
    short_e      kind;
    logic        is_signed;
    logic [ 2:0] select;
    logic [31:0] result;
    is_signed = 1'b0;
    unique case (ctrl.func)
      FuncPkMadI16, FuncPkAddI16, FuncPkSubI16, FuncPkAshrrevI16, FuncPkMaxI16, FuncPkMinI16:
        is_signed = 1'b1;
      default: ;
    endcase
    unique case (ctrl.func)
      FuncPkMadI16, FuncPkMadU16:             kind = ShortMad;
      FuncPkMulLoU16:                         kind = ShortMul;
      FuncPkAddI16, FuncPkAddU16:             kind = ShortAdd;
      FuncPkSubI16, FuncPkSubU16:             kind = ShortSub;
      FuncPkLshlrevB16:                       kind = ShortLeft;
      FuncPkLshrrevB16, FuncPkAshrrevI16:     kind = ShortRight;
      FuncPkMaxI16, FuncPkMaxU16:             kind = ShortMax;
      default:                                kind = ShortMin;
    endcase
    for (int unsigned n = 0; n < 2; n++) begin
      select = (n == 0) ? ctrl.op_sel[2:0] : ctrl.op_sel_hi;
      // The low half of a packed product is never saturated.
      result[16*n +: 16] = operate(kind, is_signed, ctrl.clamp && (kind != ShortMul),
                                   half_of(src0, select[0]),
                                   half_of(src1, select[1]), half_of(src2, select[2]));
    end
    return result;
  endfunction

  // A product of two elements of `width` bits of the sources.
  function automatic logic signed [39:0] product(input logic [15:0] x, input logic [15:0] y,
                                                 input logic is_signed, input logic [4:0] width);
    logic signed [39:0] left;
    logic signed [39:0] right;
    logic signed [39:0] sign;
    sign  = is_signed ? (40'sd1 <<< (width - 5'd1)) : 40'sd0;
    // Flipping the sign bit and taking its weight away extends the sign.
    left  = ($signed({24'd0, x}) ^ sign) - sign;
    right = ($signed({24'd0, y}) ^ sign) - sign;
    return left * right;
  endfunction

  // Unit Dot: source 2 plus products of halves, bytes or nibbles, exact before CLAMP.
  function automatic logic [31:0] dot(input control_t ctrl, input logic [31:0] src0,
                                      input logic [31:0] src1, input logic [31:0] src2);
    /* verilator no_inline_task */
    logic               is_signed;
    logic               by_select;
    logic signed [39:0] sum;
    is_signed = !((ctrl.func == FuncDot2U32U16) || (ctrl.func == FuncDot4U32U8) ||
                  (ctrl.func == FuncDot8U32U4));
    by_select = (ctrl.func == FuncDot2I32I16) || (ctrl.func == FuncDot2U32U16);
    sum       = $signed({{8{is_signed & src2[31]}}, src2});
    unique case (ctrl.func)
      FuncDot4I32I8, FuncDot4U32U8, FuncDot4cI32I8:
        for (int unsigned n = 0; n < 4; n++) begin
          sum = sum + product({8'd0, src0[8*n +: 8]}, {8'd0, src1[8*n +: 8]}, is_signed, 5'd8);
        end
      FuncDot8I32I4, FuncDot8U32U4, FuncDot8cI32I4:
        for (int unsigned n = 0; n < 8; n++) begin
          sum = sum + product({12'd0, src0[4*n +: 4]}, {12'd0, src1[4*n +: 4]}, is_signed, 5'd4);
        end
      default: begin
        sum = sum + product(half_of(src0, by_select && ctrl.op_sel[0]),
                            half_of(src1, by_select && ctrl.op_sel[1]), is_signed, 5'd16);
        sum = sum + product(half_of(src0, !by_select || ctrl.op_sel_hi[0]),
                            half_of(src1, !by_select || ctrl.op_sel_hi[1]), is_signed, 5'd16);
      end
    endcase
    return ctrl.clamp ? word_bound(is_signed, sum) : sum[31:0];
  endfunction

  // V_CMP of 16 and 64 bits: condition bit 0 less, 1 equal, 2 greater; bit 3 unsigned, bit 4 64
  // bits.
  function automatic logic compare(input logic [4:0] func, input logic [63:0] src0,
                                   input logic [63:0] src1);
    /* verilator no_inline_task */
    logic [63:0] flip;
    logic [63:0] x;
    logic [63:0] y;
    x    = func[4] ? src0 : {src0[15:0], 48'd0};
    y    = func[4] ? src1 : {src1[15:0], 48'd0};
    flip = {!func[3], 63'd0};
    return |(func[2:0] & {(x ^ flip) > (y ^ flip), x == y, (x ^ flip) < (y ^ flip)});
  endfunction

endpackage
