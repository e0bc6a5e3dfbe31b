// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Ports of the matrix core (docs/matrix_core.md).
interface matrix_core_if
  import matrix_core_pkg::*;
(
  input logic clk_i,
  input logic rst_ni
);

  logic      operands_valid;
  logic      operands_ready;
  operands_t operands;
  logic      result_valid;
  logic      result_ready;
  result_t   result;

  modport dut (
    input  clk_i, rst_ni, operands_valid, operands, result_ready,
    output operands_ready, result_valid, result
  );

  modport env (
    input  clk_i, rst_ni, operands_ready, result_valid, result,
    output operands_valid, operands, result_ready
  );

endinterface
