// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/result.h"
#include "machine/description.h"
#include "run/engine.h"

namespace cuvette::run {

/// The cycle-approximate SystemC GPU. One per process: SystemC elaborates once.
base::Result<std::unique_ptr<Engine>> make_ca_engine(const EngineOptions& options,
                                                     machine::Description description,
                                                     std::optional<NotBuilt>& not_built);

}  // namespace cuvette::run
