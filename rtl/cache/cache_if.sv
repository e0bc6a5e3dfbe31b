// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Ports of one cache (docs/cache.md): requesters on `up`, the next level on `down`.
interface cache_if
  import memory_pkg::*;
#(
  parameter int unsigned UpPorts = 1
) (
  input logic clk_i,
  input logic rst_ni
);

  logic      [UpPorts-1:0] up_request_valid;
  logic      [UpPorts-1:0] up_request_ready;
  mem_req_t  [UpPorts-1:0] up_request;
  logic      [UpPorts-1:0] up_response_valid;
  logic      [UpPorts-1:0] up_response_ready;
  mem_resp_t [UpPorts-1:0] up_response;

  logic      down_request_valid;
  logic      down_request_ready;
  mem_req_t  down_request;
  logic      down_response_valid;
  logic      down_response_ready;
  mem_resp_t down_response;

  modport dut (
    input  clk_i, rst_ni, up_request_valid, up_request, up_response_ready,
           down_request_ready, down_response_valid, down_response,
    output up_request_ready, up_response_valid, up_response,
           down_request_valid, down_request, down_response_ready
  );

  modport env (
    input  clk_i, rst_ni, up_request_ready, up_response_valid, up_response,
           down_request_valid, down_request, down_response_ready,
    output up_request_valid, up_request, up_response_ready,
           down_request_ready, down_response_valid, down_response
  );

endinterface
