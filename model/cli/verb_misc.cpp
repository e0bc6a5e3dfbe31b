// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/verb.h"

namespace cuvette::cli {

void add_replay(CLI::App& app, Action& chosen) {
  auto log = std::make_shared<std::string>();
  auto* verb = app.add_subcommand("replay", "Check a retirement log written by run --log");
  verb->add_option("log", *log, "Retirement log")->required();
  verb->callback([&chosen] { chosen = [] { return not_built("replay", "no retirement log"); }; });
}

void add_bench(CLI::App& app, Action& chosen) {
  auto names = std::make_shared<std::vector<std::string>>();
  auto* verb = app.add_subcommand("bench", "Measure the model and print ratios of one run");
  verb->add_option("name", *names, "Benchmarks; all when none is named");
  verb->callback([&chosen] { chosen = [] { return not_built("bench", "nothing to measure"); }; });
}

}  // namespace cuvette::cli
