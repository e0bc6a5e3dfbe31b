// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// The bytes, in rows of 16 with one port, and the accesses of 16 lanes to them, one lane after the
// other: seek, read a row (two where the access crosses into the next one), the same of an operand
// that is in the memory, work, write as many rows. A lane that takes no part costs a cycle. A row
// that was never written reads as zero.
module user_gds_share
  import gds_pkg::*;
  import memory_pkg::*;
#(
  parameter  int unsigned GdsBytes = 4096,
  localparam int unsigned Lanes    = 16    // of a beat
) (
  input  logic     clk_i,
  input  logic     rst_ni,
  input  logic     start_i,  // while idle; the beat stays until `done_o`
  input  request_t beat_i,
  output logic     done_o,   // for a cycle; then `data_o` holds the answers of the beat
  output logic [3:0][Lanes-1:0][31:0] data_o
);

  localparam int unsigned RowBytes = 16;
  localparam int unsigned Rows     = GdsBytes / RowBytes;
  localparam int unsigned RowBits  = $clog2(Rows);

  typedef enum logic [2:0] {
    StIdle,
    StSeek,     // does the lane take part?
    StRead,     // rows of the bytes
    StOperand,  // rows of the operand, for SRC2 forms
    StWork,
    StWrite
  } state_e;

  state_e     state_q;
  logic [3:0] lane_q;
  logic       access_q;  // of two
  logic       upper_q;   // the second row of a pair

  logic [RowBytes-1:0][7:0]      rows_q [Rows];
  logic [Rows-1:0]               written_q;
  logic [1:0][RowBytes-1:0][7:0] bytes_q, operand_q;  // pairs of rows

  function automatic logic is_inside(input logic [31:0] offset, input logic [4:0] bytes);
    return 33'(offset) + 33'(bytes) <= 33'(GdsBytes);
  endfunction

  logic [31:0]        place, from;  // offsets of the bytes and of the operand
  logic               takes_part, is_atomic;
  logic [31:0]        port_place;
  logic               crosses, last_row, last_access;
  logic [RowBits-1:0] row;
  logic [RowBytes-1:0][7:0] read_row;

  assign place       = beat_i.offset[access_q][lane_q];
  assign from        = beat_i.offset[1][lane_q];
  assign takes_part  = beat_i.exec[access_q][lane_q] && is_inside(place, beat_i.bytes) &&
                       (!beat_i.operand_in_gds || is_inside(from, beat_i.bytes));
  assign is_atomic   = beat_i.kind inside {KindAtomic, KindAtomicReturn};
  assign port_place  = (state_q == StOperand) ? from : place;
  assign crosses     = 6'(port_place[3:0]) + 6'(beat_i.bytes) > 6'(RowBytes);
  assign last_row    = upper_q || !crosses;
  assign last_access = access_q == (beat_i.accesses == 2'd2);
  assign row         = port_place[4+:RowBits] + RowBits'(upper_q);
  assign read_row    = written_q[row] ? rows_q[row] : '0;

  // Dwords of access 1 stand behind those of access 0.
  logic [2:0]   first;              // dword
  logic [127:0] mask, sent, value;  // value: what is written
  logic [255:0] bytes, operand;     // from the place on
  logic [63:0]  result;
  always_comb begin
    for (int unsigned b = 0; b < RowBytes; b++) mask[8*b+:8] = {8{5'(b) < beat_i.bytes}};
    for (int unsigned d = 0; d < 4; d++) sent[32*d+:32] = beat_i.data[2'(first + 3'(d))][lane_q];
  end
  assign first   = access_q ? 3'((beat_i.bytes + 5'd3) >> 2) : 3'd0;
  assign bytes   = bytes_q >> {place[3:0], 3'd0};
  assign operand = operand_q >> {from[3:0], 3'd0};
  assign value   = is_atomic ? 128'(result) : sent;

  logic [255:0] merged, mask_there, value_there;  // in the pair of rows
  assign mask_there  = 256'(mask) << {place[3:0], 3'd0};
  assign value_there = 256'(value) << {place[3:0], 3'd0};
  assign merged      = (bytes_q & ~mask_there) | (value_there & mask_there);

  user_gds_atomic u_atomic (
    .op_i        (beat_i.atomic),
    .wide_i      (beat_i.bytes == 5'd8),
    .flush_in_i  (beat_i.flush_in),
    .flush_out_i (beat_i.flush_out),
    .old_i       (bytes[63:0] & mask[63:0]),
    .data_i      ((beat_i.operand_in_gds ? operand[63:0] : sent[63:0]) & mask[63:0]),
    .compare_i   ({beat_i.compare[1][lane_q], beat_i.compare[0][lane_q]} & mask[63:0]),
    .result_o    (result)
  );

  logic lost;
`ifdef USER_GDS_BUG
  // An atomic operation of a lane is lost when the lane before went to the same place.
  assign lost = is_atomic && (lane_q != '0) && beat_i.exec[access_q][lane_q-4'd1] &&
                (beat_i.offset[access_q][lane_q-4'd1] == place);
`else
  assign lost = 1'b0;
`endif

  logic goes_on;  // to the next access or lane
  assign goes_on = ((state_q == StSeek) && !takes_part) ||
                   ((state_q == StWork) && ((beat_i.kind == KindLoad) || lost)) ||
                   ((state_q == StWrite) && last_row);
  assign done_o  = goes_on && last_access && (lane_q == '1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q   <= StIdle;
      written_q <= '0;
    end else begin
      unique case (state_q)
        StIdle: if (start_i) begin
          state_q  <= StSeek;
          lane_q   <= '0;
          access_q <= 1'b0;
          data_o   <= '0;
        end
        StSeek: begin
          upper_q <= 1'b0;
          if (takes_part) state_q <= StRead;
        end
        StRead: begin
          bytes_q[upper_q] <= read_row;
          upper_q          <= !last_row;
          if (last_row) state_q <= beat_i.operand_in_gds ? StOperand : StWork;
        end
        StOperand: begin
          operand_q[upper_q] <= read_row;
          upper_q            <= !last_row;
          if (last_row) state_q <= StWork;
        end
        StWork: begin
          bytes_q <= merged;
          state_q <= StWrite;
          if (beat_i.kind inside {KindLoad, KindAtomicReturn}) begin
            for (int unsigned d = 0; d < 4; d++) begin
              if (mask[32*d]) begin
                data_o[2'(first + 3'(d))][lane_q] <= bytes[32*d+:32] & mask[32*d+:32];
              end
            end
          end
        end
        StWrite: begin
          rows_q[row]    <= bytes_q[upper_q];
          written_q[row] <= 1'b1;
          upper_q        <= 1'b1;
        end
        default: state_q <= StIdle;
      endcase
      if (goes_on) begin
        state_q  <= done_o ? StIdle : StSeek;
        access_q <= !last_access;
        if (last_access) lane_q <= lane_q + 4'd1;
      end
    end
  end

endmodule
