// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Values that atomic operations leave in the memory (Vega ISA 12.15). Operands of 32 bits are in
// the low half, the high one is zero. Combinational functions.

package lds_atomic_pkg;

  import memory_pkg::*;

  // Conditional exchange: the low 31 bits of a dword of `data`, bit 31 zero, where its bit 31 is set.
  function automatic logic [31:0] exchanged(input logic [31:0] old, input logic [31:0] data);
    return data[31] ? {1'b0, data[30:0]} : old;
  endfunction

  function automatic logic [63:0] integer_result(input atomic_op_e op, input logic wide,
                                                 input logic [63:0] old, input logic [63:0] data,
                                                 input logic [63:0] compare);
    logic below;         // data is less than old
    logic below_signed;
    below        = data < old;
    below_signed = wide ? ($signed(data) < $signed(old)) :
                          ($signed(data[31:0]) < $signed(old[31:0]));
    unique case (op)
      AtomicSwap:       return data;
      AtomicCmpSwap:    return (old == compare) ? data : old;
      AtomicAdd:        return old + data;
      AtomicSub:        return old - data;
      AtomicRSub:       return data - old;
      AtomicSMin:       return below_signed ? data : old;
      AtomicUMin:       return below ? data : old;
      AtomicSMax:       return (below_signed || (data == old)) ? old : data;
      AtomicUMax:       return below ? old : data;
      AtomicAnd:        return old & data;
      AtomicOr:         return old | data;
      AtomicXor:        return old ^ data;
      AtomicInc:        return (old >= data) ? '0 : (old + 64'd1);
      AtomicDec:        return ((old == '0) || below) ? data : (old - 64'd1);
      AtomicMSkOr:      return (old & ~data) | compare;
      AtomicWrap:       return (old >= data) ? (old - data) : (old + compare);
      AtomicCondXchg32: return {exchanged(old[63:32], data[63:32]), exchanged(old[31:0], data[31:0])};
      default:          return old;
    endcase
  endfunction

  function automatic logic [63:0] float_result(input atomic_op_e op, input logic wide,
                                               input logic [63:0] old, input logic [63:0] data,
                                               input logic [63:0] compare,
                                               input logic flush_in, input logic flush_out);
    logic [63:0] x;  // F32 at the top
    logic [63:0] y;
    logic [63:0] result;
    logic        in;
    logic        out;
    in  = flush_in && !wide;
    out = flush_out && !wide;
    x   = wide ? old : {old[31:0], 32'd0};
    y   = wide ? data : {data[31:0], 32'd0};
    unique case (op)
      AtomicFAdd: begin
        if (wide) return lds_float_pkg::add_double(old, data);
        return {32'd0, lds_float_pkg::add_single(old[31:0], data[31:0], in, out)};
      end
      AtomicFMin, AtomicFMax: begin
        result = lds_float_pkg::min_max(op == AtomicFMax, wide, x, y, in, out);
        return wide ? result : {32'd0, result[63:32]};
      end
      AtomicFCmpSwap:
        return lds_float_pkg::is_equal(wide, x, wide ? compare : {compare[31:0], 32'd0}, in) ? data : old;
      AtomicPkAddF16:
        return {32'd0, lds_float_pkg::add_half(old[31:16], data[31:16], in, out),
                lds_float_pkg::add_half(old[15:0], data[15:0], in, out)};
      default:
        return {32'd0, lds_float_pkg::add_brain(old[31:16], data[31:16], in, out),
                lds_float_pkg::add_brain(old[15:0], data[15:0], in, out)};
    endcase
  endfunction

  function automatic logic is_float(input atomic_op_e op);
    return (op >= AtomicFAdd) && (op <= AtomicPkAddBf16);
  endfunction

endpackage
