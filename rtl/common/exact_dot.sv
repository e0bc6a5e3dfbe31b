// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// One exact group of a dot product (exact_dot_pkg) added to a binary32 accumulator and rounded once:
// four products of binary16 factors, or with Bfloat two of bfloat16 ones. Subnormals are kept. Two
// stages: products are taken with load_i; while sum_i is high d_o is their sum with c_i, otherwise 0.

module exact_dot
  import exact_dot_pkg::*;
#(
  parameter  bit          Bfloat = 1'b0,
  localparam int unsigned Width  = Bfloat ? 32 : 64
) (
  input  logic             clk_i,

  input  logic             load_i,
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,

  input  logic             sum_i,
  input  logic [31:0]      c_i,
  output logic [31:0]      d_o
);

  if (Bfloat) begin : gen_bf16
    fp_mac_pkg::value_t low_q;
    fp_mac_pkg::value_t high_q;

    always_ff @(posedge clk_i) begin
      if (load_i) begin
        low_q  <= product_bf16(a_i[15:0], b_i[15:0]);
        high_q <= product_bf16(a_i[31:16], b_i[31:16]);
      end
    end
    always_comb begin
      d_o = '0;
      if (sum_i) d_o = add_bf16(low_q, high_q, c_i);
    end
  end else begin : gen_f16
    half_sum_t group_q;

    always_ff @(posedge clk_i) begin
      if (load_i) group_q <= sum_f16(a_i, b_i);
    end
    always_comb begin
      d_o = '0;
      if (sum_i) d_o = add_f16(group_q, c_i);
    end
  end

endmodule
