// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/codegen.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

#include "finalizer/crash_recovery.h"
#include "finalizer/dead_instructions.h"
#include "finalizer/dynamic_frames.h"
#include "finalizer/exec_prologue.h"
#include "finalizer/guards.h"
#include "finalizer/joined_values.h"
#include "finalizer/lane_masks.h"
#include "finalizer/llvm_target.h"
#include "finalizer/loop_values.h"
#include "finalizer/phi_nodes.h"

/// The address of this object tells one type in llvm::Any from another: LLVM's, also in a library
/// that hides its own symbols.
extern template struct llvm::Any::TypeId<const llvm::Loop*>;

namespace cuvette::finalizer {

namespace {

std::unique_ptr<llvm::TargetMachine> make_machine(
    const TargetId& target, OptimizationLevel level = OptimizationLevel::kDefault) {
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // HSAIL says where fma is
  std::unique_ptr<llvm::TargetMachine> machine(amdgpu_target().createTargetMachine(
      kTriple, target.name, target.features, options, llvm::Reloc::PIC_, std::nullopt,
      level == OptimizationLevel::kDefault ? llvm::CodeGenOptLevel::Default
                                           : llvm::CodeGenOptLevel::Less));
  if (machine == nullptr) throw std::runtime_error("LLVM made no AMDGPU target machine");
  return machine;
}

/// Takes LLVM's errors in place of the default handler, which ends the program.
class DiagnosticCollector : public llvm::DiagnosticHandler {
 public:
  explicit DiagnosticCollector(std::string& first) : first_(first) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Error && first_.empty()) {
      llvm::raw_string_ostream out(first_);
      llvm::DiagnosticPrinterRawOStream printer(out);
      info.print(printer);
    }
    return true;
  }

 private:
  std::string& first_;
};

/// A pass that LLVM 19 gets wrong: where a float instruction reads bits that were sign-extended, it
/// takes the extension for a negation, as both have one name there.
constexpr llvm::StringLiteral kLeftOut = "si-peephole-sdwa";

/// A pass that lets stack addresses share an SGPR. Where scratch instructions add a VGPR and an
/// SGPR, LLVM 19 knows that neither may be negative; this pass gives them negative SGPRs.
constexpr llvm::StringLiteral kSharedFrames = "localstackalloc";
constexpr llvm::StringLiteral kScratchByBoth = "+architected-flat-scratch";

/// As TargetMachine::addPassesToEmitFile, with other passes. Options for that would not do: lld
/// resets the options of the process.
void add_passes(llvm::LLVMTargetMachine& machine, llvm::legacy::PassManager& passes,
                llvm::raw_pwrite_stream& out) {
  auto* const infos = new llvm::MachineModuleInfoWrapperPass(&machine);
  llvm::TargetPassConfig* const config = machine.createPassConfig(passes);
  config->disablePass(pass_named(kLeftOut));
  if (machine.getMCSubtargetInfo()->checkFeatures(kScratchByBoth.str()))
    config->disablePass(pass_named(kSharedFrames));
  remove_dead_instructions(*config);
  mark_dynamic_frames(*config);
  keep_byte_vectors_whole(*config);
  keep_joined_values(*config);
  keep_lane_masks_apart(*config);
  keep_loop_values(*config);
  set_exec_first(*config);
  passes.add(config);
  passes.add(infos);
  if (config->addISelPasses()) throw std::logic_error("LLVM has no instruction selection");
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile,
                            infos->getMMI().getContext()))
    throw std::logic_error("LLVM cannot emit AMDGPU objects");
  passes.add(llvm::createFreeMachineFunctionPass());
}

/// The pass takes a condition out of a loop although lanes that it keeps from the loop then are not
/// there when others look for them: it asks for side effects only.
constexpr llvm::StringLiteral kUnswitch = "SimpleLoopUnswitchPass";

/// A cross-lane instruction, or a call of what may be one.
bool sees_lanes(const llvm::Instruction& i) {
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&i);
  return call != nullptr && call->isConvergent() && !call->mayHaveSideEffects();
}

bool is_wanted(llvm::StringRef pass, const llvm::Any& ir) {
  if (pass != kUnswitch) return true;
  const auto* const loop = llvm::any_cast<const llvm::Loop*>(&ir);
  if (loop == nullptr) throw std::logic_error("LLVM runs " + pass.str() + " on no loop");
  for (const llvm::BasicBlock* block : (*loop)->blocks())
    if (std::any_of(block->begin(), block->end(), sees_lanes)) return false;
  return true;
}

/// LLVM's pipeline and what it knows of a module.
struct Optimisation {
  Optimisation(const TargetId& target, OptimizationLevel level)
      : machine(make_machine(target, level)) {
    callbacks.registerShouldRunOptionalPassCallback(is_wanted);
    llvm::PassBuilder builder(machine.get(), {}, std::nullopt, &callbacks);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graphs, modules);
    passes = builder.buildPerModuleDefaultPipeline(level == OptimizationLevel::kDefault
                                                       ? llvm::OptimizationLevel::O2
                                                       : llvm::OptimizationLevel::O1);
  }

  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::ModulePassManager passes;
};

}  // namespace

void prepare_module(llvm::Module& module, const TargetId& target, unsigned code_object_version) {
  module.setTargetTriple(kTriple);
  module.setDataLayout(make_machine(target)->createDataLayout());
  module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version",
                       code_object_version * 100);
  module.addModuleFlag(llvm::Module::Min, "PIC Level", 2);
}

void optimise(llvm::Module& module, const TargetId& target, OptimizationLevel level) {
  std::string problem;
  llvm::raw_string_ostream problem_out(problem);
  if (llvm::verifyModule(module, &problem_out))
    throw std::logic_error("the finalizer made invalid LLVM IR: " + problem);

  auto work = std::make_unique<Optimisation>(target, level);
  try {
    with_crash_recovery([&] { work->passes.run(module, work->modules); });
  } catch (const LlvmFailure&) {
    (void)work.release();
    throw;
  }
}

void reserve_before_kernels(llvm::Module& module, size_t bytes) {
  auto* const room = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), bytes);
  for (llvm::Function& f : module) {
    if (f.getCallingConv() != llvm::CallingConv::AMDGPU_KERNEL || f.isDeclaration()) continue;
    f.setPrefixData(llvm::ConstantAggregateZero::get(room));
  }
}

base::Result<std::string> generate_object(llvm::Module& module, const TargetId& target,
                                          OptimizationLevel level) {
  std::string diagnostic;
  module.getContext().setDiagnosticHandler(std::make_unique<DiagnosticCollector>(diagnostic));
  std::unique_ptr<llvm::TargetMachine> machine = make_machine(target, level);

  guard_code_generation(module);
  llvm::SmallString<16384> object;
  llvm::raw_svector_ostream out(object);
  auto passes = std::make_unique<llvm::legacy::PassManager>();
  add_passes(static_cast<llvm::LLVMTargetMachine&>(*machine), *passes, out);
  try {
    with_crash_recovery([&] { passes->run(module); });
  } catch (const LlvmFailure&) {
    (void)passes.release();
    (void)machine.release();
    throw;
  }
  if (!diagnostic.empty()) return base::Error("code generation: " + diagnostic);
  return std::string(object);
}

}  // namespace cuvette::finalizer
