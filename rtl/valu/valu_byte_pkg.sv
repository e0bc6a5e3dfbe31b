// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Bytes and halves of one lane: permutation, averages, sums of absolute differences, saturating
// packs, counts of lower lanes. Complete in the first execution stage (Vega ISA 12.9).

package valu_byte_pkg;

  import valu_op_pkg::*;
  import valu_ternary_pkg::count_ones;

  // Per byte the average of sources 0 and 1, rounded up where bit 0 of source 2 is set.
  function automatic logic [31:0] lerp(input logic [31:0] src0, input logic [31:0] src1,
                                       input logic [31:0] src2);
    logic [31:0] result;
    for (int unsigned n = 0; n < 4; n++) begin
      result[8*n +: 8] = 8'(({1'b0, src0[8*n +: 8]} + {1'b0, src1[8*n +: 8]} +
                             {8'd0, src2[8*n]}) >> 1);
    end
    return result;
  endfunction

  // One byte of V_PERM: a byte of `bytes`, the sign of a half, zero, or ones.
  function automatic logic [7:0] permuted(input logic [63:0] bytes, input logic [7:0] select);
    if (select >= 8'd13) return 8'hff;
    if (select == 8'd12) return 8'd0;
    if (select >= 8'd8)  return {8{bytes[{select[1:0], 4'd15}]}};
    return bytes[{select[2:0], 3'b000} +: 8];
  endfunction

  function automatic logic [31:0] permute(input logic [31:0] src0, input logic [31:0] src1,
                                          input logic [31:0] src2);
    logic [31:0] result;
    for (int unsigned n = 0; n < 4; n++) begin
      result[8*n +: 8] = permuted({src0, src1}, src2[8*n +: 8]);
    end
    return result;
  endfunction

  function automatic logic [31:0] distance(input logic [31:0] x, input logic [31:0] y);
    return (x > y) ? (x - y) : (y - x);
  endfunction

  // Bytes of the reference, source 1, that are zero take no part when `masked`.
  function automatic logic [31:0] byte_differences(input logic [31:0] src0,
                                                   input logic [31:0] src1, input logic masked);
    logic [31:0] sum;
    sum = 32'd0;
    for (int unsigned n = 0; n < 4; n++) begin
      if (!(masked && (src1[8*n +: 8] == 8'd0))) begin
        sum = sum + distance({24'd0, src0[8*n +: 8]}, {24'd0, src1[8*n +: 8]});
      end
    end
    return sum;
  endfunction

  // A sum of absolute differences plus source 2; with `saturate` at most all ones.
  function automatic logic [31:0] differences(input logic [4:0] func, input logic [31:0] src0,
                                              input logic [31:0] src1, input logic [31:0] src2,
                                              input logic saturate);
    logic [31:0] sum;
    logic [32:0] total;
    unique case (func)
      FuncSadU8:   sum = byte_differences(src0, src1, 1'b0);
      FuncSadHiU8: sum = byte_differences(src0, src1, 1'b0) << 16;
      FuncSadU16:  sum = distance({16'd0, src0[15:0]}, {16'd0, src1[15:0]}) +
                         distance({16'd0, src0[31:16]}, {16'd0, src1[31:16]});
      FuncSadU32:  sum = distance(src0, src1);
      default:     sum = byte_differences(src0, src1, 1'b1);
    endcase
    total = {1'b0, sum} + {1'b0, src2};
    return (saturate && total[32]) ? 32'hffff_ffff : total[31:0];
  endfunction

  // Source 1 plus the ones of source 0 at lanes below `lane`; bit 0 of source 0 stands for lane 0,
  // or for lane 32 when `upper`.
  function automatic logic [31:0] count_below(input logic [31:0] src0, input logic [31:0] src1,
                                              input logic [5:0] lane, input logic upper);
    logic [31:0] below;
    below = (32'd1 << lane[4:0]) - 32'd1;
    if (lane[5] != upper) below = {32{lane[5]}};
    return src1 + count_ones(src0 & below);
  endfunction

  // The shader engines that the 32-pixel tiles of a rectangle fall on (Vega ISA 12.7 row 55):
  // source 0 begins with {x_min, y_min, x_max, y_max}, two tile bits each; ranges wrap.
  function automatic logic [31:0] shader_engines(input logic [7:0] rectangle);
    logic [31:0] engines;
    logic [ 1:0] x;
    logic [ 1:0] y;
    logic [ 1:0] engine;
    engines = 32'd0;
    for (logic [2:0] i = 3'd0; i < 3'd4; i++) begin
      for (logic [2:0] j = 3'd0; j < 3'd4; j++) begin
        x = rectangle[7:6] + i[1:0];
        y = rectangle[5:4] + j[1:0];
        if ((i[1:0] <= rectangle[3:2] - rectangle[7:6]) &&
            (j[1:0] <= rectangle[1:0] - rectangle[5:4])) begin
          engine = {x[0] ^ y[1], y[0] ^ x[1]};
          engines[{3'd0, engine}] = 1'b1;
        end
      end
    end
    return engines;
  endfunction

  // The upper functions of unit Bits.
  function automatic logic [31:0] execute(input logic [4:0] func, input logic [31:0] src0,
                                          input logic [31:0] src1, input logic [31:0] src2,
                                          input logic [5:0] lane, input logic saturate);
    /* verilator no_inline_task */
    unique case (func)
      FuncMbcntLoU32B32, FuncMbcntHiU32B32:
        return count_below(src0, src1, lane, func == FuncMbcntHiU32B32);
      FuncLerpU8:  return lerp(src0, src1, src2);
      FuncPermB32: return permute(src0, src1, src2);
      FuncScreenPartition4seB32: return shader_engines(src0[7:0]);
      default:     return differences(func, src0, src1, src2, saturate);
    endcase
  endfunction

  // Two words saturated to halves, or two signed halves to unsigned bytes.
  function automatic logic [31:0] pack(input logic [4:0] func, input logic [31:0] src0,
                                       input logic [31:0] src1);
    /* verilator no_inline_task */
    logic [31:0] word;
    logic [31:0] result;
    result = 32'd0;
    for (int unsigned n = 0; n < 2; n++) begin
      word = (n == 0) ? src0 : src1;
      unique case (func)
        FuncCvtPkU16U32: result[16*n +: 16] = (word[31:16] != 16'd0) ? 16'hffff : word[15:0];
        FuncCvtPkI16I32:
          result[16*n +: 16] = (word[31:15] == {17{word[31]}}) ? word[15:0] :
                               {word[31], {15{!word[31]}}};
        default:
          result[8*n +: 8] = src0[16*n+15] ? 8'd0 :
              ((src0[16*n+8 +: 7] != 7'd0) ? 8'hff : src0[16*n +: 8]);
      endcase
    end
    return result;
  endfunction

endpackage
