// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/target.h"

#include <array>
#include <stdexcept>

#include <llvm/InitializePasses.h>
#include <llvm/PassInfo.h>
#include <llvm/PassRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>

#include "finalizer/llvm_target.h"
#include "hsa/target.h"

namespace cuvette::finalizer {

namespace {

/// By hsa::Processor.
constexpr std::array<ProcessorFacts, hsa::kProcessors> kFacts = {{
    {10, 2, 0, true, true},
    {10, 2, 0, true, true},
    {10, 3, 0, true, true},
    {8, 3, 0, true, true},
    {8, 2, 4, false, false},
}};

/// "+xnack"; empty where the processor lacks the feature.
std::string feature(const char* name, hsa::Feature named, hsa::Feature usual) {
  const hsa::Feature value = named == hsa::Feature::Any ? usual : named;
  if (value == hsa::Feature::Unsupported) return {};
  return (value == hsa::Feature::On ? "+" : "-") + std::string(name);
}

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

base::Result<TargetId> find_target(const std::string& name) {
  const auto id = hsa::parse_target(name);
  if (!id) return id.error();
  const hsa::TargetId usual = hsa::default_machine(id->processor);
  const std::string sramecc = feature("sramecc", id->sramecc, usual.sramecc);
  return TargetId{
      kFacts[static_cast<size_t>(id->processor)], hsa::facts(id->processor).name,
      sramecc + (sramecc.empty() ? "" : ",") + feature("xnack", id->xnack, usual.xnack)};
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
