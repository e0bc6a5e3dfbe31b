// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Rounding modes other than near (HSAIL PRM 4.19.2). LLVM assumes the mode never changes and would
// move an operation away from a change of MODE, so setting it, the operation and setting it back
// are one piece of inline assembly.
#include <llvm/IR/InlineAsm.h>

#include "finalizer/kernel_translator.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Opcode;
using hsail::Round;
using hsail::Type;

namespace {

struct DirectedRow {
  Opcode opcode;
  Type type;
  const char* instruction;
};

constexpr DirectedRow kDirected[] = {
    {Opcode::kAdd, Type::kF16, "v_add_f16 $0, $1, $2"},
    {Opcode::kSub, Type::kF16, "v_sub_f16 $0, $1, $2"},
    {Opcode::kMul, Type::kF16, "v_mul_f16 $0, $1, $2"},
    {Opcode::kFma, Type::kF16, "v_fma_f16 $0, $1, $2, $3"},
    {Opcode::kMad, Type::kF16, "v_fma_f16 $0, $1, $2, $3"},
    {Opcode::kAdd, Type::kF32, "v_add_f32 $0, $1, $2"},
    {Opcode::kSub, Type::kF32, "v_sub_f32 $0, $1, $2"},
    {Opcode::kMul, Type::kF32, "v_mul_f32 $0, $1, $2"},
    {Opcode::kFma, Type::kF32, "v_fma_f32 $0, $1, $2, $3"},
    {Opcode::kMad, Type::kF32, "v_fma_f32 $0, $1, $2, $3"},
    {Opcode::kAdd, Type::kF64, "v_add_f64 $0, $1, $2"},
    {Opcode::kSub, Type::kF64, "v_add_f64 $0, $1, -$2"},
    {Opcode::kMul, Type::kF64, "v_mul_f64 $0, $1, $2"},
    {Opcode::kFma, Type::kF64, "v_fma_f64 $0, $1, $2, $3"},
    {Opcode::kMad, Type::kF64, "v_fma_f64 $0, $1, $2, $3"},
};

/// The value of MODE.fp_round for one format.
unsigned mode_bits(Round round) {
  switch (round) {
    case Round::kFloatUp:
      return 1;
    case Round::kFloatDown:
      return 2;
    case Round::kFloatZero:
      return 3;
    default:
      return 0;
  }
}

}  // namespace

/// The rounding of a float instruction, the module's default resolved.
Round KernelTranslator::rounding(const Inst& inst) const {
  if (inst.round != Round::kNone && inst.round != Round::kFloatDefault) return inst.round;
  const hsail::ModuleHeader* header = module_.header();
  return header != nullptr && header->default_round == Round::kFloatZero ? Round::kFloatZero
                                                                         : Round::kFloatNear;
}

/// One vector instruction under another rounding mode. Two S_SETREG of one register need two wait
/// states between them (MI100 ISA 4.5); s_nop 1 is two.
llvm::Value* KernelTranslator::directed(Round round, const std::string& instruction,
                                        llvm::Type* result, llvm::ArrayRef<Value*> sources) {
  const unsigned bits = mode_bits(round);
  const std::string set = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), ";
  const std::string text = set + std::to_string(bits | bits << 2) + "\n\ts_nop 1\n\t" +
                           instruction + "\n\t" + set + "0\n\ts_nop 1";
  std::string constraints = "=v";
  std::vector<llvm::Type*> types;
  for (Value* source : sources) {
    constraints += ",v";
    types.push_back(source->getType());
  }
  auto* type = llvm::FunctionType::get(result, types, false);
  auto* assembly = llvm::InlineAsm::get(type, text, constraints, /*hasSideEffects=*/false);
  llvm::CallInst* call = b_.CreateCall(assembly, sources);
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

/// add, sub, mul, fma and mad; false for what has no single instruction.
bool KernelTranslator::directed_arithmetic(const Inst& inst) {
  const Round round = rounding(inst);
  for (const DirectedRow& row : kDirected) {
    if (row.opcode != inst.opcode || row.type != inst.type) continue;
    std::vector<Value*> sources;
    for (size_t i = 1; i < inst.operands.size(); ++i) sources.push_back(read_float(inst, i));
    write_float(inst, directed(round, row.instruction, llvm_type(inst.type), sources));
    return true;
  }
  return false;
}

/// Conversions to a float. Steps through a wider format round in the same direction, which gives
/// the same as one rounding.
llvm::Value* KernelTranslator::directed_convert(Round round, Type from, Type to, Value* value) {
  llvm::Type* f32 = b_.getFloatTy();
  llvm::Type* f64 = b_.getDoubleTy();
  if (hsail::is_integer(from)) {
    const bool is_signed = hsail::is_signed(from);
    if (hsail::type_bits(from) == 64) {
      // Both halves are exact, their sum rounds.
      Value* high = b_.CreateTrunc(b_.CreateLShr(value, 32), b_.getInt32Ty());
      high = is_signed ? b_.CreateSIToFP(high, f64) : b_.CreateUIToFP(high, f64);
      high = b_.CreateFMul(high, llvm::ConstantFP::get(f64, 4294967296.0));
      Value* low = b_.CreateUIToFP(b_.CreateTrunc(value, b_.getInt32Ty()), f64);
      value = directed(round, "v_add_f64 $0, $1, $2", f64, {high, low});
    } else {
      value = is_signed ? b_.CreateSIToFP(value, f64) : b_.CreateUIToFP(value, f64);
    }
  }
  if (value->getType() == f64 && to != Type::kF64)
    value = directed(round, "v_cvt_f32_f64 $0, $1", f32, {value});
  if (to == Type::kF16) value = directed(round, "v_cvt_f16_f32 $0, $1", b_.getHalfTy(), {value});
  return value;
}

}  // namespace cuvette::finalizer
