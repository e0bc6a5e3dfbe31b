// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// A matrix core that is not Cuvette's: one instruction, V_MFMA_I32_4X4X4I8, one at a time. It takes
// all eight beats of operands, then gives eight beats of results, two rows of sixteen sums of four
// products in a cycle. The ports are those of matrix_core.md; what the device does not execute is left out of
// OPERATIONS in CMakeLists.txt and never arrives here. It has no broadcast and no permutation, and
// says so by an assertion.
//
// +define+USER_MATRIX_CORE_BUG plants an error for the worked example: bytes of B without sign.

module user_matrix_core
  import matrix_core_pkg::*;
  import vrf_pkg::*;
(
  input  logic      clk_i,
  input  logic      rst_ni,

  input  logic      operands_valid_i,
  output logic      operands_ready_o,
  input  operands_t operands_i,

  output logic      result_valid_o,
  input  logic      result_ready_i,
  output result_t   result_o
);

  logic                     giving_q;   // results leave, otherwise operands come in
  logic [2:0]               beat_q;     // of either: pass, 16 lanes
  logic [31:0]              id_q;
  lanes_t                   a_q [4];
  lanes_t                   b_q [4];
  lanes_t [RowsPerPass-1:0] c_q [8];
  lanes_t [RowsPerPass-1:0] kept_q [16];  // results of two instructions: C may be among them
  logic                     turn_q;       // the one of the two that is this instruction's
  lanes_t [RowsPerPass-1:0] c;
  lanes_t [RowsPerPass-1:0] d;

  logic take;
  logic give;

  assign operands_ready_o = !giving_q;
  assign result_valid_o   = giving_q;
  assign take             = operands_valid_i && operands_ready_o;
  assign give             = result_valid_o && result_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      giving_q <= 1'b0;
      beat_q   <= '0;
      turn_q   <= 1'b0;
    end else if (take || give) begin
      beat_q <= beat_q + 3'd1;
      if (beat_q == 3'd7) giving_q <= !giving_q;
      if (give && (beat_q == 3'd7)) turn_q <= !turn_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      id_q        <= operands_i.id;
      c_q[beat_q] <= c;
      if (!beat_q[2]) begin
        a_q[beat_q[1:0]] <= operands_i.a;
        b_q[beat_q[1:0]] <= operands_i.b[0];
      end
    end
    if (give) kept_q[{turn_q, beat_q}] <= d;
  end

  // Row r of the results is row r[0] of pass r[1].
  always_comb begin
    for (int unsigned half = 0; half < RowsPerPass; half++) begin
      logic [4:0] row;
      row     = operands_i.forward_row + 5'(half);
      c[half] = operands_i.c[half];
      if (operands_i.forward[half]) begin
        c[half] = kept_q[{turn_q == operands_i.forward_from, row[1], beat_q[1:0]}][row[0]];
      end
    end
  end

  function automatic logic [31:0] product(input logic [7:0] a, input logic [7:0] b);
`ifdef USER_MATRIX_CORE_BUG
    return 32'($signed(a)) * {24'd0, b};
`else
    return 32'($signed(a)) * 32'($signed(b));
`endif
  endfunction

  // Row `row` of a block is in the lane of A with that number among the block's four.
  always_comb begin
    for (int unsigned half = 0; half < RowsPerPass; half++) begin
      for (int unsigned l = 0; l < BeatLanes; l++) begin
        d[half][l] = c_q[beat_q][half][l];
        for (int unsigned k = 0; k < 4; k++) begin
          d[half][l] = d[half][l] + product(
              a_q[beat_q[1:0]][{2'(l >> 2), beat_q[2], 1'(half)}][8*k +: 8],
              b_q[beat_q[1:0]][l][8*k +: 8]);
        end
      end
    end
  end

  assign result_o = '{id: id_q, pass: 8'(beat_q[2]), last: beat_q[2], beat: beat_q[1:0],
                      first_row: {6'd0, beat_q[2], 1'b0}, rows: 2'(RowsPerPass), d: d};

  NoBroadcast_A : assert property (@(posedge clk_i) operands_valid_i |->
      ((operands_i.cbsz == 3'd0) && (operands_i.blgp == 3'd0)));

  logic unused;
  assign unused = ^{operands_i.row, operands_i.pass, operands_i.last, operands_i.beat,
                    operands_i.abid, operands_i.c_rows, operands_i.b[1], operands_i.index, 1'b0};

endmodule
