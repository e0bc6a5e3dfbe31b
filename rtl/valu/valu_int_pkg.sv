// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0

// Integer arithmetic of one lane: complete in the first execution stage.

package valu_int_pkg;

  import valu_op_pkg::*;

  typedef struct packed {
    logic        mask;  // carry, borrow or compare result
    logic [31:0] bits;
  } int_result_t;

  // 32-bit addition and subtraction. With `saturate` an unsigned result that leaves its range
  // becomes all ones or zero, a signed one the nearest bound; the carry is that of the plain
  // result.
  function automatic int_result_t add(input logic [4:0] func, input logic [31:0] src0,
                                      input logic [31:0] src1, input logic carry_in,
                                      input logic saturate);
    int_result_t result;
    logic [31:0] x;
    logic [31:0] y;
    logic [32:0] wide;
    logic        subtract;
    logic        is_signed;
    logic        carry;
    logic        overflow;
    subtract  = 1'b1;
    is_signed = 1'b0;
    carry     = 1'b0;
    x         = src0;
    y         = src1;
    unique case (func)
      FuncAddU32, FuncAddCoU32: subtract = 1'b0;
      FuncAddI32: begin
        subtract  = 1'b0;
        is_signed = 1'b1;
      end
      FuncSubI32: is_signed = 1'b1;
      FuncSubrevU32, FuncSubrevCoU32: begin
        x = src1;
        y = src0;
      end
      FuncAddcCoU32: begin
        subtract = 1'b0;
        carry    = carry_in;
      end
      FuncSubbCoU32: carry = carry_in;
      FuncSubbrevCoU32: begin
        x     = src1;
        y     = src0;
        carry = carry_in;
      end
      default: ;
    endcase
    if (subtract) begin
      wide = {1'b0, x} - {1'b0, y} - {32'd0, carry};
    end else begin
      wide = {1'b0, x} + {1'b0, y} + {32'd0, carry};
    end
    result.mask = wide[32];
    result.bits = wide[31:0];
    if (saturate) begin
      overflow = (x[31] == (y[31] ^ subtract)) && (wide[31] != x[31]);
      if (is_signed && overflow) begin
        result.bits = {x[31], {31{~x[31]}}};
      end else if (!is_signed && wide[32]) begin
        result.bits = {32{!subtract}};
      end
    end
    return result;
  endfunction

  // Shifts take the amount from the low five bits of source 0.
  function automatic logic [31:0] shift(input logic [4:0] func, input logic [4:0] amount,
                                        input logic [31:0] src1);
    unique case (func)
      FuncLshlrevB32: return src1 << amount;
      FuncLshrrevB32: return src1 >> amount;
      default:        return $signed(src1) >>> amount;
    endcase
  endfunction

  function automatic logic [31:0] logic_op(input logic [4:0] func, input logic [31:0] src0,
                                           input logic [31:0] src1);
    unique case (func)
      FuncAndB32: return src0 & src1;
      FuncOrB32:  return src0 | src1;
      FuncXnorB32: return ~(src0 ^ src1);
      default:    return src0 ^ src1;
    endcase
  endfunction

  function automatic logic [31:0] multiply(input logic [4:0] func, input logic [31:0] src0,
                                           input logic [31:0] src1);
    logic signed [63:0] product;
    logic signed [63:0] x;
    logic signed [63:0] y;
    logic               is_signed;
    is_signed = func == FuncMulHiI32;
    x         = {{32{is_signed & src0[31]}}, src0};
    y         = {{32{is_signed & src1[31]}}, src1};
    product   = x * y;
    return (func == FuncMulLoU32) ? product[31:0] : product[63:32];
  endfunction

  function automatic logic is_less(input logic is_signed, input logic [31:0] src0,
                                   input logic [31:0] src1);
    // Flipping the sign bits turns the signed order into the unsigned one.
    return (src0 ^ {is_signed, 31'd0}) < (src1 ^ {is_signed, 31'd0});
  endfunction

  // VOPC condition codes: bit 0 less, 1 equal, 2 greater; bit 3 selects the unsigned table.
  function automatic logic compare(input logic [3:0] func, input logic [31:0] src0,
                                   input logic [31:0] src1);
    logic less;
    logic equal;
    less  = is_less(!func[3], src0, src1);
    equal = src0 == src1;
    return |(func[2:0] & {!less && !equal, equal, less});
  endfunction

  function automatic logic [31:0] select(input logic [4:0] func, input logic [31:0] src0,
                                         input logic [31:0] src1);
    logic is_signed;
    logic take_less;
    is_signed = (func == FuncMinI32) || (func == FuncMaxI32);
    take_less = (func == FuncMinI32) || (func == FuncMinU32);
    return (is_less(is_signed, src0, src1) == take_less) ? src0 : src1;
  endfunction

  function automatic logic [31:0] move(input logic [4:0] func, input logic [31:0] src0,
                                       input logic [31:0] src1, input logic mask);
    unique case (func)
      FuncMovB32: return src0;
      FuncNotB32: return ~src0;
      default:    return mask ? src1 : src0;
    endcase
  endfunction

  // Every integer operation of a lane.
  function automatic int_result_t execute(input unit_e unit, input logic [4:0] func,
                                          input logic [31:0] src0, input logic [31:0] src1,
                                          input logic mask, input logic saturate);
    /* verilator no_inline_task */
    int_result_t result;
    result = '0;
    unique case (unit)
      UnitAdd:     result = add(func, src0, src1, mask, saturate);
      UnitShift:   result.bits = shift(func, src0[4:0], src1);
      UnitLogic:   result.bits = logic_op(func, src0, src1);
      UnitMinMax:  result.bits = select(func, src0, src1);
      UnitMul:     result.bits = multiply(func, src0, src1);
      UnitCompare: result.mask = compare(func[3:0], src0, src1);
      default: ;
    endcase
    return result;
  endfunction

endpackage
