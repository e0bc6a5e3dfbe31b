// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// SIMD of gfx908: operand collection around the vector ALU, with the register file inside. Contract
// and timing: docs/reference/simd.md.

`include "cuvette_assert.svh"

module simd
  import simd_pkg::*;
  import simd_row_pkg::*;
  import simd_unit_pkg::*;
  import vrf_pkg::*;
(
  input  logic      clk_i,
  input  logic      rst_ni,

  input  logic      issue_valid_i,
  output logic      issue_ready_o,
  input  issue_t    issue_i,

  output logic      retire_valid_o,
  input  logic      retire_ready_i,
  output retire_t   retire_o,

  input  logic      fill_valid_i,
  output logic      fill_ready_o,
  input  fill_t     fill_i,

  input  logic      read_valid_i,
  output logic      read_ready_o,
  input  read_row_t read_i,

  output logic      row_data_valid_o,
  input  logic      row_data_ready_i,
  output row_data_t row_data_o
);

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Instructions in: one of a slot at a time, so that it sees what those before it wrote
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic [255:0] busy_q;  // by slot
  job_t         job;
  logic         job_valid;
  logic         job_ready;
  logic         slot_free;

  assign job           = '{issue: issue_i, row: row_of(issue_i.instruction.row)};
  assign slot_free     = !busy_q[issue_i.slot];
  assign job_valid     = issue_valid_i && slot_free;
  assign issue_ready_o = job_ready && slot_free;

  beat_t retiring;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= '0;
    end else begin
      if (retire_valid_o && retire_ready_i && retire_o.last) busy_q[retiring.slot] <= 1'b0;
      if (job_valid && job_ready) busy_q[issue_i.slot] <= 1'b1;
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Register file
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic       [ReadPorts-1:0]  port_valid;
  logic       [ReadPorts-1:0]  port_ready;
  read_t      [ReadPorts-1:0]  port_read;
  logic       [ReadPorts-1:0]  port_data_valid;
  logic       [ReadPorts-1:0]  port_data_ready;
  read_data_t [ReadPorts-1:0]  port_data;
  logic       [WritePorts-1:0] write_valid;
  logic       [WritePorts-1:0] write_ready;
  write_t     [WritePorts-1:0] write;
  read_t                       row_read;

  vrf u_vrf (
    .clk_i,
    .rst_ni,
    .read_valid_i      (port_valid),
    .read_ready_o      (port_ready),
    .read_i            (port_read),
    .read_data_valid_o (port_data_valid),
    .read_data_ready_i (port_data_ready),
    .read_data_o       (port_data),
    .write_valid_i     (write_valid),
    .write_ready_o     (write_ready),
    .write_i           (write)
  );

  for (genvar p = 3; p < ReadPorts; p++) begin : gen_row_read
    assign port_read[p] = row_read;
  end

  simd_row_read u_row_read (
    .clk_i,
    .rst_ni,
    .read_valid_i,
    .read_ready_o,
    .read_i,
    .row_data_valid_o,
    .row_data_ready_i,
    .row_data_o,
    .port_valid_o      (port_valid[7:3]),
    .port_ready_i      (port_ready[7:3]),
    .port_read_o       (row_read),
    .port_data_valid_i (port_data_valid[7:3]),
    .port_data_ready_o (port_data_ready[7:3]),
    .port_data_i       (port_data[7:3])
  );

  // Fills have ports of their own; who names the vector ALU's takes the backdoor.
  logic [2:0] fill_port;

  assign fill_port    = ((fill_i.write_port == WriteValu) || (fill_i.write_port > WriteBackdoor)) ?
                        WriteBackdoor : fill_i.write_port;
  assign fill_ready_o = 1'b1;

  for (genvar p = 1; p < WritePorts; p++) begin : gen_fill
    assign write_valid[p] = fill_valid_i && (fill_port == 3'(p));
    assign write[p]       = '{address: fill_i.row, beat: fill_i.beat,
                              lanes: fill_i.lanes, data: fill_i.data};
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Operands, beat by beat
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic              step_valid;
  logic              step_taken;
  step_t             step;
  lanes_t [2:0][3:0] collected;
  lanes_t [1:0]      collected_old;
  lanes_t [3:0]      gathered;

  simd_collect u_collect (
    .clk_i,
    .rst_ni,
    .job_valid_i       (job_valid),
    .job_ready_o       (job_ready),
    .job_i             (job),
    .read_valid_o      (port_valid[2:0]),
    .read_ready_i      (port_ready[2:0]),
    .read_o            (port_read[2:0]),
    .read_data_valid_i (port_data_valid[2:0]),
    .read_data_ready_o (port_data_ready[2:0]),
    .read_data_i       (port_data[2:0]),
    .step_valid_o      (step_valid),
    .step_taken_i      (step_taken),
    .step_o            (step),
    .source_o          (collected),
    .old_o             (collected_old),
    .gather_o          (gathered)
  );

  logic              two_passes;
  modifiers_t        mod;
  logic [15:0]       exec;
  logic [15:0]       mask;
  logic [15:0][63:0] src0;
  logic [15:0][63:0] src1;
  logic [15:0][63:0] src2;
  logic [15:0][63:0] old;
  beat_t             beat;
  logic              pass_q;  // of the beat offered

  simd_operands u_operands (
    .step_i       (step),
    .pass_i       (pass_q),
    .source_i     (collected),
    .old_i        (collected_old),
    .gather_i     (gathered),
    .two_passes_o (two_passes),
    .mod_o        (mod),
    .exec_o       (exec),
    .mask_o       (mask),
    .src0_o       (src0),
    .src1_o       (src1),
    .src2_o       (src2),
    .old_o        (old),
    .beat_o       (beat)
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Vector ALU, and what is in it
  ////////////////////////////////////////////////////////////////////////////////////////////////
  valu_pkg::request_t  request;
  valu_pkg::response_t response;

  logic              req_ready;
  logic              req_moves;
  logic              rsp_valid;
  logic              rsp_ready;
  logic              empty;
  logic              full;

  assign req_moves  = step_valid && req_ready;
  assign step_taken = req_moves && (pass_q || !two_passes);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pass_q <= 1'b0;
    end else if (req_moves) begin
      pass_q <= two_passes && !pass_q;
    end
  end

  assign request = '{
    id:          beat.id,
    op:          step.job.row.op,
    beat:        beat.beat,
    pass:        pass_q,
    round:       step.job.issue.mode[1:0],
    round_hd:    step.job.issue.mode[3:2],
    denorm:      step.job.issue.mode[5:4],
    denorm_hd:   step.job.issue.mode[7:6],
    dx10_clamp:  step.job.issue.mode[8],
    ieee:        step.job.issue.mode[9],
    fp16_ovfl:   step.job.issue.mode[23],
    abs:         mod.abs,
    neg:         mod.neg,
    neg_hi:      mod.neg_hi,
    op_sel:      mod.op_sel,
    op_sel_hi:   mod.op_sel_hi,
    omod:        mod.omod,
    clamp:       mod.clamp,
    sext:        mod.sext,
    sdwa_src0:   mod.sdwa_src[0],
    sdwa_src1:   mod.sdwa_src[1],
    sdwa_dst:    mod.sdwa_dst,
    sdwa_unused: mod.sdwa_unused,
    exec:        exec,
    mask_in:     mask,
    src:         {src2, src1, src0},
    old:         old
  };

  valu u_valu (
    .clk_i,
    .rst_ni,
    .request_valid_i  (step_valid),
    .request_ready_o  (req_ready),
    .request_i        (request),
    .response_valid_o (rsp_valid),
    .response_ready_i (rsp_ready),
    .response_o       (response)
  );

  fifo #(
    .Width ($bits(beat_t)),
    .Depth (4)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .push_i  (req_moves),
    .data_i  (beat),
    .full_o  (full),
    .pop_i   (rsp_valid && rsp_ready),
    .data_o  (retiring),
    .empty_o (empty)
  );

  simd_writer u_writer (
    .clk_i,
    .rst_ni,
    .rsp_valid_i    (rsp_valid),
    .rsp_ready_o    (rsp_ready),
    .rsp_dst_i      (response.dst),
    .rsp_write_i    (response.write),
    .rsp_mask_i     (response.mask),
    .rsp_has_mask_i (response.has_mask),
    .rsp_flags_i    (response.flags),
    .beat_i         (retiring),
    .write_valid_o  (write_valid[0]),
    .write_o        (write[0]),
    .retire_valid_o,
    .retire_ready_i,
    .retire_o
  );

  logic known;
  assign known = job.row.known;

  `CUVETTE_ASSERT(RowKnown_A, issue_valid_i |-> known)
  `CUVETTE_ASSERT(WritesNeverWait_A, write_ready == '1)
  `CUVETTE_ASSERT(BeatsHaveRoom_A, req_moves |-> !full)
  `CUVETTE_ASSERT(ResponseOfOldest_A, rsp_valid |-> (!empty && (response.id == retiring.id) &&
      (response.beat == retiring.beat) && (response.pass == retiring.pass)))

endmodule
