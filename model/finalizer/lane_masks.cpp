// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/lane_masks.h"

#include <algorithm>
#include <map>

#include <llvm/CodeGen/MachineCycleAnalysis.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/MC/MCContext.h>

namespace cuvette::finalizer {

namespace {

using llvm::MachineFunction;
using llvm::MachineInstr;
using llvm::MachineOperand;

/// A vector instruction that gives bits of lanes, and of which LLVM believes that EXEC does not
/// matter.
bool gives_lane_mask(const MachineInstr& i) {
  const MachineFunction& f = *i.getMF();
  const llvm::TargetSubtargetInfo& target = f.getSubtarget();
  const auto ignored = [&](const MachineOperand& o) {
    return o.isReg() && o.isUse() && o.isImplicit() && target.getInstrInfo()->isIgnorableUse(o);
  };
  const auto scalar = [&](const MachineOperand& o) {
    return o.getReg().isVirtual() &&
           !target.getRegisterInfo()->isDivergentRegClass(f.getRegInfo().getRegClass(o.getReg()));
  };
  const auto defs = i.all_defs();
  return std::any_of(i.operands_begin(), i.operands_end(), ignored) &&
         std::any_of(defs.begin(), defs.end(), scalar);
}

/// Instructions with different symbols before them are not equal: one symbol for each loop.
class MarkLaneMasks : public llvm::MachineFunctionPass {
 public:
  static char ID;
  MarkLaneMasks() : MachineFunctionPass(ID) {}

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.addRequired<llvm::MachineCycleInfoWrapperPass>();
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction& f) override {
    const llvm::MachineCycleInfo& cycles =
        getAnalysis<llvm::MachineCycleInfoWrapperPass>().getCycleInfo();
    std::map<const llvm::MachineCycle*, llvm::MCSymbol*> symbols;
    for (llvm::MachineBasicBlock& block : f) {
      const llvm::MachineCycle* const cycle = cycles.getCycle(&block);
      if (cycle == nullptr) continue;
      for (MachineInstr& i : block) {
        if (!gives_lane_mask(i)) continue;
        llvm::MCSymbol*& symbol = symbols[cycle];
        if (symbol == nullptr) symbol = f.getContext().createTempSymbol();
        i.setPreInstrSymbol(f, symbol);
      }
    }
    return !symbols.empty();
  }
};
char MarkLaneMasks::ID;

class UnmarkLaneMasks : public llvm::MachineFunctionPass {
 public:
  static char ID;
  UnmarkLaneMasks() : MachineFunctionPass(ID) {}

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction& f) override {
    for (llvm::MachineBasicBlock& block : f)
      for (MachineInstr& i : block)
        if (gives_lane_mask(i)) i.setPreInstrSymbol(f, nullptr);
    return true;
  }
};
char UnmarkLaneMasks::ID;

}  // namespace

void keep_lane_masks_apart(llvm::TargetPassConfig& config) {
  static const llvm::RegisterPass<MarkLaneMasks> mark("cuvette-mark-lane-masks",
                                                      "Mark lane masks of loops");
  static const llvm::RegisterPass<UnmarkLaneMasks> unmark("cuvette-unmark-lane-masks",
                                                          "Remove marks of lane masks");
  // The machine's passes have this one directly before each removal of common instructions.
  config.insertPass(&llvm::EarlyMachineLICMID, mark.getTypeInfo());
  config.insertPass(&llvm::MachineCSEID, unmark.getTypeInfo());
}

}  // namespace cuvette::finalizer
