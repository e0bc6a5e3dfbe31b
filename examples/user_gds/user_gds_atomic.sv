// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// What an atomic operation of 4 or 8 bytes leaves in the memory (Vega ISA 12.15). Values of 4 bytes
// come zero-extended; the upper half of such a result has no meaning. Sums of F64 and of packed
// halves are of targets without a GDS, and are left out. Combinational.
module user_gds_atomic
  import memory_pkg::*;
(
  input  atomic_op_e  op_i,
  input  logic        wide_i,       // 8 bytes
  input  logic        flush_in_i,   // of F32: subnormal operands become 0
  input  logic        flush_out_i,  // and results
  input  logic [63:0] old_i,
  input  logic [63:0] data_i,
  input  logic [63:0] compare_i,    // compared value, or second operand
  output logic [63:0] result_o
);

  logic signed [63:0] signed_old, signed_data;
  assign signed_old  = wide_i ? old_i : 64'(signed'(old_i[31:0]));
  assign signed_data = wide_i ? data_i : 64'(signed'(data_i[31:0]));

  logic [63:0] second, exchanged;  // second: of the float units
  assign second = (op_i == AtomicFCmpSwap) ? compare_i : data_i;
  for (genvar h = 0; h < 2; h++) begin : gen_exchange
    assign exchanged[32*h+:32] = data_i[32*h+31] ? {1'b0, data_i[32*h+:31]} : old_i[32*h+:32];
  end

  logic [31:0] sum32, min32, max32;
  logic [63:0] min64, max64;
  logic        equal32, equal64;

  user_gds_float #(.ExpBits(8), .FracBits(23)) u_f32 (
    .a_i(old_i[31:0]), .b_i(second[31:0]), .flush_in_i, .flush_out_i,
    .sum_o(sum32), .min_o(min32), .max_o(max32), .equal_o(equal32)
  );

  user_gds_float #(.ExpBits(11), .FracBits(52)) u_f64 (
    .a_i(old_i), .b_i(second), .flush_in_i(1'b0), .flush_out_i(1'b0),
    .sum_o(), .min_o(min64), .max_o(max64), .equal_o(equal64)
  );

  always_comb begin
    unique case (op_i)
      AtomicSwap:       result_o = data_i;
      AtomicCmpSwap:    result_o = (old_i == compare_i) ? data_i : old_i;
      AtomicAdd:        result_o = old_i + data_i;
      AtomicSub:        result_o = old_i - data_i;
      AtomicRSub:       result_o = data_i - old_i;
      AtomicSMin:       result_o = (signed_data < signed_old) ? data_i : old_i;
      AtomicUMin:       result_o = (data_i < old_i) ? data_i : old_i;
      AtomicSMax:       result_o = (signed_data > signed_old) ? data_i : old_i;
      AtomicUMax:       result_o = (data_i > old_i) ? data_i : old_i;
      AtomicAnd:        result_o = old_i & data_i;
      AtomicOr:         result_o = old_i | data_i;
      AtomicXor:        result_o = old_i ^ data_i;
      AtomicInc:        result_o = (old_i >= data_i) ? '0 : old_i + 64'd1;
      AtomicDec:        result_o = ((old_i == '0) || (old_i > data_i)) ? data_i : old_i - 64'd1;
      AtomicMSkOr:      result_o = (old_i & ~data_i) | compare_i;
      AtomicFAdd:       result_o = 64'(sum32);
      AtomicFMin:       result_o = wide_i ? min64 : 64'(min32);
      AtomicFMax:       result_o = wide_i ? max64 : 64'(max32);
      AtomicFCmpSwap:   result_o = (wide_i ? equal64 : equal32) ? data_i : old_i;
      AtomicWrap:       result_o = (old_i >= data_i) ? old_i - data_i : old_i + compare_i;
      AtomicCondXchg32: result_o = exchanged;
      default:          result_o = old_i;
    endcase
  end

endmodule
