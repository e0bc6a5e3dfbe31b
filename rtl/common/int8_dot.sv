// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Dot product of signed bytes, added to a 32-bit accumulator modulo 2^32, in two stages: the exact
// dot product is taken with load_i; while sum_i is high d_o is that plus c_i, otherwise 0.

module int8_dot #(
  parameter  int unsigned Terms    = 4,
  localparam int unsigned Width    = 8 * Terms,
  localparam int unsigned DotWidth = 16 + $clog2(Terms)  // -128 * -128 needs 16 bits
) (
  input  logic             clk_i,

  input  logic             load_i,
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,

  input  logic             sum_i,
  input  logic [31:0]      c_i,
  output logic [31:0]      d_o
);

  if ((Terms < 1) || (Terms > 16)) begin : gen_bad_terms
    $fatal(1, "int8_dot: Terms is %0d, expected 1 to 16", Terms);
  end

  logic signed [DotWidth-1:0] dot_d;
  logic signed [DotWidth-1:0] dot_q;

  always_comb begin
    dot_d = '0;
    if (load_i) begin
      for (int unsigned k = 0; k < Terms; k++) begin
        dot_d = dot_d + DotWidth'($signed(a_i[8*k +: 8])) * DotWidth'($signed(b_i[8*k +: 8]));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) dot_q <= dot_d;
  end

  assign d_o = sum_i ? (c_i + 32'(dot_q)) : 32'd0;

endmodule
