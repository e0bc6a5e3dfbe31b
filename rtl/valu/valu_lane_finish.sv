// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Second execution stage of one lane: adds and rounds, applies the output modifiers of binary32;
// everything else passes through. SDWA places the result.

module valu_lane_finish
  import fp32_pkg::*;
  import valu_unit_pkg::*;
(
  input  logic        modify_i,
  input  control_t    control_i,
  input  early_t      early_i,
  input  term_t       product_i,
  input  term_t       addend_i,
  input  logic [31:0] old_i,

  output logic [31:0] bits_o,
  output flags_t      flags_o
);

  result_t result;

  always_comb begin
    result = '{flags: early_i.flags, bits: early_i.bits};
    if (modify_i) result = valu_float_pkg::finish(control_i, product_i, addend_i, early_i);
  end

  assign bits_o  = merged(result.bits, old_i, control_i.sdwa_dst, control_i.sdwa_unused);
  assign flags_o = result.flags;

endmodule
