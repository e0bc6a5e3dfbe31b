// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// alloca (HSAIL PRM 10.10). Frames of functions grow from the start of a work-item's private memory
// by LLVM's stack pointer, which belongs to the wavefront; what alloca gives grows from the end, by
// a word of the work-item's own. LLVM 19's dynamic allocas give wrong addresses on AMDGPU: they
// align downwards, and count in bytes of the wavefront.
#include <algorithm>

#include "finalizer/dynamic_frames.h"
#include "finalizer/kernel_translator.h"
#include "finalizer/llvm_target.h"
#include "hsail/names.h"

namespace cuvette::finalizer {

using hsail::CodeRef;
using hsail::Inst;
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
  const uint64_t before = symbols_.any_alloca() ? align : 0;
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
  if (!symbols_.any_alloca()) return;
  constexpr unsigned kPrivateBytesOffset = 24;  // in the kernel dispatch packet
  b_.CreateStore(packet_field(kPrivateBytesOffset, 32), free_end_word());
}

/// What a function has allocated ends with it.
void KernelTranslator::free_at_returns() {
  const bool kernel = function_->getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL;
  if (kernel || !function_->hasFnAttribute(kDynamicFrame)) return;
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
  function_->addFnAttr(kDynamicFrame);
  function_->addFnAttr("amdgpu-stack-objects");     // LLVM: FLAT_SCRATCH is to be set up
  function_->addFnAttr(llvm::Attribute::NoInline);  // the attribute is the function's
  const uint64_t align = std::max<uint64_t>(kLeastAlignment, hsail::alignment_bytes(inst.align));
  Value* word = free_end_word();
  Value* end = b_.CreateLoad(b_.getInt32Ty(), word);
  end = b_.CreateSub(end, read(inst, 1, Type::kU32));
  end = b_.CreateAnd(end, i32(-static_cast<int64_t>(align)));
  b_.CreateStore(end, word);
  write(inst, 0, end, Type::kU32);
}

}  // namespace cuvette::finalizer
