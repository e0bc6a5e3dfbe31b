// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Data-parallel primitives (Vega ISA 13.3.9): which lane of the wavefront each of the 16 lanes of a
// beat reads, which read zero, which the instruction works for, and of which the vector register is
// written. A source outside the pattern or disabled in EXEC is invalid: bound_ctrl reads zero,
// otherwise the lane is left out (decisions.md D6). Row and bank masks gate the vector register
// alone (D55). Purely combinational.

module simd_dpp (
  input  logic [ 8:0]      ctrl_i,
  input  logic [ 3:0]      row_mask_i,
  input  logic [ 3:0]      bank_mask_i,
  input  logic             bound_ctrl_i,
  input  logic [63:0]      exec_i,
  input  logic [ 1:0]      beat_i,  // a row of 16 lanes

  output logic [15:0][5:0] source_o,
  output logic [15:0]      zero_o,
  output logic [15:0]      work_o,
  output logic [15:0]      write_o
);

  // Position within the row of a lane `count` away, and whether it is still in the row.
  logic [3:0] count;
  logic       shifts;  // a count of zero is reserved

  assign count  = ctrl_i[3:0];
  assign shifts = count != 4'd0;

  for (genvar l = 0; l < 16; l++) begin : gen_lane
    localparam logic [3:0] Place = 4'(l);

    logic [5:0] lane;
    logic [4:0] up;
    logic [4:0] down;
    logic [6:0] next;
    logic [6:0] previous;
    logic [5:0] source;
    logic       reaches;  // the pattern has a source for this lane
    logic       valid;

    assign lane     = {beat_i, Place};
    assign up       = {1'b0, Place} + {1'b0, count};
    assign down     = {1'b0, Place} - {1'b0, count};
    assign next     = {1'b0, lane} + 7'd1;
    assign previous = {1'b0, lane} - 7'd1;

    always_comb begin
      source  = '0;
      reaches = 1'b0;
      if (!ctrl_i[8]) begin  // quad_perm
        source  = {lane[5:2], ctrl_i[2 * (l % 4) +: 2]};
        reaches = 1'b1;
      end else begin
        unique case (ctrl_i[7:4])
          4'h0: begin  // row_shl
            source  = {beat_i, up[3:0]};
            reaches = shifts && !up[4];
          end
          4'h1: begin  // row_shr
            source  = {beat_i, down[3:0]};
            reaches = shifts && !down[4];
          end
          4'h2: begin  // row_ror
            source  = {beat_i, down[3:0]};
            reaches = shifts;
          end
          4'h3:
            unique case (ctrl_i[3:0])
              4'h0: begin  // wave_shl
                source  = next[5:0];
                reaches = !next[6];
              end
              4'h4: begin  // wave_rol
                source  = next[5:0];
                reaches = 1'b1;
              end
              4'h8: begin  // wave_shr
                source  = previous[5:0];
                reaches = !previous[6];
              end
              4'hc: begin  // wave_ror
                source  = previous[5:0];
                reaches = 1'b1;
              end
              default: ;
            endcase
          4'h4:
            unique case (ctrl_i[3:0])
              4'h0: begin  // row_mirror
                source  = {beat_i, ~Place};
                reaches = 1'b1;
              end
              4'h1: begin  // row_half_mirror
                source  = {beat_i, Place[3], ~Place[2:0]};
                reaches = 1'b1;
              end
              4'h2: begin  // row_bcast:15
                source  = {beat_i - 2'd1, 4'hf};
                reaches = beat_i != 2'd0;
              end
              4'h3: begin  // row_bcast:31
                source  = 6'd31;
                reaches = beat_i[1];
              end
              default: ;
            endcase
          4'h5: begin  // row_newbcast
            source  = {beat_i, count};
            reaches = 1'b1;
          end
          default: ;
        endcase
      end
    end

    assign valid       = reaches && exec_i[source];
    assign source_o[l] = source;
    assign zero_o[l]   = !valid && bound_ctrl_i;
    assign work_o[l]   = exec_i[lane] && (valid || bound_ctrl_i);
    assign write_o[l]  = work_o[l] && row_mask_i[beat_i] && bank_mask_i[Place[3:2]];
  end

endmodule
