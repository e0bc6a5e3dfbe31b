// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "isa/instruction.h"

namespace cuvette::isa {

/// Builds words[] and length (dwords) from row, target, encoding, operands, modifiers and memory
/// fields. Errors: the row is not on the target, the encoding does not exist for the row, an
/// operand or field does not fit; the instruction is then unchanged. encode(decode(w)) == w for
/// every word that decodes as Legal.
base::Status encode(Instruction& instruction);

}  // namespace cuvette::isa
