// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/target.h"

#include <stdexcept>

#include <llvm/InitializePasses.h>
#include <llvm/PassInfo.h>
#include <llvm/PassRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>

#include "finalizer/llvm_target.h"

namespace cuvette::finalizer {

namespace {

constexpr TargetId kTargets[] = {
    {"gfx900", "-xnack", "gfx900:xnack-", 10, 2, 0, true, true},
    {"gfx906", "-sramecc,-xnack", "gfx906:sramecc-:xnack-", 10, 2, 0, true, true},
    {"gfx908", "+sramecc,-xnack", "gfx908:sramecc+:xnack-", 10, 3, 0, true, true},
    {"gfx90a", "+sramecc,-xnack", "gfx90a:sramecc+:xnack-", 8, 3, 0, true, true},
    {"gfx942", "+sramecc,-xnack", "gfx942:sramecc+:xnack-", 8, 2, 4, false, false},
};

/// Option by which SGPRs are spilled to lanes of a VGPR. LLVM 19 gets that wrong: it spills such a
/// VGPR in its turn, and bringing it back in all lanes overwrites what lanes that are disabled
/// there have in the register it comes to.
constexpr llvm::StringLiteral kLanesForSpills = "amdgpu-spill-sgpr-to-vgpr";

/// To memory instead. As the default, because lld resets the options of the process to that.
void spill_to_memory() {
  const auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find(kLanesForSpills);
  if (found == options.end()) throw std::logic_error("LLVM has no option " + kLanesForSpills.str());
  static_cast<llvm::cl::opt<bool>*>(found->second)->setInitialValue(false);
}

/// Handler of fatal errors of LLVM, which ends the finalization, not the process.
[[noreturn]] void fail(void* /*data*/, const char* reason, bool /*crash_diagnostics*/) {
  throw LlvmFailure(std::string("LLVM: ") + reason);
}

}  // namespace

base::Result<const TargetId*> find_target(const std::string& name) {
  std::string known;
  for (const TargetId& target : kTargets) {
    if (name == target.name || name == target.full) return &target;
    known += known.empty() ? "" : ", ";
    known += target.name;
  }
  return base::Error("unknown target '" + name + "', expected one of " + known);
}

const llvm::Target& amdgpu_target() {
  static const llvm::Target& target = []() -> const llvm::Target& {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUAsmPrinter();
    std::string message;
    const llvm::Target* found = llvm::TargetRegistry::lookupTarget(kTriple, message);
    if (found == nullptr) throw std::runtime_error("LLVM has no AMDGPU target: " + message);
    // The target makes it known only when it adds the pass.
    llvm::initializeSinkingLegacyPassPass(*llvm::PassRegistry::getPassRegistry());
    spill_to_memory();
    llvm::install_fatal_error_handler(fail);
    return *found;
  }();
  return target;
}

const void* pass_named(llvm::StringRef name) {
  const auto* const pass = llvm::PassRegistry::getPassRegistry()->getPassInfo(name);
  if (pass == nullptr) throw std::logic_error("LLVM has no pass " + name.str());
  return pass->getTypeInfo();
}

}  // namespace cuvette::finalizer
