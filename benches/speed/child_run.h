// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

// One dispatch in a process of its own: SystemC elaborates once per process, and peak memory is the
// process's. The kernel is HSAIL and needs the finalizer.
namespace cuvette::bench {

/// Options of the engine in the child process, as of EngineOptions.
struct ChildEngine {
  std::string engine, config;
  unsigned threads = 1;
  std::vector<std::string> lockstep = {};  ///< EngineOptions::lockstep
  std::string lockstep_instances = {};
  std::string trace = {};  ///< file to write; empty: none
  /// Cycles of an interval of all statistics and performance counters, as text for a file; 0: none.
  uint64_t stats_every = 0;
};

/// Measurements of the child process.
struct ChildSample {
  double seconds = 0;                     ///< CPU time of the process
  double elapsed = 0;                     ///< seconds of the run
  uint64_t instructions = 0, cycles = 0;  ///< of waves; simulated, 0 on engines without time
  uint64_t trace_events = 0;
  uint64_t peak_bytes = 0;  ///< resident, with what the process inherited
};

/// Work-groups of 256 work-items, each `iterations` times four dependent fused multiply-adds and
/// one store. Error: the kernel did not run.
base::Result<ChildSample> run_in_child(const ChildEngine& what, unsigned work_items,
                                       unsigned iterations);

/// The text of a dispatch file. Error: the kernel did not run.
base::Result<ChildSample> run_in_child(const ChildEngine& what, const std::string& dispatch);

/// Figures that `measure` finds in a child process, at most 64 of them. Error: it gave false.
base::Result<std::vector<double>> values_in_child(
    const std::function<bool(std::vector<double>&)>& measure);

}  // namespace cuvette::bench
