// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/finalize.h"

#include <memory>
#include <optional>
#include <set>
#include <system_error>

#include <llvm/IR/LLVMContext.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "finalizer/big_stack.h"
#include "finalizer/codegen.h"
#include "finalizer/kernel_translator.h"
#include "finalizer/lane_groups.h"
#include "finalizer/llvm_target.h"
#include "finalizer/meeting_places.h"
#include "finalizer/symbols.h"
#include "finalizer/target.h"
#include "hsa/amdgpu_elf.h"
#include "hsa/code_object_v2.h"
#include "hsa/elf.h"
#include "hsa/external_symbols.h"
#include "hsa/metadata.h"
#include "hsa/small_model.h"
#include "hsail/link.h"
#include "hsail/matrix_table.h"

namespace cuvette::finalizer {

namespace {

/// Says in the object that its addresses have 32 bits.
void mark_small_model(llvm::Module& out) {
  auto* word = llvm::Type::getInt32Ty(out.getContext());
  auto* mark =
      new llvm::GlobalVariable(out, word, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
                               llvm::ConstantInt::get(word, 32), hsa::kSmallModelMark, nullptr,
                               llvm::GlobalValue::NotThreadLocal, kConstantSpace);
  mark->setVisibility(llvm::GlobalValue::ProtectedVisibility);
}

/// The first instruction that makes a flat address of a private one; its place.
std::optional<hsail::Position> private_to_flat(const hsail::Module& module) {
  for (const hsail::CodeEntry& entry : module.code) {
    const auto* inst = std::get_if<hsail::Inst>(&entry.body);
    if (inst != nullptr && inst->opcode == hsail::Opcode::kStof &&
        inst->segment == hsail::Segment::kPrivate)
      return entry.at;
  }
  return std::nullopt;
}

/// A target that lacks an extension of the module refuses it (HSAIL PRM 13.1).
base::Status check_extensions(const hsail::Module& module, const TargetId& target) {
  for (const hsail::CodeEntry& entry : module.code) {
    const auto* extension = std::get_if<hsail::Extension>(&entry.body);
    if (extension == nullptr || extension->name != hsail::kMatrixExtension) continue;
    if (!hsail::find_matrix_target(target.name))
      return error_at(module, entry.at,
                      "extension \"" + extension->name + "\": target " + target.name +
                          " has no matrix instructions, expected gfx908, gfx90a or gfx942");
  }
  return {};
}

/// Results of a translation besides its code.
struct Findings {
  hsa::ExternalDemands externals;  ///< of each variable from outside
  /// Small machine model: what to say when a kernel has more private memory than flat addresses.
  std::optional<base::Error> too_much_private;
};

base::Status translate(const hsail::Module& module, const TargetId& target, Spelling spelling,
                       llvm::Module& out, Findings* findings) {
  Symbols symbols(module, spelling, out);
  if (module.header() == nullptr) return error_at(module, {}, "no module directive");
  if (module.machine_model() == hsail::MachineModel::kSmall) {
    mark_small_model(out);
    if (const auto at = private_to_flat(module))
      findings->too_much_private = error_at(module, *at,
                                            "flat addresses of private memory reach " +
                                                std::to_string(hsa::kSmallModelAperture) +
                                                " bytes of it in the small machine model");
  }
  if (auto status = check_extensions(module, target); !status) return status;
  if (auto status = symbols.define(module); !status) return status;
  // Variables of module linkage stay in the symbol table even when no kernel names them: the host
  // may.
  std::vector<llvm::GlobalValue*> kept;
  for (llvm::GlobalVariable& global : out.globals())
    if (global.hasInternalLinkage()) kept.push_back(&global);
  llvm::appendToCompilerUsed(out, kept);

  for (hsail::CodeRef ref = 1; ref < module.code.size(); ++ref) {
    if (module.code[ref].kind != hsail::Kind::kIndirectFunction ||
        !module.code[ref].as<hsail::Executable>().is_definition())
      continue;
    KernelTranslator translator(module, ref, symbols, out, target);
    if (auto status = translator.run_indirect(); !status) return status;
  }

  std::set<std::string> kernels;
  for (hsail::CodeRef kernel : module.kernels()) {
    const hsail::CodeEntry& entry = module.code[kernel];
    if (!kernels.insert(symbols.names().of(kernel)).second)
      return error_at(module, entry.at,
                      "second definition of " + entry.as<hsail::Executable>().name);
    KernelTranslator translator(module, kernel, symbols, out, target);
    if (auto status = translator.run(); !status) return status;
  }
  if (kernels.empty()) {
    std::string others;
    for (const std::string& file : module.more_files) others += ", nor in " + file;
    return error_at(module, {}, "no kernel to finalize" + others);
  }
  if (auto status = symbols.finish(); !status) return status;
  findings->externals = symbols.externals();
  return {};
}

/// Options to an optimised module; the target they name.
base::Result<TargetId> translate_all(const std::vector<const hsail::Module*>& modules,
                                     const Options& options, OptimizationLevel level,
                                     llvm::Module& out, Findings* findings) {
  auto target = find_target(options.target);
  if (!target) return target.error();
  const unsigned version = options.code_object_version;
  if (version != 2 && version != 4 && version != 5)
    return base::Error("code object version " + std::to_string(version) +
                       " is not supported by the finalizer, expected 2, 4 or 5");
  const std::string name = target->name;
  if (version == 2 && name != "gfx900" && name != "gfx906")
    return base::Error("code object v2 has no " + name + ", expected gfx900 or gfx906",
                       {.file = modules.front()->file});
  // LLVM no longer writes v2: it is v4 with room for another kernel object (hsa/code_object_v2.h).
  prepare_module(out, *target, version == 2 ? 4 : version);
  if (modules.size() == 1) {
    if (auto status = translate(*modules.front(), *target, options.spelling, out, findings);
        !status)
      return status.error();
  } else {
    auto program = hsail::link(modules);
    if (!program) return program.error();
    if (auto status = translate(*program, *target, options.spelling, out, findings); !status)
      return status.error();
  }
  keep_lane_groups(out);
  keep_meeting_places(out);
  optimise(out, *target, level);
  if (version == 2) reserve_before_kernels(out, hsa::kKernelCodeRoom);
  return *target;
}

base::Status check_private(const std::vector<uint8_t>& object, const Findings& findings) {
  if (!findings.too_much_private) return {};
  const auto elf = hsa::parse_elf(object.data(), object.size(), "code object");
  if (!elf) return elf.error();
  for (const hsa::ElfNote& note : elf->notes) {
    if (note.owner != "AMDGPU" || note.type != hsa::amdgpu_elf::kNoteMetadata) continue;
    const auto metadata = hsa::parse_metadata_msgpack(object.data() + note.offset, note.bytes,
                                                      "code object", note.offset);
    if (!metadata) return metadata.error();
    for (const hsa::KernelMetadata& kernel : metadata->kernels) {
      if (kernel.private_bytes <= hsa::kSmallModelAperture) continue;
      base::Error e = *findings.too_much_private;
      e.what += ", kernel &" + kernel.name + " needs " + std::to_string(kernel.private_bytes);
      return e;
    }
  }
  return {};
}

/// Result of `body` on a new module of LLVM's. Where LLVM fails it is tried once more at a lower
/// level, which takes other paths in LLVM.
template <class Result, class Body>
Result attempt(const Options& options, Body body) {
  struct Work {
    llvm::LLVMContext context;
    llvm::Module module{"hsail", context};
  };
  std::optional<base::Error> first;
  for (const OptimizationLevel level : {OptimizationLevel::kDefault, OptimizationLevel::kLess}) {
    auto work = std::make_unique<Work>();
    try {
      Result result = body(work->module, level);
      if (first && result && options.warn)
        options.warn(first->what + "; the code is optimised less");
      return result;
    } catch (const LlvmFailure& failure) {
      (void)work.release();
      if (!first) first = base::Error(failure.what());
    }
  }
  return *first;
}

template <class Result, class Body>
Result with_module(const Options& options, Body body) {
  std::optional<Result> result;
  try {
    on_big_stack(options.stack_bytes, [&] { result = attempt<Result>(options, body); });
  } catch (const std::system_error& e) {
    return base::Error(std::string("no thread for LLVM with a stack of ") +
                       std::to_string(options.stack_bytes >> 20) + " MiB: " + e.what());
  }
  return std::move(*result);
}

base::Result<std::vector<uint8_t>> finalize_in(llvm::Module& out,
                                               const std::vector<const hsail::Module*>& modules,
                                               const Options& options, OptimizationLevel level) {
  Findings findings;
  auto target = translate_all(modules, options, level, out, &findings);
  if (!target) return target.error();
  auto object = generate_object(out, *target, level);
  if (!object) return object.error();
  auto linked = link_object(*object, !findings.externals.empty());
  if (!linked) return linked;
  // The HSA runtime takes an undefined symbol of a variable for a definition, one without type for
  // what it is.
  if (options.spelling == Spelling::kPlain) {
    if (auto status = hsa::set_undefined_demands(*linked, findings.externals); !status)
      return status.error();
  }
  if (auto status = check_private(*linked, findings); !status) return status.error();
  if (options.code_object_version != 2) return linked;
  return hsa::to_code_object_v2(*linked, "code object");
}

}  // namespace

base::Result<std::vector<uint8_t>> finalize(const std::vector<const hsail::Module*>& modules,
                                            const Options& options) {
  return with_module<base::Result<std::vector<uint8_t>>>(
      options, [&](llvm::Module& out, OptimizationLevel level) {
        return finalize_in(out, modules, options, level);
      });
}

base::Result<std::vector<uint8_t>> finalize(const hsail::Module& module, const Options& options) {
  return finalize(std::vector<const hsail::Module*>{&module}, options);
}

base::Result<std::string> optimised_ir(const std::vector<const hsail::Module*>& modules,
                                       const Options& options) {
  return with_module<base::Result<std::string>>(
      options, [&](llvm::Module& out, OptimizationLevel level) -> base::Result<std::string> {
        Findings findings;
        auto target = translate_all(modules, options, level, out, &findings);
        if (!target) return target.error();
        std::string text;
        llvm::raw_string_ostream stream(text);
        out.print(stream, nullptr);
        return text;
      });
}

}  // namespace cuvette::finalizer
