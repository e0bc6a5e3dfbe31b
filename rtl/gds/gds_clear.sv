// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Clears the memory after reset: stores of zeros by 64 lanes of 16 bytes, a KiB each, up to the size
// of the memory. busy_o until the last beat has gone.

`include "cuvette_assert.svh"

module gds_clear
  import gds_unit_pkg::*;
  import lds_pkg::*;
  import vrf_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [16:0] size_i,     // of the memory, in bytes
  output logic        busy_o,
  output request_t    request_o,  // offered while busy_o
  input  logic        ready_i
);

  localparam int unsigned LaneBytes = 16;

  logic [6:0] kibibyte_q;
  logic [1:0] beat_q;

  assign busy_o = ({kibibyte_q, 10'd0} < size_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      kibibyte_q <= '0;
      beat_q     <= '0;
    end else if (busy_o && ready_i) begin
      beat_q <= beat_q + 1'b1;
      if (beat_q == 2'(Beats - 1)) kibibyte_q <= kibibyte_q + 1'b1;
    end
  end

  always_comb begin
    request_o          = '0;
    request_o.beat     = beat_q;
    request_o.limit    = 32'(size_i);
    request_o.kind     = memory_pkg::KindStore;
    request_o.accesses = 2'd1;
    request_o.bytes    = 5'(LaneBytes);
    request_o.exec     = '1;
    for (int unsigned l = 0; l < BeatLanes; l++) begin
      request_o.offset[0][l] = {15'd0, kibibyte_q, beat_q, 4'(l), 4'd0};
    end
  end

  `CUVETTE_ASSERT(Size_A, size_i <= 17'(LdsBytes))

endmodule
