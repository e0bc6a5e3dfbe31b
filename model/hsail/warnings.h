// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "hsail/module.h"
#include "hsail/text.h"

namespace cuvette::hsail {

/// Warnings about a valid module: constructs that can hardly be meant, with their place and a
/// stable identifier (command_line.md), by code block and then by place, at most kMaxWarnings. None
/// is an error: the code may never be reached.
std::vector<base::Error> find_warnings(const Module& module);

}  // namespace cuvette::hsail
