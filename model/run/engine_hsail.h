// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "run/engine.h"

namespace cuvette::run {

/// HSAIL interpreted from the manual; machine code is bad input. Matrix instructions are those of
/// the target in the options, `machine_target` without one. Errors: unknown target.
base::Result<std::unique_ptr<Engine>> make_hsail_engine(const EngineOptions& options,
                                                        const std::string& machine_target);

}  // namespace cuvette::run
