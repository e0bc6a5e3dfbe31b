// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "host/event_log.h"

namespace cuvette::host {

/// Limits of a replay.
struct ReplayOptions {
  machine::Cycle watchdog = 0;            ///< cycles in all; 0: no limit
  uint64_t instructions = 4'000'000'000;  ///< golden: of one dispatch, watchdog
  bool golden_only = false;               ///< SystemC engines are an Error (fuzzing)
};

/// Outcome of a replay.
struct ReplayReport {
  std::string engine, machine;
  /// Compared; a log with none of them says nothing.
  uint64_t calls = 0, interrupts = 0, agent_dispatches = 0, stops = 0;
  machine::Cycle cycles = 0;  ///< at the end
  uint64_t memory = 0;        ///< fingerprint
  std::string difference;     ///< the first; empty: the run was reproduced
};

/// Does again what a host-event log says, on the engine it names, and compares every answer, every
/// interrupt with its cycle, and memory at the end. Stops at the first difference. Errors: the file
/// is no such log, or is damaged. SystemC engines: once per process, on this thread.
base::Result<ReplayReport> replay_host_log(const std::string& path, const ReplayOptions& options);

}  // namespace cuvette::host
