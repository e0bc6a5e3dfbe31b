// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/phi_nodes.h"

#include <vector>

#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Pass.h>

#include "finalizer/llvm_target.h"

namespace cuvette::finalizer {

using llvm::PHINode;
using llvm::Value;

void retype(PHINode& phi, llvm::Type* type, Conversion there, Conversion back) {
  llvm::IRBuilder<> builder(&phi);
  PHINode* const other = builder.CreatePHI(type, phi.getNumIncomingValues());
  for (unsigned n = 0; n < phi.getNumIncomingValues(); ++n) {
    llvm::BasicBlock* const from = phi.getIncomingBlock(n);
    // A block may be there several times, with one value.
    const int known = other->getBasicBlockIndex(from);
    builder.SetInsertPoint(from->getTerminator());
    other->addIncoming(known >= 0 ? other->getIncomingValue(static_cast<unsigned>(known))
                                  : there(builder, phi.getIncomingValue(n)),
                       from);
  }
  builder.SetInsertPoint(phi.getParent(), phi.getParent()->getFirstInsertionPt());
  phi.replaceAllUsesWith(back(builder, other));
  phi.eraseFromParent();
}

namespace {

constexpr unsigned kLeastBits = 16;  // of an integer that the target has

/// Bits of a vector that no register of the target has as it is; 0: another type.
unsigned bits_of_narrow_vector(const llvm::Type* type) {
  const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (vector == nullptr || !vector->getElementType()->isIntegerTy()) return 0;
  const unsigned bits = vector->getScalarSizeInBits();
  return bits > 1 && bits < kLeastBits ? bits * vector->getNumElements() : 0;
}

class KeepByteVectorsWhole : public llvm::FunctionPass {
 public:
  static char ID;
  KeepByteVectorsWhole() : FunctionPass(ID) {}

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override { usage.setPreservesCFG(); }

  bool runOnFunction(llvm::Function& f) override {
    std::vector<PHINode*> phis;
    for (llvm::Instruction& i : llvm::instructions(f)) {
      auto* const phi = llvm::dyn_cast<PHINode>(&i);
      if (phi != nullptr && bits_of_narrow_vector(phi->getType()) != 0) phis.push_back(phi);
    }
    for (PHINode* const phi : phis) {
      llvm::Type* const vector = phi->getType();
      llvm::Type* const number =
          llvm::IntegerType::get(f.getContext(), bits_of_narrow_vector(vector));
      const auto to = [](llvm::Type* type) {
        return [type](llvm::IRBuilderBase& b, Value* v) { return b.CreateBitCast(v, type); };
      };
      retype(*phi, number, to(number), to(vector));
    }
    return !phis.empty();
  }
};

char KeepByteVectorsWhole::ID = 0;

/// The pass that comes before the one that mixes them up.
constexpr llvm::StringLiteral kMixingPass = "sink";

}  // namespace

void keep_byte_vectors_whole(llvm::TargetPassConfig& config) {
  static const llvm::RegisterPass<KeepByteVectorsWhole> pass("cuvette-keep-byte-vectors-whole",
                                                             "Keep vectors of bytes whole");
  config.insertPass(pass_named(kMixingPass), pass.getTypeInfo());
}

}  // namespace cuvette::finalizer
