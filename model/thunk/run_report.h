// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "machine/gpu_config.h"
#include "thunk/engine.h"
#include "thunk/recorder.h"
#include "thunk/settings.h"

namespace cuvette::thunk {

/// Report of a process about its device.
struct RunReport {
  bool passed = false;
  std::string text;  ///< for people
  std::string json;  ///< of CUVETTE_STATS (docs/howto/rocm.md)
};
/// `failures`: what went wrong on the device; `end`: how the process ended, where that needs words.
RunReport make_report(Engine& engine, const Recorder& recorder,
                      const machine::GpuConfig& description, const Settings& settings,
                      std::vector<std::string> failures, const std::string& end);
/// Tells who waits for the result that a device is there now.
void announce(const Settings& settings);
/// Writes the report to the places that the settings name. Errors are printed on standard error.
void publish(const RunReport& report, const Settings& settings);

}  // namespace cuvette::thunk
