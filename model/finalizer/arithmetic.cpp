// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Opcodes that integers and floats share, and the moves.
#include "finalizer/kernel_translator.h"
#include "hsail/inst_table.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Opcode;
using hsail::Type;

void KernelTranslator::binary(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  if (hsail::is_float(inst.type)) return float_binary(inst);
  if (!hsail::is_integer(inst.type)) return unsupported(inst, "");
  if ((inst.modifier & hsail::kAluIntegerSat) != 0) return integer_saturating(inst);
  integer_binary(inst);
}

void KernelTranslator::divide(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  hsail::is_float(inst.type) ? float_binary(inst) : integer_divide(inst);
}

/// Float mad is fma: 5.12 leaves the choice to the agent, and the interpreter takes the same.
void KernelTranslator::mad(const Inst& inst) {
  if (!require_operands(inst, 4)) return;
  hsail::is_float(inst.type) ? float_fma(inst) : integer_mad(inst);
}

/// abs and neg of floats are bit operations: no flush, no quieting (5.13).
void KernelTranslator::unary(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  if (!hsail::is_float(inst.type)) return integer_unary(inst);
  Value* x = read(inst, 1, inst.type);
  Value* result = inst.opcode == Opcode::kAbs ? b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x)
                                              : b_.CreateFNeg(x);
  write(inst, 0, result, inst.type);
}

namespace {

/// The bit type of the register a type lives in.
Type register_bits(Type type) {
  switch (hsail::register_kind(type)) {
    case hsail::RegisterKind::kControl:
      return Type::kB1;
    case hsail::RegisterKind::kSingle:
      return Type::kB32;
    case hsail::RegisterKind::kDouble:
      return Type::kB64;
    default:
      return Type::kB128;
  }
}

}  // namespace

void KernelTranslator::move(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  const Type bits = register_bits(inst.type);
  write(inst, 0, read(inst, 1, bits), bits);
}

void KernelTranslator::conditional_move(const Inst& inst) {
  if (!require_operands(inst, 4)) return;
  if (element_) {  // the condition is an element too (5.10)
    Value* mask = read(inst, 1, hsail::element_type(hsail::condition_type(*element_->packed)));
    Value* chosen = b_.CreateICmpNE(mask, llvm::Constant::getNullValue(mask->getType()));
    Value* x = read(inst, 2, inst.type);
    return write(inst, 0, b_.CreateSelect(chosen, x, read(inst, 3, inst.type)), inst.type);
  }
  const Type bits = register_bits(inst.type);
  Value* condition = read(inst, 1, Type::kB1);
  write(inst, 0, b_.CreateSelect(condition, read(inst, 2, bits), read(inst, 3, bits)), bits);
}

void KernelTranslator::combine(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  llvm::Type* whole = llvm_type(inst.type);
  const unsigned step = hsail::type_bits(inst.source_type);
  Value* result = llvm::Constant::getNullValue(whole);
  unsigned at = 0;
  for (hsail::OperandRef part : elements(inst, 1)) {
    if (at >= whole->getIntegerBitWidth()) return unsupported(inst, "with too many parts");
    Value* bits = b_.CreateZExt(read_ref(part, inst.source_type), whole);
    result = b_.CreateOr(result, b_.CreateShl(bits, at));
    at += step;
  }
  write(inst, 0, result, inst.type);
}

void KernelTranslator::expand(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  Value* whole = read(inst, 1, inst.source_type);
  const unsigned step = hsail::type_bits(inst.type);
  unsigned at = 0;
  for (hsail::OperandRef part : elements(inst, 0)) {
    if (at >= whole->getType()->getIntegerBitWidth())
      return unsupported(inst, "with too many parts");
    write_ref(part, b_.CreateTrunc(b_.CreateLShr(whole, at), llvm_type(inst.type)), inst.type);
    at += step;
  }
}

}  // namespace cuvette::finalizer
