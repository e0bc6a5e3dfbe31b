// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The verbs that turn one form of HSAIL into another.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/verb.h"
#include "hsa/target.h"
#include "hsail/brig.h"
#include "hsail/text.h"
#include "hsail/warnings.h"
#include "run/foreign_code.h"
#include "run/opencl_compiler.h"
#ifdef CUVETTE_WITH_FINALIZER
#include "run/finalizer_module.h"
#endif

namespace cuvette::cli {
namespace {

struct Options {
  std::vector<std::string> inputs;
  // `diagnostics` is read before the parser runs (asks_for_json).
  std::string output, target = "gfx908", code_object = "5", container = "raw", floats = "bits",
                      diagnostics = "text";
  bool no_warnings = false;
};

Verb add(Verb& verbs, const std::string& name, const std::string& what,
         const std::shared_ptr<Options>& o) {
  auto verb = verbs.add(name, what);
  verb.option("--diagnostics", o->diagnostics, "text or json")
      .one_of({"text", "json"})
      .with_default();
  verb.flag("-w,--no-warnings", o->no_warnings, "Errors only");
  verb.option("input", o->inputs, "Input files").required();
  return verb;
}

enum class Accept { kBoth, kText, kBrig };

/// Every module, read and validated; prints what is wrong. The status is that of the worst file.
int load_modules(const Options& o, std::vector<hsail::Module>& modules, hsail::Rules rules,
                 Accept accept = Accept::kBoth) {
  int worst = kPassed;
  for (const auto& path : o.inputs) {
    auto bytes = base::read_binary(path);
    if (!bytes) {
      report(bytes.error());
      worst = std::max<int>(worst, kBadInput);
      continue;
    }
    const bool brig = hsail::is_brig(bytes->data(), bytes->size());
    if (accept != Accept::kBoth && brig != (accept == Accept::kBrig)) {
      report(base::Error(brig ? "this is BRIG, expected HSAIL text"
                              : "not BRIG, expected BRIG, raw or in an ELF file",
                         {.file = path}));
      worst = std::max<int>(worst, kBadInput);
      continue;
    }
    hsail::Outcome outcome = hsail::parse_module(bytes->data(), bytes->size(), path, rules);
    if (!outcome.ok()) {
      for (const base::Error& error : outcome.errors) report(error);
      worst = std::max<int>(worst, kBadInput);
      continue;
    }
    if (!o.no_warnings) {
      for (const base::Error& warning : outcome.warnings) warn(warning);
      for (const base::Error& warning : hsail::find_warnings(outcome.module)) {
        warn(hsail::in_section(outcome.sections, warning));
      }
    }
    modules.push_back(std::move(outcome.module));
  }
  return worst;
}

int validate_files(const Options& o) {
  std::vector<hsail::Module> modules;
  return load_modules(o, modules, hsail::Rules::kLanguage);
}

int write_output(const std::string& path, const std::vector<uint8_t>& bytes) {
  if (path == "-") {
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    return kPassed;  // finish() finds out whether it was written
  }
  const auto s = base::write_binary(path, bytes.data(), bytes.size());
  return s.ok() ? kPassed : report(s.error());
}

/// Output file of `input` without -o: beside it, with another extension.
std::string beside(const std::string& input, const std::string& extension) {
  return std::filesystem::path(input).replace_extension(extension).string();
}

/// Each input's module in another form, as `convert` makes it: nothing is written before all inputs
/// are found good.
template <class Convert>
int convert_files(const Options& o, Accept accept, const std::string& extension, Convert convert) {
  if (!o.output.empty() && o.inputs.size() > 1) {
    return report(base::Error("-o names one output, several inputs need none"));
  }
  std::vector<hsail::Module> modules;
  const int read = load_modules(o, modules, hsail::Rules::kLanguage, accept);
  if (read != kPassed) return read;
  const auto output = [&](const std::string& input) {
    return o.output.empty() ? beside(input, extension) : o.output;
  };
  std::vector<std::string> outputs;
  outputs.reserve(o.inputs.size());
  for (const auto& input : o.inputs) outputs.push_back(output(input) == "-" ? "" : output(input));
  if (auto s = check_outputs(o.inputs, outputs); !s.ok()) return report(s.error());
  for (const auto& module : modules) {
    const base::Result<std::vector<uint8_t>> bytes = convert(module);
    if (!bytes) return report(bytes.error());
    if (const int status = write_output(output(module.file), *bytes); status != kPassed) {
      return status;
    }
  }
  return kPassed;
}

int assemble_files(const Options& o) {
  const auto container = o.container == "elf32"   ? hsail::BrigContainer::kElf32
                         : o.container == "elf64" ? hsail::BrigContainer::kElf64
                                                  : hsail::BrigContainer::kRaw;
  return convert_files(o, Accept::kText, ".brig", [container](const hsail::Module& module) {
    return hsail::write_brig(module, container);
  });
}

int disassemble_files(const Options& o) {
  const auto floats = o.floats == "c99"       ? hsail::FloatNotation::kC99
                      : o.floats == "decimal" ? hsail::FloatNotation::kDecimal
                                              : hsail::FloatNotation::kBits;
  return convert_files(o, Accept::kBrig, ".hsail", [floats](const hsail::Module& module) {
    const std::string text = hsail::print(module, floats);
    return std::vector<uint8_t>(text.begin(), text.end());
  });
}

/// One file of OpenCL C, whatever its name is.
bool is_opencl(const std::vector<std::string>& inputs) {
  if (inputs.size() != 1) return false;
  const auto bytes = base::read_binary(inputs.front());
  return bytes.ok() && run::is_opencl(*bytes);
}

/// By the clang of this machine.
int compile_opencl(const Options& o) {
  const std::string& path = o.inputs.front();
  if (o.code_object != "5") {
    return report(base::Error("OpenCL C becomes a code object of version 5", {.file = path}));
  }
  if (auto s = check_outputs(o.inputs, {o.output == "-" ? "" : o.output}); !s.ok())
    return report(s.error());
  const auto target = hsa::parse_target(o.target);
  if (!target) return report(target.error());
  const auto object = run::compile_opencl(path, *target);
  return object ? write_output(o.output, *object) : report(object.error());
}

int finalize_files(const Options& o) {
  if (is_opencl(o.inputs)) return compile_opencl(o);
#ifdef CUVETTE_WITH_FINALIZER
  std::vector<hsail::Module> modules;
  const int read = load_modules(o, modules, hsail::Rules::kMachine);
  if (read != kPassed) return read;
  if (auto s = check_outputs(o.inputs, {o.output == "-" ? "" : o.output}); !s.ok())
    return report(s.error());
  std::vector<const hsail::Module*> linked;
  linked.reserve(modules.size());
  for (const auto& module : modules) linked.push_back(&module);
  finalizer::Options options;
  options.target = o.target;
  options.code_object_version = o.code_object == "2" ? 2 : o.code_object == "4" ? 4 : 5;
  if (!o.no_warnings) options.warn = [](const std::string& what) { warn(base::Error(what)); };
  const auto module = run::load_finalizer();
  if (!module) return report(module.error());
  auto object = (*module)->finalize(linked, options);
  if (!object) return report(object.error());
  return write_output(o.output, *object);
#else
  return not_built("finalize", "the finalizer (LLVM)");
#endif
}

}  // namespace

void add_asm(Verb& verbs) {
  auto o = std::make_shared<Options>();
  auto verb = add(verbs, "asm", "Assemble HSAIL text to BRIG", o);
  verb.option("-o,--output", o->output,
              "Output file, - for standard output; without it the input's name with .brig");
  verb.option("--container", o->container, "raw, elf32 or elf64")
      .one_of({"raw", "elf32", "elf64"})
      .with_default();
  verb.does([o] { return assemble_files(*o); });
}

void add_disasm(Verb& verbs) {
  auto o = std::make_shared<Options>();
  auto verb = add(verbs, "disasm", "Print BRIG as HSAIL text", o);
  verb.option("-o,--output", o->output,
              "Output file, - for standard output; without it the input's name with .hsail");
  verb.option("--floats", o->floats,
              "Floating-point constants as bit patterns, C99 hexadecimal or shortest decimals: "
              "bits, c99 or decimal")
      .one_of({"bits", "c99", "decimal"})
      .with_default();
  verb.does([o] { return disassemble_files(*o); });
}

void add_validate(Verb& verbs) {
  auto o = std::make_shared<Options>();
  auto verb =
      add(verbs, "validate", "Check HSAIL text or BRIG against the rules of the language", o);
  verb.does([o] { return validate_files(*o); });
}

void add_finalize(Verb& verbs) {
  auto o = std::make_shared<Options>();
  auto verb = add(verbs, "finalize", "Compile HSAIL or OpenCL C to a code object", o);
  verb.option("--target", o->target, "gfx900, gfx906, gfx908, gfx90a or gfx942").with_default();
  verb.option("--code-object", o->code_object, "Code object version: 2, 4 or 5")
      .one_of({"2", "4", "5"})
      .with_default();
  verb.option("-o,--output", o->output, "Output file, - for standard output").required();
  verb.does([o] { return finalize_files(*o); });
}

}  // namespace cuvette::cli
