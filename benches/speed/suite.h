// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

// The suite of ordinary kernels (suite.md): programs run its dispatch files in processes of
// their own, in turn, and their times are compared.
namespace cuvette::bench {

/// A row of the suite's table with its dispatch file.
struct SuiteKernel {
  std::string name;
  std::string kind;    ///< "dense"
  std::string target;  ///< of the code object: "gfx908"
  std::string file;    ///< dispatch file at the size asked for
  std::string timed;   ///< the same without expectations
};

/// Choice of kernels, engines and programs.
struct SuiteOptions {
  std::string folder;                ///< suite.yaml and the dispatch files; empty: this program's
  std::string size = "bench";        ///< "bench" or "test"
  std::vector<std::string> kernels;  ///< names of kernels and classes; empty: all
  std::vector<std::string> engines = {"golden"};
  std::vector<unsigned> threads = {1};  ///< of golden
  unsigned repetitions = 5;             ///< of each measurement
  std::string against;                  ///< another program, or a folder that holds it; empty: none
};

/// A program at one number of host threads.
struct SuiteCandidate {
  std::string label;  ///< "this", "against"; with their threads where there are several numbers
  std::string program;
  unsigned threads = 1;
};

/// Measurements of a candidate for a kernel: medians of the repetitions.
struct SuiteFigure {
  std::string failure;     ///< reason why there is none
  double seconds = 0;      ///< without the start: process, code, buffers
  double start = 0;        ///< seconds of process, code, buffers
  double nanoseconds = 0;  ///< per wave instruction; 0: shorter than the clock can tell
};

/// Measurements of a kernel on an engine.
struct SuiteRow {
  SuiteKernel kernel;
  std::string engine;
  uint64_t instructions = 0;         ///< of all waves, counted by this program
  std::vector<SuiteFigure> figures;  ///< one per candidate
};

/// Measurements of the whole suite.
struct SuiteReport {
  std::vector<SuiteCandidate> candidates;
  std::string clock;  ///< "CPU time", "elapsed time"
  std::vector<SuiteRow> rows;
};

/// The rows of a suite's table that `names` name, kernels or classes, in the table's order; all
/// where there are none. Errors: no suite there, a file missing, a name that it does not have.
base::Result<std::vector<SuiteKernel>> load_suite(const SuiteOptions& options);

/// Measures every kernel chosen on every engine. `started` is called before the first, `done` after
/// each row.
/// Errors: the suite, the other program. A kernel that fails is a failure of its figure.
base::Result<SuiteReport> measure_suite(const SuiteOptions& options,
                                        const std::function<void(const SuiteReport&)>& started,
                                        const std::function<void(const SuiteReport&)>& done);

/// Nanoseconds of candidate `a` over those of candidate `b`; 0 where one of them has none.
double suite_ratio(const SuiteRow& row, size_t a, size_t b);
/// Geometric mean of the positive values; 0 where there is none.
double geometric_mean(const std::vector<double>& values);

/// The table: its head, a row, and the means of an engine's rows.
std::string suite_head(const SuiteReport& report);
std::string suite_line(const SuiteReport& report, const SuiteRow& row);
std::string suite_means(const SuiteReport& report, const std::string& engine);
std::string suite_json(const SuiteReport& report);

}  // namespace cuvette::bench
