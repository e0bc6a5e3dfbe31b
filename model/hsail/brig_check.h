// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hsail/module.h"
#include "hsail/rules.h"

/// Checks of the form of a module read from BRIG, for errors that text cannot have.
namespace cuvette::hsail {

/// An error of form with its place.
struct BrigFinding : Problem {
  uint64_t offset = 0;  ///< of the entry in the file
};

/// Error in one operand entry whose references are indices into `all`: kinds of the entries it
/// refers to (18.6), sizes of constants. References go one way through the kinds, so that a
/// checked operand is a tree of bounded depth.
Problem operand_problem(const std::vector<Operand>& all, const Operand& op);

/// Order and nesting of entries, names and scopes (4.6.2), what references refer to (18.5.1.1,
/// 18.6.4, 18.6.5), linkage and allocation (18.5.1.14). A module that passes can be printed and
/// parsed again, when `validate` accepts it too.
BrigFinding check_structure(const Module& module);

}  // namespace cuvette::hsail
