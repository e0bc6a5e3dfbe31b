// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/verb.h"
#include "run/probe.h"

namespace cuvette::cli {
namespace {

/// One answer per line of input, in order. A line that is not JSON is reported, the others still
/// run.
int probe_lines(run::Probe& probe) {
  int status = kPassed;
  std::string line;
  for (uint32_t number = 1; std::getline(std::cin, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (object.is_discarded()) {
      status = report(
          base::Error("not JSON, expected one object per line", {.file = "stdin", .line = number}));
      continue;
    }
    fmt::print("{}\n",
               probe.answer(object).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  if (auto s = input_status(); !s.ok()) return report(s.error());
  return status;
}

}  // namespace

void add_probe(Verb& verbs) {
  auto engine = std::make_shared<std::string>("golden");
  auto verb = verbs.add(
      "probe",
      "Run short instruction sequences: JSON lines from standard input to standard output");
  verb.option("--engine", *engine, "golden, tlm or rtl")
      .one_of({"golden", "tlm", "rtl"})
      .with_default();
  verb.does([engine] {
    if (!run::Probe::built(*engine)) return not_built("probe", "engine " + *engine);
    auto probe = run::Probe::create(*engine);
    if (!probe) return report(probe.error());
    return probe_lines(**probe);
  });
}

}  // namespace cuvette::cli
