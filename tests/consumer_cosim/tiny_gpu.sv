// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
//
// The device under test of this example: one wave of 64 lanes, one instruction per clock, eight
// instructions of gfx908. Somebody's design in miniature. BROKEN loses the carry between the halves
// of V_ADD_U32 in lane 5.
module tiny_gpu #(
    parameter bit          BROKEN = 0,
    parameter logic [63:0] CODE   = 64'h10_0000,
    parameter logic [63:0] DATA   = 64'h1_0000
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    output logic        retire_o,
    output logic        end_o,
    output logic        unknown_o,
    output logic [63:0] order_o,
    output logic [63:0] pc_o,
    output logic [31:0] words_o    [2],
    output logic [1:0]  length_o,
    output logic        sgpr_we_o,
    output logic [6:0]  sgpr_o,
    output logic [31:0] sgpr_data_o,
    output logic        scc_we_o,
    output logic        scc_o,
    output logic        vgpr_we_o,
    output logic [2:0]  vgpr_o,
    output logic [31:0] lane_data_o[64],
    output logic        load_o,
    output logic        store_o,
    output logic [63:0] address_o  [64]
);
  logic [31:0] code[16];
  logic [31:0] memory[64];
  logic [31:0] sgpr[16];
  logic [31:0] vgpr[8][64];
  logic [63:0] pc, order;
  logic        scc, done;

  // The program; top.sv gives the reference the same words.
  initial begin
    code = '{default: 32'hbf810000};
    code[0] = 32'hbe820085;  // s_mov_b32 s2, 5
    code[1] = 32'h80030202;  // s_add_u32 s3, s2, s2
    code[2] = 32'h7e020203;  // v_mov_b32 v1, s3
    code[3] = 32'h68040300;  // v_add_u32 v2, v0, v1
    code[4] = 32'h24060082;  // v_lshlrev_b32 v3, 2, v0
    code[5] = 32'hdc708000;  // global_store_dword v3, v2, s[0:1]
    code[6] = 32'h00000203;
    code[7] = 32'hdc508000;  // global_load_dword v4, v3, s[0:1]
    code[8] = 32'h04000003;
    code[9] = 32'hbf810000;  // s_endpgm
  end

  function automatic logic [31:0] scalar(input logic [8:0] source);
    if (source >= 9'd128 && source <= 9'd192) return {23'd0, source} - 32'd128;
    return sgpr[source[3:0]];
  endfunction

  // 9-bit source of one lane
  function automatic logic [31:0] lane_source(input logic [8:0] source, input int lane);
    if (source[8]) return vgpr[source[2:0]][lane];
    return scalar(source);
  endfunction

  function automatic logic [31:0] add(input logic [31:0] a, input logic [31:0] b, input int lane);
    logic [16:0] low;
    low = {1'b0, a[15:0]} + {1'b0, b[15:0]};
    if (BROKEN && lane == 5) low[16] = 1'b0;
    return {a[31:16] + b[31:16] + {15'd0, low[16]}, low[15:0]};
  endfunction

  logic [31:0] word0, word1;
  logic [3:0]  index;
  assign index = 4'((pc - CODE) >> 2);
  assign word0 = code[index];
  assign word1 = code[index+4'd1];

  logic is_move, is_add, is_end, is_vmove, is_vadd, is_vshift, is_store, is_load;
  assign is_move   = word0[31:23] == 9'b101111101 && word0[15:8] == 8'd0;
  assign is_add    = word0[31:23] == 9'b100000000;
  assign is_end    = word0 == 32'hbf810000;
  assign is_vmove  = word0[31:25] == 7'h3f && word0[16:9] == 8'd1;
  assign is_vadd   = word0[31:25] == 7'h34;
  assign is_vshift = word0[31:25] == 7'h12;
  assign is_store  = word0 == 32'hdc708000;
  assign is_load   = word0 == 32'hdc508000;

  always_ff @(posedge clk_i) begin
    retire_o  <= 1'b0;
    sgpr_we_o <= 1'b0;
    scc_we_o  <= 1'b0;
    vgpr_we_o <= 1'b0;
    load_o    <= 1'b0;
    store_o   <= 1'b0;
    if (!rst_ni) begin
      pc        <= CODE;
      order     <= '0;
      done      <= 1'b0;
      end_o     <= 1'b0;
      unknown_o <= 1'b0;
      scc       <= 1'b0;
      sgpr      <= '{default: '0};
      sgpr[0]   <= DATA[31:0];
      sgpr[1]   <= DATA[63:32];
      memory    <= '{default: '0};
      // v0 is the lane number plus 0xfff5, so that small sums carry into the upper half.
      for (int l = 0; l < 64; l++) vgpr[0][l] <= 32'hfff5 + 32'(l);
    end else if (!done) begin
      retire_o   <= 1'b1;
      order_o    <= order;
      pc_o       <= pc;
      words_o[0] <= word0;
      words_o[1] <= word1;
      length_o   <= (is_load || is_store) ? 2'd2 : 2'd1;
      order      <= order + 64'd1;
      pc         <= pc + ((is_load || is_store) ? 64'd8 : 64'd4);
      if (is_move || is_add) begin
        automatic logic [32:0] value;
        value = {1'b0, scalar({1'b0, word0[7:0]})};
        if (is_add) value = value + {1'b0, scalar({1'b0, word0[15:8]})};
        sgpr[word0[19:16]] <= value[31:0];
        sgpr_we_o          <= 1'b1;
        sgpr_o             <= word0[22:16];
        sgpr_data_o        <= value[31:0];
        if (is_add) begin
          scc      <= value[32];
          scc_we_o <= 1'b1;
          scc_o    <= value[32];
        end
      end else if (is_vmove || is_vadd || is_vshift) begin
        vgpr_we_o <= 1'b1;
        vgpr_o    <= word0[19:17];
        for (int l = 0; l < 64; l++) begin
          automatic logic [31:0] a, b, d;
          a = lane_source(word0[8:0], l);
          b = vgpr[word0[11:9]][l];
          d = is_vmove ? a : is_vadd ? add(a, b, l) : b << a[4:0];
          vgpr[word0[19:17]][l] <= d;
          lane_data_o[l]        <= d;
        end
      end else if (is_store || is_load) begin
        store_o   <= is_store;
        load_o    <= is_load;
        vgpr_we_o <= is_load;
        vgpr_o    <= word1[26:24];
        for (int l = 0; l < 64; l++) begin
          automatic logic [31:0] offset;
          offset       = vgpr[word1[2:0]][l];
          address_o[l] <= {sgpr[1], sgpr[0]} + {32'd0, offset};
          if (is_store) begin
            memory[6'(offset>>2)] <= vgpr[word1[10:8]][l];
            lane_data_o[l]        <= vgpr[word1[10:8]][l];
          end else begin
            vgpr[word1[26:24]][l] <= memory[6'(offset>>2)];
            lane_data_o[l]        <= memory[6'(offset>>2)];
          end
        end
      end else begin
        done      <= 1'b1;
        end_o     <= is_end;
        unknown_o <= !is_end;
      end
    end
  end
endmodule
