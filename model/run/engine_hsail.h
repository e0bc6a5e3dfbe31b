// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "run/engine.h"

namespace cuvette::run {

/// HSAIL interpreted from the manual; machine code is bad input.
std::unique_ptr<Engine> make_hsail_engine(const EngineOptions& options);

}  // namespace cuvette::run
