// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Results of the vector ALU into the register file, a register per cycle, and out of the retire
// port with the last of them; passes of one beat are put together.

`include "cuvette_assert.svh"

module simd_writer
  import simd_pkg::*;
  import simd_unit_pkg::*;
  import vrf_pkg::*;
(
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               rsp_valid_i,
  output logic               rsp_ready_o,
  input  logic [15:0][63:0]  rsp_dst_i,
  input  logic [15:0]        rsp_write_i,
  input  logic [15:0]        rsp_mask_i,
  input  logic               rsp_has_mask_i,
  input  logic [ 6:0]        rsp_flags_i,
  input  beat_t              beat_i,

  output logic               write_valid_o,
  output write_t             write_o,

  output logic               retire_valid_o,
  input  logic               retire_ready_i,
  output retire_t            retire_o
);

  logic   [2:0] left;      // registers of this pass and those behind it
  logic         two;       // this pass writes two registers
  logic         second_q;  // the first of them is written
  logic         written;   // with this cycle the pass is
  lanes_t [1:0] now;
  lanes_t [1:0] before_q;  // of pass 0
  logic   [6:0] flags_q;
  logic  [15:0] lanes;     // written

  assign lanes   = rsp_write_i & beat_i.lanes;
  assign left    = beat_i.dwords - {1'b0, beat_i.pass, 1'b0};
  assign two     = (beat_i.dwords != 3'd0) && (left > 3'd1);
  assign written = !two || second_q;

  for (genvar l = 0; l < BeatLanes; l++) begin : gen_lane
    assign now[0][l] = rsp_dst_i[l][31:0];
    assign now[1][l] = rsp_dst_i[l][63:32];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      second_q <= 1'b0;
    end else if (rsp_valid_i) begin
      second_q <= !rsp_ready_o && (second_q || two);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rsp_valid_i && rsp_ready_o && !beat_i.last_pass) begin
      before_q <= now;
      flags_q  <= rsp_flags_i;
    end
  end

  assign rsp_ready_o = written && (!beat_i.last_pass || retire_ready_i);

  assign write_valid_o = rsp_valid_i && (beat_i.dwords != 3'd0);
  always_comb begin
    write_o.address     = beat_i.row;
    write_o.address.row = beat_i.row.row + {14'd0, beat_i.pass, second_q};
    write_o.beat        = beat_i.beat;
    write_o.lanes       = lanes;
    write_o.data        = now[second_q];
  end

  assign retire_valid_o = rsp_valid_i && written && beat_i.last_pass;
  always_comb begin
    retire_o.id         = beat_i.id;
    retire_o.beat       = beat_i.beat;
    retire_o.last       = beat_i.last;
    retire_o.dwords     = beat_i.dwords;
    retire_o.row        = (beat_i.dwords != 3'd0) ? beat_i.row : '0;
    retire_o.write      = (beat_i.dwords != 3'd0) ? lanes : '0;
    retire_o.data       = beat_i.pass ? {now, before_q} : {1024'd0, now};
    retire_o.has_mask   = rsp_has_mask_i && beat_i.masks;
    retire_o.mask       = retire_o.has_mask ? (rsp_mask_i | beat_i.stays) : '0;
    retire_o.has_scalar = beat_i.scalar;
    retire_o.scalar     = beat_i.scalar ? now[0][0] : '0;
    retire_o.flags      = rsp_flags_i | (beat_i.pass ? flags_q : '0);
  end

  `CUVETTE_ASSERT(RetireHeld_A, (retire_valid_o && !retire_ready_i) |=>
      (retire_valid_o && $stable(retire_o)))

endmodule
