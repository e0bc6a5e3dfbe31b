// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Bit operations (HSAIL PRM 5.6, 5.7, 5.15).
#include "finalizer/kernel_translator.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Opcode;
using hsail::Type;

/// An offset or width operand, masked to the length of `type` (5.7), as a value of `type`.
llvm::Value* KernelTranslator::masked_count(const Inst& inst, size_t index, Type type) {
  Value* count = b_.CreateAnd(read(inst, index, Type::kU32), hsail::type_bits(type) - 1);
  return b_.CreateZExt(count, llvm_type(type));
}

/// `width` ones from bit `offset` up.
void KernelTranslator::bit_mask(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  Value* offset = masked_count(inst, 1, inst.type);
  Value* width = masked_count(inst, 2, inst.type);
  Value* one = llvm::ConstantInt::get(width->getType(), 1);
  Value* ones = b_.CreateSub(b_.CreateShl(one, width), one);
  write(inst, 0, b_.CreateShl(ones, offset), inst.type);
}

void KernelTranslator::bit_insert(const Inst& inst) {
  if (!require_operands(inst, 5)) return;
  Value* base = read(inst, 1, inst.type);
  Value* field = read(inst, 2, inst.type);
  Value* offset = masked_count(inst, 3, inst.type);
  Value* width = masked_count(inst, 4, inst.type);
  Value* one = llvm::ConstantInt::get(width->getType(), 1);
  Value* mask = b_.CreateShl(b_.CreateSub(b_.CreateShl(one, width), one), offset);
  Value* moved = b_.CreateAnd(b_.CreateShl(field, offset), mask);
  write(inst, 0, b_.CreateOr(b_.CreateAnd(base, b_.CreateNot(mask)), moved), inst.type);
}

void KernelTranslator::bit_reverse(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  write(inst, 0, b_.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, read(inst, 1, inst.type)),
        inst.type);
}

/// Position of the lowest one, -1 without any.
void KernelTranslator::last_bit(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  Value* x = read(inst, 1, inst.source_type);
  Value* position = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, x, b_.getFalse());
  position = b_.CreateZExtOrTrunc(position, b_.getInt32Ty());
  Value* none = b_.CreateICmpEQ(x, llvm::Constant::getNullValue(x->getType()));
  write(inst, 0, b_.CreateSelect(none, b_.getInt32(0xffffffffu), position), Type::kU32);
}

/// The low word of (src1:src0) shifted right; src1 is the high word (5.15).
void KernelTranslator::align_words(const Inst& inst) {
  if (!require_operands(inst, 4)) return;
  Value* count = read(inst, 3, Type::kU32);
  count = inst.opcode == Opcode::kByteAlign ? b_.CreateShl(b_.CreateAnd(count, 3), 3)
                                            : b_.CreateAnd(count, 31);
  Value* low = read(inst, 1, Type::kB32);
  Value* high = read(inst, 2, Type::kB32);
  write(inst, 0, intrinsic(llvm::Intrinsic::fshr, {low->getType()}, {high, low, count}),
        Type::kB32);
}

void KernelTranslator::bitwise(const Inst& inst) {
  const bool is_not = inst.opcode == Opcode::kNot;
  if (!require_operands(inst, is_not ? 2 : 3)) return;
  if (!hsail::is_bit(inst.type)) return unsupported(inst, "");
  Value* x = read(inst, 1, inst.type);
  Value* result = nullptr;
  switch (inst.opcode) {
    case Opcode::kNot:
      result = b_.CreateNot(x);
      break;
    case Opcode::kAnd:
      result = b_.CreateAnd(x, read(inst, 2, inst.type));
      break;
    case Opcode::kOr:
      result = b_.CreateOr(x, read(inst, 2, inst.type));
      break;
    default:
      result = b_.CreateXor(x, read(inst, 2, inst.type));
      break;
  }
  write(inst, 0, result, inst.type);
}

/// Offset and width are masked to the length, so a full width means 0 and gives 0 (5.7).
void KernelTranslator::bit_extract(const Inst& inst) {
  if (!require_operands(inst, 4)) return;
  if (!hsail::is_integer(inst.type)) return unsupported(inst, "");
  Value* x = read(inst, 1, inst.type);
  llvm::Type* type = x->getType();
  const unsigned bits = hsail::type_bits(inst.type);
  Value* offset = masked_count(inst, 2, inst.type);
  Value* width = masked_count(inst, 3, inst.type);
  Value* moved = b_.CreateLShr(x, offset);
  // (bits - width) mod bits; the width 0 it is wrong for is selected away.
  Value* spare = b_.CreateAnd(b_.CreateNeg(width), bits - 1);
  Value* top = b_.CreateShl(moved, spare);
  Value* field =
      hsail::is_signed(inst.type) ? b_.CreateAShr(top, spare) : b_.CreateLShr(top, spare);
  Value* zero = llvm::Constant::getNullValue(type);
  write(inst, 0, b_.CreateSelect(b_.CreateICmpEQ(width, zero), zero, field), inst.type);
}

void KernelTranslator::bit_select(const Inst& inst) {
  if (!require_operands(inst, 4)) return;
  Value* mask = read(inst, 1, inst.type);
  Value* chosen = b_.CreateAnd(read(inst, 2, inst.type), mask);
  Value* other = b_.CreateAnd(read(inst, 3, inst.type), b_.CreateNot(mask));
  write(inst, 0, b_.CreateOr(chosen, other), inst.type);
}

void KernelTranslator::pop_count(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  Value* count = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, read(inst, 1, inst.source_type));
  write(inst, 0, b_.CreateZExtOrTrunc(count, b_.getInt32Ty()), Type::kU32);
}

/// Position of the highest one counted from the top, -1 without any; signed sources complement
/// negative values first (5.7, decisions.md D18).
void KernelTranslator::first_bit(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  Value* x = read(inst, 1, inst.source_type);
  llvm::Type* type = x->getType();
  Value* zero = llvm::Constant::getNullValue(type);
  if (hsail::is_signed(inst.source_type))
    x = b_.CreateSelect(b_.CreateICmpSLT(x, zero), b_.CreateNot(x), x);
  Value* position = b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x, b_.getFalse());
  position = b_.CreateZExtOrTrunc(position, b_.getInt32Ty());
  Value* none = b_.CreateICmpEQ(x, zero);
  write(inst, 0, b_.CreateSelect(none, b_.getInt32(0xffffffffu), position), Type::kU32);
}

}  // namespace cuvette::finalizer
