// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Queue of requests to the level below, in one order: what the write-back engine has taken goes
// before the request for which it was taken.

`include "cuvette_assert.svh"

module cache_down
  import memory_pkg::*;
(
  input  logic     clk_i,
  input  logic     rst_ni,

  input  logic     write_valid_i,      // of the write-back engine
  output logic     write_ready_o,
  input  mem_req_t write_i,

  output logic     serve_ready_o,      // of the last stage: no write goes before it
  input  logic     serve_valid_i,      // only when ready
  input  mem_req_t serve_i,

  input  logic     maintain_valid_i,   // of maintenance, while the stages are empty
  output logic     maintain_ready_o,
  input  mem_req_t maintain_i,

  output logic     down_request_valid_o,
  input  logic     down_request_ready_i,
  output mem_req_t down_request_o
);

  logic     full;
  logic     empty;
  mem_req_t next;

  assign write_ready_o    = !full;
  assign serve_ready_o    = !full && !write_valid_i;
  assign maintain_ready_o = !full && !write_valid_i && !serve_valid_i;

  always_comb begin
    next = maintain_i;
    if (write_valid_i)      next = write_i;
    else if (serve_valid_i) next = serve_i;
  end

  fifo #(
    .Width ($bits(mem_req_t)),
    .Depth (4)
  ) u_requests (
    .clk_i,
    .rst_ni,
    .push_i  (!full && (write_valid_i || serve_valid_i || maintain_valid_i)),
    .data_i  (next),
    .full_o  (full),
    .pop_i   (down_request_valid_o && down_request_ready_i),
    .data_o  (down_request_o),
    .empty_o (empty)
  );

  assign down_request_valid_o = !empty;

  `CUVETTE_ASSERT(ServesWhenReady_A, serve_valid_i |-> serve_ready_o)
  `CUVETTE_ASSERT(RequestHeld_A, (down_request_valid_o && !down_request_ready_i) |=>
      (down_request_valid_o && $stable(down_request_o)))

endmodule
