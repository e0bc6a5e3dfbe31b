// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Units Select and CompareHalfDouble of one lane: sources of each format brought to the patterns of
// valu_order_pkg and results behind their output modifiers.

package valu_minmax_pkg;

  import fp32_pkg::*;
  import valu_op_pkg::*;
  import valu_unit_pkg::*;
  import valu_order_pkg::*;

  // A source with its sign edited, its highest bit at the top.
  function automatic logic [63:0] aligned(input control_t ctrl, input format_e format,
                                          input logic [1:0] index, input logic [63:0] source);
    logic [63:0] bits;
    unique case (format)
      Binary16: bits = {half_of(source[31:0], ctrl.op_sel[index]), 48'd0};
      Binary32: bits = {source[31:0], 32'd0};
      default:  bits = source;
    endcase
    bits[63] = (bits[63] & ~ctrl.abs_en[index]) ^ ctrl.neg_en[index];
    return bits;
  endfunction

  function automatic void select(input control_t ctrl, input logic [63:0] src0,
                                 input logic [63:0] src1, input logic [63:0] src2,
                                 input logic [31:0] old, output complete_t out);
    /* verilator no_inline_task */
    format_e                  format;
    result_t                  half;
    fp64_pkg::double_result_t wide;
    format = format_of(ctrl.func);
    out    = execute(ctrl, aligned(ctrl, format, 2'd0, src0), aligned(ctrl, format, 2'd1, src1),
                     aligned(ctrl, format, 2'd2, src2), src1[9:0]);
    unique case (format)
      Binary16: begin
        half      = valu_fp16_mixed_pkg::modified(ctrl, '{flags: out.flags,
                                                    bits: {16'd0, out.bits[63:48]}});
        out.flags = half.flags;
        out.bits  = {32'd0, placed(half.bits[15:0], ctrl.op_sel[3], 1'b0, old)};
      end
      Binary32: out.bits = {32'd0, out.bits[63:32]};
      default: begin
        wide      = valu_double_pkg::modified(ctrl, '{flags: out.flags, bits: out.bits});
        out.flags = wide.flags;
        out.bits  = wide.bits;
      end
    endcase
  endfunction

  // {mask, flags}.
  function automatic logic [7:0] compare(input control_t ctrl, input logic [63:0] src0,
                                         input logic [63:0] src1);
    /* verilator no_inline_task */
    format_e   format;
    complete_t out;
    format = ctrl.func[4] ? Binary64 : Binary16;
    out    = valu_order_pkg::compare(ctrl, aligned(ctrl, format, 2'd0, src0),
                                      aligned(ctrl, format, 2'd1, src1));
    return {out.mask, out.flags};
  endfunction

endpackage
