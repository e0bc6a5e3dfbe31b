// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "run/dispatch_file.h"
#include "run/engine.h"

namespace cuvette::run {

/// One difference between what a dispatch file expects and what came out.
struct Difference {
  std::string text;  ///< "y[7]: expected 21.0 (0x41a80000), got ..."
};

/// Outcome of a dispatch file.
struct SessionResult {
  EngineReport report;
  std::vector<Difference> differences;  ///< the first few
  uint64_t difference_count = 0;        ///< all of them
  uint64_t checked_elements = 0;        ///< compared with an expectation, signals included
  std::map<std::string, std::vector<uint8_t>> buffers;  ///< contents after the run (Contents)

  bool passed() const {
    return report.failures.empty() && difference_count == 0 && report.lockstep_mismatches == 0;
  }
};

/// Buffers whose contents a session gives back: every one, or those with an expectation or a dump.
enum class Contents { All, Used };

/// Runs a dispatch file on an engine: buffers, signals and queues are allocated in file order (so
/// that addresses are the same on every engine), then code is loaded, kernels run in turn,
/// expectations are checked. Errors are bad input: argument count, size or type that do not fit the
/// kernel, code that does not load.
base::Result<SessionResult> run_session(const DispatchFile& file, Engine& engine,
                                        Contents contents = Contents::All);

/// Compares buffers with the expectations; appends to `result`.
void check_expectations(const DispatchFile& file, const std::map<std::string, int64_t>& signals,
                        SessionResult& result);

}  // namespace cuvette::run
