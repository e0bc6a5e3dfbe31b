// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "thunk/engine.h"

namespace cuvette::thunk {

/// Engines lt and ca.
base::Result<std::unique_ptr<Engine>> make_timed_engine(const Settings& settings,
                                                        const machine::GpuConfig& description,
                                                        const MemoryMap& map);
/// Engine golden.
base::Result<std::unique_ptr<Engine>> make_golden_engine(const Settings& settings,
                                                         const machine::GpuConfig& description,
                                                         const MemoryMap& map);

}  // namespace cuvette::thunk
