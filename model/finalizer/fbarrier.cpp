// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Fine-grain barriers (HSAIL PRM 9.2). The machine has one barrier per work-group, so an fbarrier
// is a word of group memory: members in bits 7:0, arrivals in 15:8, and in 31:16 a count of how
// often it was satisfied. One lane of a wavefront changes it; waiting is a loop until the count
// changes.
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "finalizer/kernel_translator.h"
#include "finalizer/llvm_target.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::Inst;
using hsail::Kind;
using hsail::Opcode;
using hsail::Type;

namespace {

constexpr uint32_t kMembers = 0xff;
constexpr unsigned kArrivedShift = 8;
constexpr uint32_t kOneArrived = 1u << kArrivedShift;
constexpr unsigned kCountShift = 16;
constexpr uint32_t kOneSatisfied = 1u << kCountShift;
constexpr uint32_t kCount = 0xffff0000;
constexpr auto kRelaxed = llvm::AtomicOrdering::Monotonic;

}  // namespace

/// The group address of an operand: a name, or what ldf gave.
llvm::Value* KernelTranslator::fbarrier_address(const Inst& inst, size_t index) {
  const hsail::Operand& operand = module_.operand(inst.operands[index]);
  if (operand.kind == Kind::kOperandRegister) return read(inst, index, Type::kU32);
  const hsail::Place* place = layout_.group.find(operand.symbol);
  if (place != nullptr) return i32(place->offset);
  unsupported(inst, "on an fbarrier that has no place in the kernel's group memory");
  return i32(0);
}

/// The word `address` after arriving or leaving, one attempt after the other until nobody was in
/// between. The value that it had.
llvm::Value* KernelTranslator::change_fbarrier(Opcode opcode, Value* pointer) {
  const auto scope = context_.getOrInsertSyncScopeID("workgroup-one-as");
  llvm::BasicBlock* before = b_.GetInsertBlock();
  auto* first = b_.CreateAlignedLoad(b_.getInt32Ty(), pointer, llvm::Align(4));
  first->setAtomic(kRelaxed, scope);
  auto* attempt = llvm::BasicBlock::Create(context_, "", function_);
  auto* done = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateBr(attempt);
  b_.SetInsertPoint(attempt);
  llvm::PHINode* seen = b_.CreatePHI(b_.getInt32Ty(), 2);
  seen->addIncoming(first, before);
  Value* changed = opcode == Opcode::kLeaveFbar ? b_.CreateSub(seen, i32(1))
                                                : b_.CreateAdd(seen, i32(kOneArrived));
  Value* members = b_.CreateAnd(changed, kMembers);
  Value* arrived = b_.CreateAnd(b_.CreateLShr(changed, kArrivedShift), kMembers);
  // 9.2.3: the last one resets the arrivals and lets the others go on.
  Value* satisfied = b_.CreateAdd(b_.CreateAnd(changed, kCount | kMembers), i32(kOneSatisfied));
  Value* next = b_.CreateSelect(b_.CreateICmpEQ(members, arrived), satisfied, changed);
  auto* exchange =
      b_.CreateAtomicCmpXchg(pointer, seen, next, llvm::MaybeAlign(4), kRelaxed, kRelaxed, scope);
  seen->addIncoming(b_.CreateExtractValue(exchange, 0), attempt);
  b_.CreateCondBr(b_.CreateExtractValue(exchange, 1), done, attempt);
  b_.SetInsertPoint(done);
  return seen;
}

/// Until the count is no longer that of `seen`, which is the same in the whole wavefront.
void KernelTranslator::wait_for_fbarrier(Value* pointer, Value* seen) {
  const auto scope = context_.getOrInsertSyncScopeID("workgroup-one-as");
  auto* look = llvm::BasicBlock::Create(context_, "", function_);
  auto* sleep = llvm::BasicBlock::Create(context_, "", function_);
  auto* done = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateBr(look);
  b_.SetInsertPoint(look);
  auto* now = b_.CreateAlignedLoad(b_.getInt32Ty(), pointer, llvm::Align(4));
  now->setAtomic(kRelaxed, scope);
  Value* uniform = intrinsic(llvm::Intrinsic::amdgcn_readfirstlane, {b_.getInt32Ty()}, {now});
  Value* same =
      b_.CreateICmpEQ(b_.CreateLShr(uniform, kCountShift), b_.CreateLShr(seen, kCountShift));
  b_.CreateCondBr(same, sleep, done);
  b_.SetInsertPoint(sleep);
  intrinsic(llvm::Intrinsic::amdgcn_s_sleep, {}, {i32(1)});
  b_.CreateBr(look);
  b_.SetInsertPoint(done);
}

void KernelTranslator::fbarrier(const Inst& inst) {
  if (!require_operands(inst, inst.opcode == Opcode::kLdf ? 2 : 1)) return;
  if (inst.opcode == Opcode::kLdf) return write(inst, 0, fbarrier_address(inst, 1), Type::kU32);
  if (inst.opcode == Opcode::kReleaseFbar) return;  // nothing was allocated
  const auto scope = context_.getOrInsertSyncScopeID("workgroup-one-as");
  Value* pointer =
      b_.CreateIntToPtr(fbarrier_address(inst, 0), llvm::PointerType::get(context_, kGroupSpace));
  if (inst.opcode == Opcode::kInitFbar) {
    // The count goes on from whatever the memory holds.
    b_.CreateAtomicRMW(llvm::AtomicRMWInst::And, pointer, i32(kCount), llvm::MaybeAlign(4),
                       kRelaxed, scope);
    return;
  }
  Value* all = active_lanes(b_.getTrue());
  Value* low = b_.CreateTrunc(all, b_.getInt32Ty());
  Value* high = b_.CreateTrunc(b_.CreateLShr(all, 32), b_.getInt32Ty());
  Value* below = intrinsic(llvm::Intrinsic::amdgcn_mbcnt_lo, {}, {low, i32(0)});
  below = intrinsic(llvm::Intrinsic::amdgcn_mbcnt_hi, {}, {high, below});
  llvm::BasicBlock* before = b_.GetInsertBlock();
  auto* alone = llvm::BasicBlock::Create(context_, "", function_);
  auto* together = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateCondBr(b_.CreateICmpEQ(below, i32(0)), alone, together);
  b_.SetInsertPoint(alone);
  Value* was = i32(0);
  if (inst.opcode == Opcode::kJoinFbar) {
    was = b_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, pointer, i32(1), llvm::MaybeAlign(4),
                             kRelaxed, scope);
  } else {
    was = change_fbarrier(inst.opcode, pointer);
  }
  llvm::BasicBlock* after = b_.GetInsertBlock();
  b_.CreateBr(together);
  b_.SetInsertPoint(together);
  llvm::PHINode* seen = b_.CreatePHI(b_.getInt32Ty(), 2);
  seen->addIncoming(was, after);
  seen->addIncoming(i32(0), before);
  if (inst.opcode != Opcode::kWaitFbar) return;
  // The lane that took part is the first active one.
  wait_for_fbarrier(pointer,
                    intrinsic(llvm::Intrinsic::amdgcn_readfirstlane, {b_.getInt32Ty()}, {seen}));
}

}  // namespace cuvette::finalizer
