// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/exec_prologue.h"

#include <algorithm>
#include <vector>

#include <llvm/CodeGen/LiveIntervals.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/Passes.h>
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

bool is_register(const MachineOperand& o) {
  return o.isReg() && o.getReg().isValid();
}

class SetExecFirst : public llvm::MachineFunctionPass {
 public:
  static char ID;
  SetExecFirst() : MachineFunctionPass(ID) {}

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.addRequired<llvm::LiveIntervalsWrapperPass>();
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction& f) override {
    live_ = &getAnalysis<llvm::LiveIntervalsWrapperPass>().getLIS();
    instructions_ = f.getSubtarget().getInstrInfo();
    registers_ = f.getSubtarget().getRegisterInfo();
    bool any = false;
    for (MachineBasicBlock& block : f) any = arrange(block) || any;
    return any;
  }

 private:
  /// Moves what belongs to the prologue of the block before the copies that precede it.
  bool arrange(MachineBasicBlock& block) {
    std::vector<MachineInstr*> copies;
    bool any = false;
    for (auto next = block.getFirstNonPHI(); next != block.end();) {
      MachineInstr& i = *next++;
      if (instructions_->isBasicBlockPrologue(i)) {
        if (copies.empty()) continue;
        if (!move(i, copies)) return any;
        any = true;
      } else if (is_scalar_copy(i)) {
        copies.push_back(&i);
      } else if (!i.isDebugInstr()) {
        break;
      }
    }
    return any;
  }

  /// A copy of an SGPR or constant that neither reads nor writes anything else.
  bool is_scalar_copy(const MachineInstr& i) const {
    if (!i.isCopy() && !i.isMoveImmediate()) return false;
    return std::all_of(i.operands_begin(), i.operands_end(), [&](const MachineOperand& o) {
      return !is_register(o) ||
             (o.getReg().isPhysical() && !o.isImplicit() &&
              !registers_->isDivergentRegClass(registers_->getMinimalPhysRegClass(o.getReg())));
    });
  }

  /// False: it needs what a copy gives that cannot be looked through.
  bool move(MachineInstr& i, const std::vector<MachineInstr*>& copies) {
    const auto overlap = [&](const MachineOperand& a, const MachineOperand& b) {
      return is_register(a) && is_register(b) && registers_->regsOverlap(a.getReg(), b.getReg());
    };
    std::vector<std::pair<MachineOperand*, Register>> sources;
    for (MachineOperand& o : i.operands()) {
      if (!is_register(o)) continue;
      if (o.getReg().isVirtual()) return false;
      Register source = o.getReg();
      for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) {
        const MachineInstr& c = **copy;
        if (o.isDef()) {
          // Neither the source of a copy nor, behind it, what it gave.
          for (const MachineOperand& other : c.operands())
            if (overlap(o, other)) return false;
        } else if (registers_->regsOverlap(source, c.getOperand(0).getReg())) {
          if (!c.isCopy() || c.getOperand(0).getReg() != source) return false;
          source = c.getOperand(1).getReg();
        }
      }
      if (source != o.getReg()) sources.emplace_back(&o, source);
    }
    for (const auto& [operand, source] : sources) operand->setReg(source);
    i.clearKillInfo();
    live_->RemoveMachineInstrFromMaps(i);
    MachineBasicBlock& block = *i.getParent();
    block.splice(copies.front()->getIterator(), &block, i.getIterator());
    live_->InsertMachineInstrInMaps(i);
    // Computed anew when somebody asks.
    for (const MachineOperand& o : i.operands())
      if (is_register(o)) live_->removeAllRegUnitsForPhysReg(o.getReg());
    for (const MachineInstr* copy : copies)
      for (const MachineOperand& o : copy->operands())
        if (is_register(o)) live_->removeAllRegUnitsForPhysReg(o.getReg());
    return true;
  }

  llvm::LiveIntervals* live_ = nullptr;
  const llvm::TargetInstrInfo* instructions_ = nullptr;
  const llvm::TargetRegisterInfo* registers_ = nullptr;
};
char SetExecFirst::ID;

/// Directly before VGPRs are allocated; SGPRs have been.
constexpr llvm::StringLiteral kAllocatingPass = "si-pre-allocate-wwm-regs";

}  // namespace

void set_exec_first(llvm::TargetPassConfig& config) {
  static const llvm::RegisterPass<SetExecFirst> pass("cuvette-set-exec-first",
                                                     "Set EXEC first in a block");
  config.insertPass(pass_named(kAllocatingPass), pass.getTypeInfo());
}

}  // namespace cuvette::finalizer
