// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Address map of a port: blocks of the port are numbered without those of the others, and lie next to
// each other in the rows; the bits above the row's place choose the bank. Combinational.

module memory_map
  import memory_unit_pkg::*;
#(
  parameter int unsigned Ports           = 1,
  parameter int unsigned InterleaveBytes = 256,
  parameter int unsigned Banks           = 16,
  parameter int unsigned RowBytes        = 2048,
  parameter int unsigned Bytes           = 0,      // of all ports, a power of two; 0: every address
  parameter int unsigned Base            = 0,      // the first address, in units of Bytes
  localparam int unsigned BankBits = $clog2(Banks)
) (
  input  logic [63:0]         address_i,
  output logic                exists_o,  // there are bytes at the address
  output block_t              block_o,
  output logic [BankBits-1:0] bank_o,
  output block_t              row_o
);

  if ((InterleaveBytes < 64) || (InterleaveBytes != (1 << $clog2(InterleaveBytes)))) begin : gen_refuse_interleave
    $error("memory_map: InterleaveBytes is %0d, expected a power of two from 64 on", InterleaveBytes);
  end
  if ((Banks < 2) || (Banks != (1 << BankBits))) begin : gen_refuse_banks
    $error("memory_map: Banks is %0d, expected a power of two from 2 on", Banks);
  end
  if ((RowBytes < 128) || (RowBytes != (1 << $clog2(RowBytes)))) begin : gen_refuse_row
    $error("memory_map: RowBytes is %0d, expected a power of two from 128 on", RowBytes);
  end

  localparam int unsigned RowPlaces = $clog2(RowBytes / 64);         // bits of a block's place in its row
  localparam int unsigned Together  = $clog2(InterleaveBytes / 64);  // bits of the place in a piece
  localparam int unsigned PortBits  = $clog2(Ports);
  localparam block_t      InPiece   = block_t'((64'd1 << Together) - 64'd1);

  block_t whole;
  logic   unused;

  assign whole    = address_i[63:6];
  assign block_o  = ((whole >> (Together + PortBits)) << Together) | (whole & InPiece);
  assign bank_o   = block_o[RowPlaces+:BankBits];
  assign row_o    = block_o >> (RowPlaces + BankBits);
  assign unused   = ^address_i[5:0];

  if (Bytes == 0) begin : gen_everywhere
    assign exists_o = 1'b1;
  end else begin : gen_inside
    assign exists_o = (address_i / 64'(Bytes)) == 64'(Base);
  end

endmodule
