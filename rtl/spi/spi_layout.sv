// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The initial SGPRs that are the same for all waves of a dispatch, as the enable bits number them
// (Compute ABI, initial kernel register state): those that are enabled follow each other, the ones
// of the user first, and user SGPRs from 16 on are counted and not written. A row of the table with
// each of 14 steps; the results are there in the cycle behind the last one and stay. Values that
// differ between waves are put in by spi_launch.

module spi_layout
  import spi_unit_pkg::*;
  import spi_pkg::*;
(
  input  logic                      clk_i,

  input  limits_t                   limits_i,
  input  logic                      start_i,        // the dispatch is new, and stays
  input  logic                      step_i,
  input  dispatch_t                 dispatch_i,
  input  logic [2:0][31:0]          groups_i,       // its work-groups that run

  output logic                      fails_o,        // it wants registers that do not exist; at once
  output logic [SetSgprs-1:0][31:0] sgpr_o,
  output logic [5:0]                count_o,        // SGPRs that have a value
  output logic [4:0]                first_system_o  // first one that is not of the user
);

  localparam int unsigned Rows     = 14;
  localparam int unsigned UserRows = 10;  // and four of preloaded kernel arguments

  logic [9:0]                        enables;
  logic [6:0]                        preload;   // dwords of preloaded kernel arguments
  logic [4:0]                        user;      // user SGPRs that are declared
  logic [7:0]                        enabled;   // that are enabled
  logic [2:0]                        system;    // of the system
  logic [3:0]                        row_q;
  logic [7:0]                        next_q;    // number of the next SGPR
  logic [7:0]                        row_end;   // behind this row
  logic [SetSgprs-1:0][31:0]         sgpr_q;
  logic [5:0]                        count_q;
  logic [Rows-1:0][2:0]              length;    // SGPRs of a row
  logic [Rows-1:0][3:0][31:0]        value;

  assign enables        = dispatch_i.properties[9:0];
  assign preload        = (limits_i.preloads && !dispatch_i.from_registers) ?
                          dispatch_i.properties[22:16] : 7'd0;
  assign user           = dispatch_i.rsrc2[5:1];
  assign first_system_o = (user > 5'd16) ? 5'd16 : user;

  function automatic logic [3:0][31:0] pair(logic [63:0] both);
    return {64'd0, both};
  endfunction

  // Only preloaded arguments that fit into SGPRs are allowed: more are an error.
  always_comb begin
    length = '0;
    for (int unsigned r = 0; r < UserRows; r++) begin
      if (enables[r]) length[r] = (r == 0) ? 3'd4 : ((r < 6) ? 3'd2 : 3'd1);
    end
    for (int unsigned r = UserRows; r < Rows; r++) begin
      automatic int unsigned ahead = 4 * (r - UserRows);
      if (preload >= 7'(ahead + 4))    length[r] = 3'd4;
      else if (preload > 7'(ahead))    length[r] = 3'(preload - 7'(ahead));
    end
    value    = '0;
    value[0] = dispatch_i.scratch_descriptor;
    value[1] = pair(dispatch_i.packet_address);
    value[2] = pair(dispatch_i.queue_address);
    value[3] = pair(dispatch_i.kernarg);
    value[4] = pair(dispatch_i.dispatch_index);
    value[5] = pair(dispatch_i.scratch_base);
    value[6] = {96'd0, (dispatch_i.private_bytes + 32'd3) & ~32'd3};
    for (int unsigned d = 0; d < 3; d++) value[7 + d] = {96'd0, groups_i[d]};
    for (int unsigned r = UserRows; r < Rows; r++) begin
      for (int unsigned i = 0; i < 4; i++) value[r][i] = dispatch_i.user_data[4*(r-UserRows)+i];
    end
  end

  always_comb begin
    enabled = {1'b0, preload};
    for (int unsigned r = 0; r < UserRows; r++) enabled += 8'(length[r]);
    system = 3'(dispatch_i.rsrc2[7]) + 3'(dispatch_i.rsrc2[8]) + 3'(dispatch_i.rsrc2[9]) +
             3'(dispatch_i.rsrc2[10]) + 3'(dispatch_i.rsrc2[0] && !limits_i.architected);
    fails_o = (limits_i.architected && (enables[0] || enables[5])) ||
              (dispatch_i.rsrc2[12:11] == 2'd3) || (enabled > {3'd0, user});
  end

  assign row_end = next_q + 8'(length[row_q]);

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      row_q   <= '0;
      next_q  <= '0;
      count_q <= dispatch_i.from_registers ? 6'(first_system_o) : 6'd0;
      for (int unsigned i = 0; i < SetSgprs; i++) begin
        sgpr_q[i] <= (dispatch_i.from_registers && (i < 32'(first_system_o)) && (i < 16)) ?
                     dispatch_i.user_data[i[3:0]] : 32'd0;
      end
    end else if (step_i && (row_q != 4'(Rows))) begin
      row_q  <= row_q + 1'b1;
      next_q <= row_end;
      for (int unsigned i = 0; i < 16; i++) begin
        for (int unsigned k = 0; k < 4; k++) begin
          if ((3'(k) < length[row_q]) && (8'(i) == (next_q + 8'(k)))) sgpr_q[i] <= value[row_q][k];
        end
      end
      // Preloaded arguments count as far as they are written.
      if (length[row_q] != '0) begin
        if ((32'(row_q) < UserRows) || (row_end <= 8'd16)) count_q <= larger(count_q, row_end);
        else count_q <= larger(count_q, 8'd16);
      end
    end
  end

  function automatic logic [5:0] larger(logic [5:0] a, logic [7:0] b);
    return (8'(a) > b) ? a : 6'(b);
  endfunction

  assign sgpr_o  = sgpr_q;
  assign count_o = (system == '0) ? count_q :
                   larger(count_q, {3'd0, first_system_o} + {5'd0, system});

endmodule
