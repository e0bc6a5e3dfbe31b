// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/verb.h"

namespace cuvette::cli {

void add_probe(CLI::App& app, Action& chosen) {
  auto engine = std::make_shared<std::string>("golden");
  auto* verb = app.add_subcommand(
      "probe",
      "Run short instruction sequences: JSON lines from standard input to standard output");
  verb->add_option("--engine", *engine, "golden, tlm or rtl")
      ->check(CLI::IsMember({"golden", "tlm", "rtl"}))
      ->capture_default_str();
  verb->callback([&chosen] { chosen = [] { return not_built("probe", "no engine"); }; });
}

}  // namespace cuvette::cli
