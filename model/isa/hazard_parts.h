// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operands.h"
#include "isa/registers.h"

// Helpers shared by the classes and relations of hazard rules. Private to layer isa.
namespace cuvette::isa::parts {

/// Vector and scalar registers an operand names; empty for special values and constants.
RegisterSet of_operand(const Operand& operand);
/// Registers of the data operands (VDATA, DATA0, DATA1) of a store or atomic.
RegisterSet store_data(const Instruction& in);
/// The SIMM16 of S_GETREG and S_SETREG: id [5:0], offset [10:6], size - 1 [15:11]; bits. 0 for
/// others.
uint64_t hwreg_field(const Instruction& in);
/// A source is the special operand code (isa/registers.h).
bool has_special(const Instruction& in, uint16_t code);

}  // namespace cuvette::isa::parts
