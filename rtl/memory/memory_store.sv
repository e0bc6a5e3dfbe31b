// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The bytes of a port: what is asked for in one cycle is there in the next, until the next question;
// bytes written in the cycle of the question are in the answer. With a size an array, which a macro
// may replace. Without one, the memory devices of a simulation: every address has bytes, and takes
// room once it is written. Not reset.

module memory_store
  import memory_unit_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned Blocks = 0  // a power of two; 0: every address, for simulation
) (
  input  logic                       clk_i,

  input  logic                       read_i,
  input  block_t                     read_block_i,
  output logic [BlockBytes-1:0][7:0] read_data_o,

  input  logic [BlockBytes-1:0]      write_lanes_i,
  input  block_t                     write_block_i,
  input  logic [BlockBytes-1:0][7:0] write_data_i
);

  if (Blocks != 0) begin : gen_array
    localparam int unsigned PlaceBits = $clog2(Blocks);
    logic unused;

    ram_1r1w #(
      .Words    (Blocks),
      .Lanes    (BlockBytes),
      .LaneBits (8)
    ) u_bytes (
      .clk_i,
      .read_i,
      .read_address_i  (read_block_i[PlaceBits-1:0]),
      .read_data_o,
      .write_lanes_i,
      .write_address_i (write_block_i[PlaceBits-1:0]),
      .write_data_i
    );
    assign unused = ^{read_block_i[BlockBits-1:PlaceBits], write_block_i[BlockBits-1:PlaceBits]};
  end else begin : gen_sparse
    memory_sparse u_bytes (
      .clk_i,
      .read_i,
      .read_block_i,
      .read_data_o,
      .write_lanes_i,
      .write_block_i,
      .write_data_i
    );
  end

endmodule
