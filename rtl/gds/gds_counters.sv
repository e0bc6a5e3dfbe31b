// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The resources of global wave sync, each a number: what a semaphore has to give, or how many more
// waves a barrier waits for; and the ordered counters. Zero after reset. Read at once, written for
// the next cycle.

module gds_counters
  import gds_unit_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  resource_t   resource_i,
  output logic [63:0] number_o,    // of the resource
  input  logic        write_i,
  input  logic [63:0] number_i,

  input  counter_t    counter_i,
  output logic [31:0] ordered_o,   // the ordered counter
  input  logic        add_i,
  input  logic [31:0] value_i      // that is added
);

  logic [Resources-1:0][63:0] number_q;
  logic [Counters-1:0][31:0]  ordered_q;

  assign number_o  = number_q[resource_i];
  assign ordered_o = ordered_q[counter_i];

  always_ff @(posedge clk_i) begin
    if (!rst_ni)      number_q <= '0;
    else if (write_i) number_q[resource_i] <= number_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni)    ordered_q <= '0;
    else if (add_i) ordered_q[counter_i] <= ordered_o + value_i;
  end

endmodule
