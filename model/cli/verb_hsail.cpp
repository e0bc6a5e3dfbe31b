// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The verbs that turn one form of HSAIL into another.
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/verb.h"
#include "hsail/text.h"
#include "hsail/validator.h"
#ifdef CUVETTE_WITH_FINALIZER
#include "finalizer/finalize.h"
#endif

namespace cuvette::cli {
namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string output, target = "gfx908", code_object = "5", diagnostics = "text";
};

CLI::App* add(CLI::App& app, const std::string& name, const std::string& what,
              const std::shared_ptr<Options>& o) {
  auto* verb = app.add_subcommand(name, what);
  verb->add_option("input", o->inputs, "Input files")->required();
  verb->add_option("--diagnostics", o->diagnostics, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  return verb;
}

void print_diagnostics(const Options& o, const std::vector<base::Error>& errors) {
  for (const auto& error : errors) {
    if (o.diagnostics == "text") {
      report(error);
      continue;
    }
    const nlohmann::ordered_json line = {{"file", error.where.file},
                                         {"line", error.where.line},
                                         {"column", error.where.column},
                                         {"severity", "error"},
                                         {"message", error.what}};
    fmt::print(stderr, "{}\n", line.dump());
  }
}

bool is_brig(const std::string& bytes) {
  return bytes.compare(0, 8, "HSA BRIG") == 0 || bytes.compare(0, 4,
                                                               "\x7f"
                                                               "ELF") == 0;
}

/// Every module, parsed and validated; prints what is wrong. The status is that of the worst file.
int load_modules(const Options& o, const char* verb, std::vector<hsail::Module>& modules) {
  int worst = kPassed;
  for (const auto& path : o.inputs) {
    auto text = base::read_text(path);
    if (!text) {
      print_diagnostics(o, {text.error()});
      worst = std::max<int>(worst, kBadInput);
      continue;
    }
    if (is_brig(*text)) return not_built(verb, "reading BRIG");
    hsail::Outcome outcome = hsail::parse_text(*text, path);
    auto errors = outcome.ok() ? hsail::validate(outcome.module) : outcome.errors;
    if (!errors.empty()) {
      print_diagnostics(o, errors);
      worst = std::max<int>(worst, kBadInput);
      continue;
    }
    modules.push_back(std::move(outcome.module));
  }
  return worst;
}

int validate_files(const Options& o) {
  std::vector<hsail::Module> modules;
  return load_modules(o, "validate", modules);
}

[[maybe_unused]] int write_output(const std::string& path, const std::vector<uint8_t>& bytes) {
  if (path == "-") {
    return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()
               ? kPassed
               : report(base::Error("cannot write to standard output"));
  }
  const auto s = base::write_binary(path, bytes.data(), bytes.size());
  return s.ok() ? kPassed : report(s.error());
}

int finalize_files([[maybe_unused]] const Options& o) {
#ifdef CUVETTE_WITH_FINALIZER
  if (o.code_object == "2") return not_built("finalize", "code object version 2");
  std::vector<hsail::Module> modules;
  if (const int status = load_modules(o, "finalize", modules); status != kPassed) return status;
  std::vector<const hsail::Module*> linked;
  for (const auto& module : modules) linked.push_back(&module);
  finalizer::Options options;
  options.target = o.target;
  options.code_object_version = o.code_object == "4" ? 4 : 5;
  auto object = finalizer::finalize(linked, options);
  if (!object) {
    print_diagnostics(o, {object.error()});
    return kBadInput;
  }
  return write_output(o.output, *object);
#else
  return not_built("finalize", "the finalizer (LLVM)");
#endif
}

}  // namespace

void add_asm(CLI::App& app, Action& chosen) {
  auto o = std::make_shared<Options>();
  auto* verb = add(app, "asm", "Assemble HSAIL text to BRIG", o);
  verb->add_option("-o,--output", o->output, "Output file, - for standard output");
  verb->callback([&chosen] { chosen = [] { return not_built("asm", "no BRIG writer"); }; });
}

void add_disasm(CLI::App& app, Action& chosen) {
  auto o = std::make_shared<Options>();
  auto* verb = add(app, "disasm", "Print BRIG as HSAIL text", o);
  verb->add_option("-o,--output", o->output, "Output file, - for standard output");
  verb->callback([&chosen] { chosen = [] { return not_built("disasm", "no BRIG reader"); }; });
}

void add_validate(CLI::App& app, Action& chosen) {
  auto o = std::make_shared<Options>();
  auto* verb =
      add(app, "validate", "Check HSAIL text or BRIG against the rules of the language", o);
  verb->callback([o, &chosen] { chosen = [o] { return validate_files(*o); }; });
}

void add_finalize(CLI::App& app, Action& chosen) {
  auto o = std::make_shared<Options>();
  auto* verb = add(app, "finalize", "Compile HSAIL to a code object", o);
  verb->add_option("--target", o->target, "gfx900, gfx906, gfx908, gfx90a or gfx942")
      ->capture_default_str();
  verb->add_option("--code-object", o->code_object, "Code object version: 2, 4 or 5")
      ->check(CLI::IsMember({"2", "4", "5"}))
      ->capture_default_str();
  verb->add_option("-o,--output", o->output, "Output file, - for standard output")->required();
  verb->callback([o, &chosen] { chosen = [o] { return finalize_files(*o); }; });
}

}  // namespace cuvette::cli
