// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction.h"

// Registers relative to M0, without the wave: what a checker of instruction streams needs.
namespace cuvette::wave {

/// Registers that decide on relative addressing, before an instruction.
struct Relative {
  uint32_t mode = 0, m0 = 0;  ///< MODE and M0
};

/// Its VGPRs may be indexed: not those of the matrix core, and of moves to and from its registers.
bool knows_indexing(const isa::Instruction& instruction);

/// Puts the registers that the instruction uses in place of those that it names: VGPR indexing
/// (MI100 ISA 6.6), S_MOVRELS and S_MOVRELD (Vega ISA 12.3). True if there are any such.
bool place_registers(isa::Instruction& instruction, Relative relative);

/// VSKIP is on.
bool skips(uint32_t mode);
/// It keeps the instruction from being issued (Vega ISA 12.4, S_SETVSKIP).
bool is_skipped(const isa::Instruction& instruction, uint32_t mode);

}  // namespace cuvette::wave
