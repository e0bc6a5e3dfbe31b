// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "hsail/module.h"
#include "hsail/text.h"

namespace cuvette::hsail {

/// What a valid module says and can hardly mean, with its place and a stable identifier
/// (docs/command_line.md), by code block and then by place, at most kMaxWarnings. Nothing that is
/// found is an error: other code may never come there.
std::vector<base::Error> find_warnings(const Module& module);

}  // namespace cuvette::hsail
