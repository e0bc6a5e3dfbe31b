// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Atomic unit of an L2: every operation of the contract on 4 or 8 bytes. Operands are taken with
// start_i; the result is there from the next cycle until taken_i.

`include "cuvette_assert.svh"

module cache_atomic
  import memory_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        start_i,     // only when no result waits
  input  atomic_op_e  operation_i,
  input  logic        wide_i,      // 8 bytes
  input  logic        flush_i,     // subnormals of operands and result
  input  logic [63:0] old_i,
  input  logic [63:0] data_i,
  input  logic [63:0] compare_i,

  output logic        valid_o,
  output logic [63:0] result_o,    // upper half zero when not wide
  output logic [63:0] old_o,
  input  logic        taken_i
);

  logic        valid_q;
  atomic_op_e  operation_q;
  logic        wide_q;
  logic        flush_q;
  logic [63:0] old_q;
  logic [63:0] data_q;
  logic [63:0] compare_q;
  logic [63:0] kept;     // bits of an operand that are given

  assign kept    = wide_i ? '1 : 64'h0000_0000_ffff_ffff;
  assign valid_o = valid_q;
  assign old_o   = old_q;

  always_comb begin
    result_o = lds_atomic_pkg::integer_result(operation_q, wide_q, old_q, data_q, compare_q);
    if (lds_atomic_pkg::is_float(operation_q)) begin
      result_o = lds_atomic_pkg::float_result(operation_q, wide_q, old_q, data_q, compare_q,
                                              flush_q, flush_q);
    end
    if (!wide_q) result_o[63:32] = '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni)      valid_q <= 1'b0;
    else if (start_i) valid_q <= 1'b1;
    else if (taken_i) valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      operation_q <= operation_i;
      wide_q      <= wide_i;
      flush_q     <= flush_i;
      old_q       <= old_i & kept;
      data_q      <= data_i & kept;
      compare_q   <= compare_i & kept;
    end
  end

  `CUVETTE_ASSERT(StartsOnce_A, start_i |-> !valid_q)
  `CUVETTE_ASSERT(TakenOnce_A, taken_i |-> valid_q)

endmodule
