// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The waves that later ones of their dispatch wait for at an ordered count: those that have begun
// and neither ended nor released the next one. At most one of them is entered or leaves in a cycle,
// with effect from the next cycle on; the question is answered at once.

`include "cuvette_assert.svh"

module gds_waves
  import gds_unit_pkg::*;
#(
  parameter int unsigned Waves = 40  // at most
) (
  input  logic  clk_i,
  input  logic  rst_ni,

  input  logic  begins_i,    // `wave_i` is entered
  input  logic  ends_i,      // it leaves, if it is there
  input  wave_t wave_i,

  input  wave_t asks_i,
  output logic  has_turn_o   // no earlier wave of its dispatch is here
);

  logic  [Waves-1:0] here_q;
  wave_t [Waves-1:0] wave_q;
  logic  [Waves-1:0] place;    // the lowest that is free
  logic  [Waves-1:0] same;
  logic  [Waves-1:0] earlier;

  assign place = ~here_q & (here_q + 1'b1);

  for (genvar w = 0; w < Waves; w++) begin : gen_wave
    assign same[w]    = here_q[w] && (wave_q[w] == wave_i);
    assign earlier[w] = here_q[w] && (wave_q[w].dispatch == asks_i.dispatch) &&
                        (wave_q[w].wave < asks_i.wave);

    always_ff @(posedge clk_i) begin
      if (begins_i && place[w]) wave_q[w] <= wave_i;
    end
  end

  assign has_turn_o = earlier == '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)       here_q <= '0;
    else if (begins_i) here_q <= here_q | place;
    else if (ends_i)   here_q <= here_q & ~same;
  end

  `CUVETTE_ASSERT(HasRoom_A, begins_i |-> (place != '0))
  `CUVETTE_ASSERT(BeginsOnce_A, begins_i |-> (same == '0))
  `CUVETTE_ASSERT(OneChange_A, !(begins_i && ends_i))

endmodule
