// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "finalizer/kernel_translator.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Opcode;
using hsail::Type;

namespace {

bool is_wide_integer(Type type) {
  return hsail::is_integer(type) && hsail::type_bits(type) >= 32;
}

}  // namespace

void KernelTranslator::integer_binary(const Inst& inst) {
  if (!is_wide_integer(inst.type)) return unsupported(inst, "without _sat");
  Value* x = read(inst, 1, inst.type);
  Value* y = read(inst, 2, inst.type);
  const bool is_signed = hsail::is_signed(inst.type);
  Value* result = nullptr;
  switch (inst.opcode) {
    case Opcode::kAdd:
      result = b_.CreateAdd(x, y);
      break;
    case Opcode::kSub:
      result = b_.CreateSub(x, y);
      break;
    case Opcode::kMul:
      result = b_.CreateMul(x, y);
      break;
    case Opcode::kMax:
      result =
          b_.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, x, y);
      break;
    default:
      result =
          b_.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, x, y);
      break;
  }
  write(inst, 0, result, inst.type);
}

void KernelTranslator::integer_saturating(const Inst& inst) {
  const bool is_signed = hsail::is_signed(inst.type);
  llvm::Intrinsic::ID id;
  if (inst.opcode == Opcode::kAdd)
    id = is_signed ? llvm::Intrinsic::sadd_sat : llvm::Intrinsic::uadd_sat;
  else if (inst.opcode == Opcode::kSub)
    id = is_signed ? llvm::Intrinsic::ssub_sat : llvm::Intrinsic::usub_sat;
  else
    return unsupported(inst, "with _sat");
  Value* x = read(inst, 1, inst.type);
  Value* y = read(inst, 2, inst.type);
  write(inst, 0, b_.CreateBinaryIntrinsic(id, x, y), inst.type);
}

/// A divisor of 0 and MIN / -1 give undefined values (5.2), which must not become undefined
/// behaviour of LLVM: the divisor is replaced by 1 there.
void KernelTranslator::integer_divide(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  if (!is_wide_integer(inst.type)) return unsupported(inst, "");
  Value* x = read(inst, 1, inst.type);
  Value* y = read(inst, 2, inst.type);
  llvm::Type* type = x->getType();
  Value* one = llvm::ConstantInt::get(type, 1);
  Value* bad = b_.CreateICmpEQ(y, llvm::Constant::getNullValue(type));
  const bool is_signed = hsail::is_signed(inst.type);
  if (is_signed) {
    Value* minimum =
        llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getIntegerBitWidth()));
    Value* overflow = b_.CreateAnd(b_.CreateICmpEQ(x, minimum),
                                   b_.CreateICmpEQ(y, llvm::Constant::getAllOnesValue(type)));
    bad = b_.CreateOr(bad, overflow);
  }
  y = b_.CreateSelect(bad, one, y);
  Value* result = nullptr;
  if (inst.opcode == Opcode::kDiv)
    result = is_signed ? b_.CreateSDiv(x, y) : b_.CreateUDiv(x, y);
  else
    result = is_signed ? b_.CreateSRem(x, y) : b_.CreateURem(x, y);
  write(inst, 0, result, inst.type);
}

void KernelTranslator::mul_hi(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  if (!is_wide_integer(inst.type)) return unsupported(inst, "");
  const unsigned bits = hsail::type_bits(inst.type);
  llvm::Type* twice = b_.getIntNTy(2 * bits);
  auto widen = [&](Value* v) {
    return hsail::is_signed(inst.type) ? b_.CreateSExt(v, twice) : b_.CreateZExt(v, twice);
  };
  Value* product = b_.CreateMul(widen(read(inst, 1, inst.type)), widen(read(inst, 2, inst.type)));
  write(inst, 0, b_.CreateTrunc(b_.CreateLShr(product, bits), llvm_type(inst.type)), inst.type);
}

void KernelTranslator::integer_mad(const Inst& inst) {
  if (!is_wide_integer(inst.type) || (inst.modifier & hsail::kAluIntegerSat) != 0)
    return unsupported(inst, "with _sat");
  Value* product = b_.CreateMul(read(inst, 1, inst.type), read(inst, 2, inst.type));
  write(inst, 0, b_.CreateAdd(product, read(inst, 3, inst.type)), inst.type);
}

void KernelTranslator::integer_unary(const Inst& inst) {
  if (!is_wide_integer(inst.type)) return unsupported(inst, "");
  Value* x = read(inst, 1, inst.type);
  Value* negative = b_.CreateNeg(x);
  Value* result = negative;
  if (inst.opcode == Opcode::kAbs)
    result = b_.CreateSelect(b_.CreateICmpSLT(x, llvm::Constant::getNullValue(x->getType())),
                             negative, x);
  write(inst, 0, result, inst.type);
}

void KernelTranslator::mul24(const Inst& inst) {
  const bool mad = inst.opcode == Opcode::kMad24;
  if (!require_operands(inst, mad ? 4 : 3)) return;
  if (!is_wide_integer(inst.type) || hsail::type_bits(inst.type) != 32)
    return unsupported(inst, "");
  const auto id = hsail::is_signed(inst.type) ? llvm::Intrinsic::amdgcn_mul_i24
                                              : llvm::Intrinsic::amdgcn_mul_u24;
  Value* result =
      intrinsic(id, {b_.getInt32Ty()}, {read(inst, 1, inst.type), read(inst, 2, inst.type)});
  if (mad) result = b_.CreateAdd(result, read(inst, 3, inst.type));
  write(inst, 0, result, inst.type);
}

void KernelTranslator::shift(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  if (!is_wide_integer(inst.type)) return unsupported(inst, "");
  Value* x = read(inst, 1, inst.type);
  Value* count = b_.CreateAnd(read(inst, 2, Type::kU32), hsail::type_bits(inst.type) - 1);
  count = b_.CreateZExt(count, x->getType());
  Value* result = nullptr;
  if (inst.opcode == Opcode::kShl)
    result = b_.CreateShl(x, count);
  else
    result = hsail::is_signed(inst.type) ? b_.CreateAShr(x, count) : b_.CreateLShr(x, count);
  write(inst, 0, result, inst.type);
}

void KernelTranslator::bitwise(const Inst& inst) {
  const bool is_not = inst.opcode == Opcode::kNot;
  if (!require_operands(inst, is_not ? 2 : 3)) return;
  if (!hsail::is_bit(inst.type) && !is_wide_integer(inst.type)) return unsupported(inst, "");
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
  if (!is_wide_integer(inst.type)) return unsupported(inst, "");
  Value* x = read(inst, 1, inst.type);
  llvm::Type* type = x->getType();
  const unsigned bits = hsail::type_bits(inst.type);
  Value* offset = b_.CreateZExt(b_.CreateAnd(read(inst, 2, Type::kU32), bits - 1), type);
  Value* width = b_.CreateZExt(b_.CreateAnd(read(inst, 3, Type::kU32), bits - 1), type);
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
