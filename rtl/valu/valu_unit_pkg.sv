// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Types and functions inside the vector ALU. Its messages are in valu_pkg, generated from the
// contract, its operation codes in valu_op_pkg, from valu_ops.csv.
package valu_unit_pkg;

  import fp32_pkg::*;
  import valu_op_pkg::*;

  // Sub-dword selects of SDWA; 0 to 3 are bytes (MI100 ISA 6.7, Vega ISA 13.3.8).
  localparam logic [2:0] SelectWord0 = 3'd4;
  localparam logic [2:0] SelectWord1 = 3'd5;
  localparam logic [2:0] SelectDword = 3'd6;
  localparam logic [1:0] UnusedPad = 2'd0;
  localparam logic [1:0] UnusedSign = 2'd1;
  localparam logic [1:0] UnusedPreserve = 2'd2;

  // Control of a beat besides its operands: travels down the pipeline with it. "hd": as MODE
  // says for binary16 and binary64, which share their fields.
  typedef struct packed {
    unit_e      unit;
    logic [4:0] func;
    logic       pass;
    round_e     round;
    round_e     round_hd;
    logic       flush_in;
    logic       flush_out;
    logic       flush_in_hd;
    logic       flush_out_hd;
    logic       dx10_clamp;
    logic       ieee;
    logic       fp16_ovfl;
    logic [2:0] abs_en;
    logic [2:0] neg_en;
    logic [2:0] neg_hi;
    logic [3:0] op_sel;
    logic [2:0] op_sel_hi;
    omod_e      omod;
    omod_e      omod_hd;
    logic       clamp;
    logic [2:0] sdwa_dst;
    logic [1:0] sdwa_unused;
  } control_t;

  // Identity of the transaction, apart from its values.
  typedef struct packed {
    logic [31:0] id;
    logic [ 1:0] beat;
    logic        pass;
    logic [15:0] exec;
  } tag_t;

  // Output of the first execution stage of a lane when its result is complete there.
  typedef struct packed {
    logic        sum;    // not complete: the terms have to be added and rounded
    flags_t      flags;
    logic [31:0] bits;
  } early_t;

  // A lane's result that is complete in the first execution stage.
  typedef struct packed {
    logic        mask;
    flags_t      flags;
    logic [63:0] bits;
  } complete_t;

  // A source as SDWA selects it.
  function automatic logic [63:0] selected(input logic [63:0] word, input logic [2:0] select,
                                           input logic extend);
    logic [7:0]  part;
    logic [15:0] half;
    part = word[{1'b0, select[1:0], 3'b000} +: 8];
    half = select[0] ? word[31:16] : word[15:0];
    if (select >= SelectDword) return word;
    if (select >= SelectWord0) return {32'd0, {16{extend & half[15]}}, half};
    return {32'd0, {24{extend & part[7]}}, part};
  endfunction

  // A result where SDWA puts it; the other bits of the register as DST_UNUSED says.
  function automatic logic [31:0] merged(input logic [31:0] bits, input logic [31:0] old,
                                         input logic [2:0] select, input logic [1:0] unused);
    logic [31:0] field;
    logic [31:0] value;
    logic [ 4:0] shift;
    if (select >= SelectDword) return bits;
    field = (select >= SelectWord0) ? 32'h0000_ffff : 32'h0000_00ff;
    shift = (select >= SelectWord0) ? {select[0], 4'd0} : {select[1:0], 3'd0};
    value = bits & field;
    if ((unused == UnusedSign) && ((value & ~(field >> 1)) != 32'd0)) value = value | ~field;
    value = value << shift;
    if (unused == UnusedPreserve) value = value | (old & ~(field << shift));
    return value;
  endfunction

  // A 16-bit result in its half of the register; `keep`: the instruction leaves the other half as
  // it was even when it writes the low one (MI100 ISA 6.4).
  function automatic logic [31:0] placed(input logic [15:0] half, input logic high,
                                         input logic keep, input logic [31:0] old);
    if (high) return {half, old[15:0]};
    return {keep ? old[31:16] : 16'd0, half};
  endfunction

  // The half of a source that OP_SEL names.
  function automatic logic [15:0] half_of(input logic [31:0] word, input logic high);
    return high ? word[31:16] : word[15:0];
  endfunction

endpackage
