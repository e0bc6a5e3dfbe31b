// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "machine/description.h"
#include "run/engine.h"

namespace cuvette::run {

/// The loosely timed SystemC GPU. One per process: SystemC elaborates once. Other implementations
/// than `tlm` are not built into it.
base::Result<std::unique_ptr<Engine>> make_lt_engine(const EngineOptions& options,
                                                     const machine::Description& description,
                                                     std::optional<NotBuilt>& not_built);

}  // namespace cuvette::run
