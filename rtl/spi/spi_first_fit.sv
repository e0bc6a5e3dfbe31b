// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// First-fit allocator: the lowest range of free granules that is long enough, and its mask. A range
// of length 0 is found at 0 and takes nothing. Purely combinational.

module spi_first_fit
  import spi_unit_pkg::*;
#(
  parameter int unsigned Width = 64  // granules, a power of two, at most 128
) (
  input  logic [Width-1:0] free_i,
  input  amount_t          length_i,
  output logic             found_o,
  output amount_t          first_o,
  output logic [Width-1:0] mask_o
);

  localparam int unsigned Levels = $clog2(Width) + 1;

  logic [Levels-1:0][Width-1:0] run;    // bit i of level k: 2^k granules from i on are free
  logic [Width-1:0]             begins; // a range may begin here
  logic                         some;   // a bit of the length has been seen

  // The length is put together from runs of powers of two; behind the end nothing is free.
  always_comb begin
    run    = '0;
    begins = '0;
    some   = 1'b0;
    run[0] = free_i;
    for (int unsigned k = 1; k < Levels; k++) run[k] = run[k-1] & (run[k-1] >> (1 << (k - 1)));
    for (int unsigned k = 0; k < Levels; k++) begin
      if (length_i[k]) begin
        begins = some ? (run[k] & (begins >> (1 << k))) : run[k];
        some   = 1'b1;
      end
    end
  end

  always_comb begin
    first_o = '0;
    for (int unsigned i = 0; i < Width; i++) begin
      if (begins[Width-1-i]) first_o = amount_t'(Width - 1 - i);
    end
  end

  assign found_o = ((begins != '0) && (length_i <= amount_t'(Width))) || (length_i == '0);
  assign mask_o  = ((Width'(1) << length_i) - 1'b1) << first_o;

endmodule
