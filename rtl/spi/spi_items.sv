// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Work-item ids of the lanes of a work-group, 16 lanes at a time, x fastest: a beat of initial VGPRs
// now, and with step_i the 16 lanes behind it from the next cycle on. Nothing is divided. Behind the
// last work-item the ids go on as if there were more.

module spi_items
  import spi_unit_pkg::*;
(
  input  logic                        clk_i,

  input  logic                        start_i,   // a new work-group, from its first lane on
  input  logic                        step_i,
  input  logic [2:0][10:0]            items_i,   // of the work-group, along each dimension

  output logic [2:0][BeatLanes-1:0][9:0] id_o    // x, y and z
);

  logic [2:0][9:0]              first_q;  // of lane 0
  logic [BeatLanes:0][2:0][9:0] id;

  always_comb begin
    id    = '0;
    id[0] = first_q;
    for (int unsigned l = 0; l < BeatLanes; l++) begin
      automatic logic row_ends   = ({1'b0, id[l][0]} + 11'd1) >= items_i[0];
      automatic logic plane_ends = ({1'b0, id[l][1]} + 11'd1) >= items_i[1];
      id[l+1][0] = row_ends ? 10'd0 : (id[l][0] + 10'd1);
      id[l+1][1] = row_ends ? (plane_ends ? 10'd0 : (id[l][1] + 10'd1)) : id[l][1];
      id[l+1][2] = (row_ends && plane_ends) ? (id[l][2] + 10'd1) : id[l][2];
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i)     first_q <= '0;
    else if (step_i) first_q <= id[BeatLanes];
  end

  always_comb begin
    for (int unsigned l = 0; l < BeatLanes; l++) begin
      for (int unsigned d = 0; d < 3; d++) id_o[d][l] = id[l][d];
    end
  end

endmodule
