// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// 64-bit integer operations of one lane: complete in the first execution stage.

`include "cuvette_mutant.svh"

package valu_wide_pkg;

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
    top     = `MUTANT(40, sum < src2, sum <= src2);
    if (is_signed) top = top ^ product[63] ^ src2[63];
    return {top, sum};
  endfunction

  function automatic void execute(input logic [3:0] func, input logic [63:0] src0,
                                  input logic [63:0] src1, input logic [63:0] src2,
                                  output logic mask, output logic [63:0] bits);
    /* verilator no_inline_task */
    mask = 1'b0;
    unique case (func)
      FuncLshlrevB64: bits = src1 << src0[5:0];
      FuncLshrrevB64: bits = src1 >> `MUTANT(41, src0[5:0], {1'b0, src0[4:0]});
      FuncAshrrevI64: bits = $signed(src1) >>> src0[5:0];
      FuncLshlAddU64: bits = (src0 << src1[2:0]) + src2;
      FuncMadU64U32:  {mask, bits} = multiply_add(1'b0, src0[31:0], src1[31:0], src2);
      FuncMadI64I32:  {mask, bits} = multiply_add(1'b1, src0[31:0], src1[31:0], src2);
      default:        bits = src0;
    endcase
  endfunction

endpackage
