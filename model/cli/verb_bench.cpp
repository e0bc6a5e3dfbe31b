// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "cli/verb.h"
#include "run/bench.h"
#include "run/bench/suite.h"

namespace cuvette::cli {
namespace {

/// Prints the figures of one benchmark.
int bench_one(const run::Benchmark& benchmark) {
  fmt::print("{}: {}\n", benchmark.name, benchmark.measures);
  auto result = benchmark.run();
  if (!result) return report(result.error(), kCheckFailed);
  if (!result->skipped.empty()) fmt::print("  skipped: {}\n", result->skipped);
  for (const run::BenchLine& line : result->lines) {
    fmt::print("  {:<46} {:>10.3f} {}", line.label, line.value, line.unit);
    if (line.goal != 0) {
      fmt::print("  (goal >= {}: {})", line.goal, line.value >= line.goal ? "met" : "not met");
    }
    fmt::print("\n");
  }
  std::fflush(stdout);
  return kPassed;
}

int bench(const std::vector<std::string>& names) {
  std::string known;
  for (const run::Benchmark& b : run::benchmarks()) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", b.name);
  }
  for (const std::string& name : names) {
    if (run::find_benchmark(name) == nullptr) {
      return report(base::Error(fmt::format("no benchmark '{}'; there are {}", name, known)));
    }
  }
  fmt::print("host vector level: {}; medians of {} repetitions, CPU time\n",
             run::host_vector_level(), run::kBenchRepetitions);
  int worst = kPassed;
  for (const run::Benchmark& b : run::benchmarks()) {
    const bool wanted =
        names.empty() || std::find(names.begin(), names.end(), b.name) != names.end();
    if (wanted) worst = std::max(worst, bench_one(b));
  }
  return worst;
}

struct SuiteChoice {
  run::SuiteOptions options;
  bool json = false;
};

/// Each engine once, in the order given.
std::vector<std::string> each_once(const std::vector<std::string>& engines) {
  std::vector<std::string> out;
  for (const std::string& engine : engines) {
    if (std::find(out.begin(), out.end(), engine) == out.end()) out.push_back(engine);
  }
  return out;
}

int bench_suite(SuiteChoice choice) {
  choice.options.engines = each_once(choice.options.engines);
  const auto& engines = choice.options.engines;
  const bool has_lt = std::find(engines.begin(), engines.end(), "lt") != engines.end();
  const auto& threads = choice.options.threads;
  if (has_lt && (threads.size() != 1 || threads[0] != 1)) {
    return report(base::Error("--threads goes with the engines golden and ca"));
  }
  bool failed = false;
  const auto print = [&choice](const std::string& text) {
    if (choice.json) return;
    fmt::print("{}", text);
    std::fflush(stdout);
  };
  const auto result = run::measure_suite(
      choice.options, [&print](const run::SuiteReport& report) { print(suite_head(report)); },
      [&](const run::SuiteReport& report) {
        const run::SuiteRow& row = report.rows.back();
        failed = failed || !row.figures[0].failure.empty();
        print(suite_line(report, row));
      });
  if (!result) return report(result.error());
  for (const std::string& engine : engines) print(suite_means(*result, engine));
  if (choice.json) fmt::print("{}", suite_json(*result));
  return failed ? kCheckFailed : kPassed;
}

void add_suite(CLI::App& bench, Action& chosen) {
  auto choice = std::make_shared<SuiteChoice>();
  run::SuiteOptions& o = choice->options;
  auto* verb = bench.add_subcommand(
      "suite", "Run the suite of ordinary kernels and print ns per wave instruction");
  verb->add_option("kernel", o.kernels, "Kernels or classes; all when none is named");
  verb->add_option("--engine", o.engines, "golden, lt, ca: one or several")
      ->delimiter(',')
      ->check(CLI::IsMember({"golden", "lt", "ca"}))
      ->allow_extra_args(false);
  verb->add_option("--threads", o.threads,
                   "N,...: host threads (golden, ca); more than 1: elapsed time")
      ->delimiter(',')
      ->check(CLI::Range(1, 256))
      ->allow_extra_args(false);
  verb->add_option("--repetitions", o.repetitions,
                   "Runs of each kernel, of which the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("--size", o.size, "bench, or test: the small sizes of the tests")
      ->check(CLI::IsMember({"bench", "test"}))
      ->capture_default_str();
  verb->add_option("--against", o.against,
                   "Another cuvette, or the install or build tree it is in, in turn with this one")
      ->check(file_name());
  verb->add_option("--suite", o.folder, "Folder of the suite; that of the build tree by default")
      ->check(file_name());
  verb->add_flag("--json", choice->json, "Print JSON");
  verb->callback([choice, &chosen] { chosen = [choice] { return bench_suite(*choice); }; });
}

}  // namespace

void add_bench(CLI::App& app, Action& chosen) {
  auto names = std::make_shared<std::vector<std::string>>();
  auto* verb = app.add_subcommand("bench", "Measure the model and print ratios of one run");
  verb->add_option("name", *names, "Benchmarks; all when none is named");
  verb->callback([names, verb, &chosen] {
    if (verb->get_subcommands().empty()) chosen = [names] { return bench(*names); };
  });
  add_suite(*verb, chosen);
}

}  // namespace cuvette::cli
