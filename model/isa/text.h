// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "isa/instruction.h"

namespace cuvette::isa {

/// The assembler text of an instruction, spelled as LLVM 19 prints it (operands separated by ", ",
/// modifiers behind them separated by blanks, no leading white space).
std::string text(const Instruction& instruction);

}  // namespace cuvette::isa
