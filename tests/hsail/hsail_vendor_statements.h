// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hsail/inst_table.h"

/// Statements of AMD's extensions amd:gcn and amd:mipmap, made from the tables of their
/// instructions.
namespace cuvette::hsail::testing {

/// One statement in pieces.
struct Statement {
  Opcode opcode;
  std::vector<std::string> modifiers;
  std::vector<std::string> types;
  std::vector<std::string> operands;

  std::string text() const;
};

/// Every type and modifier of a row once with registers, and each other form of each operand.
/// Addresses in group memory are those of `%g`.
std::vector<Statement> statements_of(const InstRow& row);

}  // namespace cuvette::hsail::testing
