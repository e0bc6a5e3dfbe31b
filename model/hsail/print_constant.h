// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hsail/module.h"

namespace cuvette::hsail {

/// A constant operand as text that reads back equal where a constant of type `expected` stands
/// (kNone: array initialisers and pragmas, where the constant brings its own type). Floats are IEEE
/// bit patterns.
std::string print_constant(const Module& module, OperandRef ref, Type expected);

}  // namespace cuvette::hsail
