// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// What the matrix core does in a slot. An instruction has four slots per pass; a slot makes one step
// (one k of F32, four of F16 and I8, two of BF16) of 32 results: two rows of D, 16 lanes each. Slots
// go through all results before the next step, so slot numbers count blocks or steps in their upper
// bits and results in their lower ones.
package matrix_op_pkg;

  typedef enum logic [1:0] {
    FormatF32  = 2'd0,
    FormatF16  = 2'd1,
    FormatBf16 = 2'd2,
    FormatI8   = 2'd3
  } format_e;

  // Rows and columns of a block.
  typedef enum logic [1:0] {
    Side4  = 2'd0,
    Side16 = 2'd1,
    Side32 = 2'd2
  } side_e;

  typedef struct packed {
    logic    known;
    format_e format;
    side_e   side;
    logic    several;  // blocks, with one step each; otherwise one block with several steps
  } op_t;

  // One instruction under way.
  typedef struct packed {
    logic [31:0] id;
    op_t         op;
    logic [ 2:0] cbsz;
    logic [ 3:0] abid;
    logic [ 2:0] blgp;
  } job_t;

  // Travels with the results of a slot.
  typedef struct packed {
    logic [31:0] id;
    format_e     format;
    logic        final_step;
    logic [ 5:0] beats;   // of D
    logic [ 5:0] result;  // beat of D
  } tag_t;

  localparam int unsigned Ahead = 7;  // cycles from the first beat of operands to the first slot

  // The highest slot number.
  function automatic logic [5:0] last_slot(input op_t op);
    unique case (op.side)
      Side32:  return 6'd63;
      Side16:  return 6'd31;
      default: return 6'd7;
    endcase
  endfunction

  // The highest beat number of C and of D.
  function automatic logic [5:0] last_beat(input op_t op);
    unique case (op.side)
      Side32:  return op.several ? 6'd63 : 6'd31;
      Side16:  return op.several ? 6'd31 : 6'd7;
      default: return 6'd7;
    endcase
  endfunction

  // Beats of C and D a slot works on.
  function automatic logic [5:0] result_of(input op_t op, input logic [5:0] slot);
    return slot & last_beat(op);
  endfunction

  // The highest beat number that brings A and B.
  function automatic logic [2:0] last_source_beat(input op_t op);
    return (op.format == FormatF16) ? 3'd7 : 3'd3;
  endfunction

endpackage
