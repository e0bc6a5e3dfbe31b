// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "base/host_heap.h"
#include "cli/verb.h"
#include "speed/benchmark.h"
#include "speed/suite.h"

namespace cuvette::bench {
namespace {

using cli::kCheckFailed;
using cli::kPassed;
using cli::report;

/// Prints the figures of one benchmark.
int bench_one(const Benchmark& benchmark) {
  fmt::print("{}: {}\n", benchmark.name, benchmark.measures);
  auto result = benchmark.run();
  if (!result) return report(result.error(), kCheckFailed);
  if (!result->skipped.empty()) fmt::print("  skipped: {}\n", result->skipped);
  for (const BenchLine& line : result->lines) {
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
  for (const Benchmark& b : benchmarks()) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", b.name);
  }
  for (const std::string& name : names) {
    if (find_benchmark(name) == nullptr) {
      return report(base::Error(fmt::format("no benchmark '{}'; there are {}", name, known)));
    }
  }
  fmt::print("host vector level: {}; medians of {} repetitions, CPU time\n", host_vector_level(),
             kBenchRepetitions);
  int worst = kPassed;
  for (const Benchmark& b : benchmarks()) {
    const bool wanted =
        names.empty() || std::find(names.begin(), names.end(), b.name) != names.end();
    if (wanted) worst = std::max(worst, bench_one(b));
  }
  return worst;
}

struct SuiteChoice {
  SuiteOptions options;
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
  const auto result = measure_suite(
      choice.options, [&print](const SuiteReport& report) { print(suite_head(report)); },
      [&](const SuiteReport& report) {
        const SuiteRow& row = report.rows.back();
        failed = failed || !row.figures[0].failure.empty();
        print(suite_line(report, row));
      });
  if (!result) return report(result.error());
  for (const std::string& engine : engines) print(suite_means(*result, engine));
  if (choice.json) fmt::print("{}", suite_json(*result));
  return failed ? kCheckFailed : kPassed;
}

void add_suite(cli::Verb& bench) {
  auto choice = std::make_shared<SuiteChoice>();
  SuiteOptions& o = choice->options;
  auto verb =
      bench.add("suite", "Run the suite of ordinary kernels and print ns per wave instruction");
  verb.option("kernel", o.kernels, "Kernels or classes; all when none is named");
  verb.option("--engine", o.engines, "golden, lt, ca: one or several")
      .separated()
      .one_of({"golden", "lt", "ca"});
  verb.option("--threads", o.threads, "N,...: host threads (golden, ca); more than 1: elapsed time")
      .separated()
      .between(1, 256);
  verb.option("--repetitions", o.repetitions, "Runs of each kernel, of which the median counts")
      .between(1, 1000)
      .with_default();
  verb.option("--size", o.size, "bench, or test: the small sizes of the tests")
      .one_of({"bench", "test"})
      .with_default();
  verb.option("--against", o.against,
              "Another cuvette, or the install or build tree it is in, in turn with this one");
  verb.option("--suite", o.folder, "Folder of the suite; that of the build tree by default");
  verb.flag("--json", choice->json, "Print JSON");
  verb.does([choice] { return bench_suite(*choice); });
}

int run(int argc, char** argv) {
  std::vector<std::string> names;
  cli::CommandLine line("Measure the model and print ratios of one run", "cuvette bench",
                        CUVETTE_VERSION);
  line.verbs().option("name", names, "Benchmarks; all when none is named");
  line.verbs().does([&names] { return bench(names); });
  add_suite(line.verbs());
  return line.run(argc, argv);
}

}  // namespace
}  // namespace cuvette::bench

int main(int argc, char** argv) {
  using namespace cuvette;
  base::prefer_huge_pages();
  return cli::finish(cli::guarded([=] { return bench::run(argc, argv); }));
}
