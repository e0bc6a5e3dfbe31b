// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Rounding modes other than near (HSAIL PRM 4.19.2). LLVM assumes the mode never changes and would
// move an operation away from a change of MODE, so setting it, the operation and setting it back
// are one inline assembly.
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>

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

}  // namespace

unsigned KernelTranslator::mode_bits(Round round) {
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

const char* KernelTranslator::directed_instruction(const Inst& inst) {
  for (const DirectedRow& row : kDirected)
    if (row.opcode == inst.opcode && row.type == inst.type) return row.instruction;
  return nullptr;
}

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

/// `near` is an exact value rounded to the nearest, and the exact value lies above it where `rest`
/// is positive, below where it is negative: the exact value rounded as asked. `near` is normal.
llvm::Value* KernelTranslator::step_toward(Round round, Value* near, Value* rest) {
  llvm::Type* integer = b_.getIntNTy(near->getType()->getPrimitiveSizeInBits());
  Value* zero = llvm::Constant::getNullValue(near->getType());
  Value* above = b_.CreateFCmpOGT(rest, zero);
  Value* below = b_.CreateFCmpOLT(rest, zero);
  Value* negative = b_.CreateFCmpOLT(near, zero);
  Value* bits = b_.CreateBitCast(near, integer);
  Value* one = llvm::ConstantInt::get(integer, 1);
  Value* outward = b_.CreateAdd(bits, one);
  Value* inward = b_.CreateSub(bits, one);
  Value* up = b_.CreateSelect(negative, inward, outward);
  Value* down = b_.CreateSelect(negative, outward, inward);
  Value* raised = b_.CreateSelect(above, up, bits);
  Value* lowered = b_.CreateSelect(below, down, bits);
  Value* result = round == Round::kFloatUp     ? raised
                  : round == Round::kFloatDown ? lowered
                                               : b_.CreateSelect(negative, raised, lowered);
  return b_.CreateBitCast(result, near->getType());
}

/// A quotient of two f32 has either 24 bits or differs from every such number by more than an f64
/// rounding (2^-48 of it at least), so rounding the f64 quotient gives the one rounding asked for;
/// f16 in f32 alike. An f64 quotient of the significands comes from the nearest one and the sign of
/// its exact remainder; scaling it rounds a second time, only for subnormals and in the same
/// direction.
llvm::Value* KernelTranslator::directed_quotient(Round round, Value* x, Value* y) {
  llvm::Type* type = x->getType();
  llvm::Type* f32 = b_.getFloatTy();
  llvm::Type* f64 = b_.getDoubleTy();
  if (type != f64) {
    llvm::Type* wide = type == f32 ? f64 : f32;
    Value* near = b_.CreateFDiv(b_.CreateFPExt(x, wide), b_.CreateFPExt(y, wide));
    return directed(round, type == f32 ? "v_cvt_f32_f64 $0, $1" : "v_cvt_f16_f32 $0, $1", type,
                    {near});
  }
  const auto significand = [&](Value* v) {
    return intrinsic(llvm::Intrinsic::amdgcn_frexp_mant, {f64}, {v});
  };
  const auto exponent = [&](Value* v) {
    return intrinsic(llvm::Intrinsic::amdgcn_frexp_exp, {b_.getInt32Ty(), f64}, {v});
  };
  Value* dividend = significand(x);
  Value* divisor = significand(y);
  Value* near = b_.CreateFDiv(dividend, divisor);
  Value* remainder =
      intrinsic(llvm::Intrinsic::fma, {f64}, {b_.CreateFNeg(near), divisor, dividend});
  // remainder / divisor is what the exact quotient has more than `near`.
  Value* rest = b_.CreateSelect(b_.CreateFCmpOLT(divisor, llvm::Constant::getNullValue(f64)),
                                b_.CreateFNeg(remainder), remainder);
  Value* scaled =
      directed(round, "v_ldexp_f64 $0, $1, $2", f64,
               {step_toward(round, near, rest), b_.CreateSub(exponent(x), exponent(y))});
  // Exact, or a NaN.
  const unsigned special = llvm::fcZero | llvm::fcInf | llvm::fcNan;
  Value* exact = b_.CreateOr(b_.createIsFPClass(x, special), b_.createIsFPClass(y, special));
  return b_.CreateSelect(exact, b_.CreateFDiv(x, y), scaled);
}

/// As directed_quotient. The significand is scaled to [1/4, 1) by an even power of two; the root
/// of an f64 is never subnormal, so scaling it back is exact.
llvm::Value* KernelTranslator::directed_root(Round round, Value* x) {
  llvm::Type* type = x->getType();
  llvm::Type* f32 = b_.getFloatTy();
  llvm::Type* f64 = b_.getDoubleTy();
  if (type != f64) {
    llvm::Type* wide = type == f32 ? f64 : f32;
    Value* near = b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, b_.CreateFPExt(x, wide));
    return directed(round, type == f32 ? "v_cvt_f32_f64 $0, $1" : "v_cvt_f16_f32 $0, $1", type,
                    {near});
  }
  Value* exponent = intrinsic(llvm::Intrinsic::amdgcn_frexp_exp, {b_.getInt32Ty(), f64}, {x});
  Value* half = b_.CreateAShr(b_.CreateAdd(exponent, i32(1)), 1);
  Value* even = b_.CreateShl(half, 1);
  Value* scaled =
      intrinsic(llvm::Intrinsic::ldexp, {f64, b_.getInt32Ty()}, {x, b_.CreateNeg(even)});
  Value* near = b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, scaled);
  Value* rest = intrinsic(llvm::Intrinsic::fma, {f64}, {b_.CreateFNeg(near), near, scaled});
  Value* root = intrinsic(llvm::Intrinsic::ldexp, {f64, b_.getInt32Ty()},
                          {step_toward(round, near, rest), half});
  Value* exact = b_.createIsFPClass(x, llvm::fcZero | llvm::fcInf | llvm::fcNan | llvm::fcNegative);
  return b_.CreateSelect(exact, b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x), root);
}

/// add, sub, mul, div, fma and mad; nullptr for others.
llvm::Value* KernelTranslator::directed_arithmetic(const Inst& inst,
                                                   llvm::ArrayRef<Value*> sources) {
  const Round round = rounding(inst);
  if (inst.opcode == Opcode::kDiv) return directed_quotient(round, sources[0], sources[1]);
  const char* instruction = directed_instruction(inst);
  if (instruction == nullptr) return nullptr;
  return directed(round, instruction, llvm_type(inst.type), sources);
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
