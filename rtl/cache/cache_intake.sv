// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Requests of all ports, one in a cycle: the port behind the one that was served last goes first.
// Two of them are held here; one is there from the cycle after it was taken.

`include "cuvette_assert.svh"

module cache_intake
  import cache_unit_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned UpPorts = 2
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [UpPorts-1:0]     up_request_valid_i,
  output logic [UpPorts-1:0]     up_request_ready_o,
  input  mem_req_t [UpPorts-1:0] up_request_i,

  output logic                   valid_o,
  output asked_t                 asked_o,
  input  logic                   take_i   // only what is there
);

  if ((UpPorts < 1) || (UpPorts > MaxPorts)) begin : gen_refuse_ports
    $error("cache_intake: UpPorts is %0d, expected 1 to 16", UpPorts);
  end

  localparam int unsigned IndexBits = (UpPorts > 1) ? $clog2(UpPorts) : 1;

  logic [UpPorts-1:0]   grant;
  logic [IndexBits-1:0] index;
  logic                 offered;
  logic                 full;
  logic                 empty;
  asked_t               asked;

  arbiter #(.Requests(UpPorts)) u_arbiter (
    .clk_i,
    .rst_ni,
    .request_i (up_request_valid_i),
    .grant_o   (grant),
    .index_o   (index),
    .valid_o   (offered),
    .ready_i   (!full)
  );

  assign up_request_ready_o = grant & {UpPorts{!full}};
  assign asked              = '{port: port_t'(index), request: up_request_i[index]};
  assign valid_o            = !empty;

  fifo #(
    .Width ($bits(asked_t)),
    .Depth (2)
  ) u_taken (
    .clk_i,
    .rst_ni,
    .push_i  (offered && !full),
    .data_i  (asked),
    .full_o  (full),
    .pop_i   (take_i),
    .data_o  (asked_o),
    .empty_o (empty)
  );

  for (genvar p = 0; p < UpPorts; p++) begin : gen_held
    `CUVETTE_ASSERT(RequestHeld_A, (up_request_valid_i[p] && !up_request_ready_o[p]) |=>
        (up_request_valid_i[p] && $stable(up_request_i[p])))
  end
  `CUVETTE_ASSERT(TakesOne_A, $onehot0(up_request_valid_i & up_request_ready_o))

endmodule
