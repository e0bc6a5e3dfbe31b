// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/lane_groups.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <vector>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "finalizer/lane_flow.h"

namespace cuvette::finalizer {

namespace {

using llvm::BasicBlock;
using llvm::Value;

/// Emits the loop that executes one region.
///
/// Each lane has a place, a group and levels. The place is the node that it comes to next. The
/// group is the number of one of its lanes, so that no two have the same. Level n is set in lanes
/// that parted and meet at the node numbered n; 0 is what is behind the region. Places where lanes
/// meet have the lowest numbers, those behind before those in front of them, so that the highest
/// level of a lane is the innermost one. All lanes of the innermost level are served before others.
class GroupLoop {
 public:
  GroupLoop(llvm::Function& function, const LaneFlow::IrreducibleRegion& region)
      : f_(function), region_(region), b_(function.getContext()) {}

  LaneFlow::Node emit() {
    number_nodes();
    make_state();
    const auto make = [&](const char* name) {
      return BasicBlock::Create(f_.getContext(), name, &f_);
    };
    enter_ = make("groups");
    choose_ = make("choose");
    again_ = make("again");
    done_ = make("met");
    enter();
    choose();
    b_.SetInsertPoint(again_);
    b_.CreateBr(choose_);
    b_.SetInsertPoint(done_);
    if (region_.behind == nullptr) {
      b_.CreateRetVoid();
    } else {
      b_.CreateBr(region_.behind);
    }
    LaneFlow::Node joined{enter_, {enter_, done_}, {{done_, region_.behind}}, false, false};
    for (const LaneFlow::Node& n : region_.nodes) joined.uses_lanes |= n.uses_lanes;
    return joined;
  }

 private:
  Value* intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type*> types,
                   llvm::ArrayRef<Value*> arguments) {
    return b_.CreateIntrinsic(id, types, arguments);
  }
  Value* lanes_where(Value* condition) {
    return intrinsic(llvm::Intrinsic::amdgcn_ballot, {b_.getInt64Ty()}, {condition});
  }
  Value* of_lane(Value* value, Value* lane) {
    return intrinsic(llvm::Intrinsic::amdgcn_readlane, {b_.getInt32Ty()}, {value, lane});
  }
  Value* first_of(Value* lanes) {
    Value* count = intrinsic(llvm::Intrinsic::cttz, {b_.getInt64Ty()}, {lanes, b_.getFalse()});
    return b_.CreateTrunc(count, b_.getInt32Ty());
  }
  Value* load(llvm::AllocaInst* slot) { return b_.CreateLoad(slot->getAllocatedType(), slot); }
  Value* is_empty(Value* lanes) { return b_.CreateICmpEQ(lanes, b_.getInt64(0)); }
  Value* level_bit(Value* number) {
    return b_.CreateShl(llvm::ConstantInt::get(levels_->getAllocatedType(), 1),
                        b_.CreateZExtOrTrunc(number, levels_->getAllocatedType()));
  }

  void number_nodes() {
    const auto end = static_cast<uint32_t>(region_.nodes.size());
    // Number of places to meet that are behind a node.
    const auto depth = [&](uint32_t n) {
      uint32_t count = 0;
      for (; n != end; n = region_.meets[n]) ++count;
      return count;
    };
    std::set<std::pair<uint32_t, uint32_t>> places;
    for (uint32_t i = 0; i < end; ++i)
      if (parts(i) && region_.meets[i] != end)
        places.insert({depth(region_.meets[i]), region_.meets[i]});
    numbers_.assign(end + 1, 0);
    uint32_t next = 1;
    for (const auto& [far, place] : places) numbers_[place] = next++;
    level_count_ = next;
    for (uint32_t i = 0; i < end; ++i)
      if (numbers_[i] == 0) numbers_[i] = next++;
    for (uint32_t i = 0; i < end; ++i) number_of_[region_.nodes[i].entry] = numbers_[i];
    number_of_[region_.behind] = 0;
  }

  std::set<uint32_t> targets(uint32_t node) const {
    std::set<uint32_t> found;
    for (const LaneFlow::Edge& e : region_.nodes[node].exits) found.insert(number_of(e));
    return found;
  }
  bool parts(uint32_t node) const {
    std::set<const BasicBlock*> found;
    for (const LaneFlow::Edge& e : region_.nodes[node].exits) found.insert(e.to);
    return found.size() > 1;
  }
  uint32_t number_of(const LaneFlow::Edge& e) const { return number_of_.at(e.to); }

  void make_state() {
    b_.SetInsertPoint(&f_.getEntryBlock(), f_.getEntryBlock().begin());
    const unsigned space = f_.getParent()->getDataLayout().getAllocaAddrSpace();
    const auto slot = [&](llvm::Type* type, const char* name) {
      return b_.CreateAlloca(type, space, nullptr, name);
    };
    place_ = slot(b_.getInt32Ty(), "place");
    group_ = slot(b_.getInt32Ty(), "group");
    levels_ = slot(b_.getIntNTy(std::max(32u, std::bit_ceil(level_count_))), "levels");
    level_ = slot(b_.getInt32Ty(), "level");
    last_ = slot(b_.getInt32Ty(), "last");
  }

  /// All lanes are one group before the first node.
  void enter() {
    BasicBlock* const before = region_.nodes.front().entry;
    std::set<const BasicBlock*> inside;
    for (const LaneFlow::Node& n : region_.nodes) inside.insert(n.blocks.begin(), n.blocks.end());
    const std::vector<BasicBlock*> from(llvm::pred_begin(before), llvm::pred_end(before));
    for (BasicBlock* p : from)
      if (inside.count(p) == 0) p->getTerminator()->replaceSuccessorWith(before, enter_);
    b_.SetInsertPoint(enter_);
    b_.CreateStore(b_.getInt32(numbers_[0]), place_);
    b_.CreateStore(first_of(lanes_where(b_.getTrue())), group_);
    b_.CreateStore(llvm::ConstantInt::get(levels_->getAllocatedType(), 1), levels_);
    b_.CreateStore(b_.getInt32(0), level_);
    b_.CreateStore(b_.getInt32(0), last_);
    b_.CreateBr(choose_);
  }

  void choose() {
    auto* const meet = BasicBlock::Create(f_.getContext(), "meet", &f_);
    auto* const rise = BasicBlock::Create(f_.getContext(), "rise", &f_);
    auto* const serve = BasicBlock::Create(f_.getContext(), "serve", &f_);
    b_.SetInsertPoint(choose_);
    Value* const level = load(level_);
    Value* const levels = load(levels_);
    Value* const place = load(place_);
    Value* const bit = level_bit(level);
    Value* const member = b_.CreateIsNotNull(b_.CreateAnd(levels, bit));
    Value* const waiting = lanes_where(b_.CreateAnd(member, b_.CreateICmpNE(place, level)));
    b_.CreateCondBr(is_empty(waiting), meet, serve);

    b_.SetInsertPoint(meet);
    b_.CreateCondBr(b_.CreateIsNull(level), done_, rise);

    // All lanes of the level have come: they are one group again, of the next level.
    b_.SetInsertPoint(rise);
    Value* const first = first_of(lanes_where(member));
    Value* const left = b_.CreateSelect(member, b_.CreateXor(levels, bit), levels);
    b_.CreateStore(left, levels_);
    b_.CreateStore(b_.CreateSelect(member, first, load(group_)), group_);
    Value* zeros = intrinsic(llvm::Intrinsic::ctlz, {left->getType()}, {left, b_.getFalse()});
    zeros = b_.CreateZExtOrTrunc(zeros, b_.getInt32Ty());
    const unsigned top = left->getType()->getIntegerBitWidth() - 1;
    b_.CreateStore(of_lane(b_.CreateSub(b_.getInt32(top), zeros), first), level_);
    b_.CreateBr(again_);

    // Groups take turns: one may wait for another.
    b_.SetInsertPoint(serve);
    Value* const behind_last = b_.CreateAnd(
        waiting,
        b_.CreateShl(b_.getInt64(~uint64_t{1}), b_.CreateZExt(load(last_), b_.getInt64Ty())));
    Value* const leader = first_of(b_.CreateSelect(is_empty(behind_last), waiting, behind_last));
    b_.CreateStore(leader, last_);
    Value* const group = load(group_);
    Value* const chosen = b_.CreateICmpEQ(group, of_lane(group, leader));
    auto* const nowhere = BasicBlock::Create(f_.getContext(), "", &f_);
    auto* const node = b_.CreateSwitch(of_lane(place, leader), nowhere,
                                       static_cast<unsigned>(region_.nodes.size()));
    b_.SetInsertPoint(nowhere);
    b_.CreateUnreachable();
    for (uint32_t i = 0; i < region_.nodes.size(); ++i)
      node->addCase(b_.getInt32(numbers_[i]), execute(i, chosen, level));
  }

  /// The chosen lanes execute a node and say where they go.
  BasicBlock* execute(uint32_t index, Value* chosen, Value* level) {
    const LaneFlow::Node& node = region_.nodes[index];
    auto* const start = BasicBlock::Create(f_.getContext(), "node", &f_);
    auto* const behind = BasicBlock::Create(f_.getContext(), "behind", &f_);
    b_.SetInsertPoint(start);
    b_.CreateCondBr(chosen, node.entry, behind);
    for (const LaneFlow::Edge& e : node.exits) {
      llvm::Instruction* const way = e.from->getTerminator();
      if (e.to == nullptr && llvm::isa<llvm::UnreachableInst>(way)) continue;
      auto* const leave = BasicBlock::Create(f_.getContext(), "leave", &f_);
      b_.SetInsertPoint(leave);
      b_.CreateStore(b_.getInt32(number_of(e)), place_);
      b_.CreateBr(behind);
      if (e.to == nullptr) {
        llvm::ReplaceInstWithInst(way, llvm::BranchInst::Create(leave));
      } else {
        way->replaceSuccessorWith(e.to, leave);
      }
    }
    b_.SetInsertPoint(behind);
    if (parts(index)) part(index, chosen, level);
    b_.CreateBr(again_);
    return start;
  }

  /// The chosen lanes become a group for each place that they go to.
  void part(uint32_t index, Value* chosen, Value* level) {
    Value* const place = load(place_);
    Value* const all = lanes_where(chosen);
    Value* group = load(group_);
    Value* together = b_.getFalse();
    for (const uint32_t target : targets(index)) {
      Value* const here = b_.CreateAnd(chosen, b_.CreateICmpEQ(place, b_.getInt32(target)));
      Value* const lanes = lanes_where(here);
      group = b_.CreateSelect(here, first_of(lanes), group);
      together = b_.CreateOr(together, b_.CreateICmpEQ(lanes, all));
    }
    b_.CreateStore(group, group_);
    Value* const inner = b_.getInt32(numbers_[region_.meets[index]]);
    // Lanes that wait for the same place already go on doing so.
    Value* const sinks = b_.CreateAnd(b_.CreateNot(together), b_.CreateICmpNE(level, inner));
    Value* const levels = load(levels_);
    b_.CreateStore(
        b_.CreateSelect(b_.CreateAnd(sinks, chosen), b_.CreateOr(levels, level_bit(inner)), levels),
        levels_);
    b_.CreateStore(b_.CreateSelect(sinks, inner, level), level_);
  }

  llvm::Function& f_;
  const LaneFlow::IrreducibleRegion& region_;
  llvm::IRBuilder<> b_;
  std::vector<uint32_t> numbers_;  ///< of the nodes; what is behind them has 0
  std::map<const BasicBlock*, uint32_t> number_of_;
  uint32_t level_count_ = 1;
  llvm::AllocaInst *place_ = nullptr, *group_ = nullptr, *levels_ = nullptr, *level_ = nullptr,
                   *last_ = nullptr;
  BasicBlock *enter_ = nullptr, *choose_ = nullptr, *again_ = nullptr, *done_ = nullptr;
};

/// Nothing passes from one block to another but in memory, as the slots of HSAIL registers do.
void keep_in_memory(llvm::Function& f) {
  std::vector<llvm::Instruction*> across;
  std::vector<llvm::PHINode*> phis;
  for (llvm::Instruction& i : llvm::instructions(f)) {
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&i)) phis.push_back(phi);
    if (i.getParent() == &f.getEntryBlock()) continue;
    if (std::any_of(i.user_begin(), i.user_end(), [&](const llvm::User* user) {
          return llvm::cast<llvm::Instruction>(user)->getParent() != i.getParent() ||
                 llvm::isa<llvm::PHINode>(user);
        }))
      across.push_back(&i);
  }
  for (llvm::Instruction* i : across) llvm::DemoteRegToStack(*i);
  for (llvm::PHINode* phi : phis) llvm::DemotePHIToStack(phi);
}

/// Set of functions that execute cross-lane instructions, in themselves or in their callees.
class LaneUse {
 public:
  explicit LaneUse(const llvm::Module& module) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const llvm::Function& f : module)
        for (const BasicBlock& block : f)
          if (users_.count(&f) == 0 && in(block)) changed = users_.insert(&f).second;
    }
  }
  bool in(const llvm::Function& f) const { return users_.count(&f) != 0; }
  bool in(const BasicBlock& block) const {
    return std::any_of(block.begin(), block.end(), [&](const llvm::Instruction& i) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
      if (call == nullptr || call->isInlineAsm()) return false;
      const llvm::Function* callee = call->getCalledFunction();
      if (callee == nullptr) return true;  // any indirect function
      const llvm::Intrinsic::ID id = callee->getIntrinsicID();
      return id == llvm::Intrinsic::amdgcn_ballot || id == llvm::Intrinsic::amdgcn_ds_bpermute ||
             in(*callee);
    });
  }

 private:
  std::set<const llvm::Function*> users_;
};

void keep_lane_groups(llvm::Function& f, const LaneUse& use) {
  // Slots stay in the entry block; all else may be executed again.
  BasicBlock& entry = f.getEntryBlock();
  BasicBlock& start = *entry.splitBasicBlock(entry.getTerminator());
  LaneFlow flow(start, [&](const BasicBlock& b) { return use.in(b); });
  if (flow.reduce()) return;
  keep_in_memory(f);
  do {
    const LaneFlow::IrreducibleRegion region = flow.smallest_irreducible_region();
    if (region.nodes.empty()) return;
    flow.replace(region, GroupLoop(f, region).emit());
  } while (!flow.reduce());
}

}  // namespace

void keep_lane_groups(llvm::Module& module) {
  const LaneUse use(module);
  bool several_ways_back = false;
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    const llvm::DominatorTree dominators(f);
    const llvm::LoopInfo loops(dominators);
    const auto all = loops.getLoopsInPreorder();
    const bool ways_back = std::any_of(all.begin(), all.end(), [](const llvm::Loop* loop) {
      return loop->getLoopLatch() == nullptr;
    });
    several_ways_back |= ways_back;
    const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&f);
    if (use.in(f) || ways_back || llvm::containsIrreducibleCFG<const BasicBlock*>(order, loops))
      keep_lane_groups(f, use);
  }
  // For all functions, as one may become part of another.
  if (several_ways_back)
    for (llvm::Function& f : module) f.addFnAttr(kSeveralWaysBack);
}

}  // namespace cuvette::finalizer
