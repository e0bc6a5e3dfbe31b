// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Compute units that a mask allows: bit n of word e is for compute unit n of shader engine e.
// Compute units beyond the words and their bits have no mask. Purely combinational.

module spi_mask
  import spi_unit_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1
) (
  input  limits_t                 limits_i,
  input  logic [7:0][15:0]        mask_i,
  output logic [ComputeUnits-1:0] allowed_o
);

  always_comb begin
    allowed_o = '0;
    for (int unsigned e = 0; e < ComputeUnits; e++) begin
      for (int unsigned n = 0; n < ComputeUnits; n++) begin
        automatic int unsigned u = (e * 32'(limits_i.per_engine)) + n;
        if ((n < 32'(limits_i.per_engine)) && (u < 32'(limits_i.units)) && (u < ComputeUnits)) begin
          allowed_o[u] = ((e >= 8) || (n >= 16)) ? 1'b1 : mask_i[e[2:0]][n[3:0]];
        end
      end
    end
  end

endmodule
