// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/kernel_translator.h"
#include "finalizer/llvm_target.h"
#include "hsail/constant_expression.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Kind;
using hsail::Type;

void KernelTranslator::fail(const std::string& what) {
  if (!error_) error_ = error_at(module_, at_, what);
}

void KernelTranslator::unsupported(const Inst& inst, const std::string& detail) {
  std::string what = "the finalizer does not support instruction '";
  what += hsail::name(inst.opcode);
  if (inst.opcode == hsail::Opcode::kAtomic || inst.opcode == hsail::Opcode::kAtomicNoRet) {
    what += '_';
    what += hsail::name(inst.atomic_op);
  }
  if (inst.type != Type::kNone) {
    what += '_';
    what += hsail::name(inst.type);
  }
  if (inst.source_type != Type::kNone) {
    what += '_';
    what += hsail::name(inst.source_type);
  }
  what += '\'';
  if (!detail.empty()) what += " " + detail;
  fail(what);
}

llvm::Type* KernelTranslator::llvm_type(Type type) {
  switch (type) {
    case Type::kF16:
      return b_.getHalfTy();
    case Type::kF32:
      return b_.getFloatTy();
    case Type::kF64:
      return b_.getDoubleTy();
    default: {
      const unsigned bits = hsail::type_bits(type);
      return b_.getIntNTy(bits == 0 ? 32 : bits);
    }
  }
}

bool KernelTranslator::require_operands(const Inst& inst, size_t count) {
  if (inst.operands.size() == count) return true;
  unsupported(inst, "with " + std::to_string(inst.operands.size()) + " operands, expected " +
                        std::to_string(count));
  return false;
}

llvm::AllocaInst* KernelTranslator::register_slot(const hsail::Operand& operand) {
  llvm::AllocaInst*& slot = registers_[{operand.reg_kind, operand.reg_num}];
  if (slot == nullptr) {
    static constexpr unsigned kBits[] = {1, 32, 64, 128};
    const auto kind = static_cast<size_t>(operand.reg_kind) & 3;
    llvm::IRBuilder<> entry(entry_, entry_->begin());
    auto* type = entry.getIntNTy(kBits[kind]);
    slot = entry.CreateAlloca(type, kPrivateSpace, nullptr,
                              std::string(1, "csdq"[kind]) + std::to_string(operand.reg_num));
    // Undefined by HSAIL; a fixed value keeps LLVM from treating it as undefined behaviour.
    llvm::IRBuilder<> after(entry_, std::next(slot->getIterator()));
    after.CreateStore(llvm::Constant::getNullValue(type), slot);
  }
  return slot;
}

/// i64; nullptr after fail().
llvm::Value* KernelTranslator::expression(const hsail::Operand& operand) {
  const hsail::CodeRef symbol = hsail::expression_symbol(module_, operand);
  if (symbol != 0 && module_.code[symbol].kind == Kind::kIndirectFunction)
    return b_.CreatePtrToInt(indirect_function(symbol), b_.getInt64Ty());
  Value* value = symbols_.expression(module_, operand);
  if (value == nullptr) fail(hsail::expression_text(module_, operand) + ": nothing defines it");
  return value;
}

llvm::Value* KernelTranslator::read_ref(hsail::OperandRef ref, Type type) {
  llvm::Type* wanted = llvm_type(type);
  const unsigned bits = wanted->getPrimitiveSizeInBits();
  const hsail::Operand& operand = module_.operand(ref);
  Value* value = nullptr;
  switch (operand.kind) {
    case Kind::kOperandRegister: {
      llvm::AllocaInst* slot = register_slot(operand);
      value = b_.CreateLoad(slot->getAllocatedType(), slot);
      break;
    }
    case Kind::kOperandConstantBytes: {
      llvm::APInt number(128, 0);
      for (size_t i = 0; i < operand.bytes.size() && i < 16; ++i)
        number.insertBits(static_cast<uint8_t>(operand.bytes[i]), static_cast<unsigned>(8 * i), 8);
      value = llvm::ConstantInt::get(context_, number);
      break;
    }
    case Kind::kOperandWavesize:
      value = b_.getInt64(type == Type::kB1 ? 1 : 64);  // 64 is not 0 (decisions.md D61)
      break;
    case Kind::kOperandConstantExpression:
      value = expression(operand);
      if (value == nullptr) return llvm::Constant::getNullValue(wanted);
      break;
    default:
      fail("the finalizer does not support this kind of operand");
      return llvm::Constant::getNullValue(wanted);
  }
  value = b_.CreateZExtOrTrunc(value, b_.getIntNTy(bits));
  return wanted->isIntegerTy() ? value : b_.CreateBitCast(value, wanted);
}

llvm::Value* KernelTranslator::read(const Inst& inst, size_t index, Type type) {
  if (element_) return read_element(inst, index, type);
  if (index >= inst.operands.size()) {
    unsupported(inst, "with missing operands");
    return llvm::Constant::getNullValue(llvm_type(type));
  }
  return read_ref(inst.operands[index], type);
}

void KernelTranslator::write_ref(hsail::OperandRef ref, Value* value, Type type) {
  const hsail::Operand& operand = module_.operand(ref);
  if (operand.kind != Kind::kOperandRegister) return fail("the destination is not a register");
  llvm::AllocaInst* slot = register_slot(operand);
  if (!value->getType()->isIntegerTy())
    value = b_.CreateBitCast(value, b_.getIntNTy(value->getType()->getPrimitiveSizeInBits()));
  llvm::Type* kept = slot->getAllocatedType();
  value = hsail::is_signed(type) ? b_.CreateSExtOrTrunc(value, kept)
                                 : b_.CreateZExtOrTrunc(value, kept);
  b_.CreateStore(value, slot);
}

void KernelTranslator::write(const Inst& inst, size_t index, Value* value, Type type) {
  if (element_) {
    element_->result = value;
    return;
  }
  if (index >= inst.operands.size()) return unsupported(inst, "with missing operands");
  write_ref(inst.operands[index], value, type);
}

std::vector<hsail::OperandRef> KernelTranslator::elements(const Inst& inst, size_t index) {
  if (index >= inst.operands.size()) return {};
  const hsail::Operand& operand = module_.operand(inst.operands[index]);
  if (operand.kind == Kind::kOperandOperandList) return operand.elements;
  return {inst.operands[index]};
}

std::optional<uint64_t> KernelTranslator::immediate(const Inst& inst, size_t index) {
  if (index >= inst.operands.size() ||
      module_.operand(inst.operands[index]).kind != Kind::kOperandConstantBytes)
    return std::nullopt;
  return module_.constant(inst.operands[index]);
}

llvm::Value* KernelTranslator::intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type*> types,
                                         llvm::ArrayRef<Value*> arguments) {
  return b_.CreateIntrinsic(id, types, arguments);
}

}  // namespace cuvette::finalizer
