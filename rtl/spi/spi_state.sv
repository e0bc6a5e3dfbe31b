// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Initial state of a wave (Compute ABI, initial kernel register state; Vega ISA 3): a beat of its
// WaveLaunch from its dispatch, its work-group and what it holds. A wave that was saved starts in its
// trap handler, with its room in EXEC. Purely combinational.

module spi_state
  import spi_unit_pkg::*;
  import spi_pkg::*;
(
  input  limits_t                            limits_i,
  input  plan_t                              plan_i,
  input  group_t                             group_i,
  input  held_t                              held_i,
  input  simd_t                              simd_i,
  input  slot_t                              slot_i,
  input  logic [3:0]                         wave_i,     // number in the work-group
  input  logic [63:0]                        scratch_i,  // its offset, where every wave has its own
  input  logic [1:0]                         beat_i,
  input  logic [2:0][BeatLanes-1:0][9:0]     id_i,       // of the lanes of the beat

  output wave_launch_t                       launch_o
);

  dispatch_t   dispatch;
  logic [63:0] offset;    // in scratch memory
  logic [10:0] live;      // work-items from the wave on
  logic [5:0]  at;        // number of the next SGPR of the system
  logic [31:0] sgpr_end;  // registers that the wave has
  logic        first;     // of the waves that come: it has the LDS
  logic [63:0] room;      // address of the room of the work-group
  logic [63:0] in_room;   // of the wave

  assign dispatch = plan_i.dispatch;
  assign offset   = plan_i.pooled ? ({56'd0, held_i.place} * dispatch.scratch_bytes_per_wave) :
                                    scratch_i;
  assign live     = group_i.total - {1'b0, wave_i, 6'd0};
  assign sgpr_end = 32'(plan_i.sgprs);
  assign first    = lowest_wave(group_i.mask) == wave_i;
  assign room     = dispatch.save_area + (64'(group_i.room) << RoomShift);
  assign in_room  = first ? room : (room + 64'(dispatch.group_bytes) +
                                    (64'(wave_bytes(plan_i.vgpr_rows, plan_i.acc_rows)) * 64'(wave_i)));

  always_comb begin
    launch_o                = '0;
    launch_o.id             = {dispatch.id[23:0], group_i.number, wave_i};
    launch_o.beat           = beat_i;
    launch_o.dispatch       = dispatch.id;
    launch_o.workgroup_id   = group_i.id;
    launch_o.workgroup      = 32'(group_i.key);
    launch_o.wave_in_group  = 8'(wave_i);
    launch_o.waves_in_group = 8'(group_i.count);
    launch_o.vmid           = dispatch.vmid;
    launch_o.simd           = 8'(simd_i);
    launch_o.slot           = 8'(slot_i);
    launch_o.vgpr_base      = 16'(held_i.rows) << limits_i.row_shift;
    launch_o.vgpr_count     = 16'(plan_i.vgpr_rows);
    launch_o.acc_base       = limits_i.unified ? (launch_o.vgpr_base + 16'(plan_i.vgpr_rows)) :
                                                 (16'(held_i.acc) << limits_i.row_shift);
    launch_o.acc_count      = 16'(plan_i.acc_rows);
    launch_o.sgpr_base      = {4'd0, held_i.sgprs, 4'd0};
    launch_o.sgpr_count     = 16'(plan_i.sgprs);
    launch_o.lds_base       = 32'(group_i.lds) << limits_i.lds_shift;
    launch_o.lds_bytes      = dispatch.group_bytes;
    launch_o.scratch_base   = dispatch.scratch_base + offset;
    launch_o.private_bytes  = dispatch.private_bytes;
    launch_o.pc             = group_i.restored ? (dispatch.tba + 64'd4) : dispatch.entry;
    launch_o.tba            = dispatch.tba;
    launch_o.tma            = dispatch.tma;
    launch_o.doorbell       = dispatch.doorbell;
    launch_o.exec           = (live >= 11'd64) ? '1 : ((64'd1 << live[5:0]) - 64'd1);
    if (group_i.restored) launch_o.exec = in_room | (64'(first) << 58);
    launch_o.mode[7:0]      = dispatch.rsrc1[19:12];  // rounding and denormals
    launch_o.mode[8]        = dispatch.rsrc1[21];     // DX10_CLAMP
    launch_o.mode[9]        = dispatch.rsrc1[23];     // IEEE
    launch_o.mode[20:12]    = {dispatch.rsrc2[14:13], dispatch.rsrc2[30:24]};  // EXCP_EN
    launch_o.mode[23]       = dispatch.rsrc1[26];     // FP16_OVFL
    launch_o.status[5]      = group_i.restored;       // PRIV
    launch_o.status[6]      = dispatch.rsrc2[6];      // TRAP_EN
    launch_o.prio           = 8'(dispatch.rsrc1[11:10]);
    launch_o.flat_scratch   = limits_i.architected ? launch_o.scratch_base : '0;

    ////////////////////////////////////////////////////////////////////////////////////////////
    // SGPRs: those of the dispatch, then those of the system that are enabled
    ////////////////////////////////////////////////////////////////////////////////////////////
    launch_o.sgprs = 8'(plan_i.sgpr_count);
    launch_o.sgpr[SetSgprs-1:0] = plan_i.sgpr;
    at = 6'(plan_i.first_system);
    for (int unsigned d = 0; d < 3; d++) begin
      if (dispatch.rsrc2[7 + d]) begin
        if (32'(at) < sgpr_end) launch_o.sgpr[at] = group_i.id[d];
        at++;
      end
    end
    if (dispatch.rsrc2[10]) begin  // work-group info
      if (32'(at) < sgpr_end) launch_o.sgpr[at] = {wave_i == '0, 26'd0, group_i.waves};
      at++;
    end
    if (dispatch.rsrc2[0] && !limits_i.architected && (32'(at) < sgpr_end)) begin
      launch_o.sgpr[at] = offset[31:0];
    end

    ////////////////////////////////////////////////////////////////////////////////////////////
    // VGPRs: work-item ids
    ////////////////////////////////////////////////////////////////////////////////////////////
    launch_o.vgprs = limits_i.packed_ids ? 8'd1 : (8'(dispatch.rsrc2[12:11]) + 8'd1);
    for (int unsigned l = 0; l < BeatLanes; l++) begin
      if (limits_i.packed_ids) begin
        launch_o.vgpr[0][l] = {2'd0, id_i[2][l], id_i[1][l], id_i[0][l]};
      end else begin
        for (int unsigned d = 0; d < 3; d++) begin
          if (8'(d) < launch_o.vgprs) launch_o.vgpr[d][l] = 32'(id_i[d][l]);
        end
      end
    end
  end

endmodule
