// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Ports of the simd block (docs/simd.md).
interface simd_if
  import simd_pkg::*;
(
  input logic clk_i,
  input logic rst_ni
);

  logic      issue_valid;
  logic      issue_ready;
  issue_t    issue;
  logic      retire_valid;
  logic      retire_ready;
  retire_t   retire;
  logic      fill_valid;
  logic      fill_ready;
  fill_t     fill;
  logic      read_valid;
  logic      read_ready;
  read_row_t read;
  logic      row_data_valid;
  logic      row_data_ready;
  row_data_t row_data;

  modport dut (
    input  clk_i, rst_ni, issue_valid, issue, retire_ready, fill_valid, fill, read_valid, read,
           row_data_ready,
    output issue_ready, retire_valid, retire, fill_ready, read_ready, row_data_valid, row_data
  );

  modport env (
    input  clk_i, rst_ni, issue_ready, retire_valid, retire, fill_ready, read_ready,
           row_data_valid, row_data,
    output issue_valid, issue, retire_ready, fill_valid, fill, read_valid, read, row_data_ready
  );

endinterface
