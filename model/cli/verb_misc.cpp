// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "cli/verb.h"
#include "golden/replay.h"
#include "run/bench.h"

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

int replay(const std::string& path) {
  auto result = golden::replay_log(path);
  if (!result) return report(result.error());
  if (!result->difference.empty()) {
    print_line(result->difference);
    fmt::print("{}: differs from golden after {} instructions\n", path, result->records);
    return kCheckFailed;
  }
  if (result->records == 0) {
    fmt::print("{}: FAILED: nothing was compared, no instruction retires in the log\n", path);
    fmt::print("  never started  {} waves of {} dispatches\n", result->unstarted_waves,
               result->dispatches);
    return kCheckFailed;
  }
  fmt::print("{}: agrees with golden\n", path);
  fmt::print("  replayed       {} instructions, {} waves, {} dispatches\n", result->records,
             result->waves, result->dispatches);
  fmt::print("  compared       {} lanes, {} accesses\n", result->lanes, result->accesses);
  fmt::print("  from the log   {} loaded values, {} clock or placement values\n", result->loads,
             result->machine_values);
  if (result->unfinished_waves != 0) {
    fmt::print("  unfinished     {} waves\n", result->unfinished_waves);
  }
  if (result->unstarted_waves != 0) {
    fmt::print("  never started  {} waves\n", result->unstarted_waves);
  }
  return kPassed;
}

}  // namespace

void add_replay(CLI::App& app, Action& chosen) {
  auto log = std::make_shared<std::string>();
  auto* verb = app.add_subcommand("replay", "Check a retirement log written by run --log");
  verb->add_option("log", *log, "Retirement log")->required();
  verb->callback([log, &chosen] { chosen = [log] { return replay(*log); }; });
}

void add_bench(CLI::App& app, Action& chosen) {
  auto names = std::make_shared<std::vector<std::string>>();
  auto* verb = app.add_subcommand("bench", "Measure the model and print ratios of one run");
  verb->add_option("name", *names, "Benchmarks; all when none is named");
  verb->callback([names, &chosen] { chosen = [names] { return bench(*names); }; });
}

}  // namespace cuvette::cli
