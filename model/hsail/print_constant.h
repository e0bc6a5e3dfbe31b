// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hsail/module.h"
#include "hsail/text.h"

namespace cuvette::hsail {

/// A constant operand as text that reads back equal where a constant of type `expected` stands
/// (kNone: array initialisers and pragmas, where the constant brings its own type).
std::string print_constant(const Module& module, OperandRef ref, Type expected,
                           FloatNotation floats = FloatNotation::kBits);

}  // namespace cuvette::hsail
