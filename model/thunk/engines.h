// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "thunk/engine.h"

namespace cuvette::thunk {

/// Engines lt and ca: all devices in one simulation, which has one clock.
base::Result<EngineList> make_timed_engines(const Settings& settings,
                                            const machine::GpuConfig& description,
                                            const MemoryMap& map);
/// Engine golden.
base::Result<EngineList> make_golden_engines(const Settings& settings,
                                             const machine::GpuConfig& description,
                                             const MemoryMap& map);

}  // namespace cuvette::thunk
