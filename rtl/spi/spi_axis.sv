// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// One dimension of a grid: how many work-groups of it run, and how many work-items there are from
// the first of them on. A bit of the quotient and of the product with each of 33 steps; the results
// are there in the cycle behind the last one and stay.

module spi_axis (
  input  logic        clk_i,

  input  logic        start_i,   // the inputs are new, and stay
  input  logic        step_i,
  input  logic [31:0] grid_i,    // work-items of the grid
  input  logic [15:0] size_i,    // work-items of a work-group
  input  logic [31:0] first_i,   // work-groups that do not run

  output logic [31:0] groups_o,  // that run
  output logic [31:0] left_o     // work-items from the first of them on
);

  logic [32:0] divided_q;    // rest of the dividend, and the quotient behind it
  logic [15:0] remainder_q;
  logic [16:0] partial;
  logic        fits;
  logic [32:0] factor_q;     // rest of the factor
  logic [31:0] product_q;

  assign partial = {remainder_q, divided_q[32]};
  assign fits    = partial >= {1'b0, size_i};

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      divided_q   <= {1'b0, grid_i} + {17'd0, size_i} - 33'd1;
      remainder_q <= '0;
      factor_q    <= {1'b0, first_i};
      product_q   <= '0;
    end else if (step_i) begin
      divided_q   <= {divided_q[31:0], fits};
      remainder_q <= 16'(fits ? (partial - {1'b0, size_i}) : partial);
      factor_q    <= {factor_q[31:0], 1'b0};
      product_q   <= {product_q[30:0], 1'b0} + (factor_q[32] ? {16'd0, size_i} : 32'd0);
    end
  end

  assign groups_o = (divided_q[31:0] > first_i) ? (divided_q[31:0] - first_i) : 32'd0;
  assign left_o   = grid_i - product_q;

endmodule
