// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/python_part.h"
#include "cli/verb.h"
#include "cli/verb_sweep.h"
#include "run/trace/trace_columns.h"

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
  if (verb == "report") arguments.insert(arguments.end(), {"--program", program_file().string()});
  for (const std::string& trace : o.traces) arguments.insert(arguments.end(), {"--trace", trace});
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), o.runs.begin(), o.runs.end());
  return become({"report maker", "makes reports", "libexec/cuvette/report", "python3"}, arguments);
}

int print_columns(const std::string& trace) {
  const auto columns = run::read_perfetto(trace);
  if (!columns) return report(columns.error());
  run::write_columns(*columns, stdout);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return report(base::Error("the columns cannot be written", {.file = trace}));
  }
  return kPassed;
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

void add_trace_columns(CLI::App& app, Action& chosen) {
  auto trace = std::make_shared<std::string>();
  auto* verb =
      app.add_subcommand("trace-columns", "Print a Perfetto trace as the report maker reads it");
  verb->group("");  // not for users: the form changes with the report maker
  verb->add_option("trace", *trace, "A trace (.pftrace)")->required()->check(file_name());
  verb->callback([trace, &chosen] { chosen = [trace] { return print_columns(*trace); }; });
}

}  // namespace cuvette::cli
