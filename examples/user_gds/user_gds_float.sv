// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Arithmetic of one float format for the atomic operations: sum to nearest even, minimum, maximum
// and equality, by the rules of docs/reference/floating_point.md with MODE.IEEE. Combinational.
module user_gds_float #(
  parameter  int unsigned ExpBits  = 8,
  parameter  int unsigned FracBits = 23,
  localparam int unsigned Bits     = 1 + ExpBits + FracBits
) (
  input  logic [Bits-1:0] a_i,          // the old value
  input  logic [Bits-1:0] b_i,          // the operand, or the value compared with
  input  logic            flush_in_i,   // subnormal operands become 0
  input  logic            flush_out_i,  // subnormal results become 0
  output logic [Bits-1:0] sum_o,
  output logic [Bits-1:0] min_o,
  output logic [Bits-1:0] max_o,
  output logic            equal_o
);

  // Carry, hidden bit, fraction, and three bits below: the last one stands for all behind it.
  localparam int unsigned SigBits = FracBits + 5;

  typedef logic [Bits-1:0]    float_t;
  typedef logic [ExpBits:0]   exp_t;
  typedef logic [SigBits-1:0] sig_t;

  localparam float_t Infinity = {1'b0, {ExpBits{1'b1}}, {FracBits{1'b0}}};
  localparam float_t Quiet    = float_t'(1) << (FracBits - 1);

  function automatic logic is_nan(input float_t x);
    return x[Bits-2:0] > Infinity[Bits-2:0];
  endfunction

  function automatic logic is_signaling(input float_t x);
    return is_nan(x) && !x[FracBits-1];
  endfunction

  function automatic float_t flushed(input float_t x, input logic on);
    return (on && (x[Bits-2:FracBits] == '0)) ? {x[Bits-1], {(Bits - 1){1'b0}}} : x;
  endfunction

  // -0 is below +0.
  function automatic logic is_below(input float_t x, input float_t y);
    if (x[Bits-1] != y[Bits-1]) return x[Bits-1];
    return x[Bits-1] ? (x[Bits-2:0] > y[Bits-2:0]) : (x[Bits-2:0] < y[Bits-2:0]);
  endfunction

  function automatic exp_t exponent_of(input float_t x);
    return (x[Bits-2:FracBits] == '0) ? exp_t'(1) : exp_t'(x[Bits-2:FracBits]);
  endfunction

  function automatic sig_t significand_of(input float_t x);
    return {1'b0, x[Bits-2:FracBits] != '0, x[FracBits-1:0], 3'b000};
  endfunction

  float_t a, b;
  assign a = flushed(a_i, flush_in_i);
  assign b = flushed(b_i, flush_in_i);

  assign equal_o = !is_nan(a) && !is_nan(b) &&
                   ((a == b) || ((a[Bits-2:0] == '0) && (b[Bits-2:0] == '0)));

  // Sum of numbers.
  float_t greater, lesser, sum;
  logic   subtracts;
  exp_t   distance, exponent, shift;
  sig_t   aligned, total, normal;
  always_comb begin
    greater     = (a[Bits-2:0] >= b[Bits-2:0]) ? a : b;
    lesser     = (a[Bits-2:0] >= b[Bits-2:0]) ? b : a;
    subtracts = greater[Bits-1] != lesser[Bits-1];
    exponent  = exponent_of(greater);
    distance  = exponent - exponent_of(lesser);
    aligned   = significand_of(lesser) >> distance;
    if ((aligned << distance) != significand_of(lesser)) aligned[0] = 1'b1;
    total     = significand_of(greater) + (subtracts ? -aligned : aligned);

    // The hidden bit is to be set, or the exponent is the least one.
    shift = exponent - exp_t'(1);
    for (int unsigned i = 0; i < SigBits - 1; i++) begin
      if (total[i] && (exp_t'(SigBits - 2 - i) < exponent)) shift = exp_t'(SigBits - 2 - i);
    end
    if (total[SigBits-1]) begin
      normal   = {1'b0, total[SigBits-1:2], total[1] | total[0]};
      exponent = exponent + exp_t'(1);
    end else begin
      normal   = total << shift;
      exponent = exponent - shift;
    end
    if (!normal[SigBits-2]) exponent = '0;

    // A carry out of the fraction goes on into the exponent.
    sum = {exponent, normal[SigBits-3:3]} +
          float_t'(normal[2] && (normal[1] || normal[0] || normal[3]));
    if (sum > Infinity) sum = Infinity;
    sum[Bits-1] = (total == '0) ? (a[Bits-1] && b[Bits-1]) : greater[Bits-1];
  end

  always_comb begin
    if (is_nan(a)) begin
      sum_o = a | Quiet;
    end else if (is_nan(b)) begin
      sum_o = b | Quiet;
    end else if (greater[Bits-2:0] == Infinity[Bits-2:0]) begin
      sum_o = greater;
      if (subtracts && (lesser[Bits-2:0] == Infinity[Bits-2:0])) sum_o = Infinity | Quiet;
    end else begin
      sum_o = flushed(sum, flush_out_i);
    end
  end

  // A signaling NaN, the first one, is given quiet; any other NaN loses to a number.
  always_comb begin
    if (is_signaling(a) || is_signaling(b)) begin
      min_o = (is_signaling(a) ? a : b) | Quiet;
      max_o = min_o;
    end else if (is_nan(a) || is_nan(b)) begin
      min_o = is_nan(a) ? b : a;
      if (!is_nan(min_o)) min_o = flushed(min_o, flush_out_i);
      max_o = min_o;
    end else begin
      min_o = flushed(is_below(b, a) ? b : a, flush_out_i);
      max_o = flushed(is_below(a, b) ? b : a, flush_out_i);
    end
  end

endmodule
