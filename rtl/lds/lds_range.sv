// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Addresses of one access of a beat of lanes: where each is in the memory, and whether all of it is
// inside the allocation of its work-group. Purely combinational.

module lds_range
  import lds_unit_pkg::*;
#(
  parameter int unsigned BeatLanes = 16
) (
  input  logic [31:0]                base_i,     // first byte of the allocation
  input  logic [31:0]                limit_i,    // its size
  input  logic [4:0]                 bytes_i,    // of the access
  input  logic [BeatLanes-1:0][31:0] offset_i,   // from base_i on

  output address_t [BeatLanes-1:0]   address_o,  // means something where inside_o is set
  output logic [BeatLanes-1:0]       inside_o
);

  always_comb begin
    for (int unsigned l = 0; l < BeatLanes; l++) begin
      logic [32:0] behind;  // of the access, from the base on
      logic [33:0] last;    // of the memory
      behind       = {1'b0, offset_i[l]} + {28'd0, bytes_i};
      last         = {2'd0, base_i} + {1'b0, behind};
      inside_o[l]  = (behind <= {1'b0, limit_i}) && (last <= 34'(lds_pkg::LdsBytes));
      address_o[l] = base_i[15:0] + offset_i[l][15:0];
    end
  end

endmodule
