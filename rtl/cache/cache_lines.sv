// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Data array: the bytes of each line, and a mask of those that are valid and of those that are
// dirty. A line is asked for in one cycle and there from the next one on, with what was written in
// the cycle of the question.

module cache_lines #(
  parameter int unsigned Places    = 256,  // for lines
  parameter int unsigned LineBytes = 64,
  localparam int unsigned PlaceBits = $clog2(Places)
) (
  input  logic                      clk_i,

  input  logic                      read_i,
  input  logic [PlaceBits-1:0]      read_place_i,
  output logic [LineBytes-1:0]      valid_o,
  output logic [LineBytes-1:0]      dirty_o,
  output logic [LineBytes-1:0][7:0] data_o,

  input  logic                      write_i,        // both masks
  input  logic [PlaceBits-1:0]      write_place_i,
  input  logic [LineBytes-1:0]      valid_i,
  input  logic [LineBytes-1:0]      dirty_i,
  input  logic [LineBytes-1:0]      bytes_i,        // of the data that are written
  input  logic [LineBytes-1:0][7:0] data_i
);

  ram_1r1w #(
    .Words    (Places),
    .Lanes    (1),
    .LaneBits (2 * LineBytes)
  ) u_masks (
    .clk_i,
    .read_i          (read_i),
    .read_address_i  (read_place_i),
    .read_data_o     ({valid_o, dirty_o}),
    .write_lanes_i   (write_i),
    .write_address_i (write_place_i),
    .write_data_i    ({valid_i, dirty_i})
  );

  ram_1r1w #(
    .Words    (Places),
    .Lanes    (LineBytes),
    .LaneBits (8)
  ) u_data (
    .clk_i,
    .read_i          (read_i),
    .read_address_i  (read_place_i),
    .read_data_o     (data_o),
    .write_lanes_i   (write_i ? bytes_i : '0),
    .write_address_i (write_place_i),
    .write_data_i    (data_i)
  );

endmodule
