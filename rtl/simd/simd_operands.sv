// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// A collected beat as the vector ALU wants it: scalars to every lane, DPP routing, lane moves,
// enabled lanes, the pass of operands and results wider than 64 bits. Purely combinational.

module simd_operands
  import simd_pkg::*;
  import simd_unit_pkg::*;
  import vrf_pkg::*;
(
  input  step_t                  step_i,
  input  logic                   pass_i,
  input  lanes_t [2:0][3:0]      source_i,
  input  lanes_t [1:0]           old_i,
  input  lanes_t [3:0]           gather_i,

  output logic                   two_passes_o,
  output modifiers_t             mod_o,
  output logic   [15:0]          exec_o,
  output logic   [15:0]          mask_o,
  output logic   [15:0][63:0]    src0_o,
  output logic   [15:0][63:0]    src1_o,
  output logic   [15:0][63:0]    src2_o,
  output logic   [15:0][63:0]    old_o,
  output beat_t                  beat_o
);

  issue_t       issue;
  instruction_t instruction;
  kind_e        kind;
  logic [1:0]   beat;
  logic         dpp;

  assign issue       = step_i.job.issue;
  assign instruction = issue.instruction;
  assign kind        = step_i.job.row.kind;
  assign beat        = step_i.beat[1:0];
  assign dpp         = (kind == KindLane) && (instruction.encoding == EncodingDpp);

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Modifiers: an instruction without operand selects has none, and only SDWA selects parts
  ////////////////////////////////////////////////////////////////////////////////////////////////
  always_comb begin
    mod_o = instruction.mod;
    if (!step_i.job.row.op_sel) begin
      mod_o.op_sel    = '0;
      mod_o.op_sel_hi = '0;
      mod_o.neg_hi    = '0;
    end
    if ((instruction.encoding != EncodingSdwa) || (kind != KindLane)) begin
      mod_o.sext        = '0;
      mod_o.sdwa_src[0] = SdwaDword;
      mod_o.sdwa_src[1] = SdwaDword;
      mod_o.sdwa_dst    = SdwaDword;
      mod_o.sdwa_unused = SdwaPad;
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // DPP and lane moves
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [15:0][5:0]  route_source;
  logic [15:0]       route_zero;
  logic [15:0]       route_work;
  logic [15:0]       route_write;
  logic [63:0][31:0] row;
  logic [15:0]       active;  // EXEC of this beat
  logic [5:0]        picked;  // lane that V_READLANE and V_READFIRSTLANE read, or V_WRITELANE writes

  simd_dpp u_dpp (
    .ctrl_i       (instruction.mod.dpp_ctrl),
    .row_mask_i   (instruction.mod.dpp_row_mask),
    .bank_mask_i  (instruction.mod.dpp_bank_mask),
    .bound_ctrl_i (instruction.mod.dpp_bound_ctrl),
    .exec_i       (issue.exec),
    .beat_i       (beat),
    .source_o     (route_source),
    .zero_o       (route_zero),
    .work_o       (route_work),
    .write_o      (route_write)
  );

  assign row = gather_i;

  // The first enabled lane, lane 0 when there is none (MI100 ISA 6.1).
  function automatic logic [5:0] first_lane(input logic [63:0] exec);
    logic [5:0] lane;
    lane = '0;
    for (int unsigned l = 64; l > 0; l--) begin
      if (exec[l - 1]) lane = 6'(l - 1);
    end
    return lane;
  endfunction

  assign picked = (kind == KindReadFirstLane) ? first_lane(issue.exec) : issue.scalar[1][5:0];

  always_comb begin
    unique case (kind)
      KindNop:                         exec_o = '0;
      KindReadLane, KindReadFirstLane: exec_o = 16'd1;
      KindWriteLane:                   exec_o = (picked[5:4] == beat) ? (16'd1 << picked[3:0]) : '0;
      default:                         exec_o = dpp ? route_work : active;
    endcase
  end

  assign active = issue.exec[{beat, 4'd0} +: 16];
  assign mask_o = issue.mask_in[{beat, 4'd0} +: 16];

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Sources
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [15:0][63:0] from_registers [3];  // this pass's dwords of each source

  for (genvar s = 0; s < 3; s++) begin : gen_source
    logic upper;
    logic nothing;  // the wave has no such registers
    logic wide;
    assign upper   = (instruction.src[s].dwords > 8'd2) && pass_i;
    assign nothing = limit_of(issue, instruction.src[s]) == '0;
    assign wide    = instruction.src[s].dwords > 8'd1;

    for (genvar l = 0; l < 16; l++) begin : gen_lane
      always_comb begin
        if (!is_vector(instruction.src[s])) begin
          from_registers[s][l] = upper ? '0 : {wide ? issue.scalar[s][63:32] : 32'd0,
                                               issue.scalar[s][31:0]};
        end else if (nothing) begin
          from_registers[s][l] = '0;
        end else begin
          from_registers[s][l] = {wide ? source_i[s][{upper, 1'b1}][l] : 32'd0,
                                  source_i[s][{upper, 1'b0}][l]};
        end
      end
    end
  end

  for (genvar l = 0; l < 16; l++) begin : gen_lane
    always_comb begin
      src0_o[l] = from_registers[0][l];
      if (is_vector(instruction.src[0])) begin
        unique case (kind)
          KindLane:
            if (dpp) begin
              src0_o[l] = (route_zero[l] || (limit_of(issue, instruction.src[0]) == '0)) ?
                  '0 : {32'd0, row[route_source[l]]};
            end
          KindReadLane, KindReadFirstLane:
            src0_o[l] = (limit_of(issue, instruction.src[0]) == '0) ? '0 : {32'd0, row[picked]};
          KindSwap:
            if (step_i.beat[2]) begin
              src0_o[l] = {32'd0, gather_i[beat][l]};
            end
          default: ;
        endcase
      end
    end
    // An accumulator out of range is not read and not written.
    assign old_o[l] = beat_o.dwords != 3'd0 ? {old_i[1][l], old_i[0][l]} : '0;
  end

  assign src1_o = from_registers[1];
  assign src2_o = from_registers[2];

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Data for the writer
  ////////////////////////////////////////////////////////////////////////////////////////////////
  operand_t dst;
  operand_t target;  // the second half of V_SWAP_B32 writes its source
  logic     second;
  logic     vector;

  assign dst          = instruction.dst[0];
  assign second       = (kind == KindSwap) && step_i.beat[2];
  assign target       = second ? instruction.src[0] : dst;
  assign vector       = writes_vector(step_i.job);
  assign two_passes_o = is_vector(dst) && (dwords_of(dst) > 3'd2);

  always_comb begin
    beat_o.id        = issue.id;
    beat_o.slot      = issue.slot;
    beat_o.beat      = beat;
    beat_o.pass      = pass_i;
    beat_o.last_pass = !two_passes_o || pass_i;
    beat_o.scalar    = (kind == KindReadLane) || (kind == KindReadFirstLane);
    beat_o.last      = beat_o.scalar ||
                       ((beat == 2'd3) && ((kind != KindSwap) || step_i.beat[2]));
    beat_o.dwords    = vector ? dwords_of(dst) : 3'd0;
    beat_o.row       = physical(issue, target, index_of(step_i.job, target,
                                                        second ? ModeSource0 : ModeDestination));
    beat_o.masks     = !is_vector(dst) || vector;
    beat_o.lanes     = dpp ? route_write : '1;
    beat_o.stays     = dpp ? (mask_o & active & ~route_work) : '0;
  end

endmodule
