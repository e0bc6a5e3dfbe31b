// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Ports of the local data share (docs/lds.md).
interface lds_if
  import lds_pkg::*;
(
  input logic clk_i,
  input logic rst_ni
);

  logic      request_valid;
  logic      request_ready;
  request_t  request;
  logic      response_valid;
  logic      response_ready;
  response_t response;

  modport dut (
    input  clk_i, rst_ni, request_valid, request, response_ready,
    output request_ready, response_valid, response
  );

  modport env (
    input  clk_i, rst_ni, request_ready, response_valid, response,
    output request_valid, request, response_ready
  );

endinterface
