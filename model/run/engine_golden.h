// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/result.h"
#include "machine/gpu_config.h"
#include "run/engine.h"

namespace cuvette::run {

/// Machine code on the golden reference.
base::Result<std::unique_ptr<Engine>> make_golden_engine(const EngineOptions& options,
                                                         const machine::GpuConfig& description);

}  // namespace cuvette::run
