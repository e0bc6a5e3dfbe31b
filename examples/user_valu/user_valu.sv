// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// A vector ALU that is not Cuvette's: nine integer instructions, one register stage. The ports are
// those of docs/reference/valu.md; what the device does not execute is left out of OPERATIONS in
// CMakeLists.txt and never arrives here.
//
// +define+USER_VALU_BUG plants an error for the worked example: a subtraction that loses its borrow
// between bits 15 and 16.

module user_valu
  import valu_op_pkg::*;
(
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                request_valid_i,
  output logic                request_ready_o,
  input  valu_pkg::request_t  request_i,

  output logic                response_valid_o,
  input  logic                response_ready_i,
  output valu_pkg::response_t response_o
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
  logic [15:0][63:0] dst;

  for (genvar l = 0; l < 16; l++) begin : gen_lane
    assign result_d[l] = execute(request_i.op, request_i.src[0][l][31:0], request_i.src[1][l][31:0],
                                request_i.src[2][l][31:0]);
    assign dst[l]      = {32'd0, result_q[l]};
  end

  assign request_ready_o = !valid_q || response_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (request_ready_o) begin
      valid_q <= request_valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (request_valid_i && request_ready_o) begin
      id_q     <= request_i.id;
      beat_q   <= request_i.beat;
      pass_q   <= request_i.pass;
      exec_q   <= request_i.exec;
      result_q <= result_d;
    end
  end

  assign response_valid_o = valid_q;
  assign response_o       = '{
    id:       id_q,
    beat:     beat_q,
    pass:     pass_q,
    write:    exec_q,
    mask:     '0,
    has_mask: 1'b0,
    flags:    '0,
    dst:      dst
  };

endmodule
