// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "isa/target.h"
#include "valu/valu.h"

namespace cuvette::ip {

/// The assembler text of the instruction behind a request; the mnemonic when its words are not
/// known.
std::string instruction_text(const valu::Request& request, isa::Target target);

/// Lines of the report of a difference: wave, pc, instruction and modifiers, then every enabled
/// lane with its operands, expected and actual value in hex and by the operand's type.
std::string difference_text(const valu::Request& request, isa::Target target,
                            const valu::Response& want, const valu::Response& got);

}  // namespace cuvette::ip
