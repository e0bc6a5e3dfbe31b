// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Ports of the spi block (docs/spi.md): dispatches from the command processor, one launch and one
// done channel per compute unit.
interface spi_if
  import spi_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1
) (
  input logic clk_i,
  input logic rst_ni
);

  logic           dispatch_valid;
  logic           dispatch_ready;
  dispatch_t      dispatch;
  logic           dispatch_done_valid;
  logic           dispatch_done_ready;
  dispatch_done_t dispatch_done;

  logic         [ComputeUnits-1:0] launch_valid;
  logic         [ComputeUnits-1:0] launch_ready;
  wave_launch_t [ComputeUnits-1:0] launch;
  logic         [ComputeUnits-1:0] done_valid;
  logic         [ComputeUnits-1:0] done_ready;
  wave_done_t   [ComputeUnits-1:0] done;

  modport dut (
    input  clk_i, rst_ni, dispatch_valid, dispatch, dispatch_done_ready, launch_ready, done_valid,
           done,
    output dispatch_ready, dispatch_done_valid, dispatch_done, launch_valid, launch, done_ready
  );

  modport env (
    input  clk_i, rst_ni, dispatch_ready, dispatch_done_valid, dispatch_done, launch_valid, launch,
           done_ready,
    output dispatch_valid, dispatch, dispatch_done_ready, launch_ready, done_valid, done
  );

endinterface
