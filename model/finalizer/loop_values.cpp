// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/loop_values.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

#include <llvm/CodeGen/MachineCycleAnalysis.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

#include "finalizer/llvm_target.h"

namespace cuvette::finalizer {

namespace {

using llvm::MachineBasicBlock;
using llvm::MachineInstr;
using llvm::MachineOperand;
using llvm::Register;
using llvm::TargetRegisterClass;

class KeepLoopValues : public llvm::MachineFunctionPass {
 public:
  static char ID;
  KeepLoopValues() : MachineFunctionPass(ID) {}

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.addRequired<llvm::MachineCycleInfoWrapperPass>();
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction& f) override {
    cycles_ = &getAnalysis<llvm::MachineCycleInfoWrapperPass>().getCycleInfo();
    target_ = &f.getSubtarget();
    values_ = &f.getRegInfo();
    in_lanes_.clear();
    for (MachineBasicBlock& block : f)
      for (MachineInstr& i : block)
        for (MachineOperand& o : i.explicit_uses())
          if (o.isReg() && o.getReg().isVirtual() && takes_lanes(i, o)) replace(block, o);
    return !in_lanes_.empty();
  }

 private:
  bool is_scalar(const TargetRegisterClass* c) const {
    return !target_->getRegisterInfo()->isDivergentRegClass(c);
  }

  /// True if an SGPR stands where a VGPR may.
  bool takes_lanes(const MachineInstr& i, const MachineOperand& o) const {
    if (i.isPHI() || !is_scalar(values_->getRegClass(o.getReg()))) return false;
    if (i.isCopy() || i.isRegSequence()) {
      const Register to = i.getOperand(0).getReg();
      return to.isVirtual() && !is_scalar(values_->getRegClass(to));
    }
    const TargetRegisterClass* const wanted = target_->getInstrInfo()->getRegClass(
        i.getDesc(), o.getOperandNo(), target_->getRegisterInfo(), *i.getMF());
    return wanted != nullptr && !is_scalar(wanted);
  }

  /// The block at whose end lanes leave a loop one after another; null: all leave it together.
  MachineBasicBlock* parting(const llvm::MachineCycle& cycle) const {
    llvm::SmallVector<MachineBasicBlock*, 1> behind;
    cycle.getExitBlocks(behind);
    for (MachineBasicBlock* exit : behind) {
      for (MachineBasicBlock* from : exit->predecessors()) {
        if (!cycle.contains(from)) continue;
        for (const MachineInstr& i : from->terminators())
          if (target_->getInstrInfo()->getName(i.getOpcode()) == "SI_LOOP") return from;
      }
    }
    return nullptr;
  }

  void replace(MachineBasicBlock& block, MachineOperand& o) {
    const Register scalar = o.getReg();
    const MachineInstr* const def = values_->getUniqueVRegDef(scalar);
    if (def == nullptr || def->isMoveImmediate()) return;
    const llvm::MachineCycle* cycle = cycles_->getCycle(def->getParent());
    for (; cycle != nullptr && !cycle->contains(&block); cycle = cycle->getParentCycle()) {
      MachineBasicBlock* const end = parting(*cycle);
      if (end == nullptr) continue;
      Register& lanes = in_lanes_[scalar];
      if (!lanes.isValid()) {
        lanes = values_->createVirtualRegister(vector_class(values_->getRegClass(scalar)));
        values_->clearKillFlags(scalar);
        const auto at = end->getFirstTerminator();
        llvm::BuildMI(*end, at, def->getDebugLoc(),
                      target_->getInstrInfo()->get(llvm::TargetOpcode::COPY), lanes)
            .addReg(scalar);
      }
      o.setReg(lanes);
      o.setIsKill(false);
      return;
    }
  }

  const TargetRegisterClass* vector_class(const TargetRegisterClass* scalar) const {
    const llvm::TargetRegisterInfo& registers = *target_->getRegisterInfo();
    const unsigned bits = registers.getRegSizeInBits(*scalar);
    const bool aligned = target_->getCPU() == "gfx90a" || target_->getCPU() == "gfx942";
    const std::string name =
        bits == 32 ? "VGPR_32" : "VReg_" + std::to_string(bits) + (aligned ? "_Align2" : "");
    const auto found = std::find_if(
        registers.regclass_begin(), registers.regclass_end(),
        [&](const TargetRegisterClass* c) { return name == registers.getRegClassName(c); });
    if (found == registers.regclass_end()) throw std::logic_error("LLVM has no class " + name);
    return *found;
  }

  const llvm::MachineCycleInfo* cycles_ = nullptr;
  const llvm::TargetSubtargetInfo* target_ = nullptr;
  llvm::MachineRegisterInfo* values_ = nullptr;
  std::map<Register, Register> in_lanes_;
};
char KeepLoopValues::ID;

/// Name of the pass that folds them.
constexpr llvm::StringLiteral kFolding = "si-fold-operands";

}  // namespace

void keep_loop_values(llvm::TargetPassConfig& config) {
  static const llvm::RegisterPass<KeepLoopValues> pass("cuvette-keep-loop-values",
                                                       "Values of loops in VGPRs");
  config.insertPass(pass_named(kFolding), pass.getTypeInfo());
}

}  // namespace cuvette::finalizer
