// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Ports of the vector register file (docs/vrf.md), indexed by read_port_e and write_port_e.
interface vrf_if
  import vrf_pkg::*;
(
  input logic clk_i,
  input logic rst_ni
);

  logic       [ReadPorts-1:0]  read_valid;
  logic       [ReadPorts-1:0]  read_ready;
  read_t      [ReadPorts-1:0]  read;
  logic       [ReadPorts-1:0]  read_data_valid;
  logic       [ReadPorts-1:0]  read_data_ready;
  read_data_t [ReadPorts-1:0]  read_data;
  logic       [WritePorts-1:0] write_valid;
  logic       [WritePorts-1:0] write_ready;
  write_t     [WritePorts-1:0] write;

  modport dut (
    input  clk_i, rst_ni, read_valid, read, read_data_ready, write_valid, write,
    output read_ready, read_data_valid, read_data, write_ready
  );

  modport env (
    input  clk_i, rst_ni, read_ready, read_data_valid, read_data, write_ready,
    output read_valid, read, read_data_ready, write_valid, write
  );

endinterface
