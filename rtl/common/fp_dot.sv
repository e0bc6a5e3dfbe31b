// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// One pairwise group of a dot product over binary16 or bfloat16 factors, added to a binary32
// accumulator: leaves and nodes of the tree are rounded each to binary32, nearest even, one quiet
// NaN. Factors that are subnormal or a zero are +0; a subnormal leaf, node or result is a zero of its
// sign; the accumulator is not subnormal. Two stages: pairs are taken with load_i; while sum_i is
// high d_o is the rest of the tree plus c_i, otherwise 0.

module fp_dot
  import fp_mac_pkg::*;
#(
  parameter  int unsigned Terms  = 4,
  parameter  bit          Bfloat = 1'b0,
  localparam int unsigned Width  = 16 * Terms,
  localparam int unsigned Pairs  = Terms / 2
) (
  input  logic             clk_i,

  input  logic             load_i,
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,

  input  logic             sum_i,
  input  logic [31:0]      c_i,
  output logic [31:0]      d_o
);

  if ((Terms != 2) && (Terms != 4)) begin : gen_bad_terms
    $fatal(1, "fp_dot: Terms is %0d, expected 2 or 4", Terms);
  end

  logic [Pairs-1:0][31:0] pair_q;
  logic            [31:0] group;

  for (genvar p = 0; p < Pairs; p++) begin : gen_pair
    always_ff @(posedge clk_i) begin
      if (load_i) begin
        pair_q[p] <= Bfloat ? pair_bf16(a_i[32*p +: 32], b_i[32*p +: 32])
                            : pair_f16(a_i[32*p +: 32], b_i[32*p +: 32]);
      end
    end
  end

  always_comb begin
    group = pair_q[0];
    d_o   = '0;
    if (sum_i) begin
      if (Pairs == 2) begin
        group = flush_step(add_f32(pair_q[0], pair_q[Pairs-1]));
      end
      d_o = flush_step(add_f32(group, c_i));
    end
  end

endmodule
