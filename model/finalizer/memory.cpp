// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "finalizer/kernel_translator.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::AtomicOp;
using hsail::Inst;
using hsail::MemoryOrder;
using hsail::MemoryScope;
using hsail::Opcode;
using hsail::Segment;
using hsail::Type;
using llvm::AtomicOrdering;
using llvm::AtomicRMWInst;

/// Vectors go element by element, contiguous; `align` is a promise about the first (6.3.2). LLVM
/// joins the parts again.
void KernelTranslator::load(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  const Address at = address(inst, 1, inst.segment);
  if (error_) return;
  const unsigned bytes = hsail::type_bytes(inst.type);
  llvm::Type* type = b_.getIntNTy(8 * bytes);
  const bool invariant = inst.segment == Segment::kKernarg || inst.segment == Segment::kReadonly ||
                         (inst.modifier & hsail::kMemConst) != 0;
  std::vector<Value*> values;
  const std::vector<hsail::OperandRef> parts = elements(inst, 0);
  for (size_t i = 0; i < parts.size(); ++i) {
    Value* pointer = b_.CreateConstGEP1_64(b_.getInt8Ty(), at.pointer, i * bytes);
    llvm::LoadInst* value =
        b_.CreateAlignedLoad(type, pointer, llvm::Align(common_align(at.align, i * bytes)));
    if (invariant)
      value->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    if ((inst.modifier & hsail::kMemNonTemporal) != 0)
      value->setMetadata(llvm::LLVMContext::MD_nontemporal,
                         llvm::MDNode::get(context_, llvm::ConstantAsMetadata::get(i32(1))));
    values.push_back(value);
  }
  for (size_t i = 0; i < parts.size(); ++i) write_ref(parts[i], values[i], inst.type);
}

void KernelTranslator::store(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  if (inst.segment == Segment::kKernarg || inst.segment == Segment::kReadonly)
    return fail("store to a read-only segment");
  const Address at = address(inst, 1, inst.segment);
  if (error_) return;
  const unsigned bytes = hsail::type_bytes(inst.type);
  const std::vector<hsail::OperandRef> parts = elements(inst, 0);
  for (size_t i = 0; i < parts.size(); ++i) {
    Value* value = read_ref(parts[i], inst.type);
    value = b_.CreateBitCast(value, b_.getIntNTy(8 * bytes));
    Value* pointer = b_.CreateConstGEP1_64(b_.getInt8Ty(), at.pointer, i * bytes);
    llvm::StoreInst* access =
        b_.CreateAlignedStore(value, pointer, llvm::Align(common_align(at.align, i * bytes)));
    if ((inst.modifier & hsail::kMemNonTemporal) != 0)
      access->setMetadata(llvm::LLVMContext::MD_nontemporal,
                          llvm::MDNode::get(context_, llvm::ConstantAsMetadata::get(i32(1))));
  }
}

/// HSAIL's acquire and release are sequentially consistent among themselves, hence seq_cst.
std::optional<AtomicOrdering> KernelTranslator::ordering(const Inst& inst) {
  switch (inst.order) {
    case MemoryOrder::kRelaxed:
      return AtomicOrdering::Monotonic;
    case MemoryOrder::kAcquire:
    case MemoryOrder::kRelease:
    case MemoryOrder::kAcquireRelease:
      return AtomicOrdering::SequentiallyConsistent;
    default:
      unsupported(inst, "without a memory order");
      return std::nullopt;
  }
}

std::optional<llvm::SyncScope::ID> KernelTranslator::sync_scope(const Inst& inst) {
  switch (inst.scope) {
    case MemoryScope::kWorkItem:
    case MemoryScope::kWave:
      return context_.getOrInsertSyncScopeID("wavefront");
    case MemoryScope::kWorkGroup:
      return context_.getOrInsertSyncScopeID("workgroup");
    case MemoryScope::kAgent:
      return context_.getOrInsertSyncScopeID("agent");
    case MemoryScope::kSystem:
      return llvm::SyncScope::System;
    default:
      unsupported(inst, "without a memory scope");
      return std::nullopt;
  }
}

namespace {

struct AtomicRow {
  AtomicOp op;
  AtomicRMWInst::BinOp signed_op, unsigned_op;
  AtomicRMWInst::BinOp float_op = AtomicRMWInst::BAD_BINOP;
};

constexpr AtomicRow kAtomics[] = {
    {AtomicOp::kAdd, AtomicRMWInst::Add, AtomicRMWInst::Add, AtomicRMWInst::FAdd},
    {AtomicOp::kAnd, AtomicRMWInst::And, AtomicRMWInst::And},
    {AtomicOp::kExch, AtomicRMWInst::Xchg, AtomicRMWInst::Xchg},
    {AtomicOp::kMax, AtomicRMWInst::Max, AtomicRMWInst::UMax, AtomicRMWInst::FMax},
    {AtomicOp::kMin, AtomicRMWInst::Min, AtomicRMWInst::UMin, AtomicRMWInst::FMin},
    {AtomicOp::kOr, AtomicRMWInst::Or, AtomicRMWInst::Or},
    {AtomicOp::kSub, AtomicRMWInst::Sub, AtomicRMWInst::Sub},
    {AtomicOp::kWrapDec, AtomicRMWInst::UDecWrap, AtomicRMWInst::UDecWrap},
    {AtomicOp::kWrapInc, AtomicRMWInst::UIncWrap, AtomicRMWInst::UIncWrap},
    {AtomicOp::kXor, AtomicRMWInst::Xor, AtomicRMWInst::Xor},
};

/// A flat address may lie in group memory.
bool synchronises_group(const Inst& inst) {
  return (inst.segment == Segment::kGroup || inst.segment == Segment::kFlat) &&
         inst.order != MemoryOrder::kRelaxed;
}

}  // namespace

/// Requirements of the Compute ABI's memory model beyond the sequences of LLVM, on the targets it
/// speaks of (gfx7 to gfx908). Global and group memory are one: who synchronises through group
/// memory has finished its accesses to global memory, and does not read old data of its L1.
bool KernelTranslator::has_single_l1_model() const {
  const std::string_view name = target_.name;
  return name == "gfx900" || name == "gfx906" || name == "gfx908";
}

void KernelTranslator::wait_for_vector_memory() {
  constexpr uint32_t kVmcnt0 = 0x0f70;  // of S_WAITCNT; the other counters at their most
  intrinsic(llvm::Intrinsic::amdgcn_s_waitcnt, {}, {b_.getInt32(kVmcnt0)});
}

/// Compute ABI, "Memory Model", group segment: loads, stores and read-modify-writes that
/// synchronise.
void KernelTranslator::wait_before(const Inst& inst) {
  if (has_single_l1_model() && synchronises_group(inst)) wait_for_vector_memory();
}

void KernelTranslator::wait_after(const Inst& inst) {
  if (!has_single_l1_model() || error_) return;
  const bool acquires =
      inst.order == MemoryOrder::kAcquire || inst.order == MemoryOrder::kAcquireRelease;
  const bool wide = inst.scope == MemoryScope::kAgent || inst.scope == MemoryScope::kSystem;
  const bool by_llvm = wide && inst.segment == Segment::kFlat;
  if (synchronises_group(inst) && acquires && !by_llvm) {
    intrinsic(llvm::Intrinsic::amdgcn_buffer_wbinvl1_vol, {}, {});
  }
  // The same, global segment: a store that releases to the agent or the system is complete before
  // anything later begins.
  if (inst.atomic_op == AtomicOp::kSt && inst.order == MemoryOrder::kRelease && wide &&
      inst.segment != Segment::kGroup) {
    wait_for_vector_memory();
  }
}

/// The same pointer, of which LLVM does not know when it is one for all lanes: it would make one
/// access of sums in another order.
llvm::Value* KernelTranslator::each_lane_apart(Value* pointer) {
  auto* type = llvm::FunctionType::get(pointer->getType(), {pointer->getType()}, false);
  llvm::CallInst* call =
      b_.CreateCall(llvm::InlineAsm::get(type, "", "=v,0", /*hasSideEffects=*/false), {pointer});
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

/// atomic: destination, address, sources; atomicnoret: address, sources. Atomics are naturally
/// aligned (6.1.1).
void KernelTranslator::atomic(const Inst& inst) {
  const bool returns = inst.opcode == Opcode::kAtomic || inst.opcode == Opcode::kGcnAtomic;
  const size_t first = returns ? 1 : 0;
  size_t sources = 1;
  if (inst.atomic_op == AtomicOp::kLd) sources = 0;
  if (inst.atomic_op == AtomicOp::kCas) sources = 2;
  if (!require_operands(inst, first + 1 + sources)) return;
  const auto order = ordering(inst);
  const auto scope = sync_scope(inst);
  const Address at = address(inst, first, inst.segment);
  if (error_ || !order || !scope) return;
  wait_before(inst);
  Value* pointer = hsail::is_float(inst.type) ? each_lane_apart(at.pointer) : at.pointer;
  Value* result = emit_atomic(inst, inst.atomic_op, pointer, first + 1, *order, *scope);
  wait_after(inst);
  if (!returns || error_) return;
  if (result == nullptr) return unsupported(inst, "with a result");
  write(inst, 0, result, inst.type);
}

llvm::Value* KernelTranslator::emit_atomic(const Inst& inst, AtomicOp op, Value* pointer,
                                           size_t first, AtomicOrdering order,
                                           llvm::SyncScope::ID scope) {
  const unsigned bits = hsail::type_bits(inst.type);
  if (bits != 32 && bits != 64) {
    unsupported(inst, "");
    return nullptr;
  }
  const llvm::Align align(bits / 8);
  if (op == AtomicOp::kLd) {
    llvm::LoadInst* access = b_.CreateAlignedLoad(b_.getIntNTy(bits), pointer, align);
    access->setAtomic(order, scope);
    return access;
  }
  Value* value = read(inst, first, inst.type);
  if (op == AtomicOp::kSt) {
    b_.CreateAlignedStore(value, pointer, align)->setAtomic(order, scope);
    return nullptr;
  }
  if (op == AtomicOp::kCas) {
    Value* desired = read(inst, first + 1, inst.type);
    auto* access = b_.CreateAtomicCmpXchg(pointer, value, desired, align, order, order, scope);
    return b_.CreateExtractValue(access, 0);
  }
  for (const AtomicRow& row : kAtomics)
    if (row.op == op)
      return b_.CreateAtomicRMW(hsail::is_float(inst.type)    ? row.float_op
                                : hsail::is_signed(inst.type) ? row.signed_op
                                                              : row.unsigned_op,
                                pointer, value, align, order, scope);
  unsupported(inst, "");
  return nullptr;
}

/// A fence covers global and group memory (6.9).
void KernelTranslator::memory_fence(const Inst& inst) {
  const auto scope = sync_scope(inst);
  if (!scope) return;
  switch (inst.order) {
    case MemoryOrder::kAcquire:
      b_.CreateFence(AtomicOrdering::Acquire, *scope);
      break;
    case MemoryOrder::kRelease:
      b_.CreateFence(AtomicOrdering::Release, *scope);
      break;
    case MemoryOrder::kAcquireRelease:
      b_.CreateFence(AtomicOrdering::SequentiallyConsistent, *scope);
      break;
    default:
      unsupported(inst, "without a memory order");
  }
}

/// Execution barriers only: memory is ordered by the fences beside them (9.3).
void KernelTranslator::barrier(const Inst& inst) {
  intrinsic(inst.opcode == Opcode::kBarrier ? llvm::Intrinsic::amdgcn_s_barrier
                                            : llvm::Intrinsic::amdgcn_wave_barrier,
            {}, {});
}

}  // namespace cuvette::finalizer
