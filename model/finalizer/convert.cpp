// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/kernel_translator.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Compare;
using hsail::Inst;
using hsail::Round;
using hsail::Type;
using llvm::CmpInst;

namespace {

struct CompareRow {
  Compare compare;
  CmpInst::Predicate signed_int, unsigned_int, floating;
};

constexpr CmpInst::Predicate kNoInt = CmpInst::BAD_ICMP_PREDICATE;

// 5.18: ne is ordered, the C operator != is neu; signaling twins differ by exceptions only.
constexpr CompareRow kCompares[] = {
    {Compare::kEq, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ, CmpInst::FCMP_OEQ},
    {Compare::kNe, CmpInst::ICMP_NE, CmpInst::ICMP_NE, CmpInst::FCMP_ONE},
    {Compare::kLt, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT, CmpInst::FCMP_OLT},
    {Compare::kLe, CmpInst::ICMP_SLE, CmpInst::ICMP_ULE, CmpInst::FCMP_OLE},
    {Compare::kGt, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT, CmpInst::FCMP_OGT},
    {Compare::kGe, CmpInst::ICMP_SGE, CmpInst::ICMP_UGE, CmpInst::FCMP_OGE},
    {Compare::kEqu, kNoInt, kNoInt, CmpInst::FCMP_UEQ},
    {Compare::kNeu, kNoInt, kNoInt, CmpInst::FCMP_UNE},
    {Compare::kLtu, kNoInt, kNoInt, CmpInst::FCMP_ULT},
    {Compare::kLeu, kNoInt, kNoInt, CmpInst::FCMP_ULE},
    {Compare::kGtu, kNoInt, kNoInt, CmpInst::FCMP_UGT},
    {Compare::kGeu, kNoInt, kNoInt, CmpInst::FCMP_UGE},
    {Compare::kNum, kNoInt, kNoInt, CmpInst::FCMP_ORD},
    {Compare::kNan, kNoInt, kNoInt, CmpInst::FCMP_UNO},
    {Compare::kSeq, kNoInt, kNoInt, CmpInst::FCMP_OEQ},
    {Compare::kSne, kNoInt, kNoInt, CmpInst::FCMP_ONE},
    {Compare::kSlt, kNoInt, kNoInt, CmpInst::FCMP_OLT},
    {Compare::kSle, kNoInt, kNoInt, CmpInst::FCMP_OLE},
    {Compare::kSgt, kNoInt, kNoInt, CmpInst::FCMP_OGT},
    {Compare::kSge, kNoInt, kNoInt, CmpInst::FCMP_OGE},
    {Compare::kSequ, kNoInt, kNoInt, CmpInst::FCMP_UEQ},
    {Compare::kSneu, kNoInt, kNoInt, CmpInst::FCMP_UNE},
    {Compare::kSltu, kNoInt, kNoInt, CmpInst::FCMP_ULT},
    {Compare::kSleu, kNoInt, kNoInt, CmpInst::FCMP_ULE},
    {Compare::kSgtu, kNoInt, kNoInt, CmpInst::FCMP_UGT},
    {Compare::kSgeu, kNoInt, kNoInt, CmpInst::FCMP_UGE},
    {Compare::kSnum, kNoInt, kNoInt, CmpInst::FCMP_ORD},
    {Compare::kSnan, kNoInt, kNoInt, CmpInst::FCMP_UNO},
};

enum class IntRound { kUnknown, kNear, kZero, kUp, kDown };

struct RoundRow {
  Round round;
  IntRound direction;
  bool saturates;
};

/// From a float to a wider one, which rounds nothing.
bool widens(const Inst& inst) {
  return hsail::is_float(inst.source_type) && hsail::is_float(inst.type) &&
         hsail::type_bits(inst.type) > hsail::type_bits(inst.source_type);
}

// Signaling modes add an exception only.
constexpr RoundRow kRounds[] = {
    {Round::kNone, IntRound::kZero, false},
    {Round::kFloatDefault, IntRound::kZero, false},
    {Round::kIntNear, IntRound::kNear, false},
    {Round::kIntZero, IntRound::kZero, false},
    {Round::kIntUp, IntRound::kUp, false},
    {Round::kIntDown, IntRound::kDown, false},
    {Round::kIntNearSat, IntRound::kNear, true},
    {Round::kIntZeroSat, IntRound::kZero, true},
    {Round::kIntUpSat, IntRound::kUp, true},
    {Round::kIntDownSat, IntRound::kDown, true},
    {Round::kIntSignalNear, IntRound::kNear, false},
    {Round::kIntSignalZero, IntRound::kZero, false},
    {Round::kIntSignalUp, IntRound::kUp, false},
    {Round::kIntSignalDown, IntRound::kDown, false},
    {Round::kIntSignalNearSat, IntRound::kNear, true},
    {Round::kIntSignalZeroSat, IntRound::kZero, true},
    {Round::kIntSignalUpSat, IntRound::kUp, true},
    {Round::kIntSignalDownSat, IntRound::kDown, true},
};

}  // namespace

void KernelTranslator::compare(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  const Type type = inst.source_type;
  const CompareRow* row = nullptr;
  for (const CompareRow& candidate : kCompares)
    if (candidate.compare == inst.compare) row = &candidate;
  const bool floating = hsail::is_float(type);
  const CmpInst::Predicate predicate =
      row == nullptr ? kNoInt
                     : (floating ? row->floating
                                 : (hsail::is_signed(type) ? row->signed_int : row->unsigned_int));
  if (predicate == kNoInt || predicate == CmpInst::BAD_FCMP_PREDICATE)
    return unsupported(inst, "with comparison '" + std::string(hsail::name(inst.compare)) + "'");

  Value* x = read(inst, 1, type);
  Value* y = read(inst, 2, type);
  if (floating && (inst.modifier & hsail::kAluFtz) != 0) {
    x = flush_tiny(x);
    y = flush_tiny(y);
  }
  Value* truth = floating ? b_.CreateFCmp(predicate, x, y) : b_.CreateICmp(predicate, x, y);
  // 5.18.2: 1 for b1, all ones for integers, 1.0 for floats.
  llvm::Type* wanted = llvm_type(inst.type);
  Value* result = truth;
  if (hsail::is_float(inst.type))
    result = b_.CreateUIToFP(truth, wanted);
  else if (inst.type != Type::kB1)
    result = b_.CreateSExt(truth, wanted);
  write(inst, 0, result, inst.type);
}

void KernelTranslator::convert(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  const Type from = inst.source_type;
  const Type to = inst.type;
  Value* value = read(inst, 1, from);
  if (hsail::is_float(from) && (inst.modifier & hsail::kAluFtz) != 0) value = flush_tiny(value);
  Value* result = nullptr;
  if (to == Type::kB1) {  // a test for non-zero, NaN included
    Value* zero = llvm::Constant::getNullValue(value->getType());
    result = hsail::is_float(from) ? b_.CreateFCmpUNE(value, zero) : b_.CreateICmpNE(value, zero);
  } else if (from == Type::kB1) {
    // decisions.md D17: true is -1 for s32 and s64, 1 for every other integer.
    if (hsail::is_float(to))
      result = b_.CreateUIToFP(value, llvm_type(to));
    else if (to == Type::kS32 || to == Type::kS64)
      result = b_.CreateSExt(value, llvm_type(to));
    else
      result = b_.CreateZExt(value, llvm_type(to));
  } else if (hsail::is_integer(from) && hsail::is_integer(to)) {
    result = convert_integer(inst, value);
  } else if (hsail::is_float(from) && hsail::is_integer(to)) {
    result = convert_to_integer(inst, value);
  } else if (hsail::is_float(to) && (hsail::is_integer(from) || hsail::is_float(from))) {
    result = convert_float(inst, value);
  } else {
    unsupported(inst, "");
  }
  if (result != nullptr) write(inst, 0, result, to);
}

/// Extension goes by the sign of the source (Table 5-28); _sat clamps to the range of the
/// destination.
llvm::Value* KernelTranslator::convert_integer(const Inst& inst, Value* value) {
  const bool from_signed = hsail::is_signed(inst.source_type);
  const bool to_signed = hsail::is_signed(inst.type);
  const unsigned from = hsail::type_bits(inst.source_type);
  const unsigned to = hsail::type_bits(inst.type);
  if ((inst.modifier & hsail::kAluIntegerSat) != 0) {
    auto constant = [&](const llvm::APInt& v) {
      return llvm::ConstantInt::get(context_, v.zextOrTrunc(from));
    };
    auto clamp = [&](llvm::Intrinsic::ID id, const llvm::APInt& bound) {
      value = b_.CreateBinaryIntrinsic(id, value, constant(bound));
    };
    const unsigned top_bits = to - (to_signed ? 1 : 0);  // value bits of the destination
    if (from_signed && !to_signed) clamp(llvm::Intrinsic::smax, llvm::APInt(from, 0));
    if (from - (from_signed ? 1 : 0) > top_bits) {
      const llvm::APInt highest = llvm::APInt::getLowBitsSet(from, top_bits);
      clamp(from_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, highest);
      if (from_signed && to_signed) clamp(llvm::Intrinsic::smax, ~highest);
    }
  }
  return from_signed ? b_.CreateSExtOrTrunc(value, llvm_type(inst.type))
                     : b_.CreateZExtOrTrunc(value, llvm_type(inst.type));
}

/// Out of range without _sat is an undefined value (5.19.4), so it is frozen: LLVM must not see
/// undefined behaviour in it.
llvm::Value* KernelTranslator::convert_to_integer(const Inst& inst, Value* value) {
  Value* result = float_to_integer(inst.round, inst.type, value);
  if (result == nullptr) unsupported(inst, "with this rounding mode");
  return result;
}

llvm::Value* KernelTranslator::float_to_integer(Round round, Type to, Value* value) {
  const RoundRow* row = nullptr;
  for (const RoundRow& candidate : kRounds)
    if (candidate.round == round) row = &candidate;
  if (row == nullptr) return nullptr;
  switch (row->direction) {
    case IntRound::kNear:
      value = b_.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, value);
      break;
    case IntRound::kUp:
      value = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, value);
      break;
    case IntRound::kDown:
      value = b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, value);
      break;
    default:
      break;  // the conversion truncates
  }
  llvm::Type* wanted = llvm_type(to);
  const bool is_signed = hsail::is_signed(to);
  if (row->saturates)
    return intrinsic(is_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                     {wanted, value->getType()}, {value});
  return b_.CreateFreeze(is_signed ? b_.CreateFPToSI(value, wanted)
                                   : b_.CreateFPToUI(value, wanted));
}

/// As the instruction rounds, nothing flushed.
llvm::Value* KernelTranslator::round_to_float(const Inst& inst, Value* value) {
  const Type from = inst.source_type;
  llvm::Type* wanted = llvm_type(inst.type);
  if (!widens(inst) && rounding(inst) != Round::kFloatNear)
    return directed_convert(rounding(inst), from, inst.type, value);
  if (from == Type::kF64 && inst.type == Type::kF16) {
    // The machine has no such conversion, and LLVM's code for it drops what a NaN says (4.19.4).
    Value* by_float = b_.CreateFPTrunc(b_.CreateFPTrunc(value, b_.getFloatTy()), wanted);
    return b_.CreateSelect(b_.createIsFPClass(value, llvm::fcNan), by_float,
                           b_.CreateFPTrunc(value, wanted));
  }
  if (hsail::is_float(from)) return b_.CreateFPCast(value, wanted);
  return hsail::is_signed(from) ? b_.CreateSIToFP(value, wanted) : b_.CreateUIToFP(value, wanted);
}

llvm::Value* KernelTranslator::convert_float(const Inst& inst, Value* value) {
  if (hsail::is_float(inst.source_type)) value = canonicalize(value);  // quiet whatever LLVM folds
  Value* result = round_to_float(inst, value);
  if ((inst.modifier & hsail::kAluFtz) == 0 || widens(inst)) return result;
  Value* twice = carries_to_normal(inst) ? round_to_float(inst, doubled(value)) : nullptr;
  return flush_tiny(result, twice);
}

}  // namespace cuvette::finalizer
