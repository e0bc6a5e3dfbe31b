// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Device memory behind the L2: a memory controller with HBM-like banks for each port, which is an L2
// slice. Contract: docs/reference/memory.md, with the times.
//
// Ports have nothing in common but the clock that numbers their stores: a block belongs to one port.
// Each is a memory_channel. With Bytes 0 the bytes are those of a simulation, at every address.

module memory
  import memory_unit_pkg::*;
  import memory_pkg::*;
#(
  parameter int unsigned Ports           = 1,
  parameter int unsigned InterleaveBytes = 256,   // of the addresses over the ports
  parameter int unsigned Requests        = 16,    // of a port that wait for their turn
  parameter int unsigned Banks           = 16,    // of a port
  parameter int unsigned RowBytes        = 2048,
  parameter int unsigned Latency         = 350,   // of a request to an open row, in cycles, from 4 on
  parameter int unsigned CyclesPerBlock  = 3,     // a transfer on the data bus, from 2 on
  parameter int unsigned ActivateCycles  = 21,    // from a row's activation to its first access
  parameter int unsigned PrechargeCycles = 21,    // from a precharge to the next activation
  parameter int unsigned ActiveCycles    = 50,    // from an activation to the precharge, at least
  parameter int unsigned RecoveryCycles  = 22,    // from a store to the precharge, at least
  parameter int unsigned Overtakes       = 8,     // accesses of an open row ahead of an older request
  parameter int unsigned Bytes           = 65536, // in all, a power of two; 0: every address, for simulation
  parameter int unsigned Base            = 0      // the first address, in units of Bytes
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic [Ports-1:0]      request_valid_i,
  output logic [Ports-1:0]      request_ready_o,
  input  mem_req_t [Ports-1:0]  request_i,

  output logic [Ports-1:0]      response_valid_o,
  input  logic [Ports-1:0]      response_ready_i,
  output mem_resp_t [Ports-1:0] response_o
);

  if ((Ports < 1) || (Ports > 64) || (Ports != (1 << $clog2(Ports)))) begin : gen_refuse_ports
    $error("memory: Ports is %0d, expected a power of two from 1 to 64", Ports);
  end
  if ((Bytes != 0) && ((Bytes < (128 * Ports)) || (Bytes != (1 << $clog2(Bytes))))) begin : gen_refuse_bytes
    $error("memory: Bytes is %0d, expected 0 or a power of two from 128 for each port on", Bytes);
  end

  // A store has the number of its cycle, and in one cycle that of its port: the order of all stores.
  logic [63:0] serial_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) serial_q <= 64'd1;
    else         serial_q <= serial_q + 64'(Ports);
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_channel
    memory_channel #(
      .Ports           (Ports),
      .InterleaveBytes (InterleaveBytes),
      .Requests        (Requests),
      .Banks           (Banks),
      .RowBytes        (RowBytes),
      .Latency         (Latency),
      .CyclesPerBlock  (CyclesPerBlock),
      .ActivateCycles  (ActivateCycles),
      .PrechargeCycles (PrechargeCycles),
      .ActiveCycles    (ActiveCycles),
      .RecoveryCycles  (RecoveryCycles),
      .Overtakes       (Overtakes),
      .Bytes           (Bytes),
      .Base            (Base)
    ) u_channel (
      .clk_i,
      .rst_ni,
      .serial_i         (serial_q + 64'(p)),
      .request_valid_i  (request_valid_i[p]),
      .request_ready_o  (request_ready_o[p]),
      .request_i        (request_i[p]),
      .response_valid_o (response_valid_o[p]),
      .response_ready_i (response_ready_i[p]),
      .response_o       (response_o[p])
    );
  end

endmodule
