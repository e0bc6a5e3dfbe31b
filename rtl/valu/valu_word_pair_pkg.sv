// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Pairs of binary32 in register pairs, from gfx90a on: OP_SEL picks the register of each source for
// the low result, OP_SEL_HI for the high one; NEG and NEG_HI likewise. Complete in the first
// execution stage.

package valu_word_pair_pkg;

  import fp16_pkg::*;
  import fp32_pkg::*;
  import valu_fp16_pkg::*;
  import valu_op_pkg::*;
  import valu_unit_pkg::*;

  function automatic logic [31:0] word_of(input logic [63:0] words, input logic high,
                                          input logic negate);
    return (high ? words[63:32] : words[31:0]) ^ {negate, 31'd0};
  endfunction

  // One of the two results.
  function automatic result_t part(input control_t ctrl, input logic high, input logic [63:0] src0,
                                   input logic [63:0] src1, input logic [63:0] src2);
    /* verilator no_inline_task */
    rules_t     rules;
    logic [2:0] select;
    logic [2:0] negate;
    number_t    x;
    number_t    y;
    number_t    z;
    result_t    result;
    rules  = rules_of(ctrl, 1'b0);
    select = high ? ctrl.op_sel_hi : ctrl.op_sel[2:0];
    negate = high ? ctrl.neg_hi : ctrl.neg_en;
    x      = take_word(word_of(src0, select[0], negate[0]), rules.flush_in);
    y      = take_word(word_of(src1, select[1], negate[1]), rules.flush_in);
    unique case (ctrl.func)
      FuncPkAddF32: result = multiply_add(rules, 1'b0, x, unit_factor(), y);
      FuncPkMulF32: result = multiply_add(rules, 1'b0, x, y,
                                          zero_addend(x.op.sign ^ y.op.sign));
      default: begin
        z      = take_word(word_of(src2, select[2], negate[2]), rules.flush_in);
        result = multiply_add(rules, 1'b0, x, y, z);
      end
    endcase
    if (ctrl.clamp) result.bits = clamp(result.bits, ctrl.dx10_clamp);
    return result;
  endfunction

  // V_PK_FMA_F32, V_PK_MUL_F32, V_PK_ADD_F32, V_PK_MOV_B32: the last one has its low result from
  // source 0 and its high one from source 1, both by OP_SEL.
  function automatic void execute(input control_t ctrl, input logic [63:0] src0,
                                  input logic [63:0] src1, input logic [63:0] src2,
                                  output complete_t result);
    /* verilator no_inline_task */
    result_t low;
    result_t high;
    if (ctrl.func == FuncPkMovB32) begin
      low  = {7'd0, word_of(src0, ctrl.op_sel[0], 1'b0)};
      high = {7'd0, word_of(src1, ctrl.op_sel[1], 1'b0)};
    end else begin
      low  = part(ctrl, 1'b0, src0, src1, src2);
      high = part(ctrl, 1'b1, src0, src1, src2);
    end
    result = '{mask: 1'b0, flags: low.flags | high.flags, bits: {high.bits, low.bits}};
  endfunction

endpackage
