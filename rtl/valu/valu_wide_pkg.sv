// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// 64-bit integer operations of one lane: complete in the first execution stage.

package valu_wide_pkg;

  import valu_byte_pkg::byte_differences;
  import valu_op_pkg::*;

  // src0 * src1 + src2 with 32-bit factors: the exact sum has 65 bits, its top one is the carry
  // (unsigned) or the sign (signed).
  function automatic logic [64:0] multiply_add(input logic is_signed, input logic [31:0] src0,
                                               input logic [31:0] src1, input logic [63:0] src2);
    logic signed [63:0] x;
    logic signed [63:0] y;
    logic signed [63:0] product;
    logic        [63:0] sum;
    logic               top;
    x       = {{32{is_signed & src0[31]}}, src0};
    y       = {{32{is_signed & src1[31]}}, src1};
    product = x * y;
    sum     = product + src2;
    top     = sum < src2;
    if (is_signed) top = top ^ product[63] ^ src2[63];
    return {top, sum};
  endfunction

  // Sums of absolute byte differences of the windows of source 0 that begin at bytes 0 to 3 with
  // source 1, added to the four parts of source 2: halves, or words of which `pass` gives two.
  // Bytes of the reference that are zero take no part when `masked`.
  function automatic logic [63:0] quad_differences(input logic masked, input logic words,
                                                   input logic pass, input logic saturate,
                                                   input logic [63:0] src0,
                                                   input logic [31:0] src1,
                                                   input logic [63:0] src2);
    logic [31:0] sum;
    logic [32:0] total;
    logic [31:0] moved;
    logic [63:0] result;
    result = 64'd0;
    for (int unsigned n = 0; n < 4; n++) begin
      moved = src0[8*n +: 32];
      sum   = byte_differences(moved, src1, masked);
      if (!words) begin
        total = {1'b0, sum} + {17'd0, src2[16*n +: 16]};
        result[16*n +: 16] = (saturate && (total[32:16] != 17'd0)) ? 16'hffff : total[15:0];
      end else if (n[1] == pass) begin
        total = {1'b0, sum} + {1'b0, src2[32*n[0] +: 32]};
        result[32*n[0] +: 32] = (saturate && total[32]) ? 32'hffff_ffff : total[31:0];
      end
    end
    return result;
  endfunction

  // With `saturate` a multiply-add outside of its type becomes the nearest 64-bit number; the mask
  // is that of the plain sum.
  function automatic void execute(input logic [4:0] func, input logic [63:0] src0,
                                  input logic [63:0] src1, input logic [63:0] src2,
                                  input logic pass, input logic saturate,
                                  output logic mask, output logic [63:0] bits);
    /* verilator no_inline_task */
    mask = 1'b0;
    unique case (func)
      FuncLshlrevB64: bits = src1 << src0[5:0];
      FuncLshrrevB64: bits = src1 >> src0[5:0];
      FuncAshrrevI64: bits = $signed(src1) >>> src0[5:0];
      FuncLshlAddU64: bits = (src0 << src1[2:0]) + src2;
      FuncMadU64U32: begin
        {mask, bits} = multiply_add(1'b0, src0[31:0], src1[31:0], src2);
        if (saturate && mask) bits = '1;
      end
      FuncMadI64I32: begin
        {mask, bits} = multiply_add(1'b1, src0[31:0], src1[31:0], src2);
        if (saturate && (mask != bits[63])) bits = {mask, {63{!mask}}};
      end
      FuncQsadPkU16U8, FuncMqsadPkU16U8, FuncMqsadU32U8:
        bits = quad_differences(func != FuncQsadPkU16U8, func == FuncMqsadU32U8, pass, saturate,
                                src0, src1[31:0], src2);
      default:        bits = src0;
    endcase
  endfunction

endpackage
