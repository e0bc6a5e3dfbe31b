// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "run/session.h"

namespace cuvette::run {

/// The run summary as text for people: verdict first, then what the run does not vouch for.
std::string summary_text(const std::string& file, const std::string& engine,
                         const SessionResult& result);

}  // namespace cuvette::run
