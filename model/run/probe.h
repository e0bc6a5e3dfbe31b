// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "run/probe_case.h"

namespace cuvette::run {

/// Runs one case on golden and answers as docs/probe.md says. Never fails: what is wrong with the
/// case is in the answer.
nlohmann::ordered_json probe_golden(const nlohmann::json& object);

}  // namespace cuvette::run
