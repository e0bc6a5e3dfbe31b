// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "finalizer/kernel_translator.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Opcode;
using hsail::Type;

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
  else if (inst.opcode == Opcode::kMul)
    return write(inst, 0, saturating_mad(inst), inst.type);
  else
    return unsupported(inst, "with _sat");
  Value* x = read(inst, 1, inst.type);
  Value* y = read(inst, 2, inst.type);
  write(inst, 0, b_.CreateBinaryIntrinsic(id, x, y), inst.type);
}

/// mad_sat clamps the exact value of the multiplication and the addition once (5.3): both fit in
/// twice the width and a bit. A packed mul_sat adds nothing.
llvm::Value* KernelTranslator::saturating_mad(const Inst& inst) {
  const bool is_signed = hsail::is_signed(inst.type);
  const unsigned bits = hsail::type_bits(inst.type);
  llvm::Type* wide = b_.getIntNTy(2 * bits + 8);
  auto widen = [&](Value* v) {
    return is_signed ? b_.CreateSExt(v, wide) : b_.CreateZExt(v, wide);
  };
  Value* sum = b_.CreateMul(widen(read(inst, 1, inst.type)), widen(read(inst, 2, inst.type)));
  if (inst.opcode == Opcode::kMad) sum = b_.CreateAdd(sum, widen(read(inst, 3, inst.type)));
  const unsigned wide_bits = wide->getIntegerBitWidth();
  const llvm::APInt highest = llvm::APInt::getLowBitsSet(wide_bits, is_signed ? bits - 1 : bits);
  sum = b_.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, sum,
                                 llvm::ConstantInt::get(context_, highest));
  if (is_signed)
    sum = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, sum,
                                   llvm::ConstantInt::get(context_, ~highest));
  return b_.CreateTrunc(sum, llvm_type(inst.type));
}

/// 1 when the subtraction borrows or the addition carries, signed types alike (5.2).
void KernelTranslator::borrow_carry(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  if (!is_wide_integer(inst.type)) return unsupported(inst, "");
  Value* x = read(inst, 1, inst.type);
  Value* y = read(inst, 2, inst.type);
  Value* truth = inst.opcode == Opcode::kBorrow ? b_.CreateICmpULT(x, y)
                                                : b_.CreateICmpULT(b_.CreateAdd(x, y), x);
  write(inst, 0, b_.CreateZExt(truth, x->getType()), inst.type);
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
  if ((inst.modifier & hsail::kAluIntegerSat) != 0)
    return write(inst, 0, saturating_mad(inst), inst.type);
  if (!is_wide_integer(inst.type)) return unsupported(inst, "without _sat");
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

/// The hi forms give the upper 16 bits of the 48-bit product (5.4). Sources beyond 24 bits are
/// undefined, their upper bits are ignored here.
void KernelTranslator::mul24(const Inst& inst) {
  const bool mad = inst.opcode == Opcode::kMad24 || inst.opcode == Opcode::kMad24Hi;
  const bool high = inst.opcode == Opcode::kMul24Hi || inst.opcode == Opcode::kMad24Hi;
  if (!require_operands(inst, mad ? 4 : 3)) return;
  if (!is_wide_integer(inst.type) || hsail::type_bits(inst.type) != 32)
    return unsupported(inst, "");
  const bool is_signed = hsail::is_signed(inst.type);
  Value* x = read(inst, 1, inst.type);
  Value* y = read(inst, 2, inst.type);
  Value* result = nullptr;
  if (high)
    result =
        intrinsic(is_signed ? llvm::Intrinsic::amdgcn_mulhi_i24 : llvm::Intrinsic::amdgcn_mulhi_u24,
                  {}, {x, y});
  else
    result =
        intrinsic(is_signed ? llvm::Intrinsic::amdgcn_mul_i24 : llvm::Intrinsic::amdgcn_mul_u24,
                  {b_.getInt32Ty()}, {x, y});
  if (mad) result = b_.CreateAdd(result, read(inst, 3, inst.type));
  write(inst, 0, result, inst.type);
}

void KernelTranslator::shift(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  if (!is_wide_integer(inst.type)) return unsupported(inst, "");
  Value* x = read(inst, 1, inst.type);
  Value* count = b_.CreateAnd(read(inst, 2, Type::kU32), hsail::type_bits(inst.type) - 1);
  count = b_.CreateZExtOrTrunc(count, x->getType());
  Value* result = nullptr;
  if (inst.opcode == Opcode::kShl)
    result = b_.CreateShl(x, count);
  else
    result = hsail::is_signed(inst.type) ? b_.CreateAShr(x, count) : b_.CreateLShr(x, count);
  write(inst, 0, result, inst.type);
}

}  // namespace cuvette::finalizer
