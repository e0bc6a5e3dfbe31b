// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "hsail/module.h"

namespace cuvette::hsail {

/// The rules of the HSAIL PRM that concern a module as a whole, whether it came from text or BRIG:
/// types and modifiers of every instruction, register sizes, operand forms, segments, arg blocks,
/// variables and their initialisers, register budget (4.7), control directives, profile. At most
/// kMaxErrors (text.h) errors, in module order.
std::vector<base::Error> validate(const Module& module);

}  // namespace cuvette::hsail
