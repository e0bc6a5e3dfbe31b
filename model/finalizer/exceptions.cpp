// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Exceptions under the DETECT and BREAK policies (HSAIL PRM 11.2, 12.2, 12.3). The exceptions that
// an instruction generates are computed beside its value, from its sources: by one machine
// instruction between clearing and reading TRAPSTS where one has the same exceptions, otherwise
// from the values. The detected ones are a word of group memory for each wavefront.
#include <cmath>

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "finalizer/kernel_translator.h"
#include "finalizer/llvm_target.h"
#include "hsail/inst_table.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Opcode;
using hsail::Round;
using hsail::Type;

namespace {

constexpr uint32_t kInvalid = 1, kByZero = 2, kUnderflow = 8, kInexact = 16;
constexpr unsigned kFiniteNonZero = llvm::fcNormal | llvm::fcSubnormal;
constexpr unsigned kFinite = kFiniteNonZero | llvm::fcZero;

/// The operands of assembly one place further: the word of flags becomes operand 1.
std::string with_flags_operand(const std::string& instruction) {
  std::string text;
  for (size_t i = 0; i < instruction.size(); ++i) {
    text += instruction[i];
    if (instruction[i] == '$' && instruction[i + 1] != '0')
      text += static_cast<char>(instruction[++i] + 1);
  }
  return text;
}

}  // namespace

/// `bit` where the condition holds.
llvm::Value* KernelTranslator::flag(Value* condition, uint32_t bit) {
  return b_.CreateSelect(condition, i32(bit), i32(0));
}

/// The exceptions that one vector instruction generates in any active lane, in HSAIL's order: they
/// are the bits of TRAPSTS.EXCP but the second, for subnormal sources.
llvm::Value* KernelTranslator::machine_exceptions(Round round, const std::string& instruction,
                                                  llvm::Type* result,
                                                  llvm::ArrayRef<Value*> sources) {
  const unsigned bits = mode_bits(round);
  const std::string mode = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), ";
  const std::string status = "hwreg(HW_REG_TRAPSTS, 0, 7)";
  const std::string text = "s_setreg_imm32_b32 " + status + ", 0\n\t" + mode +
                           std::to_string(bits | bits << 2) + "\n\ts_nop 1\n\t" +
                           with_flags_operand(instruction) + "\n\ts_nop 7\n\ts_getreg_b32 $1, " +
                           status + "\n\t" + mode + "0\n\ts_nop 1";
  std::string constraints = "=&v,=&s";
  std::vector<llvm::Type*> types;
  for (Value* source : sources) {
    constraints += ",v";
    types.push_back(source->getType());
  }
  auto* both = llvm::StructType::get(result, b_.getInt32Ty());
  auto* type = llvm::FunctionType::get(both, types, false);
  auto* assembly = llvm::InlineAsm::get(type, text, constraints, /*hasSideEffects=*/true);
  llvm::CallInst* call = b_.CreateCall(assembly, sources);
  call->addFnAttr(llvm::Attribute::Convergent);
  Value* raised = b_.CreateExtractValue(call, 1);
  return b_.CreateOr(b_.CreateAnd(raised, kInvalid), b_.CreateAnd(b_.CreateLShr(raised, 1), 0x1e));
}

llvm::Value* KernelTranslator::signaling(Value* x) {
  return b_.createIsFPClass(x, llvm::fcSNan);
}

/// Invalid and divide by zero of a division (12.2).
llvm::Value* KernelTranslator::special_division(Value* x, Value* y) {
  Value* zeros =
      b_.CreateAnd(b_.createIsFPClass(x, llvm::fcZero), b_.createIsFPClass(y, llvm::fcZero));
  Value* infinities =
      b_.CreateAnd(b_.createIsFPClass(x, llvm::fcInf), b_.createIsFPClass(y, llvm::fcInf));
  Value* invalid =
      b_.CreateOr(b_.CreateOr(signaling(x), signaling(y)), b_.CreateOr(zeros, infinities));
  Value* by_zero =
      b_.CreateAnd(b_.createIsFPClass(x, kFiniteNonZero), b_.createIsFPClass(y, llvm::fcZero));
  return b_.CreateOr(flag(invalid, kInvalid), flag(by_zero, kByZero));
}

/// In a wider format a quotient or root is exact enough that its conversion generates what the one
/// rounding would: see directed_quotient. An f64 one has the sign of the exact remainder, and range
/// exceptions where the scaled quotient leaves the range.
llvm::Value* KernelTranslator::division_exceptions(const Inst& inst) {
  Value* x = read_float(inst, 1);
  Value* y = read_float(inst, 2);
  llvm::Type* f64 = b_.getDoubleTy();
  Value* special = special_division(x, y);
  if (inst.type != Type::kF64) {
    llvm::Type* wide = inst.type == Type::kF32 ? f64 : b_.getFloatTy();
    Value* near = b_.CreateFDiv(b_.CreateFPExt(x, wide), b_.CreateFPExt(y, wide));
    return b_.CreateOr(special, narrowing_exceptions(rounding(inst), near, x->getType()));
  }
  Value* one = llvm::ConstantFP::get(f64, 1.0);
  Value* usual =
      b_.CreateAnd(b_.createIsFPClass(x, kFiniteNonZero), b_.createIsFPClass(y, kFiniteNonZero));
  x = b_.CreateSelect(usual, x, one);
  y = b_.CreateSelect(usual, y, one);
  const auto part = [&](llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type*> types, Value* v) {
    return intrinsic(id, types, {v});
  };
  Value* dividend = part(llvm::Intrinsic::amdgcn_frexp_mant, {f64}, x);
  Value* divisor = part(llvm::Intrinsic::amdgcn_frexp_mant, {f64}, y);
  Value* exponent =
      b_.CreateSub(part(llvm::Intrinsic::amdgcn_frexp_exp, {b_.getInt32Ty(), f64}, x),
                   part(llvm::Intrinsic::amdgcn_frexp_exp, {b_.getInt32Ty(), f64}, y));
  Value* near = b_.CreateFDiv(dividend, divisor);
  Value* rest = intrinsic(llvm::Intrinsic::fma, {f64}, {b_.CreateFNeg(near), divisor, dividend});
  Value* zero = llvm::Constant::getNullValue(f64);
  Value* inexact = b_.CreateFCmpONE(rest, zero);
  // The side on which the exact value lies of the nearest quotient decides in the directed modes.
  const Round round = rounding(inst);
  Value* way = b_.CreateSelect(b_.CreateFCmpOLT(divisor, zero), b_.CreateFNeg(rest), rest);
  Value* quotient = round == Round::kFloatNear ? near : step_toward(round, near, way);
  Value* range = machine_exceptions(round, "v_ldexp_f64 $0, $1, $2", f64, {quotient, exponent});
  // 2^-1022 is the smallest normal number; the quotient of significands is between 1/2 and 2.
  Value* size = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, quotient);
  Value* scaled = intrinsic(llvm::Intrinsic::ldexp, {f64, b_.getInt32Ty()}, {size, exponent});
  Value* tiny = b_.createIsFPClass(scaled, llvm::fcSubnormal | llvm::fcZero);
  Value* small = b_.CreateAnd(tiny, inexact);
  return b_.CreateOr(b_.CreateOr(special, range),
                     b_.CreateOr(flag(inexact, kInexact), flag(small, kUnderflow)));
}

llvm::Value* KernelTranslator::root_exceptions(const Inst& inst) {
  Value* x = read_float(inst, 1);
  Value* negative = b_.createIsFPClass(x, llvm::fcNegFinite & ~llvm::fcZero);
  negative = b_.CreateOr(negative, b_.createIsFPClass(x, llvm::fcNegInf | llvm::fcSNan));
  Value* special = flag(negative, kInvalid);
  llvm::Type* f64 = b_.getDoubleTy();
  Value* usual = b_.createIsFPClass(x, llvm::fcPosNormal | llvm::fcPosSubnormal);
  x = b_.CreateSelect(usual, x, llvm::ConstantFP::get(x->getType(), 1.0));
  if (inst.type != Type::kF64) {
    llvm::Type* wide = inst.type == Type::kF32 ? f64 : b_.getFloatTy();
    Value* near = b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, b_.CreateFPExt(x, wide));
    return b_.CreateOr(special, narrowing_exceptions(rounding(inst), near, x->getType()));
  }
  Value* exponent = intrinsic(llvm::Intrinsic::amdgcn_frexp_exp, {b_.getInt32Ty(), f64}, {x});
  Value* even = b_.CreateShl(b_.CreateAShr(b_.CreateAdd(exponent, i32(1)), 1), 1);
  Value* scaled =
      intrinsic(llvm::Intrinsic::ldexp, {f64, b_.getInt32Ty()}, {x, b_.CreateNeg(even)});
  Value* near = b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, scaled);
  Value* rest = intrinsic(llvm::Intrinsic::fma, {f64}, {b_.CreateFNeg(near), near, scaled});
  Value* inexact = b_.CreateFCmpONE(rest, llvm::Constant::getNullValue(f64));
  return b_.CreateOr(special, flag(inexact, kInexact));
}

/// Exceptions of a conversion by one step, from f64 to f32 or from f32 to f16; a NaN generates
/// none.
llvm::Value* KernelTranslator::narrowing_exceptions(Round round, Value* from, llvm::Type* to) {
  Value* finite = b_.createIsFPClass(from, kFinite);
  from = b_.CreateSelect(finite, from, llvm::Constant::getNullValue(from->getType()));
  return machine_exceptions(
      round, to->isFloatTy() ? "v_cvt_f32_f64 $0, $1" : "v_cvt_f16_f32 $0, $1", to, {from});
}

llvm::Value* KernelTranslator::fract_exceptions(const Inst& inst) {
  Value* x = read_float(inst, 1);
  Value* special = flag(signaling(x), kInvalid);
  llvm::Type* type = x->getType();
  x = b_.CreateSelect(b_.createIsFPClass(x, kFiniteNonZero), x, llvm::ConstantFP::get(type, 1.0));
  Value* whole = b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x);
  const char* text = inst.type == Type::kF16   ? "v_sub_f16 $0, $1, $2"
                     : inst.type == Type::kF32 ? "v_sub_f32 $0, $1, $2"
                                               : "v_add_f64 $0, $1, -$2";
  return b_.CreateOr(special, machine_exceptions(rounding(inst), text, type, {x, whole}));
}

/// 5.19: conversions from and to floats.
llvm::Value* KernelTranslator::conversion_exceptions(const Inst& inst) {
  const bool to_float = hsail::is_float(inst.type);
  if (!hsail::is_float(inst.source_type)) {
    if (!to_float || inst.source_type == Type::kB1) return nullptr;
    return integer_exceptions(inst);
  }
  Value* x = read(inst, 1, inst.source_type);
  if ((inst.modifier & hsail::kAluFtz) != 0) x = flush_tiny(x);
  Value* invalid = flag(signaling(x), kInvalid);
  if (inst.type == Type::kB1) return invalid;
  llvm::Type* f64 = b_.getDoubleTy();
  if (to_float) {
    if (hsail::type_bits(inst.type) > hsail::type_bits(inst.source_type)) return invalid;
    llvm::Type* to = llvm_type(inst.type);
    if (inst.source_type == Type::kF64 && inst.type == Type::kF16) {
      // f64 to f32 keeps a sticky last bit, so that the second step generates what one would.
      Value* finite = b_.createIsFPClass(x, kFinite);
      x = b_.CreateSelect(finite, x, llvm::Constant::getNullValue(f64));
      Value* cut = directed(Round::kFloatZero, "v_cvt_f32_f64 $0, $1", b_.getFloatTy(), {x});
      Value* rest = b_.CreateFCmpONE(b_.CreateFPExt(cut, f64), x);
      Value* bits = b_.CreateOr(b_.CreateBitCast(cut, b_.getInt32Ty()), flag(rest, 1));
      x = b_.CreateBitCast(bits, b_.getFloatTy());
    }
    return b_.CreateOr(invalid, narrowing_exceptions(rounding(inst), x, to));
  }
  // To an integer: an f64 holds every bound but those of 64 bits, which are powers of two.
  if (inst.source_type != Type::kF64) x = b_.CreateFPExt(x, f64);
  const Round round = inst.round;
  const bool saturates = (round >= Round::kIntNearSat && round <= Round::kIntDownSat) ||
                         round >= Round::kIntSignalNearSat;
  const unsigned kind = (static_cast<unsigned>(round) - static_cast<unsigned>(Round::kIntNear)) % 4;
  constexpr llvm::Intrinsic::ID kIntrinsics[] = {llvm::Intrinsic::roundeven, llvm::Intrinsic::trunc,
                                                 llvm::Intrinsic::ceil, llvm::Intrinsic::floor};
  Value* whole = b_.CreateUnaryIntrinsic(kIntrinsics[kind], x);
  const unsigned bits = hsail::type_bits(inst.type);
  const bool is_signed = hsail::is_signed(inst.type);
  const double beyond = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));
  Value* low = llvm::ConstantFP::get(f64, is_signed ? -beyond : 0.0);
  Value* inside = b_.CreateAnd(b_.CreateFCmpOGE(whole, low),
                               b_.CreateFCmpOLT(whole, llvm::ConstantFP::get(f64, beyond)));
  Value* flags = saturates ? invalid : flag(b_.CreateNot(inside), kInvalid);
  if (round < Round::kIntSignalNear) return flags;
  Value* inexact = b_.CreateAnd(inside, b_.CreateFCmpONE(whole, x));
  return b_.CreateOr(flags, flag(inexact, kInexact));
}

/// An integer to a float: what comes back of it tells whether it was exact.
llvm::Value* KernelTranslator::integer_exceptions(const Inst& inst) {
  Value* x = read(inst, 1, inst.source_type);
  llvm::Type* to = llvm_type(inst.type);
  llvm::Type* f64 = b_.getDoubleTy();
  const bool is_signed = hsail::is_signed(inst.source_type);
  const auto as_float = [&](Value* v) {
    return is_signed ? b_.CreateSIToFP(v, f64) : b_.CreateUIToFP(v, f64);
  };
  if (hsail::type_bits(inst.source_type) == 64) {
    // Both halves are exact; their sum in f64 is what rounds, or only keeps a sticky bit.
    Value* high = b_.CreateTrunc(b_.CreateLShr(x, 32), b_.getInt32Ty());
    high = b_.CreateFMul(as_float(high), llvm::ConstantFP::get(f64, 4294967296.0));
    Value* low = b_.CreateUIToFP(b_.CreateTrunc(x, b_.getInt32Ty()), f64);
    if (to == f64)
      return machine_exceptions(rounding(inst), "v_add_f64 $0, $1, $2", f64, {high, low});
    Value* cut = directed(Round::kFloatZero, "v_add_f64 $0, $1, $2", f64, {high, low});
    Value* error = b_.CreateFSub(low, b_.CreateFSub(cut, high));
    Value* rest = b_.CreateFCmpONE(error, llvm::Constant::getNullValue(f64));
    Value* sticky = b_.CreateZExt(rest, b_.getInt64Ty());
    x = b_.CreateBitCast(b_.CreateOr(b_.CreateBitCast(cut, b_.getInt64Ty()), sticky), f64);
  } else {
    x = as_float(x);
  }
  if (to == f64) return nullptr;
  if (to->isFloatTy()) return narrowing_exceptions(rounding(inst), x, to);
  Value* cut = directed(Round::kFloatZero, "v_cvt_f32_f64 $0, $1", b_.getFloatTy(), {x});
  Value* rest = b_.CreateFCmpONE(b_.CreateFPExt(cut, f64), x);
  Value* bits = b_.CreateOr(b_.CreateBitCast(cut, b_.getInt32Ty()), flag(rest, 1));
  return narrowing_exceptions(rounding(inst), b_.CreateBitCast(bits, b_.getFloatTy()), to);
}

/// Exceptions that an instruction on scalars generates (chapter 5), as an i32 of each lane;
/// nullptr: none.
llvm::Value* KernelTranslator::exceptions_of(const Inst& inst) {
  const bool floating = hsail::is_float(inst.type);
  const auto invalid_sources = [&](Type type, size_t first, size_t last, bool quiet_too) {
    Value* any = b_.getFalse();
    for (size_t i = first; i <= last; ++i) {
      const unsigned classes = quiet_too ? llvm::fcNan : llvm::fcSNan;
      any = b_.CreateOr(any, b_.createIsFPClass(read(inst, i, type), classes));
    }
    return flag(any, kInvalid);
  };
  switch (inst.opcode) {
    case Opcode::kCmp:
      if (!hsail::is_float(inst.source_type)) return nullptr;
      return invalid_sources(inst.source_type, 1, 2, inst.compare >= hsail::Compare::kSeq);
    case Opcode::kCvt:
      return conversion_exceptions(inst);
    case Opcode::kMin:
    case Opcode::kMax:
      return floating ? invalid_sources(inst.type, 1, 2, false) : nullptr;
    case Opcode::kCeil:
    case Opcode::kFloor:
    case Opcode::kTrunc:
    case Opcode::kRint:
      return floating ? invalid_sources(inst.type, 1, 1, false) : nullptr;
    case Opcode::kDiv:
      return floating ? division_exceptions(inst) : nullptr;
    case Opcode::kSqrt:
      return root_exceptions(inst);
    case Opcode::kFract:
      return fract_exceptions(inst);
    default:
      break;
  }
  const char* instruction = floating ? directed_instruction(inst) : nullptr;
  if (instruction == nullptr) return nullptr;
  return machine_exceptions(rounding(inst), instruction, llvm_type(inst.type), read_floats(inst));
}

/// A tiny result that ftz turns to zero underflows and is inexact even when it had none to round
/// (4.19.3); one that rounds has both exceptions already.
llvm::Value* KernelTranslator::flush_exceptions(const Inst& inst) {
  if ((inst.modifier & hsail::kAluFtz) == 0 || !hsail::is_float(inst.type)) return i32(0);
  Value* result = nullptr;
  if (inst.opcode == Opcode::kCvt) {
    result = round_to_float(inst, flush_tiny(read(inst, 1, inst.source_type)));
  } else if (inst.opcode == Opcode::kDiv || directed_instruction(inst) != nullptr) {
    result = arithmetic(inst, read_floats(inst));
  }
  if (result == nullptr) return i32(0);
  return flag(b_.createIsFPClass(result, llvm::fcSubnormal), kUnderflow | kInexact);
}

/// Records the exceptions of an instruction before it is executed. BREAK halts the wavefront, which
/// is an error of its queue (12.5.1).
void KernelTranslator::note_exceptions(const Inst& inst) {
  if ((detect_ | break_) == 0 || error_) return;
  Value* flags = exceptions_of(inst);
  if (flags == nullptr) return;
  flags = b_.CreateOr(flags, flush_exceptions(inst));
  const auto when = [&](uint32_t mask, auto body) {
    if (mask == 0) return;
    Value* chosen = b_.CreateAnd(flags, mask);
    auto* then = llvm::BasicBlock::Create(context_, "", function_);
    auto* next = llvm::BasicBlock::Create(context_, "", function_);
    b_.CreateCondBr(b_.CreateICmpNE(chosen, i32(0)), then, next);
    b_.SetInsertPoint(then);
    body(chosen);
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
  };
  when(detect_, [&](Value* chosen) {
    if_detecting([&] {
      b_.CreateAtomicRMW(llvm::AtomicRMWInst::Or, detected_word(), chosen, llvm::MaybeAlign(4),
                         llvm::AtomicOrdering::Monotonic,
                         context_.getOrInsertSyncScopeID("wavefront"));
    });
  });
  when(break_, [&](Value* chosen) { halt(chosen); });
}

/// The word of the wavefront: of its number in the work-group.
llvm::Value* KernelTranslator::detected_word() {
  Value* item = current_flat_id();
  Value* wave = b_.CreateLShr(item, 6);
  Value* words = any_kernel_ ? b_.CreateSub(group_static_size(), i32(hsail::kDetectedBytes))
                             : i32(layout_.detected.value_or(0));
  Value* address = b_.CreateAdd(b_.CreateShl(wave, 2), words);
  return b_.CreateIntToPtr(address, llvm::PointerType::get(context_, kGroupSpace));
}

/// Code of `body` for kernels that have the words: an indirect function may run in one that was
/// finalized without them.
template <class Body>
void KernelTranslator::if_detecting(Body body) {
  if (!any_kernel_) return body();
  auto* then = llvm::BasicBlock::Create(context_, "", function_);
  auto* next = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(b_.CreateICmpSLT(group_segment_, i32(0)), then, next);
  b_.SetInsertPoint(then);
  body();
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
}

void KernelTranslator::start_detection() {
  if (!layout_.detected) return;
  auto* store = b_.CreateAlignedStore(i32(0), detected_word(), llvm::Align(4));
  store->setAtomic(llvm::AtomicOrdering::Monotonic, context_.getOrInsertSyncScopeID("wavefront"));
}

/// 11.2.2; bits above the five are ignored.
void KernelTranslator::detect_instruction(const Inst& inst) {
  if (!require_operands(inst, 1)) return;
  const auto scope = context_.getOrInsertSyncScopeID("wavefront");
  constexpr auto kRelaxed = llvm::AtomicOrdering::Monotonic;
  if (inst.opcode == Opcode::kGetDetectExcept) {
    write(inst, 0, i32(0), Type::kU32);
    return if_detecting([&] {
      auto* value = b_.CreateAlignedLoad(b_.getInt32Ty(), detected_word(), llvm::Align(4));
      value->setAtomic(kRelaxed, scope);
      write(inst, 0, value, Type::kU32);
    });
  }
  const auto mask = static_cast<uint32_t>(immediate(inst, 0).value_or(0)) & 0x1f;
  const bool set = inst.opcode == Opcode::kSetDetectExcept;
  if_detecting([&] {
    b_.CreateAtomicRMW(set ? llvm::AtomicRMWInst::Or : llvm::AtomicRMWInst::And, detected_word(),
                       i32(set ? mask : ~mask), llvm::MaybeAlign(4), kRelaxed, scope);
  });
}

}  // namespace cuvette::finalizer
