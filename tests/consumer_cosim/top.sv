// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
//
// A testbench of a user: it owns clock, time and end of the simulation, and asks libcuvette_cosim at
// every retirement.
module top #(
    parameter bit BROKEN = 0
);
  import cuvette_cosim_pkg::*;

  localparam logic [63:0] Code = 64'h10_0000, Data = 64'h1_0000;
  // v0 starts at 0xfff5, so addresses begin there; words 0xfff4 / 4 and on.
  localparam logic [63:0] First = Data + 64'hfff5 * 4;

  logic clk = 0, rst_n = 0;
  always #5 clk = ~clk;

  logic retire, finished, unknown, sgpr_we, scc_we, scc, vgpr_we, load, store;
  logic [63:0] order, pc, address[64];
  logic [31:0] words[2], sgpr_data, lane_data[64];
  logic [1:0] length;
  logic [6:0] sgpr;
  logic [2:0] vgpr;

  tiny_gpu #(
      .BROKEN(BROKEN)
  ) u_dut (
      .clk_i(clk), .rst_ni(rst_n), .retire_o(retire), .end_o(finished), .unknown_o(unknown),
      .order_o(order), .pc_o(pc), .words_o(words), .length_o(length), .sgpr_we_o(sgpr_we),
      .sgpr_o(sgpr), .sgpr_data_o(sgpr_data), .scc_we_o(scc_we), .scc_o(scc), .vgpr_we_o(vgpr_we),
      .vgpr_o(vgpr), .lane_data_o(lane_data), .load_o(load), .store_o(store), .address_o(address)
  );

  chandle cosim;
  longint serial = 0;

  function automatic void check(input int good, input string what);
    if (good == 0) begin
      $display("MISMATCH: %s: %s", what, cuvette_dpi_text(cosim));
      $finish;
    end
  endfunction

  initial begin
    if (cuvette_cosim_version() != 1) $fatal(1, "version of libcuvette_cosim");
    // The device tells neither cache bits nor MODE and TRAPSTS.
    cosim = cuvette_dpi_create("gfx908", CompareExec | CompareAccesses | CompareFlags);
    if (cosim == null) $fatal(1, "no cosim");
    #1;
    for (int n = 0; n < 16; n++) begin
      check(cuvette_dpi_load_word(cosim, Code + 64'(4 * n), u_dut.code[n]), "load code");
    end
    for (int n = 0; n < 64; n++) begin
      check(cuvette_dpi_load_word(cosim, First + 64'(4 * n), 0), "load data");
    end
    cuvette_dpi_wave(cosim, 1, Code, ~64'd0, 32'h3f0, 8, 0, 16, 0, 0);
    cuvette_dpi_wave_sgpr(cosim, 0, Data[31:0]);
    cuvette_dpi_wave_sgpr(cosim, 1, Data[63:32]);
    for (int l = 0; l < 64; l++) cuvette_dpi_wave_vgpr(cosim, 0, l, 32'hfff5 + l);
    check(cuvette_dpi_start(cosim), "start");
    repeat (2) @(posedge clk);
    #1 rst_n = 1;
  end

  // All bytes that the device loaded, then what it claims to have done.
  function automatic void tell();
    if (load) begin
      for (int l = 0; l < 64; l++) begin
        for (int b = 0; b < 4; b++) cuvette_dpi_loaded_byte(cosim, int'(lane_data[l][8*b+:8]));
      end
      check(cuvette_dpi_observe_load(cosim, 1, order, ~64'd0), "load");
    end
    cuvette_dpi_record(cosim, 1, order, pc, ~64'd0, int'(length), words[0],
                       length == 2 ? words[1] : 0, 0, 0);
    if (sgpr_we) cuvette_dpi_record_sgpr(cosim, int'(sgpr), sgpr_data);
    if (scc_we) cuvette_dpi_record_sgpr(cosim, 253, int'(scc));
    for (int l = 0; l < 64; l++) begin
      if (vgpr_we) cuvette_dpi_record_vgpr(cosim, 0, int'(vgpr), l, lane_data[l]);
      if (load || store) begin
        cuvette_dpi_record_access(cosim, l, SpaceGlobal, store ? KindStore : KindLoad, 0, 4,
                                  address[l], {32'd0, lane_data[l]}, 0, 0);
      end
    end
    check(cuvette_dpi_retire(cosim), "retire");
    if (store && cuvette_dpi_failed(cosim) == 0) begin
      serial = serial + 1;
      for (int l = 0; l < 64; l++) begin
        check(cuvette_dpi_observe_store(cosim, 1, order, l, serial), "store");
      end
    end
  endfunction

  always @(posedge clk) begin
    if (rst_n && retire && cuvette_dpi_failed(cosim) == 0) begin
      tell();
      if (unknown) $fatal(1, "the device does not know an instruction");
      if (finished && cuvette_dpi_failed(cosim) == 0) begin
        check(cuvette_dpi_passed(cosim), "the whole run");
        $display("PASSED: %0d instructions, %0d lanes, %0d accesses, %0d loads determined",
                 cuvette_dpi_count(cosim, CountInstructions), cuvette_dpi_count(cosim, CountLanes),
                 cuvette_dpi_count(cosim, CountAccesses),
                 cuvette_dpi_count(cosim, CountLoadsDetermined));
        cuvette_dpi_destroy(cosim);
        $finish;
      end
    end
  end
endmodule
