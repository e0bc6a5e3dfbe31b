// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "hsail/module.h"

namespace cuvette::hsail {

/// Errors of a module, each list in module order, at most kMaxErrors (text.h).
struct Verdict {
  std::vector<base::Error> errors;
  /// Parts that the language allows and no machine here finalizes or runs (decisions.md D71):
  /// sizes, formats of images, control directives that contradict each other, exception policies of
  /// the base profile, extensions.
  std::vector<base::Error> machine;
};

/// The rules of the HSAIL PRM that concern a module as a whole, whether it came from text or BRIG:
/// types and modifiers of every instruction, register sizes, operand forms, segments, arg blocks,
/// variables and their initialisers, register budget (4.7), control directives, profile.
Verdict check(const Module& module);
/// The same in one list: errors, then what only machines refuse; at most kMaxErrors.
std::vector<base::Error> validate(const Module& module);

}  // namespace cuvette::hsail
