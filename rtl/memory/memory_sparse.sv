// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Bytes at every address, for simulation: memory_store without a size, with its times. A block takes
// room once it is written; one that never was reads as 0. Synthesis takes an array instead.

module memory_sparse
  import memory_unit_pkg::*;
  import memory_pkg::*;
(
  input  logic                       clk_i,

  input  logic                       read_i,
  input  block_t                     read_block_i,
  output logic [BlockBytes-1:0][7:0] read_data_o,

  input  logic [BlockBytes-1:0]      write_lanes_i,
  input  block_t                     write_block_i,
  input  logic [BlockBytes-1:0][7:0] write_data_i
);

  logic [BlockBytes*8-1:0]    blocks_q [block_t];
  logic [BlockBytes-1:0][7:0] data_q;
  logic [BlockBytes-1:0][7:0] changed;

  assign read_data_o = data_q;

  always @(posedge clk_i) begin
    if (write_lanes_i != '0) begin
      changed = (blocks_q.exists(write_block_i) != 0) ? blocks_q[write_block_i] : '0;
      for (int unsigned i = 0; i < BlockBytes; i++) begin
        if (write_lanes_i[i]) changed[i] = write_data_i[i];
      end
      blocks_q[write_block_i] = changed;
    end
    if (read_i) data_q <= (blocks_q.exists(read_block_i) != 0) ? blocks_q[read_block_i] : '0;
  end

endmodule
