// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/program_part.h"
#include "cli/verb.h"

namespace cuvette::cli {
namespace {

/// The benchmarks are a program of their own (benches/speed).
int start(const std::vector<std::string>& arguments) {
  const std::filesystem::path program = tree() / "libexec/cuvette/bench";
  std::error_code ignored;
  if (!std::filesystem::exists(program, ignored)) {
    return report(base::Error(fmt::format("no benchmarks in {}: build the target cuvette_bench",
                                          program.string())),
                  kInternal);
  }
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return become(std::move(words), "measures the model");
}

}  // namespace

void add_bench(Verb& verbs) {
  auto verb = verbs.add("bench", "Measure the model and print ratios of one run");
  verb.passes_on();
  verb.does([verb] { return start(verb.passed_on()); });
}

}  // namespace cuvette::cli
