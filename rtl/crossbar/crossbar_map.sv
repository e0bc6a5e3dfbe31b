// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Address map: the slices to which a request goes. Addresses are interleaved over the slices in use; a
// broadcast goes to each of them. Combinational.

module crossbar_map
  import crossbar_unit_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned Slices          = 4,
  parameter int unsigned InterleaveBytes = 256,
  localparam int unsigned SliceBits = (Slices > 1) ? $clog2(Slices) : 1
) (
  input  logic [SliceBits-1:0] last_slice_i,  // in use: a power of two, less one
  input  mem_op_e              op_i,
  input  logic [63:0]          address_i,
  output logic [Slices-1:0]    targets_o
);

  if ((InterleaveBytes < 64) || (InterleaveBytes != (1 << $clog2(InterleaveBytes)))) begin : gen_refuse_interleave
    $error("crossbar_map: InterleaveBytes is %0d, expected a power of two from 64 on", InterleaveBytes);
  end

  localparam int unsigned Within = $clog2(InterleaveBytes);

  logic [SliceBits-1:0] slice;
  logic                 unused;

  assign slice  = address_i[Within+:SliceBits] & last_slice_i;
  assign unused = ^{address_i[63:Within+SliceBits], address_i[Within-1:0]};

  for (genvar k = 0; k < Slices; k++) begin : gen_target
    assign targets_o[k] = is_broadcast(op_i) ? ((SliceBits'(k) & ~last_slice_i) == '0) : (slice == SliceBits'(k));
  end

endmodule
