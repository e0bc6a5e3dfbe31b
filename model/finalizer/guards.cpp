// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/guards.h"

#include <algorithm>
#include <vector>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/KnownBits.h>

#include "finalizer/lane_groups.h"
#include "finalizer/phi_nodes.h"

namespace cuvette::finalizer {

namespace {

using llvm::BinaryOperator;
using llvm::Value;

bool is_unsigned_division(const llvm::Instruction& i) {
  const unsigned opcode = i.getOpcode();
  return opcode == llvm::Instruction::UDiv || opcode == llvm::Instruction::URem;
}

/// The same number, of which LLVM knows nothing.
Value* opaque(llvm::IRBuilder<>& builder, Value* value) {
  auto* const type = llvm::FunctionType::get(value->getType(), {value->getType()}, false);
  return builder.CreateCall(type, llvm::InlineAsm::get(type, "", "=v,0", false), {value});
}

void guard_unsigned_divisions(llvm::Module& module) {
  const llvm::DataLayout& layout = module.getDataLayout();
  std::vector<BinaryOperator*> divisions;
  for (llvm::Function& f : module) {
    for (llvm::Instruction& i : llvm::instructions(f)) {
      if (is_unsigned_division(i) && !i.getType()->isVectorTy()) {
        divisions.push_back(llvm::cast<BinaryOperator>(&i));
      }
    }
  }
  for (BinaryOperator* division : divisions) {
    const auto extended = [&](const Value* v) {
      return llvm::ComputeNumSignBits(v, layout, 0, nullptr, division) > 1;
    };
    if (!extended(division->getOperand(0)) || !extended(division->getOperand(1))) continue;
    llvm::IRBuilder<> builder(division);
    for (unsigned n = 0; n < 2; ++n) {
      Value* const v = division->getOperand(n);
      if (llvm::computeKnownBits(v, layout, 0, nullptr, division).isNonNegative()) continue;
      division->setOperand(n, opaque(builder, v));
    }
  }
}

/// Replaces `or disjoint` by a sum: equal when the operands have no bit in common, undefined
/// otherwise.
void add_disjoint(llvm::Module& module) {
  std::vector<llvm::Instruction*> disjoint;
  for (llvm::Function& f : module) {
    for (llvm::Instruction& i : llvm::instructions(f)) {
      const auto* const both = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&i);
      if (both != nullptr && both->isDisjoint()) disjoint.push_back(&i);
    }
  }
  for (llvm::Instruction* i : disjoint) {
    auto* const sum = BinaryOperator::CreateAdd(i->getOperand(0), i->getOperand(1));
    sum->insertBefore(i);
    i->replaceAllUsesWith(sum);
    i->eraseFromParent();
  }
}

/// "Ordered and not equal", or something that may become that.
bool may_be_one(const Value* value) {
  if (const auto* const compare = llvm::dyn_cast<llvm::FCmpInst>(value))
    return compare->getPredicate() == llvm::CmpInst::FCMP_ONE;
  const auto* const logic = llvm::dyn_cast<llvm::Instruction>(value);
  if (logic == nullptr || !(logic->isBitwiseLogicOp() || llvm::isa<llvm::SelectInst>(logic)))
    return false;
  return std::any_of(logic->op_begin(), logic->op_end(),
                     [](const Value* v) { return llvm::isa<llvm::FCmpInst>(v) || may_be_one(v); });
}

void guard_ballots(llvm::Module& module) {
  std::vector<llvm::IntrinsicInst*> ballots;
  for (llvm::Function& f : module) {
    for (llvm::Instruction& i : llvm::instructions(f)) {
      auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
      if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::amdgcn_ballot &&
          may_be_one(call->getArgOperand(0)))
        ballots.push_back(call);
    }
  }
  for (llvm::IntrinsicInst* ballot : ballots) {
    llvm::IRBuilder<> builder(ballot);
    Value* const number = builder.CreateZExt(ballot->getArgOperand(0), builder.getInt32Ty());
    ballot->setArgOperand(0, builder.CreateIsNotNull(opaque(builder, number)));
  }
}

/// Instruction selection leaves out what calls 0 (kernels with handles of functions).
void keep_null_calls(llvm::Function& f) {
  for (llvm::Instruction& i : llvm::instructions(f)) {
    auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
    if (call == nullptr || !llvm::isa<llvm::ConstantPointerNull>(call->getCalledOperand()))
      continue;
    llvm::IRBuilder<> builder(call);
    call->setCalledOperand(opaque(builder, call->getCalledOperand()));
  }
}

/// Truth values that come from several blocks, as numbers of 32 bits.
void widen_truth_values(llvm::Function& f) {
  std::vector<llvm::PHINode*> phis;
  for (llvm::Instruction& i : llvm::instructions(f)) {
    auto* const phi = llvm::dyn_cast<llvm::PHINode>(&i);
    if (phi != nullptr && phi->getType()->isIntegerTy(1)) phis.push_back(phi);
  }
  llvm::Type* const number = llvm::Type::getInt32Ty(f.getContext());
  for (llvm::PHINode* phi : phis) {
    retype(
        *phi, number,
        [&](llvm::IRBuilderBase& b, Value* truth) { return b.CreateZExt(truth, number); },
        [](llvm::IRBuilderBase& b, Value* v) { return b.CreateIsNotNull(v); });
  }
}

/// Canonical value of a constant where nothing is flushed; nullptr where it is not known.
llvm::Constant* canonical(llvm::Constant* constant) {
  if (const auto* const number = llvm::dyn_cast<llvm::ConstantFP>(constant)) {
    const llvm::APFloat& value = number->getValueAPF();
    return llvm::ConstantFP::get(constant->getContext(), value.isNaN() ? value.makeQuiet() : value);
  }
  const auto* const type = llvm::dyn_cast<llvm::FixedVectorType>(constant->getType());
  if (type == nullptr) return nullptr;
  std::vector<llvm::Constant*> elements(type->getNumElements());
  for (unsigned n = 0; n < elements.size(); ++n) {
    llvm::Constant* const element = constant->getAggregateElement(n);
    if (element != nullptr) elements[n] = canonical(element);
    if (elements[n] == nullptr) return nullptr;
  }
  return llvm::ConstantVector::get(elements);
}

/// Instruction selection takes one NaN for all of them.
void keep_nan_constants(llvm::Function& f) {
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(f))) {
    auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    if (call == nullptr || call->getIntrinsicID() != llvm::Intrinsic::canonicalize) continue;
    auto* const constant = llvm::dyn_cast<llvm::Constant>(call->getArgOperand(0));
    llvm::Constant* const quiet = constant == nullptr ? nullptr : canonical(constant);
    if (quiet == nullptr) continue;
    call->replaceAllUsesWith(quiet);
    call->eraseFromParent();
  }
}

}  // namespace

void guard_code_generation(llvm::Module& module) {
  for (llvm::Function& f : module) {
    keep_nan_constants(f);
    keep_null_calls(f);
  }
  guard_unsigned_divisions(module);
  add_disjoint(module);
  guard_ballots(module);
  for (llvm::Function& f : module)
    if (f.hasFnAttribute(kSeveralWaysBack)) widen_truth_values(f);
}

}  // namespace cuvette::finalizer
