// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Control of one pipeline stage with back-pressure: holds the valid bit; the payload registers stay
// with the user and load on load_o. A stage accepts when it is empty or is being emptied, so a full
// pipeline moves one item per cycle and a stalled one keeps every item.

`include "cuvette_assert.svh"

module pipe_ctrl (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic up_valid_i,
  output logic up_ready_o,
  output logic load_o,

  output logic down_valid_o,
  input  logic down_ready_i
);

  logic valid_q;

  assign up_ready_o   = !valid_q || down_ready_i;
  assign load_o       = up_valid_i && up_ready_o;
  assign down_valid_o = valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (up_ready_o) begin
      valid_q <= up_valid_i;
    end
  end

  `CUVETTE_ASSERT(HoldsWhenStalled_A, (down_valid_o && !down_ready_i) |=> down_valid_o)
  `CUVETTE_COVER(Stalls_C, down_valid_o && !down_ready_i && up_valid_i)

endmodule
