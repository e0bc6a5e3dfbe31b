// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/dead_instructions.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetPassConfig.h>

#include "finalizer/llvm_target.h"

namespace cuvette::finalizer {

namespace {

class RemoveDeadInstructions : public llvm::MachineFunctionPass {
 public:
  static char ID;
  RemoveDeadInstructions() : MachineFunctionPass(ID) {}

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction& f) override {
    values_ = &f.getRegInfo();
    bool changed = false;
    for (bool more = true; more; changed |= more) {
      more = false;
      for (llvm::MachineBasicBlock* block : llvm::post_order(&f))
        for (llvm::MachineInstr& i : llvm::make_early_inc_range(llvm::reverse(*block)))
          if (is_dead(i)) {
            i.eraseFromParent();
            more = true;
          }
    }
    return changed;
  }

 private:
  /// All that it gives are virtual registers that nobody reads; a physical one may be EXEC, or read
  /// anywhere behind it.
  bool is_dead(const llvm::MachineInstr& i) const {
    if (i.isInlineAsm()) return false;
    bool saw_store = false;
    if (!i.isPHI() && !i.isSafeToMove(nullptr, saw_store)) return false;
    for (const llvm::MachineOperand& o : i.all_defs()) {
      if (o.getReg().isPhysical() ? !o.isDead() : !values_->use_nodbg_empty(o.getReg()))
        return false;
    }
    return true;
  }

  const llvm::MachineRegisterInfo* values_ = nullptr;
};

char RemoveDeadInstructions::ID = 0;

}  // namespace

void remove_dead_instructions(llvm::TargetPassConfig& config) {
  static const llvm::RegisterPass<RemoveDeadInstructions> pass("cuvette-remove-dead-instructions",
                                                               "Remove dead instructions");
  config.insertPass(pass_named(kSelection), pass.getTypeInfo());
}

}  // namespace cuvette::finalizer
