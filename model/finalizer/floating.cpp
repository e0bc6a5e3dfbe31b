// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "finalizer/kernel_translator.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Opcode;
using hsail::Round;
using hsail::Type;

/// A zero of the same sign for a subnormal source or a tiny result (4.19.3). Tiny is what stays
/// below the least normal number when it is rounded with unbounded exponent (decisions.md D27): a
/// result that the range of the format rounds up to that number may be. `twice`, the rounding of a
/// value twice as large, tells: next to twice the least normal number it has the full precision.
llvm::Value* KernelTranslator::flush_tiny(Value* value, Value* twice) {
  llvm::Type* type = value->getType();
  Value* tiny = b_.createIsFPClass(value, llvm::fcSubnormal);
  if (twice != nullptr) {
    const auto least = llvm::APFloat::getSmallestNormalized(type->getFltSemantics());
    const auto bound = llvm::scalbn(least, 1, llvm::APFloat::rmNearestTiesToEven);
    Value* size = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, twice);
    tiny = b_.CreateOr(tiny, b_.CreateFCmpOLT(size, llvm::ConstantFP::get(type, bound)));
  }
  Value* zero = b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign,
                                         llvm::Constant::getNullValue(type), value);
  return b_.CreateSelect(tiny, zero, value);
}

/// Exact where it matters: no source of an inexact result near the least normal number is near the
/// largest one.
llvm::Value* KernelTranslator::doubled(Value* value) {
  return b_.CreateFMul(value, llvm::ConstantFP::get(value->getType(), 2.0));
}

/// A tiny result can round up to the least normal number and has to become zero. Sums that small
/// are exact, and nothing rounds up toward zero.
bool KernelTranslator::carries_to_normal(const Inst& inst) const {
  const bool rounds = inst.opcode == Opcode::kMul || inst.opcode == Opcode::kDiv ||
                      inst.opcode == Opcode::kFma || inst.opcode == Opcode::kMad ||
                      inst.opcode == Opcode::kCvt;
  return rounds && (inst.modifier & hsail::kAluFtz) != 0 && rounding(inst) != Round::kFloatZero;
}

namespace {

/// V_FMA_F16 and V_DIV_FIXUP_F16 keep the upper half of their destination, and a copied sign brings
/// the upper half of its source. LLVM 19 forgets that when a canonicalize behind them becomes a
/// copy, so these canonicalise their sources.
bool canonical_sources(const Inst& inst) {
  return inst.type == Type::kF16 && (inst.opcode == Opcode::kFma || inst.opcode == Opcode::kMad ||
                                     inst.opcode == Opcode::kNfma || inst.opcode == Opcode::kDiv ||
                                     inst.opcode == Opcode::kFract);
}

}  // namespace

llvm::Value* KernelTranslator::canonicalize(Value* value) {
  return b_.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, value);
}

llvm::Value* KernelTranslator::read_float(const Inst& inst, size_t index) {
  Value* value = read(inst, index, inst.type);
  if (canonical_sources(inst)) value = canonicalize(value);
  return (inst.modifier & hsail::kAluFtz) != 0 ? flush_tiny(value) : value;
}

std::vector<llvm::Value*> KernelTranslator::read_floats(const Inst& inst) {
  std::vector<Value*> sources;
  for (size_t i = 1; i < inst.operands.size(); ++i) sources.push_back(read_float(inst, i));
  return sources;
}

/// Canonicalising makes sure that a NaN result is quiet (4.19.4) even where LLVM folds x * 1 to x;
/// it costs nothing behind an arithmetic instruction.
void KernelTranslator::write_float(const Inst& inst, Value* value, Value* twice) {
  if (!canonical_sources(inst)) value = canonicalize(value);
  if ((inst.modifier & hsail::kAluFtz) != 0) value = flush_tiny(value, twice);
  write(inst, 0, value, inst.type);
}

/// minNum and maxNum of IEEE 754-2008 (5.11): a quiet NaN loses to a number, a signaling NaN does
/// not.
llvm::Value* KernelTranslator::float_min_max(bool is_max, Value* x, Value* y) {
  Value* chosen =
      b_.CreateBinaryIntrinsic(is_max ? llvm::Intrinsic::maxnum : llvm::Intrinsic::minnum, x, y);
  for (Value* source : {y, x}) {
    Value* signaling = b_.createIsFPClass(source, llvm::fcSNan);
    Value* quiet = canonicalize(source);
    chosen = b_.CreateSelect(signaling, quiet, chosen);
  }
  return chosen;
}

/// add, sub, mul, div, fma, mad and nfma of `x`, rounded as the instruction says; nullptr for
/// others.
llvm::Value* KernelTranslator::arithmetic(const Inst& inst, llvm::ArrayRef<Value*> x) {
  if (rounding(inst) != Round::kFloatNear) {
    if (Value* result = directed_arithmetic(inst, x)) return result;
  }
  switch (inst.opcode) {
    case Opcode::kAdd:
      return b_.CreateFAdd(x[0], x[1]);
    case Opcode::kSub:
      return b_.CreateFSub(x[0], x[1]);
    case Opcode::kMul:
      return b_.CreateFMul(x[0], x[1]);
    case Opcode::kDiv:
      return b_.CreateFDiv(x[0], x[1]);
    case Opcode::kFma:
    case Opcode::kMad:
    case Opcode::kNfma:
      return intrinsic(llvm::Intrinsic::fma, {x[0]->getType()}, x);
    default:
      return nullptr;
  }
}

void KernelTranslator::float_arithmetic(const Inst& inst) {
  std::vector<Value*> sources = read_floats(inst);
  Value* result = arithmetic(inst, sources);
  if (result == nullptr) return unsupported(inst, "");
  Value* twice = nullptr;
  if (carries_to_normal(inst)) {
    // One factor or the dividend, and the addend.
    for (size_t i = 0; i < sources.size(); i += 2) sources[i] = doubled(sources[i]);
    twice = arithmetic(inst, sources);
  }
  write_float(inst, result, twice);
}

void KernelTranslator::float_binary(const Inst& inst) {
  if (inst.opcode != Opcode::kMax && inst.opcode != Opcode::kMin) return float_arithmetic(inst);
  Value* x = read_float(inst, 1);
  Value* y = read_float(inst, 2);
  write_float(inst, float_min_max(inst.opcode == Opcode::kMax, x, y));
}

void KernelTranslator::float_unary(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  if (!hsail::is_float(inst.type)) return unsupported(inst, "");
  if (inst.opcode == Opcode::kSqrt && rounding(inst) != Round::kFloatNear)
    return write_float(inst, directed_root(rounding(inst), read_float(inst, 1)));
  llvm::Intrinsic::ID id;
  switch (inst.opcode) {
    case Opcode::kCeil:
      id = llvm::Intrinsic::ceil;
      break;
    case Opcode::kFloor:
      id = llvm::Intrinsic::floor;
      break;
    case Opcode::kTrunc:
      id = llvm::Intrinsic::trunc;
      break;
    case Opcode::kRint:
      id = llvm::Intrinsic::roundeven;
      break;
    default:
      id = llvm::Intrinsic::sqrt;
      break;
  }
  write_float(inst, b_.CreateUnaryIntrinsic(id, read_float(inst, 1)));
}

void KernelTranslator::float_fma(const Inst& inst) {
  if (!require_operands(inst, 4)) return;
  if (!hsail::is_float(inst.type)) return unsupported(inst, "");
  float_arithmetic(inst);
}

/// x - floor(x) held below one; zeros give themselves, infinities a zero of their sign (5.11.2).
void KernelTranslator::float_fract(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  if (!hsail::is_float(inst.type)) return unsupported(inst, "");
  Value* x = read_float(inst, 1);
  llvm::Type* type = x->getType();
  Value* whole = b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x);
  const Round round = rounding(inst);
  Value* rest =
      round == Round::kFloatNear ? b_.CreateFSub(x, whole)
      : inst.type == Type::kF16  ? directed(round, "v_sub_f16 $0, $1, $2", type, {x, whole})
      : inst.type == Type::kF32  ? directed(round, "v_sub_f32 $0, $1, $2", type, {x, whole})
                                 : directed(round, "v_add_f64 $0, $1, -$2", type, {x, whole});
  llvm::APFloat below_one(type->getFltSemantics(), 1);
  below_one.next(/*nextDown=*/true);
  Value* limit = llvm::ConstantFP::get(context_, below_one);
  rest = b_.CreateSelect(b_.CreateFCmpOGT(rest, limit), limit, rest);
  Value* zero =
      b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, llvm::Constant::getNullValue(type), x);
  Value* special = b_.createIsFPClass(x, llvm::fcZero | llvm::fcInf);
  write_float(inst, b_.CreateSelect(special, zero, rest));
}

/// A bit operation (5.13).
void KernelTranslator::copy_sign(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  if (!hsail::is_float(inst.type)) return unsupported(inst, "");
  Value* magnitude = read(inst, 1, inst.type);
  Value* sign = read(inst, 2, inst.type);
  write(inst, 0, b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign), inst.type);
}

/// The ten classes have the bits of the hardware's class test (Table 5-23); bits above are ignored.
void KernelTranslator::classify(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  if (!hsail::is_float(inst.source_type)) return unsupported(inst, "");
  Value* x = read(inst, 1, inst.source_type);
  Value* classes = b_.CreateAnd(read(inst, 2, Type::kU32), 0x3ff);
  write(inst, 0, intrinsic(llvm::Intrinsic::amdgcn_class, {x->getType()}, {x, classes}), Type::kB1);
}

/// One hardware instruction each, accuracy of the machine (5.14).
void KernelTranslator::float_native(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  if (!hsail::is_float(inst.type)) return unsupported(inst, "");
  llvm::Intrinsic::ID id = llvm::Intrinsic::amdgcn_sqrt;
  if (inst.opcode == Opcode::kNrcp) id = llvm::Intrinsic::amdgcn_rcp;
  if (inst.opcode == Opcode::kNrsqrt) id = llvm::Intrinsic::amdgcn_rsq;
  if (inst.opcode == Opcode::kNexp2) id = llvm::Intrinsic::amdgcn_exp2;
  if (inst.opcode == Opcode::kNlog2) id = llvm::Intrinsic::amdgcn_log;
  Value* x = read(inst, 1, inst.type);
  write(inst, 0, intrinsic(id, {x->getType()}, {x}), inst.type);
}

/// The machine takes turns, up to 256 of them: radians times 1 / (2 pi), whole turns taken off
/// beyond (5.14).
void KernelTranslator::float_trigonometric(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  llvm::Type* type = b_.getFloatTy();
  Value* per_radian = b_.CreateBitCast(i32(0x3e22f983), type);
  Value* turns = b_.CreateFMul(read(inst, 1, Type::kF32), per_radian);
  Value* size = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, turns);
  Value* far = b_.CreateFCmpOGT(size, llvm::ConstantFP::get(type, 256.0));
  Value* rest = intrinsic(llvm::Intrinsic::amdgcn_fract, {type}, {turns});
  Value* argument = b_.CreateSelect(far, rest, turns);
  const auto id =
      inst.opcode == Opcode::kNsin ? llvm::Intrinsic::amdgcn_sin : llvm::Intrinsic::amdgcn_cos;
  write(inst, 0, intrinsic(id, {type}, {argument}), Type::kF32);
}

}  // namespace cuvette::finalizer
