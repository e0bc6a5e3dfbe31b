// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Types inside the simd (docs/reference/simd.md, The RTL). Its messages are in simd_pkg.
package simd_unit_pkg;

  import simd_pkg::*;
  import vrf_pkg::*;

  // Kind of work of a row. All but Lane go through the vector ALU as V_MOV_B32.
  typedef enum logic [2:0] {
    KindLane          = 3'd0,
    KindNop           = 3'd1,
    KindReadLane      = 3'd2,
    KindReadFirstLane = 3'd3,
    KindWriteLane     = 3'd4,
    KindSwap          = 3'd5,
    KindAccCopy       = 3'd6
  } kind_e;

  typedef struct packed {
    logic       known;
    kind_e      kind;
    logic [9:0] op;           // of the vector ALU
    logic       accumulates;  // the destination is a source too
    logic       keeps;        // a 16-bit result leaves the other half
    logic       op_sel;       // op_sel, op_sel_hi, neg_hi have a meaning
  } row_t;

  // An instruction on its way.
  typedef struct packed {
    issue_t issue;
    row_t   row;
  } job_t;

  // A beat of it on its way; `beat` counts to 7 for V_SWAP_B32.
  typedef struct packed {
    job_t       job;
    logic [2:0] beat;
  } step_t;

  // Destination of an answer of the register file.
  typedef struct packed {
    logic       valid;
    logic       gather;  // to the buffer of 64 lanes
    logic       old;     // to the destination's old value
    logic [1:0] dword;
    logic [1:0] beat;
  } tag_t;

  // Data that the writer needs about a beat in the vector ALU.
  typedef struct packed {
    logic [31:0]  id;
    logic [7:0]   slot;
    logic [1:0]   beat;
    logic         pass;
    logic         last_pass;
    logic         last;
    logic [2:0]   dwords;  // 0: no vector register is written
    row_address_t row;
    logic         masks;   // nothing is out of range: mask results count
    logic         scalar;  // lane 0 is the value for an SGPR
    logic [15:0]  lanes;   // that the masks of DPP let write
    logic [15:0]  stays;   // bits of the old mask that DPP leaves as they are
  } beat_t;

  localparam logic [1:0] ModeSource0 = 2'd0;
  localparam logic [1:0] ModeSource2 = 2'd2;
  localparam logic [1:0] ModeDestination = 2'd3;

  function automatic logic is_vector(input operand_t operand);
    return (operand.kind == OperandVgpr) || (operand.kind == OperandAgpr);
  endfunction

  // The registers of the wave in the operand's file.
  function automatic logic [15:0] limit_of(input issue_t issue, input operand_t operand);
    return (operand.kind == OperandAgpr) ? issue.acc_count : issue.vgpr_count;
  endfunction

  // Register number of an operand, with M0[7:0] added where MODE and M0 ask for it (MI100 ISA 6.6).
  // Copies of accumulation registers are not indexed.
  function automatic logic [15:0] index_of(input job_t job, input operand_t operand,
                                           input logic [1:0] which);
    logic enabled;
    enabled = job.issue.mode[27] && job.issue.m0[{3'b011, which}] &&
              (operand.kind == OperandVgpr) && (job.row.kind != KindAccCopy);
    return enabled ? (operand.index + {8'd0, job.issue.m0[7:0]}) : operand.index;
  endfunction

  // Physical row of register `index`.
  function automatic row_address_t physical(input issue_t issue, input operand_t operand,
                                            input logic [15:0] index);
    row_address_t address;
    address.acc = operand.kind == OperandAgpr;
    address.row = (address.acc ? issue.acc_base : issue.vgpr_base) + index;
    return address;
  endfunction

  // Row to read for dword `dword` of an operand: out of range is register 0 (MI100 ISA 3.6.1).
  function automatic row_address_t source_row(input job_t job, input operand_t operand,
                                              input logic [1:0] which, input logic [1:0] dword);
    logic [16:0] index;
    index = {1'b0, index_of(job, operand, which)} + {15'd0, dword};
    if (index >= {1'b0, limit_of(job.issue, operand)}) index = '0;
    return physical(job.issue, operand, index[15:0]);
  endfunction

  // True if all registers of the destination are in range.
  function automatic logic fits(input job_t job, input operand_t operand, input logic [1:0] which);
    return ({2'd0, index_of(job, operand, which)} + {10'd0, operand.dwords}) <=
           {2'd0, limit_of(job.issue, operand)};
  endfunction

  function automatic logic [2:0] dwords_of(input operand_t operand);
    return (operand.dwords > 8'd4) ? 3'd4 : operand.dwords[2:0];
  endfunction

  // Source 0 goes through the buffer of 64 lanes before the first beat.
  function automatic logic gathers(input job_t job);
    logic moves;
    moves = ((job.row.kind == KindLane) && (job.issue.instruction.encoding == EncodingDpp)) ||
            (job.row.kind == KindReadLane) || (job.row.kind == KindReadFirstLane);
    return (moves && is_vector(job.issue.instruction.src[0])) || (job.row.kind == KindSwap);
  endfunction

  // The vector destination that is written: there and in range, for V_SWAP_B32 both.
  function automatic logic writes_vector(input job_t job);
    operand_t dst;
    operand_t src;
    dst = job.issue.instruction.dst[0];
    src = job.issue.instruction.src[0];
    return is_vector(dst) && fits(job, dst, ModeDestination) &&
           ((job.row.kind != KindSwap) || fits(job, src, ModeSource0));
  endfunction

  // The old value of the destination takes part.
  function automatic logic needs_old(input job_t job);
    modifiers_t mod;
    logic       keeps_part;
    mod = job.issue.instruction.mod;
    keeps_part = job.row.keeps || (job.row.op_sel && mod.op_sel[3]) ||
                 ((job.issue.instruction.encoding == EncodingSdwa) &&
                  (mod.sdwa_unused == SdwaPreserve));
    return (job.row.kind == KindLane) && is_vector(job.issue.instruction.dst[0]) &&
           (job.row.accumulates || keeps_part);
  endfunction

endpackage
