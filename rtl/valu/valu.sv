// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Vector ALU: 16 lanes, one beat per cycle, three stages (operands, execute, finish), back-pressure
// at every stage. Parameter Arch: whose instructions it has. Contract: docs/reference/valu.md.

`include "cuvette_assert.svh"

module valu
  import fp32_pkg::*;
  import valu_op_pkg::*;
  import valu_pkg::*;
  import valu_unit_pkg::*;
#(
  parameter int unsigned Arch = ArchGfx908  // arch_e
) (
  input  logic      clk_i,
  input  logic      rst_ni,

  input  logic      request_valid_i,
  output logic      request_ready_o,
  input  request_t  request_i,

  output logic      response_valid_o,
  input  logic      response_ready_i,
  output response_t response_o
);

  if (Arch > LastArch) begin : gen_bad_arch
    $fatal(1, "valu: Arch is %0d, expected 0 to %0d", Arch, LastArch);
  end

  control_t req_control;
  logic     req_writes;
  logic     req_has_mask;
  logic     req_finishes;
  logic     req_wide;
  logic     req_accumulates;

  valu_decode #(.Arch(Arch)) u_decode (
    .op_i          (request_i.op),
    .pass_i        (request_i.pass),
    .round_i       (request_i.round),
    .round_hd_i    (request_i.round_hd),
    .denorm_i      (request_i.denorm),
    .denorm_hd_i   (request_i.denorm_hd),
    .dx10_clamp_i  (request_i.dx10_clamp),
    .ieee_i        (request_i.ieee),
    .fp16_ovfl_i   (request_i.fp16_ovfl),
    .abs_i         (request_i.abs),
    .neg_i         (request_i.neg),
    .neg_hi_i      (request_i.neg_hi),
    .op_sel_i      (request_i.op_sel),
    .op_sel_hi_i   (request_i.op_sel_hi),
    .omod_i        (request_i.omod),
    .clamp_i       (request_i.clamp),
    .sdwa_dst_i    (request_i.sdwa_dst),
    .sdwa_unused_i (request_i.sdwa_unused),
    .control_o     (req_control),
    .writes_dst_o  (req_writes),
    .has_mask_o    (req_has_mask),
    .finishes_o    (req_finishes),
    .is_wide_o     (req_wide),
    .accumulates_o (req_accumulates)
  );

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Stage 1: operands
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic     s1_load;
  logic     s1_valid;
  logic     s2_ready;
  tag_t     s1_tag_q;
  control_t s1_control_q;
  logic     s1_writes_q;
  logic     s1_has_mask_q;
  logic     s1_finishes_q;
  logic     s1_wide_q;

  logic [Lanes-1:0]       s1_mask_q;
  lanes_t           s1_src0_q;
  lanes_t           s1_src1_q;
  lanes_t           s1_src2_q;
  logic [Lanes-1:0][31:0] s1_old_q;

  pipe_ctrl u_s1_ctrl (
    .clk_i,
    .rst_ni,
    .up_valid_i   (request_valid_i),
    .up_ready_o   (request_ready_o),
    .load_o       (s1_load),
    .down_valid_o (s1_valid),
    .down_ready_i (s2_ready)
  );

  always_ff @(posedge clk_i) begin
    if (s1_load) begin
      s1_tag_q      <= '{id: request_i.id, beat: request_i.beat, pass: request_i.pass,
                         exec: request_i.exec};
      s1_control_q  <= req_control;
      s1_writes_q   <= req_writes;
      s1_has_mask_q <= req_has_mask;
      s1_finishes_q <= req_finishes;
      s1_wide_q     <= req_wide;
      s1_mask_q     <= request_i.mask_in;
      s1_src2_q     <= req_accumulates ? request_i.old : request_i.src[2];
    end
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_operands
    always_ff @(posedge clk_i) begin
      if (s1_load) begin
        s1_src0_q[l] <= selected(request_i.src[0][l], request_i.sdwa_src0, request_i.sext[0]);
        s1_src1_q[l] <= selected(request_i.src[1][l], request_i.sdwa_src1, request_i.sext[1]);
        s1_old_q[l]  <= request_i.old[l][31:0];
      end
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Stage 2: execute
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic     s2_load;
  logic     s2_valid;
  logic     s3_ready;
  tag_t     s2_tag_q;
  control_t s2_control_q;
  logic     s2_writes_q;
  logic     s2_has_mask_q;
  logic     s2_finishes_q;
  logic     s2_wide_q;

  logic [Lanes-1:0] s2_mask_d;
  logic [Lanes-1:0] s2_mask_q;
  early_t           s2_early_q   [Lanes];
  term_t            s2_product_q [Lanes];
  term_t            s2_addend_q  [Lanes];
  logic [31:0]      s2_high_q    [Lanes];  // loaded and read for 64-bit results only
  logic [31:0]      s2_old_q     [Lanes];  // for SDWA results that keep the rest of the register

  pipe_ctrl u_s2_ctrl (
    .clk_i,
    .rst_ni,
    .up_valid_i   (s1_valid),
    .up_ready_o   (s2_ready),
    .load_o       (s2_load),
    .down_valid_o (s2_valid),
    .down_ready_i (s3_ready)
  );

  for (genvar l = 0; l < Lanes; l++) begin : gen_execute
    early_t early_d;
    term_t  product_d;
    term_t  addend_d;
    logic [31:0] high_d;

    valu_lane_execute #(.Arch(Arch)) u_execute (
      .enable_i   (s1_valid && s1_tag_q.exec[l]),
      .control_i  (s1_control_q),
      .src0_i     (s1_src0_q[l]),
      .src1_i     (s1_src1_q[l]),
      .src2_i     (s1_src2_q[l]),
      .old_i      (s1_old_q[l]),
      .mask_i     (s1_mask_q[l]),
      .lane_i     ({s1_tag_q.beat, 4'(l)}),
      .early_o    (early_d),
      .product_o  (product_d),
      .addend_o   (addend_d),
      .high_o     (high_d),
      .mask_o     (s2_mask_d[l])
    );

    always_ff @(posedge clk_i) begin
      if (s2_load) begin
        s2_early_q[l]   <= early_d;
        s2_product_q[l] <= product_d;
        s2_addend_q[l]  <= addend_d;
      end
      if (s2_load && s1_wide_q) s2_high_q[l] <= high_d;
      if (s2_load && (s1_control_q.sdwa_dst != SelectDword)) s2_old_q[l] <= s1_old_q[l];
    end
  end

  always_ff @(posedge clk_i) begin
    if (s2_load) begin
      s2_tag_q <= s1_tag_q;
    end
    if (s2_load) begin
      s2_control_q  <= s1_control_q;
      s2_writes_q   <= s1_writes_q;
      s2_has_mask_q <= s1_has_mask_q;
      s2_finishes_q <= s1_finishes_q;
      s2_wide_q     <= s1_wide_q;
      s2_mask_q     <= s2_mask_d;
    end
  end

  ////////////////////////////////////////////////////////////////////////////////////////////////
  // Stage 3: finish
  ////////////////////////////////////////////////////////////////////////////////////////////////
  logic             s3_load;
  lanes_t           dst;
  tag_t             s3_tag_q;
  logic             s3_writes_q;
  logic             s3_has_mask_q;
  logic [Lanes-1:0] s3_mask_q;
  logic             s3_wide_q;
  logic [31:0]      s3_bits_q [Lanes];
  logic [31:0]      s3_high_q [Lanes];
  flags_t           s3_flags_q;

  flags_t [Lanes-1:0] s3_lane_flags;
  flags_t             s3_flags_d;

  pipe_ctrl u_s3_ctrl (
    .clk_i,
    .rst_ni,
    .up_valid_i   (s2_valid),
    .up_ready_o   (s3_ready),
    .load_o       (s3_load),
    .down_valid_o (response_valid_o),
    .down_ready_i (response_ready_i)
  );

  for (genvar l = 0; l < Lanes; l++) begin : gen_finish
    logic [31:0] bits_d;

    valu_lane_finish u_finish (
      .modify_i  (s2_valid && s2_finishes_q && s2_tag_q.exec[l]),
      .control_i (s2_control_q),
      .early_i   (s2_early_q[l]),
      .product_i (s2_product_q[l]),
      .addend_i  (s2_addend_q[l]),
      .old_i     (s2_old_q[l]),
      .bits_o    (bits_d),
      .flags_o   (s3_lane_flags[l])
    );

    always_ff @(posedge clk_i) begin
      if (s3_load) s3_bits_q[l] <= bits_d;
      if (s3_load && s2_wide_q) s3_high_q[l] <= s2_high_q[l];
    end

    assign dst[l] = {s3_wide_q ? s3_high_q[l] : 32'd0, s3_bits_q[l]};
  end

  always_comb begin
    s3_flags_d = '0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      s3_flags_d = s3_flags_d | s3_lane_flags[l];
    end
  end

  always_ff @(posedge clk_i) begin
    if (s3_load) begin
      s3_tag_q      <= s2_tag_q;
      s3_writes_q   <= s2_writes_q;
      s3_has_mask_q <= s2_has_mask_q;
      s3_wide_q     <= s2_wide_q;
      s3_mask_q     <= s2_mask_q;
      s3_flags_q    <= s3_flags_d;
    end
  end

  assign response_o = '{
    id:       s3_tag_q.id,
    beat:     s3_tag_q.beat,
    pass:     s3_tag_q.pass,
    write:    s3_writes_q ? s3_tag_q.exec : '0,
    mask:     s3_has_mask_q ? s3_mask_q : '0,
    has_mask: s3_has_mask_q,
    flags:    s3_flags_q,
    dst:      dst
  };

  `CUVETTE_ASSERT(RequestHeld_A,
      (request_valid_i && !request_ready_o) |=> (request_valid_i && $stable(request_i.id)))
  `CUVETTE_ASSERT(ResponseHeld_A, (response_valid_o && !response_ready_i) |=> (response_valid_o &&
      $stable(response_o)))
  `CUVETTE_ASSERT(MaskWithinExec_A, response_valid_o |-> ((response_o.mask & ~s3_tag_q.exec) == '0))
  `CUVETTE_ASSERT(ReadyWhenDrained_A, response_ready_i |-> request_ready_o)

endmodule
