// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/verb.h"

namespace cuvette::cli {

void add_isa(CLI::App& app, Action& chosen) {
  auto target = std::make_shared<std::string>("gfx908");
  auto* verb = app.add_subcommand("isa", "Look at machine instructions");
  verb->require_subcommand(1);
  auto* decode = verb->add_subcommand("decode", "Decode 8-digit hex words from standard input");
  auto* list = verb->add_subcommand("list", "List the instructions of a target with their status");
  for (auto* sub : {decode, list}) {
    sub->add_option("--target", *target, "gfx900, gfx906, gfx908, gfx90a or gfx942")
        ->capture_default_str();
  }
  decode->callback([&chosen] { chosen = [] { return not_built("isa decode", "no decoder"); }; });
  list->callback([&chosen] { chosen = [] { return not_built("isa list", "no tables"); }; });
}

}  // namespace cuvette::cli
