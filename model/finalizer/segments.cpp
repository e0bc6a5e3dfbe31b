// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Addresses (HSAIL PRM 6.1.1) and what is done with them: lda, segmentp, ftos, stof, nullptr. The
// machine has flat addresses of 64 bits. In the small machine model (2.9) flat, global, readonly
// and kernarg addresses have 32: they are computed so and then zero-extended; flat ones of group
// and private memory are taken to the machine's apertures first.
#include <algorithm>

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "finalizer/kernel_translator.h"
#include "finalizer/llvm_target.h"
#include "hsail/layout.h"
#include "hsail/machine_model.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Opcode;
using hsail::Segment;
using hsail::Type;

namespace {

unsigned address_space(Segment segment) {
  switch (segment) {
    case Segment::kGlobal:
      return kGlobalSpace;
    case Segment::kReadonly:
    case Segment::kKernarg:
      return kConstantSpace;
    case Segment::kGroup:
      return kGroupSpace;
    case Segment::kRegion:
      return kRegionSpace;
    case Segment::kPrivate:
    case Segment::kSpill:
    case Segment::kArg:
      return kPrivateSpace;
    default:
      return kFlatSpace;
  }
}

/// The upper bits of a flat address of the small model, equal in the whole aperture.
constexpr uint32_t kSmallUpper =
    ~static_cast<uint32_t>(hsail::flat_space(hsail::MachineModel::kSmall).group.bytes - 1);

}  // namespace

unsigned KernelTranslator::address_bits(Segment segment) const {
  return 8 * hsail::address_bytes(segment, model_);
}

bool KernelTranslator::is_zero_extended(Segment segment) const {
  auto* pointer = llvm::PointerType::get(context_, address_space(segment));
  return out_.getDataLayout().getPointerTypeSizeInBits(pointer) > address_bits(segment);
}

/// Address of a variable, the base of the segment for one of kernarg; nullopt after fail().
std::optional<KernelTranslator::Address> KernelTranslator::variable_address(hsail::CodeRef symbol,
                                                                            Segment segment) {
  auto* pointer_type = llvm::PointerType::get(context_, address_space(segment));
  const auto& variable = module_.code[symbol].as<hsail::Variable>();
  const uint64_t align = variable_align(variable);
  if (auto slot = private_variables_.find(symbol); slot != private_variables_.end())
    return Address{slot->second, align};
  if (const hsail::Place* group = layout_.group.find(symbol))
    return Address{b_.CreateIntToPtr(i32(group->offset), pointer_type), align};
  if (const hsail::Place* own = layout_.private_segment.find(symbol))
    return Address{b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), module_private_,
                                                 static_cast<unsigned>(own->offset)),
                   align};
  if (segment == Segment::kKernarg) {
    const hsail::Place* argument = layout_.kernarg.find(symbol);
    if (argument == nullptr) {
      fail(variable.name + " is not an argument of this kernel");
      return std::nullopt;
    }
    return Address{kernarg_base(), 16};  // the segment's (4.21)
  }
  if (llvm::GlobalVariable* global = symbols_.find(module_, symbol))
    return Address{b_.CreateAddrSpaceCast(global, pointer_type), align};
  fail("variable " + variable.name + " has no definition, or its segment is not supported");
  return std::nullopt;
}

std::optional<KernelTranslator::Sum> KernelTranslator::address_sum(const Inst& inst, size_t index,
                                                                   Segment segment) {
  if (segment == Segment::kNone) {
    unsupported(inst, "in this segment");
    return std::nullopt;
  }
  if (index >= inst.operands.size() ||
      module_.operand(inst.operands[index]).kind != hsail::Kind::kOperandAddress) {
    unsupported(inst, "without an address");
    return std::nullopt;
  }
  const hsail::Operand& operand = module_.operand(inst.operands[index]);
  const unsigned bits = address_bits(segment);
  Sum sum;
  sum.constant = operand.offset & hsail::address_mask(segment, model_);
  if (operand.reg != 0) sum.dynamic = read_ref(operand.reg, bits == 32 ? Type::kU32 : Type::kU64);
  if (operand.symbol != 0) {
    sum.variable = variable_address(operand.symbol, segment);
    if (!sum.variable) return std::nullopt;
    const auto& variable = module_.code[operand.symbol].as<hsail::Variable>();
    sum.inside = operand.reg == 0 && sum.constant < hsail::variable_bytes(variable);
    if (segment == Segment::kKernarg) sum.constant += layout_.kernarg.find(operand.symbol)->offset;
  }
  return sum;
}

/// The sum as a number of the address's width: it wraps there (6.1.1).
llvm::Value* KernelTranslator::address_value(const Sum& sum, Segment segment) {
  llvm::Type* integer = b_.getIntNTy(address_bits(segment));
  Value* value = llvm::ConstantInt::get(integer, sum.constant);
  if (sum.variable) value = b_.CreateAdd(b_.CreatePtrToInt(sum.variable->pointer, integer), value);
  return sum.dynamic == nullptr ? value : b_.CreateAdd(sum.dynamic, value);
}

/// Base pointer of the segment or variable, then register and offset.
KernelTranslator::Address KernelTranslator::address(const Inst& inst, size_t index,
                                                    Segment segment) {
  auto* pointer_type = llvm::PointerType::get(context_, address_space(segment));
  Address result{llvm::Constant::getNullValue(pointer_type), 1};
  const std::optional<Sum> sum = address_sum(inst, index, segment);
  if (!sum) return result;
  if (sum->variable && sum->dynamic == nullptr)
    result.align = common_align(sum->variable->align, sum->constant);
  if (is_zero_extended(segment) && !sum->inside) {
    Value* value = address_value(*sum, segment);
    value = segment == Segment::kFlat ? machine_flat(value) : b_.CreateZExt(value, b_.getInt64Ty());
    result.pointer = b_.CreateIntToPtr(value, pointer_type);
  } else {
    llvm::Type* integer = b_.getIntNTy(
        static_cast<unsigned>(out_.getDataLayout().getPointerTypeSizeInBits(pointer_type)));
    Value* offset = sum->dynamic;
    if (sum->variable) {
      result.pointer = sum->variable->pointer;
    } else {
      result.pointer = b_.CreateIntToPtr(
          offset == nullptr ? llvm::Constant::getNullValue(integer) : offset, pointer_type);
      offset = nullptr;
    }
    if (offset != nullptr) result.pointer = b_.CreateGEP(b_.getInt8Ty(), result.pointer, offset);
    if (sum->constant != 0)
      result.pointer = b_.CreateGEP(b_.getInt8Ty(), result.pointer,
                                    llvm::ConstantInt::get(integer, sum->constant));
  }
  result.align = std::max<uint64_t>(result.align, hsail::alignment_bytes(inst.align));
  return result;
}

void KernelTranslator::load_address(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  if (is_zero_extended(inst.segment)) {
    const std::optional<Sum> sum = address_sum(inst, 1, inst.segment);
    if (sum) write(inst, 0, address_value(*sum, inst.segment), inst.type);
    return;
  }
  const Address at = address(inst, 1, inst.segment);
  if (error_) return;
  llvm::Type* integer = b_.getIntNTy(address_bits(inst.segment));
  write(inst, 0, b_.CreatePtrToInt(at.pointer, integer), inst.type);
}

/// The base of the machine's aperture: its address in the upper half, 0 below.
llvm::Value* KernelTranslator::machine_aperture(Segment segment) {
  const char* text = segment == Segment::kGroup ? "s_mov_b64 $0, src_shared_base"
                                                : "s_mov_b64 $0, src_private_base";
  auto* assembly = llvm::InlineAsm::get(llvm::FunctionType::get(b_.getInt64Ty(), false), text, "=s",
                                        /*hasSideEffects=*/false);
  llvm::CallInst* base = b_.CreateCall(assembly);
  base->setDoesNotAccessMemory();
  base->setDoesNotThrow();
  return base;
}

/// The base of the aperture among the flat addresses of HSAIL. In the small model it is the upper
/// half of the machine's (Compute ABI: group_segment_aperture_base_hi).
llvm::Value* KernelTranslator::flat_aperture(Segment segment) {
  Value* base = machine_aperture(segment);
  if (address_bits(Segment::kFlat) == 64) return base;
  return b_.CreateTrunc(b_.CreateLShr(base, 32), b_.getInt32Ty());
}

/// i1: a flat address of the small model lies in the aperture.
llvm::Value* KernelTranslator::in_small_aperture(Value* flat, Segment segment) {
  return b_.CreateICmpEQ(b_.CreateAnd(flat, i32(kSmallUpper)), flat_aperture(segment));
}

/// i64: an aperture's upper bits of a small flat address are the upper half of the machine's
/// address, the others its lower half.
llvm::Value* KernelTranslator::machine_flat(Value* flat) {
  Value* inside = b_.CreateOr(in_small_aperture(flat, Segment::kGroup),
                              in_small_aperture(flat, Segment::kPrivate));
  Value* upper = b_.CreateSelect(inside, b_.CreateAnd(flat, i32(kSmallUpper)), i32(0));
  Value* lower = b_.CreateSelect(inside, b_.CreateAnd(flat, i32(~kSmallUpper)), flat);
  llvm::Type* wide = b_.getInt64Ty();
  return b_.CreateOr(b_.CreateShl(b_.CreateZExt(upper, wide), 32), b_.CreateZExt(lower, wide));
}

/// 5.16: whether a flat address lies in a segment; null does in every one.
void KernelTranslator::segment_test(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  Value* flat = read(inst, 1, inst.source_type);
  Value* group = nullptr;
  Value* own = nullptr;
  if (address_bits(Segment::kFlat) == 32) {
    group = in_small_aperture(flat, Segment::kGroup);
    own = in_small_aperture(flat, Segment::kPrivate);
  } else {
    Value* pointer = b_.CreateIntToPtr(flat, llvm::PointerType::get(context_, kFlatSpace));
    group = intrinsic(llvm::Intrinsic::amdgcn_is_shared, {}, {pointer});
    own = intrinsic(llvm::Intrinsic::amdgcn_is_private, {}, {pointer});
  }
  Value* inside = inst.segment == Segment::kGroup     ? group
                  : inst.segment == Segment::kPrivate ? own
                                                      : b_.CreateNot(b_.CreateOr(group, own));
  Value* null = b_.CreateICmpEQ(flat, llvm::Constant::getNullValue(flat->getType()));
  write(inst, 0, b_.CreateOr(inside, null), Type::kB1);
}

/// 5.17, on integers: LLVM takes address 0 for the null pointer of every address space, here it is
/// all ones in group and private memory.
void KernelTranslator::segment_conversion(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  Value* from = read(inst, 1, inst.source_type);
  llvm::Type* type = llvm_type(inst.type);
  Value* none = llvm::Constant::getAllOnesValue(b_.getInt32Ty());
  Value* flat_none = llvm::Constant::getNullValue(b_.getIntNTy(address_bits(Segment::kFlat)));
  if (inst.opcode == Opcode::kFtos) {
    Value* null = b_.CreateICmpEQ(from, flat_none);
    Value* inside = address_bits(Segment::kFlat) == 32
                        ? b_.CreateSub(from, flat_aperture(inst.segment))
                        : b_.CreateTrunc(from, type);
    return write(inst, 0, b_.CreateSelect(null, none, inside), inst.type);
  }
  Value* base = flat_aperture(inst.segment);
  Value* flat = address_bits(Segment::kFlat) == 32 ? b_.CreateAdd(base, from)
                                                   : b_.CreateOr(base, b_.CreateZExt(from, type));
  write(inst, 0, b_.CreateSelect(b_.CreateICmpEQ(from, none), flat_none, flat), inst.type);
}

void KernelTranslator::null_pointer(const Inst& inst) {
  if (!require_operands(inst, 1)) return;
  llvm::Type* type = llvm_type(inst.type);
  write(inst, 0, llvm::ConstantInt::get(type, hsail::null_address(inst.segment, model_)),
        inst.type);
}

}  // namespace cuvette::finalizer
