// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Which bytes of a group's stores stay: those that no later store of the group has, the lanes in
// ascending order and of a lane access 0 before access 1. What is left may be written in any order.
// Between groups the order of passes decides. Purely combinational.

module lds_store_order
  import lds_unit_pkg::*;
(
  input  logic [4:0]                              bytes_i,    // of an access
  input  logic [1:0][GroupLanes-1:0]              want_i,     // accesses of the group
  input  address_t [1:0][GroupLanes-1:0]          address_i,

  output logic [1:0][GroupLanes-1:0][15:0]        stays_o     // bytes of an access
);

  logic [15:0] all;  // the bytes of an access
  assign all = 16'((17'd1 << bytes_i) - 17'd1);

  // The bytes of an access at `own` that one at `other` has, too.
  function automatic logic [15:0] shared(input address_t own, input address_t other,
                                         input logic [15:0] bytes);
    logic [16:0] up;  // from own to other
    up = {1'b0, other} - {1'b0, own};
    if (up[16:4] == '0) return bytes << up[3:0];
    if (up[16:4] == '1) return bytes >> (5'd16 - {1'b0, up[3:0]});
    return '0;
  endfunction

  for (genvar l = 0; l < GroupLanes; l++) begin : gen_lane
    for (genvar w = 0; w < 2; w++) begin : gen_access
      always_comb begin
        logic [15:0] lost;
        lost = '0;
        if (want_i[w][l]) begin
          for (int unsigned m = l; m < GroupLanes; m++) begin
            for (int unsigned v = 0; v < 2; v++) begin
              if (((m > l) || (v > w)) && want_i[v][m]) begin
                lost |= shared(address_i[w][l], address_i[v][m], all);
              end
            end
          end
        end
        stays_o[w][l] = all & ~lost;
      end
    end
  end

endmodule
