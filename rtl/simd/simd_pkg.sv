// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Messages of the simd block (docs/simd.md, model/simd/simd.h). Enumerators have the numbers of the
// C++ ones (model/isa/instruction.h).
package simd_pkg;

  import vrf_pkg::*;

  typedef enum logic [2:0] {
    EncodingNative  = 3'd0,
    EncodingLiteral = 3'd1,
    EncodingVop3    = 3'd2,
    EncodingSdwa    = 3'd3,
    EncodingDpp     = 3'd4
  } encoding_e;

  typedef enum logic [3:0] {
    OperandNone      = 4'd0,
    OperandVgpr      = 4'd1,
    OperandAgpr      = 4'd2,
    OperandSgpr      = 4'd3,
    OperandSpecial   = 4'd4,
    OperandInline    = 4'd5,
    OperandLiteral   = 4'd6,
    OperandImmediate = 4'd7,
    OperandOff       = 4'd8
  } operand_kind_e;

  typedef enum logic [2:0] {
    SdwaByte0 = 3'd0,
    SdwaByte1 = 3'd1,
    SdwaByte2 = 3'd2,
    SdwaByte3 = 3'd3,
    SdwaWord0 = 3'd4,
    SdwaWord1 = 3'd5,
    SdwaDword = 3'd6
  } sdwa_select_e;

  typedef enum logic [1:0] {
    SdwaPad        = 2'd0,
    SdwaSignExtend = 2'd1,
    SdwaPreserve   = 2'd2
  } sdwa_unused_e;

  typedef struct packed {
    operand_kind_e kind;
    logic [7:0]    dwords;
    logic [15:0]   index;
  } operand_t;

  typedef struct packed {
    logic [2:0]         abs;
    logic [2:0]         neg;
    logic [2:0]         neg_hi;
    logic [3:0]         op_sel;
    logic [2:0]         op_sel_hi;
    logic [1:0]         sext;
    logic [1:0]         omod;
    logic               clamp;
    sdwa_select_e [1:0] sdwa_src;
    sdwa_select_e       sdwa_dst;
    sdwa_unused_e       sdwa_unused;
    logic [8:0]         dpp_ctrl;
    logic [3:0]         dpp_row_mask;
    logic [3:0]         dpp_bank_mask;
    logic               dpp_bound_ctrl;
    logic [2:0]         cbsz;
    logic [3:0]         abid;
    logic [2:0]         blgp;
  } modifiers_t;

  typedef struct packed {
    logic [15:0]    row;
    encoding_e      encoding;
    operand_t [1:0] dst;
    operand_t [3:0] src;
    modifiers_t     mod;
  } instruction_t;

  typedef struct packed {
    logic [31:0]      id;
    logic [7:0]       slot;
    instruction_t     instruction;
    logic [15:0]      vgpr_base;
    logic [15:0]      vgpr_count;
    logic [15:0]      acc_base;
    logic [15:0]      acc_count;
    logic [31:0]      mode;
    logic [63:0]      exec;
    logic [63:0]      mask_in;
    logic [2:0][63:0] scalar;
    logic [31:0]      m0;
  } issue_t;

  typedef struct packed {
    logic [31:0]          id;
    logic [1:0]           beat;
    logic                 last;
    logic [2:0]           dwords;
    row_address_t         row;
    logic [BeatLanes-1:0] write;
    lanes_t [3:0]         data;
    logic                 has_mask;
    logic [BeatLanes-1:0] mask;
    logic                 has_scalar;
    logic [31:0]          scalar;
    logic [6:0]           flags;
  } retire_t;

  typedef struct packed {
    write_port_e          write_port;
    row_address_t         row;
    logic [1:0]           beat;
    logic [BeatLanes-1:0] lanes;
    lanes_t               data;
  } fill_t;

  typedef struct packed {
    logic [31:0]  id;
    read_port_e   read_port;
    row_address_t row;
  } read_row_t;

  typedef struct packed {
    logic [31:0] id;
    logic [1:0]  beat;
    lanes_t      data;
  } row_data_t;

endpackage
