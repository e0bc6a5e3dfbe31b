// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Ports of the global data share (docs/gds.md): one request, one taken and one response channel per
// compute unit, the order of waves from the spi.
interface gds_if
  import gds_pkg::*;
  import spi_pkg::*;
#(
  parameter int unsigned ComputeUnits = 1
) (
  input logic clk_i,
  input logic rst_ni
);

  logic      [ComputeUnits-1:0] request_valid;
  logic      [ComputeUnits-1:0] request_ready;
  request_t  [ComputeUnits-1:0] request;
  logic      [ComputeUnits-1:0] taken_valid;
  logic      [ComputeUnits-1:0] taken_ready;
  taken_t    [ComputeUnits-1:0] taken;
  logic      [ComputeUnits-1:0] response_valid;
  logic      [ComputeUnits-1:0] response_ready;
  response_t [ComputeUnits-1:0] response;

  logic        waves_valid;
  logic        waves_ready;
  wave_order_t waves;

  modport dut (
    input  clk_i, rst_ni, request_valid, request, taken_ready, response_ready, waves_valid, waves,
    output request_ready, taken_valid, taken, response_valid, response, waves_ready
  );

  modport env (
    input  clk_i, rst_ni, request_ready, taken_valid, taken, response_valid, response, waves_ready,
    output request_valid, request, taken_ready, response_ready, waves_valid, waves
  );

endinterface
