// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Operation of the matrix core in a slot. An instruction has four slots per pass; a slot makes one
// step of 32 results (two rows of D, 16 lanes each; of F64 16 results, halves in two rows). A step
// is what one lane of A and of B holds, in a paired operation what two lanes hold, a group of lanes
// apart. Slots go through all results before the next step, so slot numbers count blocks or steps
// in their upper bits and results in their lower ones.
package matrix_op_pkg;

  // The instruction set the unit is built for: parameter Arch.
  typedef enum int unsigned {
    ArchGfx908 = 0,
    ArchGfx90a = 1,
    ArchGfx942 = 2
  } arch_e;

  localparam int unsigned LastArch = ArchGfx942;

  typedef enum logic [2:0] {
    FormatF32    = 3'd0,
    FormatF16    = 3'd1,
    FormatBf16   = 3'd2,  // gfx908, gfx90a: two k per lane, gfx942: four
    FormatI8     = 3'd3,
    FormatBf16K1 = 3'd4,  // gfx90a: four k per lane
    FormatF64    = 3'd5,
    FormatXf32   = 3'd6,
    FormatF8     = 3'd7   // FP8 or BF8
  } format_e;

  // Rows and columns of a block.
  typedef enum logic [1:0] {
    Side4  = 2'd0,
    Side16 = 2'd1,
    Side32 = 2'd2
  } side_e;

  typedef struct packed {
    logic       known;
    format_e    format;
    side_e      side;
    logic [1:0] last_register;  // of B; A has as many, or two
    logic       several;        // blocks, with one step each; otherwise one block with several steps
    logic       permutes;       // blgp acts; cbsz and abid do with several blocks
    logic       paired;         // a step takes two lanes of A and of B
    logic       sparse;         // V_SMFMAC
    logic       a_bf8;          // FormatF8: BF8
    logic       b_bf8;
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
    logic        paired;
    logic        sparse;
    logic        bank;
    logic        final_step;
    logic [ 5:0] beats;   // of D
    logic [ 5:0] result;  // beat of D
  } tag_t;

  // Cycles from the first beat of operands to the first slot.
  localparam int unsigned Ahead = 7;

  // Bits of A and of B that make a step of one result: those of one lane, two lanes, or two lanes with
  // four registers each.
  function automatic int unsigned step_bits(input int unsigned arch);
    return (arch == ArchGfx908) ? 64 : (arch == ArchGfx90a) ? 128 : 256;
  endfunction

  // Beats of C between the pins and their slot: as many as one cycle of latency needs, and one.
  localparam int unsigned Room = Ahead + 1;

  // Beats of D kept for later steps and for the instruction behind: the last 16 rows.
  localparam int unsigned KeptBeats = 32;

  // The highest slot number.
  function automatic logic [5:0] last_slot(input op_t op);
    if (op.format == FormatF64) return (op.side == Side16) ? 6'd31 : 6'd15;
    unique case (op.side)
      Side32:  return op.paired ? 6'd31 : 6'd63;
      Side16:  return op.paired ? 6'd15 : 6'd31;
      default: return 6'd7;
    endcase
  endfunction

  // The highest beat number of C and of D.
  function automatic logic [5:0] last_beat(input op_t op);
    if (op.format == FormatF64) return (op.side == Side16) ? 6'd15 : 6'd3;
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

  // The highest beat number that brings A and B: one register of A in a pass, two of B.
  function automatic logic [2:0] last_source_beat(input op_t op);
    return {op.last_register != 2'd0, 2'd3};
  endfunction

  // The highest beat number of operands.
  function automatic logic [5:0] last_operand_beat(input op_t op);
    return (last_beat(op) < 6'(last_source_beat(op))) ? 6'(last_source_beat(op)) : last_beat(op);
  endfunction

endpackage
