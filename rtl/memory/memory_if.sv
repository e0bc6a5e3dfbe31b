// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Ports of the memory block (docs/memory.md): one pair of channels per L2 slice.
interface memory_if
  import memory_pkg::*;
#(
  parameter int unsigned Ports = 1
) (
  input logic clk_i,
  input logic rst_ni
);

  logic      [Ports-1:0] request_valid;
  logic      [Ports-1:0] request_ready;
  mem_req_t  [Ports-1:0] request;
  logic      [Ports-1:0] response_valid;
  logic      [Ports-1:0] response_ready;
  mem_resp_t [Ports-1:0] response;

  modport dut (
    input  clk_i, rst_ni, request_valid, request, response_ready,
    output request_ready, response_valid, response
  );

  modport env (
    input  clk_i, rst_ni, request_ready, response_valid, response,
    output request_valid, request, response_ready
  );

endinterface
