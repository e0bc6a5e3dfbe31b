// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Signals and user mode queues (HSAIL PRM 6.8, 11.3): atomics at system scope on the structures
// that their handles and addresses point to. A signal with an event tells the host of a new value
// by an interrupt.
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "finalizer/kernel_translator.h"
#include "finalizer/llvm_target.h"
#include "hsa/signal.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::AtomicOp;
using hsail::Inst;
using hsail::Opcode;
using hsail::Type;
using llvm::CmpInst;

namespace {

// Compute ABI: the value in amd_signal_t, the indices in amd_queue_t.
constexpr unsigned kSignalValueOffset = 8;
constexpr unsigned kMailboxAfterValue = 8;  // event_mailbox_ptr, 64 bits
constexpr unsigned kEventAfterValue = 16;   // event_id, 32 bits
constexpr unsigned kWriteIndexOffset = 56;
constexpr unsigned kReadIndexOffset = 128;

/// S_SENDMSG: an interrupt with M0 (isa_notes.md).
constexpr uint32_t kMessageInterrupt = 1;

/// A wait gives up after so many ticks of S_MEMREALTIME (6.8.2 lets it return spuriously; Compute
/// ABI, "Signal wait": it has to time out).
constexpr uint64_t kLongestWait = 1 << 14;

struct QueueRow {
  Opcode opcode;
  unsigned offset;
  AtomicOp operation;
};
constexpr QueueRow kQueueRows[] = {
    {Opcode::kAddQueueWriteIndex, kWriteIndexOffset, AtomicOp::kAdd},
    {Opcode::kCasQueueWriteIndex, kWriteIndexOffset, AtomicOp::kCas},
    {Opcode::kLdQueueReadIndex, kReadIndexOffset, AtomicOp::kLd},
    {Opcode::kLdQueueWriteIndex, kWriteIndexOffset, AtomicOp::kLd},
    {Opcode::kStQueueReadIndex, kReadIndexOffset, AtomicOp::kSt},
    {Opcode::kStQueueWriteIndex, kWriteIndexOffset, AtomicOp::kSt},
};

CmpInst::Predicate wait_predicate(AtomicOp op) {
  switch (op) {
    case AtomicOp::kWaitEq:
    case AtomicOp::kWaitTimeoutEq:
      return CmpInst::ICMP_EQ;
    case AtomicOp::kWaitNe:
    case AtomicOp::kWaitTimeoutNe:
      return CmpInst::ICMP_NE;
    case AtomicOp::kWaitLt:
    case AtomicOp::kWaitTimeoutLt:
      return CmpInst::ICMP_SLT;
    default:
      return CmpInst::ICMP_SGE;
  }
}

}  // namespace

/// A pointer to the value of the signal whose handle operand `index` is.
llvm::Value* KernelTranslator::signal_value(const Inst& inst, size_t index) {
  Value* handle = read(inst, index, Type::kU64);
  Value* signal = b_.CreateIntToPtr(handle, llvm::PointerType::get(context_, kGlobalSpace));
  return b_.CreateConstGEP1_32(b_.getInt8Ty(), signal, kSignalValueOffset);
}

void KernelTranslator::signal(const Inst& inst) {
  if (inst.atomic_op >= AtomicOp::kWaitEq) return signal_wait(inst);
  const bool returns = inst.opcode == Opcode::kSignal;
  const size_t first = returns ? 1 : 0;
  const auto order = ordering(inst);
  if (!order) return;
  Value* pointer = signal_value(inst, first);
  auto* done = llvm::BasicBlock::Create(context_, "", function_);
  if (inst.atomic_op == AtomicOp::kSt && hsail::type_bytes(inst.type) == 8)
    ring_doorbell(read(inst, first + 1, inst.type), pointer, done);
  Value* result =
      emit_atomic(inst, inst.atomic_op, pointer, first + 1, *order, llvm::SyncScope::System);
  if (returns && result != nullptr) write(inst, 0, result, inst.type);
  if (inst.atomic_op != AtomicOp::kLd) raise_event(pointer);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

/// Compute ABI, "Signal kinds": the doorbell signal of a hardware queue has the address of the
/// doorbell in place of a value. Goes on behind such a signal at `done`, otherwise here.
void KernelTranslator::ring_doorbell(Value* value, Value* signal_value, llvm::BasicBlock* done) {
  llvm::Type* word = b_.getInt64Ty();
  auto* bell = llvm::BasicBlock::Create(context_, "", function_);
  auto* usual = llvm::BasicBlock::Create(context_, "", function_);
  Value* kind =
      b_.CreateLoad(word, b_.CreateConstGEP1_32(b_.getInt8Ty(), signal_value, -kSignalValueOffset));
  const auto doorbell = static_cast<uint64_t>(hsa::SignalKind::Doorbell);
  b_.CreateCondBr(b_.CreateICmpEQ(kind, llvm::ConstantInt::get(word, doorbell)), bell, usual);
  b_.SetInsertPoint(bell);
  Value* address = b_.CreateLoad(word, signal_value);
  auto* store = b_.CreateAlignedStore(
      value, b_.CreateIntToPtr(address, llvm::PointerType::get(context_, kGlobalSpace)),
      llvm::Align(8));
  store->setAtomic(llvm::AtomicOrdering::Release, llvm::SyncScope::System);
  b_.CreateBr(done);
  b_.SetInsertPoint(usual);
}

/// Compute ABI, "Signal update": behind the value, the number of the signal's event goes to its
/// mailbox and into an interrupt, as the packet processor does it. A signal without event has no
/// mailbox. Lanes with different events send one after the other.
void KernelTranslator::raise_event(Value* signal_value) {
  llvm::Type* word = b_.getInt64Ty();
  const auto block = [&] { return llvm::BasicBlock::Create(context_, "", function_); };
  auto* tell = block();
  auto* next = block();
  auto* send = block();
  auto* look = block();
  auto* done = block();
  Value* mailbox =
      b_.CreateLoad(word, b_.CreateConstGEP1_32(b_.getInt8Ty(), signal_value, kMailboxAfterValue));
  b_.CreateCondBr(b_.CreateICmpNE(mailbox, llvm::ConstantInt::get(word, 0)), tell, done);

  b_.SetInsertPoint(tell);
  Value* event = b_.CreateLoad(
      b_.getInt32Ty(), b_.CreateConstGEP1_32(b_.getInt8Ty(), signal_value, kEventAfterValue));
  auto* store = b_.CreateAlignedStore(
      b_.CreateZExt(event, word),
      b_.CreateIntToPtr(mailbox, llvm::PointerType::get(context_, kGlobalSpace)), llvm::Align(8));
  store->setAtomic(llvm::AtomicOrdering::Release, llvm::SyncScope::System);
  b_.CreateFence(llvm::AtomicOrdering::Release);
  b_.CreateBr(next);

  b_.SetInsertPoint(next);
  Value* first = intrinsic(llvm::Intrinsic::amdgcn_readfirstlane, {b_.getInt32Ty()}, {event});
  Value* is_first = b_.CreateICmpEQ(event, first);
  b_.CreateCondBr(is_first, send, look);
  b_.SetInsertPoint(send);
  intrinsic(llvm::Intrinsic::amdgcn_s_sendmsg, {}, {i32(kMessageInterrupt), first});
  b_.CreateBr(look);
  b_.SetInsertPoint(look);
  b_.CreateCondBr(is_first, done, next);
  b_.SetInsertPoint(done);
}

void KernelTranslator::signal_wait(const Inst& inst) {
  const bool timed = inst.atomic_op >= AtomicOp::kWaitTimeoutEq;
  if (!require_operands(inst, timed ? 4 : 3)) return;
  const auto order = ordering(inst);
  if (!order) return;
  Value* pointer = signal_value(inst, 1);
  Value* wanted = read(inst, 2, inst.type);
  llvm::Type* ticks = b_.getInt64Ty();
  Value* limit = llvm::ConstantInt::get(ticks, kLongestWait);
  if (timed) {
    Value* asked = b_.CreateZExt(read(inst, 3, Type::kU64), ticks);
    limit = b_.CreateSelect(b_.CreateICmpULT(asked, limit), asked, limit);
  }
  Value* start = intrinsic(llvm::Intrinsic::amdgcn_s_memrealtime, {}, {});
  auto* look = llvm::BasicBlock::Create(context_, "", function_);
  auto* again = llvm::BasicBlock::Create(context_, "", function_);
  auto* done = llvm::BasicBlock::Create(context_, "", function_);
  b_.CreateBr(look);
  b_.SetInsertPoint(look);
  Value* value = emit_atomic(inst, AtomicOp::kLd, pointer, 0, *order, llvm::SyncScope::System);
  Value* now = intrinsic(llvm::Intrinsic::amdgcn_s_memrealtime, {}, {});
  Value* holds = b_.CreateICmp(wait_predicate(inst.atomic_op), value, wanted);
  Value* over = b_.CreateICmpUGE(b_.CreateSub(now, start), limit);
  b_.CreateCondBr(b_.CreateOr(holds, over), done, again);
  b_.SetInsertPoint(again);
  intrinsic(llvm::Intrinsic::amdgcn_s_sleep, {}, {i32(1)});
  b_.CreateBr(look);
  b_.SetInsertPoint(done);
  write(inst, 0, value, inst.type);
}

void KernelTranslator::queue_index(const Inst& inst) {
  const QueueRow* row = nullptr;
  for (const QueueRow& candidate : kQueueRows)
    if (candidate.opcode == inst.opcode) row = &candidate;
  const bool returns = row->operation != AtomicOp::kSt;
  const size_t first = returns ? 1 : 0;
  const auto order = ordering(inst);
  const Address at = address(inst, first, inst.segment);
  if (error_ || !order) return;
  Value* pointer = b_.CreateConstGEP1_32(b_.getInt8Ty(), at.pointer, row->offset);
  Value* result =
      emit_atomic(inst, row->operation, pointer, first + 1, *order, llvm::SyncScope::System);
  if (returns && result != nullptr) write(inst, 0, result, inst.type);
}

}  // namespace cuvette::finalizer
