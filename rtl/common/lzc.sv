// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Leading zeros of a word, as a tree of selections. Purely combinational. count_o is meaningful
// while empty_o is low.

module lzc #(
  parameter  int unsigned Width      = 32,
  localparam int unsigned CountWidth = $clog2(Width)
) (
  input  logic [Width-1:0]      value_i,
  output logic [CountWidth-1:0] count_o,
  output logic                  empty_o
);

  if ((Width < 2) || (Width > 64)) begin : gen_bad_width
    $fatal(1, "lzc: Width is %0d, expected 2 to 64", Width);
  end

  logic [63:0] aligned;

  // A one below the word ends the count of an empty one.
  if (Width == 64) begin : gen_full
    assign aligned = value_i;
  end else begin : gen_part
    assign aligned = {value_i, 1'b1, {63-Width{1'b0}}};
  end

  assign count_o = CountWidth'(fp32_pkg::leading_zeros(aligned));
  assign empty_o = value_i == '0;

endmodule
