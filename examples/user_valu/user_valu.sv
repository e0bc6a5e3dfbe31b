// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// A vector ALU that is not Cuvette's: nine integer instructions, one register stage. The ports are
// those of docs/valu.md; what the device does not execute is left out of OPERATIONS in
// CMakeLists.txt and never arrives here.
//
// +define+USER_VALU_BUG plants an error for the worked example: a subtraction that loses its borrow
// between bits 15 and 16.

module user_valu
  import valu_op_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  logic [31:0]       req_id_i,
  input  logic [ 9:0]       req_op_i,
  input  logic [ 1:0]       req_beat_i,
  input  logic              req_pass_i,
  input  logic [ 1:0]       req_round_i,
  input  logic [ 1:0]       req_round_hd_i,
  input  logic [ 1:0]       req_denorm_i,
  input  logic [ 1:0]       req_denorm_hd_i,
  input  logic              req_dx10_clamp_i,
  input  logic              req_ieee_i,
  input  logic              req_fp16_ovfl_i,
  input  logic [ 2:0]       req_abs_i,
  input  logic [ 2:0]       req_neg_i,
  input  logic [ 2:0]       req_neg_hi_i,
  input  logic [ 3:0]       req_op_sel_i,
  input  logic [ 2:0]       req_op_sel_hi_i,
  input  logic [ 1:0]       req_omod_i,
  input  logic              req_clamp_i,
  input  logic [ 1:0]       req_sext_i,
  input  logic [ 2:0]       req_sdwa_src0_i,
  input  logic [ 2:0]       req_sdwa_src1_i,
  input  logic [ 2:0]       req_sdwa_dst_i,
  input  logic [ 1:0]       req_sdwa_unused_i,
  input  logic [15:0]       req_exec_i,
  input  logic [15:0]       req_mask_i,
  input  logic [15:0][63:0] req_src0_i,
  input  logic [15:0][63:0] req_src1_i,
  input  logic [15:0][63:0] req_src2_i,
  input  logic [15:0][63:0] req_old_i,

  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,
  output logic [31:0]       rsp_id_o,
  output logic [ 1:0]       rsp_beat_o,
  output logic              rsp_pass_o,
  output logic [15:0][63:0] rsp_dst_o,
  output logic [15:0]       rsp_write_o,
  output logic [15:0]       rsp_mask_o,
  output logic              rsp_has_mask_o,
  output logic [ 6:0]       rsp_flags_o
);

  function automatic logic [31:0] subtract(input logic [31:0] a, input logic [31:0] b);
`ifdef USER_VALU_BUG
    return {a[31:16] - b[31:16], a[15:0] - b[15:0]};
`else
    return a - b;
`endif
  endfunction

  function automatic logic [31:0] execute(input logic [9:0] op, input logic [31:0] a,
                                          input logic [31:0] b, input logic [31:0] c);
    unique case (op)
      {UnitMove, FuncMovB32}:        return a;
      {UnitAdd, FuncAddU32}:         return a + b;
      {UnitAdd, FuncSubU32}:         return subtract(a, b);
      {UnitAdd, FuncSubrevU32}:      return subtract(b, a);
      {UnitShift, FuncLshlrevB32}:   return b << a[4:0];
      {UnitShift, FuncLshrrevB32}:   return b >> a[4:0];
      {UnitLogic, FuncAndB32}:       return a & b;
      {UnitLogic, FuncOrB32}:        return a | b;
      {UnitTernary, FuncAddLshlU32}: return (a + b) << c[4:0];
      default:                       return '0;
    endcase
  endfunction

  logic              valid_q;
  logic [31:0]       id_q;
  logic [ 1:0]       beat_q;
  logic              pass_q;
  logic [15:0]       exec_q;
  logic [15:0][31:0] result_q;
  logic [15:0][31:0] result_d;

  for (genvar l = 0; l < 16; l++) begin : gen_lane
    assign result_d[l]  = execute(req_op_i, req_src0_i[l][31:0], req_src1_i[l][31:0],
                                 req_src2_i[l][31:0]);
    assign rsp_dst_o[l] = {32'd0, result_q[l]};
  end

  assign req_ready_o = !valid_q || rsp_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (req_ready_o) begin
      valid_q <= req_valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (req_valid_i && req_ready_o) begin
      id_q     <= req_id_i;
      beat_q   <= req_beat_i;
      pass_q   <= req_pass_i;
      exec_q   <= req_exec_i;
      result_q <= result_d;
    end
  end

  assign rsp_valid_o    = valid_q;
  assign rsp_id_o       = id_q;
  assign rsp_beat_o     = beat_q;
  assign rsp_pass_o     = pass_q;
  assign rsp_write_o    = exec_q;
  assign rsp_mask_o     = '0;
  assign rsp_has_mask_o = 1'b0;
  assign rsp_flags_o    = '0;

endmodule
