// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// alloca (HSAIL PRM 10.10). Frames of functions grow from the start of a work-item's private memory
// by LLVM's stack pointer, which belongs to the wavefront; what alloca gives grows from the end, by
// a word of the work-item's own. LLVM 19's dynamic allocas give wrong addresses on AMDGPU: they
// align downwards, and count in bytes of the wavefront. If the two would meet, the wavefront
// stops (hsa/stack_shortage.h): each frame and each allocation looks before it uses the memory.
#include <algorithm>
#include <iterator>

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/MDBuilder.h>

#include "finalizer/dynamic_frames.h"
#include "finalizer/kernel_translator.h"
#include "finalizer/llvm_target.h"
#include "hsa/small_model.h"
#include "hsa/stack_shortage.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::CodeRef;
using hsail::Inst;
using hsail::Opcode;
using hsail::Type;

namespace {

constexpr uint64_t kWordBytes = 4;
constexpr uint64_t kLeastAlignment = 16;  // of LLVM's stack, too

}  // namespace

/// The private variables of module scope, behind the word that says where the free memory ends.
llvm::Value* KernelTranslator::allocate_module_private() {
  uint64_t bytes = 0;  // module scope comes first in the layout
  for (const hsail::Place& place : layout_.private_segment.places)
    if (module_.code[place.variable].as<hsail::Variable>().linkage != hsail::Linkage::kFunction)
      bytes = std::max(bytes, place.offset + place.bytes);
  const uint64_t align = std::max(kWordBytes, layout_.private_segment.alignment);
  const uint64_t before = checks_stack_ ? align : 0;
  if (bytes + before == 0)
    return llvm::Constant::getNullValue(llvm::PointerType::get(context_, kPrivateSpace));
  auto* block =
      b_.CreateAlloca(llvm::ArrayType::get(b_.getInt8Ty(), before + bytes), kPrivateSpace);
  block->setAlignment(llvm::Align(align));
  return b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), block, static_cast<unsigned>(before));
}

llvm::Value* KernelTranslator::free_end_word() {
  return b_.CreateInBoundsGEP(b_.getInt8Ty(), module_private_,
                              i32(-static_cast<int64_t>(kWordBytes)));
}

/// At the start of a kernel all of its private memory but the frames is free.
void KernelTranslator::start_stack() {
  if (!checks_stack_) return;
  constexpr unsigned kPrivateBytesOffset = 24;  // in the kernel dispatch packet
  Value* bytes = packet_field(kPrivateBytesOffset, 32);
  if (module_.machine_model() == hsail::MachineModel::kSmall && makes_private_flat())
    bytes = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, bytes, i32(hsa::kSmallModelAperture));
  stack_start_ = b_.CreateStore(bytes, free_end_word());
}

/// Flat addresses of the small machine model reach a part of private memory only.
bool KernelTranslator::makes_private_flat() const {
  return std::any_of(module_.code.begin(), module_.code.end(), [](const hsail::CodeEntry& entry) {
    const auto* const inst = std::get_if<Inst>(&entry.body);
    return inst != nullptr && inst->opcode == Opcode::kStof &&
           inst->segment == hsail::Segment::kPrivate;
  });
}

/// True if more private memory may be needed than LLVM adds up: by alloca, icall or recursion in
/// code that a kernel reaches. Indirect functions as such are called by kernels that reach an
/// icall.
bool KernelTranslator::has_dynamic_stack() const {
  if (any_kernel_) return true;
  const auto all = hsail::reachable(module_, kernel_);
  if (!all) return false;  // told where the code is translated
  std::map<CodeRef, std::set<CodeRef>> callers;
  std::map<CodeRef, std::set<CodeRef>> callees;
  for (const CodeRef executable : *all) {
    const auto& x = module_.code[executable].as<hsail::Executable>();
    for (CodeRef i = x.first_code_block_entry; i < x.next_module_entry; ++i) {
      const auto* const inst = std::get_if<Inst>(&module_.code[i].body);
      if (inst == nullptr) continue;
      if (inst->opcode == Opcode::kAlloca || inst->opcode == Opcode::kIcall) return true;
      std::vector<CodeRef> called;
      if (inst->opcode == Opcode::kCall) called = {module_.operand(inst->operands[1]).symbol};
      if (inst->opcode == Opcode::kScall) called = module_.operand(inst->operands[3]).codes;
      for (const CodeRef callee : called) {
        callees[executable].insert(callee);
        callers[callee].insert(executable);
      }
    }
  }
  // Without recursion nothing is left when those that call nothing are taken away again and again.
  std::vector<CodeRef> leaves;
  for (const CodeRef executable : *all)
    if (callees[executable].empty()) leaves.push_back(executable);
  size_t taken = 0;
  for (; !leaves.empty(); ++taken) {
    const CodeRef leaf = leaves.back();
    leaves.pop_back();
    for (const CodeRef caller : callers[leaf]) {
      callees[caller].erase(leaf);
      if (callees[caller].empty()) leaves.push_back(caller);
    }
  }
  return taken != all->size();
}

/// End of the frames, that of this function included: with a frame pointer LLVM moves its stack
/// pointer behind the frame, in leaves too. (LLVM 19's llvm.stacksave takes it for one in bytes of
/// the wavefront on all targets.)
llvm::Value* KernelTranslator::frames_end() {
  function_->addFnAttr("frame-pointer", "all");
  // LLVM does not know that the assembly reads the stack pointer, and would move it before what
  // sets that.
  b_.CreateIntrinsic(llvm::Intrinsic::amdgcn_sched_barrier, {}, {b_.getInt32(0)});
  auto* const type = llvm::FunctionType::get(b_.getInt32Ty(), false);
  Value* end = b_.CreateCall(
      llvm::InlineAsm::get(type, "s_mov_b32 $0, s32", "=s", /*hasSideEffects=*/false));
  if (target_.wave_stack) end = b_.CreateLShr(end, 6);
  return b_.CreateZExt(end, b_.getInt64Ty());
}

/// Stops the wavefront where `end`, of 64 bits with a sign, lies before the frames' end.
void KernelTranslator::stop_beyond(Value* end, Value* frames) {
  auto* const here = b_.GetInsertBlock();
  auto* const stop = llvm::BasicBlock::Create(context_, "", function_, here->getNextNode());
  auto* const next = llvm::BasicBlock::Create(context_, "", function_, stop->getNextNode());
  llvm::MDBuilder weights(context_);
  b_.CreateCondBr(b_.CreateICmpSLT(end, frames), stop, next, weights.createUnlikelyBranchWeights());
  b_.SetInsertPoint(stop);
  Value* missing = b_.CreateSub(frames, end);
  missing = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, missing, b_.getInt64(UINT32_MAX));
  auto* word = out_.getNamedGlobal(hsa::kStackShortage);
  if (word == nullptr) {
    word = new llvm::GlobalVariable(out_, b_.getInt32Ty(), /*isConstant=*/false,
                                    llvm::GlobalValue::ExternalLinkage, i32(0), hsa::kStackShortage,
                                    nullptr, llvm::GlobalValue::NotThreadLocal, kGlobalSpace);
    word->setVisibility(llvm::GlobalValue::ProtectedVisibility);
  }
  b_.CreateAtomicRMW(llvm::AtomicRMWInst::UMax, word, b_.CreateTrunc(missing, b_.getInt32Ty()),
                     llvm::Align(4), llvm::AtomicOrdering::Release);
  auto* const type = llvm::FunctionType::get(b_.getVoidTy(), false);
  b_.CreateCall(llvm::InlineAsm::get(type, "s_waitcnt vmcnt(0)\n\ts_trap 2\n\ts_sethalt 1", "",
                                     /*hasSideEffects=*/true));
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
}

/// At the start, behind all that belongs to the entry block: the frame has its place.
void KernelTranslator::check_frame() {
  if (!checks_stack_) return;
  llvm::Instruction* last = stack_start_;
  for (llvm::Instruction& i : *entry_)
    if (llvm::isa<llvm::AllocaInst>(i) && (last == nullptr || last->comesBefore(&i))) last = &i;
  auto point = last == nullptr ? entry_->getFirstInsertionPt() : std::next(last->getIterator());
  auto* const rest = entry_->splitBasicBlock(point);
  entry_->getTerminator()->eraseFromParent();
  b_.SetInsertPoint(entry_);
  Value* end = b_.CreateLoad(b_.getInt32Ty(), free_end_word());
  stop_beyond(b_.CreateZExt(end, b_.getInt64Ty()), frames_end());
  b_.CreateBr(rest);
}

/// Frees the allocations of a function at its returns.
void KernelTranslator::free_at_returns() {
  const bool kernel = function_->getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL;
  if (kernel || !allocates_) return;
  b_.SetInsertPoint(entry_, entry_->getFirstInsertionPt());
  Value* end = b_.CreateLoad(b_.getInt32Ty(), free_end_word());
  for (llvm::BasicBlock& block : *function_) {
    auto* const leave = llvm::dyn_cast_or_null<llvm::ReturnInst>(block.getTerminator());
    if (leave == nullptr) continue;
    b_.SetInsertPoint(leave);
    b_.CreateStore(end, free_end_word());
  }
}

void KernelTranslator::allocate(const Inst& inst) {
  if (!require_operands(inst, 2)) return;
  allocates_ = true;
  function_->addFnAttr(kDynamicFrame);
  function_->addFnAttr("amdgpu-stack-objects");     // LLVM: FLAT_SCRATCH is to be set up
  function_->addFnAttr(llvm::Attribute::NoInline);  // what it allocates ends with it
  const uint64_t align = std::max<uint64_t>(kLeastAlignment, hsail::alignment_bytes(inst.align));
  llvm::Type* const wide = b_.getInt64Ty();  // more than there is does not wrap
  Value* word = free_end_word();
  Value* end = b_.CreateZExt(b_.CreateLoad(b_.getInt32Ty(), word), wide);
  end = b_.CreateSub(end, b_.CreateZExt(read(inst, 1, Type::kU32), wide));
  end = b_.CreateAnd(end, b_.getInt64(~(align - 1)));
  stop_beyond(end, frames_end());
  end = b_.CreateTrunc(end, b_.getInt32Ty());
  b_.CreateStore(end, word);
  write(inst, 0, end, Type::kU32);
}

}  // namespace cuvette::finalizer
