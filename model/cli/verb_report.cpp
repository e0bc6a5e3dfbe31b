// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/program_part.h"
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

void add_report(Verb& verbs) {
  auto o = std::make_shared<Options>();
  auto verb = verbs.add("report", "Make a page of the statistics and traces of runs");
  verb.option("run", o->runs, "Statistics, as written by run --stats, or the folder of a sweep")
      .required();
  verb.option("-o,--output", o->output, "The page (HTML)").required();
  verb.option("--trace", o->traces,
              "Trace of the first run, the second, ...; default: NAME.trace.json beside "
              "NAME.stats.json");
  verb.does([o] { return start("report", *o); });
}

void add_diff(Verb& verbs) {
  auto o = std::make_shared<Options>();
  auto verb = verbs.add("diff", "Compare the statistics of two runs");
  verb.option("runs", o->runs, "Statistics of A and of B, as written by run --stats")
      .required()
      .count(2);
  verb.option("-o,--output", o->output, "Write a page, too (HTML)");
  verb.does([o] { return start("diff", *o); });
}

void add_trace_columns(Verb& verbs) {
  auto trace = std::make_shared<std::string>();
  auto verb = verbs.add("trace-columns", "Print a Perfetto trace as the report maker reads it");
  verb.hide();  // not for users: the form changes with the report maker
  verb.option("trace", *trace, "A trace (.pftrace)").required();
  verb.does([trace] { return print_columns(*trace); });
}

}  // namespace cuvette::cli
