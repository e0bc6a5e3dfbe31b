// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <thread>

#include <fmt/format.h>

#include "speed/block_rows.h"
#include "speed/child_run.h"

namespace cuvette::bench {
namespace {

/// Speeds without start-up: the difference between a long and a short run, median of several pairs.
[[maybe_unused]] base::Result<ChildSample> rate(const std::string& engine,
                                                const std::string& config, unsigned work_items,
                                                unsigned iterations) {
  std::vector<ChildSample> differences;
  for (unsigned i = 0; i < kBenchRepetitions; ++i) {
    auto brief = run_in_child({engine, config, 1}, work_items, 1);
    if (!brief) return brief.error();
    auto full = run_in_child({engine, config, 1}, work_items, iterations);
    if (!full) return full.error();
    differences.push_back({full->seconds - brief->seconds, full->elapsed - brief->elapsed,
                           full->instructions - brief->instructions, full->cycles - brief->cycles,
                           0});
  }
  std::sort(differences.begin(), differences.end(),
            [](const ChildSample& a, const ChildSample& b) { return a.seconds < b.seconds; });
  return differences[differences.size() / 2];
}

#ifdef CUVETTE_WITH_FINALIZER
struct Machine {
  const char* config;
  const char* units;
  unsigned work_items, iterations;
};
constexpr Machine kMachines[] = {{"small", "1 compute unit", 2560, 2000},
                                 {"mi100", "120 compute units", 120 * 2560, 40}};

double millions_per_second(const ChildSample& sample) {
  return static_cast<double>(sample.instructions) / sample.seconds * 1e-6;
}
#endif

}  // namespace

base::Result<BenchResult> ca_speed() {
  BenchResult out;
#ifdef CUVETTE_WITH_FINALIZER
  for (const Machine& m : kMachines) {
    auto sample = rate("ca", m.config, m.work_items, m.iterations);
    if (!sample) return sample.error();
    out.lines.push_back({fmt::format("ca, {}, wave instructions", m.units),
                         millions_per_second(*sample), "M/s", 0});
    out.lines.push_back({fmt::format("ca, {}, chip cycles", m.units),
                         static_cast<double>(sample->cycles) / sample->seconds * 1e-3, "k/s", 0});
  }
#else
  out.skipped = "the kernel is HSAIL and this build has no finalizer";
#endif
  return out;
}

base::Result<BenchResult> ca_threads() {
  BenchResult out;
#ifdef CUVETTE_WITH_FINALIZER
  constexpr unsigned kPairs = 5;
  constexpr unsigned kThreads[] = {1, 2, 4};
  const Machine& m = kMachines[1];
  // Each figure without start-up, all of them in turn.
  std::vector<std::vector<double>> seconds(std::size(kThreads)), ratios(std::size(kThreads));
  uint64_t instructions = 0;
  for (unsigned n = 0; n < kPairs; ++n) {
    for (size_t t = 0; t < std::size(kThreads); ++t) {
      const ChildEngine what{"ca", m.config, kThreads[t]};
      auto brief = run_in_child(what, m.work_items, 1);
      if (!brief) return brief.error();
      auto full = run_in_child(what, m.work_items, m.iterations);
      if (!full) return full.error();
      seconds[t].push_back(full->elapsed - brief->elapsed);
      ratios[t].push_back(seconds[0].back() / seconds[t].back());
      instructions = full->instructions - brief->instructions;
    }
  }
  for (size_t t = 0; t < std::size(kThreads); ++t) {
    std::sort(seconds[t].begin(), seconds[t].end());
    std::sort(ratios[t].begin(), ratios[t].end());
    out.lines.push_back({fmt::format("ca, {}, {} host thread{}, wave instructions", m.units,
                                     kThreads[t], kThreads[t] == 1 ? "" : "s"),
                         static_cast<double>(instructions) / seconds[t][kPairs / 2] * 1e-6, "M/s",
                         0});
    if (t == 0) continue;
    // A speed that the host cannot give is no goal for it.
    const bool enough = std::thread::hardware_concurrency() >= kThreads[t];
    out.lines.push_back({fmt::format("  {} host threads / one", kThreads[t]), ratios[t][kPairs / 2],
                         "ratio", kThreads[t] == 2 && enough ? 1.6 : 0});
  }
#else
  out.skipped = "the kernel is HSAIL and this build has no finalizer";
#endif
  return out;
}

base::Result<BenchResult> ca_lockstep() {
  BenchResult out;
#if defined(CUVETTE_WITH_FINALIZER) && defined(CUVETTE_WITH_RTL)
  struct Case {
    const char* config;
    const char* instances;
    const char* label;
    unsigned work_items, iterations;
    double goal;  ///< 15 % more time: 1 / 1.15
  };
  constexpr Case kCases[] = {
      {"small", "1", "valu:1/10000 in lockstep at one place of 4, speed / ca alone", 2560, 2000,
       0.87},
      {"small", "all", "the same at all 4 places", 2560, 2000, 0.87},
      {"mi100", "1", "the same at one place of mi100's 480", 120 * 2560, 100, 0.87},
      {"mi100", "all", "the same at all 480 places", 120 * 2560, 100, 0.87},
  };
  constexpr unsigned kPairs = 5;
  for (const Case& c : kCases) {
    std::vector<double> ratios;
    for (unsigned n = 0; n < kPairs; ++n) {
      auto alone = run_in_child({"ca", c.config}, c.work_items, c.iterations);
      if (!alone) return alone.error();
      auto checked = run_in_child({"ca", c.config, 1, {"valu:1/10000"}, c.instances}, c.work_items,
                                  c.iterations);
      if (!checked) return checked.error();
      ratios.push_back(alone->seconds / checked->seconds);
    }
    std::sort(ratios.begin(), ratios.end());
    out.lines.push_back({c.label, ratios[ratios.size() / 2], "ratio", c.goal});
  }
#else
  out.skipped = "the kernel is HSAIL and the block RTL, and this build lacks one of them";
#endif
  return out;
}

base::Result<BenchResult> ca_rtl() {
  BenchResult out;
#if defined(CUVETTE_WITH_FINALIZER) && defined(CUVETTE_WITH_RTL)
  constexpr double kGoal = 30;  // k cycles/s
  auto sample = rate("ca", "small_rtl", 2560, 4);
  if (!sample) return sample.error();
  out.lines.push_back({"ca, small_rtl, chip cycles",
                       static_cast<double>(sample->cycles) / sample->seconds * 1e-3, "k/s", kGoal});
#else
  out.skipped = "the kernel is HSAIL and the blocks RTL, and this build lacks one of them";
#endif
  return out;
}

base::Result<BenchResult> lt_speed() {
  BenchResult out;
#ifdef CUVETTE_WITH_FINALIZER
  for (const Machine& m : kMachines) {
    auto lt = rate("lt", m.config, m.work_items, m.iterations);
    if (!lt) return lt.error();
    auto ca = rate("ca", m.config, m.work_items, m.iterations);
    if (!ca) return ca.error();
    out.lines.push_back(
        {fmt::format("lt, {}, wave instructions", m.units), millions_per_second(*lt), "M/s", 0});
    out.lines.push_back({fmt::format("lt / ca, {}", m.units),
                         millions_per_second(*lt) / millions_per_second(*ca), "", 0});
  }
#else
  out.skipped = "the kernel is HSAIL and this build has no finalizer";
#endif
  return out;
}

}  // namespace cuvette::bench
