// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Packed operands (HSAIL PRM 4.14, 5.9, 5.15). Element 0 is the least significant. LLVM joins
// element operations to packed machine instructions where these exist.
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "finalizer/kernel_translator.h"
#include "hsail/inst_table.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Opcode;
using hsail::Round;
using hsail::Type;

namespace {

unsigned element_bits(Type packed) {
  return hsail::type_bits(hsail::element_type(packed));
}
unsigned element_count(Type packed) {
  return hsail::type_bits(packed) / element_bits(packed);
}

}  // namespace

/// Elements have any width; instructions on scalars without _sat have 32 or 64 bits (4.15).
bool KernelTranslator::is_wide_integer(Type type) const {
  return hsail::is_integer(type) && (element_ || hsail::type_bits(type) >= 32);
}

/// Bits of one element of an integer.
llvm::Value* KernelTranslator::element(Value* whole, unsigned bits, unsigned index) {
  return b_.CreateTrunc(b_.CreateLShr(whole, uint64_t{bits} * index), b_.getIntNTy(bits));
}

/// Value that the scalar instruction reads: the element of a packed operand that its packing
/// control takes, or the whole of an operand that is not packed.
llvm::Value* KernelTranslator::read_element(const Inst& inst, size_t index, Type type) {
  const Element now = element_.value_or(Element{});
  const Inst& packed = *now.packed;
  if (index >= inst.operands.size()) {
    unsupported(inst, "with missing operands");
    return llvm::Constant::getNullValue(llvm_type(type));
  }
  const Type whole = hsail::operand_type(packed, index);
  if (!hsail::is_packed(whole)) return read_ref(inst.operands[index], type);
  const hsail::PackControl control = hsail::pack_control(packed.pack);
  const bool low = (index == 1 && control.broadcast_src0) || (index == 2 && control.broadcast_src1);
  Value* bits =
      element(read_ref(inst.operands[index], whole), element_bits(whole), low ? 0 : now.index);
  llvm::Type* wanted = llvm_type(type);
  return wanted->isIntegerTy() ? bits : b_.CreateBitCast(bits, wanted);
}

/// The scalar instruction on each element. Controls s and ss keep the rest of the destination.
void KernelTranslator::packed(const Inst& inst, Handler scalar) {
  const Inst one = hsail::element_inst(inst);
  const bool low_only = hsail::pack_control(inst.pack).low_only;
  const unsigned count = element_count(inst.type);
  const unsigned bits = element_bits(inst.type);
  Value* before = low_only ? read_ref(inst.operands[0], inst.type) : nullptr;
  std::vector<Value*> parts;
  for (unsigned i = 0; i < count && !error_; ++i) {
    if (low_only && i > 0) {
      parts.push_back(element(before, bits, i));
      continue;
    }
    element_ = Element{&inst, i, nullptr};
    note_exceptions(one);
    (this->*scalar)(one);
    Value* result = element_->result;
    element_.reset();
    if (result == nullptr) return;
    parts.push_back(result);
  }
  if (!error_) write_elements(inst, parts);
}

/// Joins elements, the least significant first, into operand 0.
void KernelTranslator::write_elements(const Inst& inst, const std::vector<Value*>& parts) {
  llvm::Type* whole = llvm_type(inst.type);
  const unsigned bits = element_bits(inst.type);
  Value* result = llvm::Constant::getNullValue(whole);
  for (size_t i = 0; i < parts.size(); ++i) {
    Value* part = b_.CreateZExt(b_.CreateBitCast(parts[i], b_.getIntNTy(bits)), whole);
    result = b_.CreateOr(result, b_.CreateShl(part, bits * i));
  }
  write(inst, 0, result, inst.type);
}

/// 5.9.3: the lower half of the result from src0, the upper one from src1.
void KernelTranslator::shuffle(const Inst& inst) {
  if (!require_operands(inst, 4)) return;
  const std::optional<uint64_t> selectors = immediate(inst, 3);
  if (!selectors) return unsupported(inst, "without constant selectors");
  const unsigned count = element_count(inst.type);
  const unsigned selector_bits = llvm::Log2_32(count);
  std::vector<Value*> parts;
  for (unsigned i = 0; i < count; ++i) {
    const auto from = static_cast<unsigned>(*selectors >> (i * selector_bits)) & (count - 1);
    Value* source = read(inst, i < count / 2 ? 1 : 2, inst.type);
    parts.push_back(element(source, element_bits(inst.type), from));
  }
  write_elements(inst, parts);
}

/// Half of the elements of src0 in even places, of src1 in odd ones (decisions.md D21).
void KernelTranslator::interleave(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  const unsigned half = element_count(inst.type) / 2;
  const unsigned first = inst.opcode == Opcode::kUnpackHi ? half : 0;
  std::vector<Value*> parts;
  for (unsigned i = 0; i < half; ++i)
    for (size_t source : {1, 2})
      parts.push_back(element(read(inst, source, inst.type), element_bits(inst.type), first + i));
  write_elements(inst, parts);
}

void KernelTranslator::pack(const Inst& inst) {
  if (!require_operands(inst, 4)) return;
  const unsigned count = element_count(inst.type);
  const unsigned bits = element_bits(inst.type);
  Value* whole = read(inst, 1, inst.type);
  Value* value = read(inst, 2, inst.source_type);
  value = b_.CreateBitCast(value, b_.getIntNTy(hsail::type_bits(inst.source_type)));
  value = b_.CreateTrunc(value, b_.getIntNTy(bits));
  Value* index = b_.CreateAnd(read(inst, 3, Type::kU32), count - 1);
  std::vector<Value*> parts;
  parts.reserve(count);
  for (unsigned i = 0; i < count; ++i)
    parts.push_back(
        b_.CreateSelect(b_.CreateICmpEQ(index, i32(i)), value, element(whole, bits, i)));
  write_elements(inst, parts);
}

void KernelTranslator::unpack(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  const Type from = inst.source_type;
  const unsigned count = element_count(from);
  Value* whole = read(inst, 1, from);
  Value* index = b_.CreateAnd(read(inst, 2, Type::kU32), count - 1);
  Value* value = element(whole, element_bits(from), 0);
  for (unsigned i = 1; i < count; ++i)
    value = b_.CreateSelect(b_.CreateICmpEQ(index, i32(i)), element(whole, element_bits(from), i),
                            value);
  write(inst, 0, value, hsail::element_type(from));
}

void KernelTranslator::lerp(const Inst& inst) {
  if (!require_operands(inst, 4)) return;
  Value* sources[] = {read(inst, 1, Type::kB32), read(inst, 2, Type::kB32),
                      read(inst, 3, Type::kB32)};
  write(inst, 0, intrinsic(llvm::Intrinsic::amdgcn_lerp, {}, sources), Type::kB32);
}

void KernelTranslator::pack_convert(const Inst& inst) {
  if (!require_operands(inst, 5)) return;
  std::vector<Value*> parts;
  for (size_t i = 1; i <= 4; ++i)
    parts.push_back(float_to_integer(Round::kIntNearSat, Type::kU8, read(inst, i, Type::kF32)));
  write_elements(inst, parts);
}

void KernelTranslator::unpack_convert(const Inst& inst) {
  if (!require_operands(inst, 3)) return;
  const std::optional<uint64_t> index = immediate(inst, 2);
  if (!index || *index > 3) return unsupported(inst, "without a constant element");
  Value* byte = element(read(inst, 1, Type::kB32), 8, static_cast<unsigned>(*index));
  write(inst, 0, b_.CreateUIToFP(byte, b_.getFloatTy()), Type::kF32);
}

void KernelTranslator::sum_of_differences(const Inst& inst) {
  if (!require_operands(inst, 4)) return;
  Value* x = read(inst, 1, Type::kB32);
  Value* y = read(inst, 2, Type::kB32);
  Value* sum = read(inst, 3, Type::kB32);
  if (inst.source_type == Type::kU32) {
    Value* high = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, x, y);
    Value* low = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x, y);
    return write(inst, 0, b_.CreateAdd(b_.CreateSub(high, low), sum), Type::kU32);
  }
  llvm::Intrinsic::ID id = llvm::Intrinsic::amdgcn_sad_u8;
  if (inst.opcode == Opcode::kSadHi) id = llvm::Intrinsic::amdgcn_sad_hi_u8;
  if (inst.source_type == Type::kU16x2) id = llvm::Intrinsic::amdgcn_sad_u16;
  write(inst, 0, intrinsic(id, {}, {x, y, sum}), Type::kU32);
}

}  // namespace cuvette::finalizer
