// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/meeting_places.h"

#include <algorithm>
#include <set>
#include <vector>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/Module.h>

namespace cuvette::finalizer {

namespace {

using llvm::BasicBlock;

/// Functions and blocks that contain communication operations, in themselves or in their callees.
class Communication {
 public:
  explicit Communication(const llvm::Module& module) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const llvm::Function& f : module) {
        if (in(f)) continue;
        if (std::any_of(f.begin(), f.end(), [&](const BasicBlock& block) { return in(block); })) {
          changed = functions_.insert(&f).second;
        }
      }
    }
  }
  bool in(const llvm::Function& f) const { return functions_.count(&f) != 0; }
  bool in(const BasicBlock& block) const {
    return std::any_of(block.begin(), block.end(), [&](const auto& i) { return is(i); });
  }

 private:
  bool is(const llvm::Instruction& i) const {
    if (i.isAtomic()) return true;  // fences, too
    const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
    if (call == nullptr) return false;
    if (call->isInlineAsm()) return call->isConvergent() || call->mayHaveSideEffects();
    const llvm::Function* const callee = call->getCalledFunction();
    if (callee == nullptr) return true;  // any indirect function
    if (callee->isIntrinsic()) return call->isConvergent() || call->mayHaveSideEffects();
    return in(*callee);
  }

  std::set<const llvm::Function*> functions_;
};

/// True if a block on a way from `branch` to `meet` communicates. `meet` is null for the end of the
/// function.
bool communicates_between(const BasicBlock& branch, const BasicBlock* meet,
                          const std::set<const BasicBlock*>& communicating) {
  llvm::SmallPtrSet<const BasicBlock*, 16> seen;
  std::vector<const BasicBlock*> left(llvm::succ_begin(&branch), llvm::succ_end(&branch));
  while (!left.empty()) {
    const BasicBlock* const block = left.back();
    left.pop_back();
    if (block == meet || !seen.insert(block).second) continue;
    if (communicating.count(block) != 0) return true;
    left.insert(left.end(), llvm::succ_begin(block), llvm::succ_end(block));
  }
  return false;
}

}  // namespace

void keep_meeting_places(llvm::Module& module) {
  const Communication communication(module);
  for (llvm::Function& f : module) {
    if (f.isDeclaration() || !communication.in(f)) continue;
    std::set<const BasicBlock*> communicating;
    for (const BasicBlock& block : f)
      if (communication.in(block)) communicating.insert(&block);
    const llvm::PostDominatorTree tree(f);
    const llvm::LoopInfo loops{llvm::DominatorTree(f)};
    std::set<BasicBlock*> places;
    for (BasicBlock& block : f) {
      if (block.getTerminator()->getNumSuccessors() < 2) continue;
      const auto* const node = tree.getNode(&block);
      if (node == nullptr || node->getIDom() == nullptr) continue;
      BasicBlock* const meet = node->getIDom()->getBlock();
      if (meet == nullptr || places.count(meet) != 0) continue;
      const llvm::Loop* const loop = loops.getLoopFor(&block);
      if (loop == nullptr || !loop->contains(meet)) continue;  // nobody comes back to wait
      if (communicates_between(block, meet, communicating)) places.insert(meet);
    }
    for (BasicBlock& block : f) {
      if (places.count(&block) == 0) continue;
      llvm::IRBuilder<> builder(&block, block.getFirstInsertionPt());
      // No machine instruction, and none may not pass it in a schedule; but nothing may copy it or
      // have fewer lanes come to it.
      constexpr uint32_t kAllMayPass = 0x7ff;
      builder.CreateIntrinsic(llvm::Intrinsic::amdgcn_sched_barrier, {},
                              {builder.getInt32(kAllMayPass)});
    }
  }
}

}  // namespace cuvette::finalizer
