// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The verbs that turn one form of HSAIL into another.
#include <memory>

#include "cli/verb.h"

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
  verb->callback([&chosen] { chosen = [] { return not_built("validate", "no HSAIL reader"); }; });
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
  verb->callback([&chosen] { chosen = [] { return not_built("finalize", "no finalizer"); }; });
}

}  // namespace cuvette::cli
