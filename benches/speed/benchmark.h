// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

// Benchmarks of `cuvette bench` (performance.md). A new benchmark is a function in a file of
// benches/speed and one line of the table in registry.cpp.
namespace cuvette::bench {

/// A figure of this run, or the ratio of two of them.
struct BenchLine {
  std::string label;
  double value = 0;
  std::string unit;  ///< of `value`: "ns/instruction"; "ratio"
  double goal = 0;   ///< the ratio should be at least this; 0: no goal
};

/// Figures of one run of a benchmark.
struct BenchResult {
  std::vector<BenchLine> lines;
  std::string skipped;  ///< reason why nothing was measured; empty when something was
};

/// A row of the table of benchmarks.
struct Benchmark {
  const char* name;
  const char* measures;  ///< one line for people
  /// Errors: the benchmark's own program did not do what it should.
  base::Result<BenchResult> (*run)();
};

/// All of them, in the order they run.
std::span<const Benchmark> benchmarks();
/// Null when there is none.
const Benchmark* find_benchmark(const std::string& name);

/// "avx512", "avx2" or "baseline": what the host offers to those who ask.
const char* host_vector_level();

inline constexpr unsigned kBenchRepetitions = 9;  ///< of median_seconds()

/// Middle value, or the mean of both. `values` has one at least.
double median(std::vector<double> values);

/// CPU seconds of all threads of this process: some work is done by threads of its own.
double cpu_seconds();

/// Median CPU seconds of one call of each candidate. All are measured in turn, repetition by
/// repetition, so that a change of the machine's speed meets them alike. A repetition lasts at
/// least 20 ms.
std::vector<double> median_seconds(const std::vector<std::function<void()>>& candidates);

}  // namespace cuvette::bench
