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

/// A device at the end of the process.
struct DeviceRun {
  Engine& engine;
  const Recorder& recorder;
  std::string pci_address;
  std::vector<std::string> failures{};  ///< of the device
  std::string end{};                    ///< end of the process, where that needs words
};

/// Report of a process about its devices.
struct RunReport {
  bool passed = false;  ///< on all of them
  std::string text;     ///< for people
  std::string json;     ///< of CUVETTE_STATS (docs/howto/rocm.md)
};
/// Devices from 0 on. With several, each has a summary of its own.
RunReport make_report(std::vector<DeviceRun> devices, const machine::GpuConfig& description,
                      const Settings& settings);
/// Tells who waits for the result that the devices are there now.
void announce(const Settings& settings);
/// Writes the report to the places that the settings name. Errors are printed on standard error.
void publish(const RunReport& report, const Settings& settings);

}  // namespace cuvette::thunk
