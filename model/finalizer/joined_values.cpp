// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/joined_values.h"

#include <vector>

#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Pass.h>

#include "finalizer/llvm_target.h"

namespace cuvette::finalizer {

namespace {

using llvm::PHINode;
using llvm::Value;

/// The one value that a node has besides undefined ones and itself, if there are such; or null.
Value* value_beside_undefined(const PHINode& node) {
  Value* value = nullptr;
  bool undefined = false;
  for (Value* const v : node.incoming_values()) {
    if (v == &node) continue;
    if (llvm::isa<llvm::UndefValue>(v)) {
      undefined = true;
    } else if (value == nullptr) {
      value = v;
    } else if (value != v) {
      return nullptr;
    }
  }
  return undefined ? value : nullptr;
}

class KeepJoinedValues : public llvm::FunctionPass {
 public:
  static char ID;
  KeepJoinedValues() : FunctionPass(ID) {}

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.addRequired<llvm::CycleInfoWrapperPass>();
    usage.addRequired<llvm::DominatorTreeWrapperPass>();
    usage.addRequired<llvm::TargetTransformInfoWrapperPass>();  // for the next
    usage.addRequired<llvm::UniformityInfoWrapperPass>();
    usage.setPreservesCFG();
  }

  bool runOnFunction(llvm::Function& f) override {
    cycles_ = &getAnalysis<llvm::CycleInfoWrapperPass>().getResult();
    dominators_ = &getAnalysis<llvm::DominatorTreeWrapperPass>().getDomTree();
    auto& uniformity = getAnalysis<llvm::UniformityInfoWrapperPass>();
    bool changed = false;
    // A node that becomes its value may leave another one with one value, and that uniform.
    for (bool more = true; more; changed |= more) {
      if (changed) uniformity.runOnFunction(f);
      uniform_ = &uniformity.getUniformityInfo();
      more = replace_nodes(f) || choose(f);
    }
    return changed;
  }

 private:
  bool replace_nodes(llvm::Function& f) {
    std::vector<PHINode*> replaced;
    for (llvm::BasicBlock& block : f) {
      for (PHINode& node : block.phis()) {
        Value* const value = value_beside_undefined(node);
        if (value == nullptr || uniform_->isDivergent(value) || !is_there(*value, node)) continue;
        node.replaceAllUsesWith(value);
        replaced.push_back(&node);
      }
    }
    for (PHINode* const node : replaced) node->eraseFromParent();
    return !replaced.empty();
  }

  /// True if a value is the same for all lanes at a node: it comes before it on every way, and not
  /// from a loop that they leave one after another.
  bool is_there(const Value& value, const PHINode& node) const {
    const auto* const i = llvm::dyn_cast<llvm::Instruction>(&value);
    if (i == nullptr) return true;
    const llvm::Cycle* const cycle = cycles_->getCycle(i->getParent());
    return dominators_->dominates(i, &node) &&
           (cycle == nullptr || cycle->contains(node.getParent()));
  }

  /// Makes nodes such of different values, which LLVM takes for uniform only where lanes come
  /// together.
  bool choose(llvm::Function& f) {
    bool changed = false;
    for (llvm::BasicBlock& block : f) {
      for (PHINode& node : block.phis()) {
        Value* const value = value_beside_undefined(node);
        if (value == nullptr || uniform_->isDivergent(value)) continue;
        for (llvm::BasicBlock* const from : node.blocks())
          if (llvm::isa<llvm::UndefValue>(node.getIncomingValueForBlock(from)))
            node.setIncomingValueForBlock(
                from, new llvm::FreezeInst(llvm::PoisonValue::get(node.getType()), "some",
                                           from->getTerminator()->getIterator()));
        changed = true;
      }
    }
    return changed;
  }

  const llvm::CycleInfo* cycles_ = nullptr;
  const llvm::DominatorTree* dominators_ = nullptr;
  const llvm::UniformityInfo* uniform_ = nullptr;
};

char KeepJoinedValues::ID = 0;

/// The pass of LLVM that replaces nodes of undefined values, but for those that become uniform by
/// that.
constexpr llvm::StringLiteral kRewriting = "amdgpu-rewrite-undef-for-phi";

}  // namespace

void keep_joined_values(llvm::TargetPassConfig& config) {
  static const llvm::RegisterPass<KeepJoinedValues> pass("cuvette-keep-joined-values",
                                                         "Keep values that lanes bring to joins");
  config.insertPass(pass_named(kRewriting), pass.getTypeInfo());
}

}  // namespace cuvette::finalizer
