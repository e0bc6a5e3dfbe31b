// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "run/engine.h"

namespace cuvette::thunk {

/// Settings of a process's devices in its environment (docs/howto/rocm.md "Environment").
struct Settings {
  unsigned devices = 1;  ///< all of the same machine, 1 to run::kMostDevices
  /// engine, config, lockstep, implementations, threads, trace, wait_graph
  run::EngineOptions engine;
  std::string stats;   ///< JSON file to write at the end; empty: none
  std::string report;  ///< file that gets the run report appended; "-": standard error
  std::string result;  ///< file that gets "passed" or "failed" appended; empty: none
};

/// Reads CUVETTE_ENGINE, CUVETTE_MACHINE and the others. Errors name the variable and what was
/// expected.
base::Result<Settings> settings_from_environment();

/// "a,b" as {"a", "b"}; empty parts are left out.
std::vector<std::string> split_list(const std::string& text, char separator = ',');

}  // namespace cuvette::thunk
