// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/dynamic_frames.h"

#include <llvm/CodeGen/MachineFrameInfo.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/TargetPassConfig.h>

#include "finalizer/llvm_target.h"

namespace cuvette::finalizer {

namespace {

class MarkDynamicFrames : public llvm::MachineFunctionPass {
 public:
  static char ID;
  MarkDynamicFrames() : MachineFunctionPass(ID) {}

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction& f) override {
    if (!f.getFunction().hasFnAttribute(kDynamicFrame)) return false;
    f.getFrameInfo().CreateVariableSizedObject(llvm::Align(4), nullptr);
    return true;
  }
};

char MarkDynamicFrames::ID = 0;

}  // namespace

void mark_dynamic_frames(llvm::TargetPassConfig& config) {
  static const llvm::RegisterPass<MarkDynamicFrames> pass("cuvette-mark-dynamic-frames",
                                                          "Mark frames that are dynamic");
  config.insertPass(pass_named(kSelection), pass.getTypeInfo());
}

}  // namespace cuvette::finalizer
