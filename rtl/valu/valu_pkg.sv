// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Types of the vector ALU (docs/valu.md). Operation codes are in valu_op_pkg, generated from
// valu_ops.csv.
package valu_pkg;

  import fp32_pkg::*;
  import valu_op_pkg::*;

  localparam int unsigned Lanes = 16;

  // What a beat asks for besides its operands: travels down the pipeline with it.
  typedef struct packed {
    unit_e      unit;
    logic [3:0] func;
    round_e     round;
    logic       flush_in;
    logic       flush_out;
    logic       dx10_clamp;
    logic       ieee;
    logic [2:0] abs_en;
    logic [2:0] neg_en;
    omod_e      omod;
    logic       clamp;
  } control_t;

  // What the transaction is, apart from its values.
  typedef struct packed {
    logic [31:0] id;
    logic [ 1:0] beat;
    logic        pass;
    logic [15:0] exec;
  } tag_t;

  // What leaves the first execution stage of a lane when its result is complete there.
  typedef struct packed {
    logic        sum;    // not complete: the terms have to be added and rounded
    flags_t      flags;
    logic [31:0] bits;
  } early_t;

endpackage
