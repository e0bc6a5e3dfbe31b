// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/python_part.h"
#include "cli/verb.h"
#include "cli/verb_sweep.h"

namespace cuvette::cli {
namespace {

struct Options {
  std::vector<std::string> runs, traces;
  std::string output;
};

int start(const std::string& verb, const Options& o) {
  std::vector<std::string> inputs = o.runs;
  inputs.insert(inputs.end(), o.traces.begin(), o.traces.end());
  for (const std::string& run : o.runs) inputs.push_back(results_of(run).string());
  if (auto s = check_outputs(inputs, {o.output}); !s.ok()) return report(s.error());
  if (verb == "report" && std::ranges::any_of(o.runs, is_sweep)) {
    if (o.runs.size() != 1 || !o.traces.empty()) {
      return report(base::Error("a sweep's folder has a page of its own: name nothing else"));
    }
    return report_sweep(o.runs.front(), o.output);
  }
  std::vector<std::string> arguments = {verb};
  if (!o.output.empty()) arguments.insert(arguments.end(), {"-o", o.output});
  for (const std::string& trace : o.traces) arguments.insert(arguments.end(), {"--trace", trace});
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), o.runs.begin(), o.runs.end());
  return become({"report maker", "makes reports", "libexec/cuvette/report", "python3"}, arguments);
}

}  // namespace

void add_report(CLI::App& app, Action& chosen) {
  auto o = std::make_shared<Options>();
  auto* verb = app.add_subcommand("report", "Make a page of the statistics and traces of runs");
  verb->add_option("run", o->runs,
                   "Statistics, as written by run --stats, or the folder of a sweep")
      ->required()
      ->check(file_name());
  verb->add_option("-o,--output", o->output, "The page (HTML)")->required()->check(file_name());
  verb->add_option("--trace", o->traces,
                   "Trace of the first run, the second, ...; default: NAME.trace.json beside "
                   "NAME.stats.json")
      ->allow_extra_args(false)
      ->check(file_name());
  verb->callback([o, &chosen] { chosen = [o] { return start("report", *o); }; });
}

void add_diff(CLI::App& app, Action& chosen) {
  auto o = std::make_shared<Options>();
  auto* verb = app.add_subcommand("diff", "Compare the statistics of two runs");
  verb->add_option("runs", o->runs, "Statistics of A and of B, as written by run --stats")
      ->required()
      ->expected(2)
      ->check(file_name());
  verb->add_option("-o,--output", o->output, "Write a page, too (HTML)")->check(file_name());
  verb->callback([o, &chosen] { chosen = [o] { return start("diff", *o); }; });
}

}  // namespace cuvette::cli
