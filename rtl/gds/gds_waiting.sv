// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The requests whose waves wait, in the order in which they came: place 0 is the oldest. One joins
// behind the others, or the one at a place leaves and those behind it move up. Both take effect in
// the next cycle and do not happen in one.

`include "cuvette_assert.svh"

module gds_waiting
  import gds_unit_pkg::*;
#(
  parameter int unsigned Waves = 40,  // at most
  localparam int unsigned PlaceBits = $clog2(Waves + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 joins_i,
  input  sync_t                joins_as_i,

  input  logic [PlaceBits-1:0] place_i,     // that is looked at
  output sync_t                entry_o,     // means something below count_o
  input  logic                 leaves_i,    // the one at place_i
  output logic [PlaceBits-1:0] count_o,

  input  resource_t            resource_i,
  output logic                 queued_o     // a wave waits for it at global wave sync
);

  logic [PlaceBits-1:0]  count_q;
  sync_t                 entry_q [Waves];
  logic [Waves-1:0]      at;

  assign entry_o = entry_q[place_i];
  assign count_o = count_q;

  for (genvar w = 0; w < Waves; w++) begin : gen_at
    assign at[w] = (PlaceBits'(w) < count_q) && !entry_q[w].counts &&
                   (entry_q[w].resource == resource_i);
  end
  assign queued_o = at != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)       count_q <= '0;
    else if (joins_i)  count_q <= count_q + 1'b1;
    else if (leaves_i) count_q <= count_q - 1'b1;
  end

  for (genvar w = 0; w < Waves; w++) begin : gen_entry
    always_ff @(posedge clk_i) begin
      if (joins_i) begin
        if (count_q == PlaceBits'(w)) entry_q[w] <= joins_as_i;
      end else if (leaves_i && (PlaceBits'(w) >= place_i) && (w + 1 < Waves)) begin
        entry_q[w] <= entry_q[(w + 1) % Waves];
      end
    end
  end

  `CUVETTE_ASSERT(HasRoom_A, joins_i |-> (count_q != PlaceBits'(Waves)))
  `CUVETTE_ASSERT(LeavesOnce_A, leaves_i |-> ((place_i < count_q) && !joins_i))

endmodule
