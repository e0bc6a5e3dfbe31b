// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Bytes of a group's stores that stay, so that the rest of a pass may be written in any order
// and the order of passes does the rest (lds_store_pkg): of stores to one place that of the highest
// lane counts, of one lane access 1. Purely combinational.

module lds_store_order
  import lds_unit_pkg::*;
(
  input  logic                                    store_i,    // there is one
  input  logic [4:0]                              bytes_i,    // of an access
  input  logic [1:0][GroupLanes-1:0]              want_i,     // accesses of the group
  input  address_t [1:0][GroupLanes-1:0]          address_i,

  output logic [1:0][GroupLanes-1:0][15:0]        stays_o     // bytes of an access
);

  logic [15:0] all;  // the bytes of an access
  assign all = 16'((17'd1 << bytes_i) - 17'd1);

  for (genvar l = 0; l < GroupLanes; l++) begin : gen_lane
    logic [1:0][15:0] stays;
    always_comb begin
      stays = {all, all};
      if (store_i) stays = lds_store_pkg::staying(5'(l), all, want_i, address_i);
    end
    assign stays_o[0][l] = stays[0];
    assign stays_o[1][l] = stays[1];
  end

endmodule
