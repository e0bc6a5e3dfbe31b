// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction.h"
#include "wave/memory_op.h"
#include "wave/state.h"

// Vector registers and lanes that an instruction writes, for retirement records.
namespace cuvette::wave {

/// `dwords` registers from `index` on, the same lanes of each.
struct WrittenVectors {
  isa::OperandKind kind = isa::OperandKind::Vgpr;  ///< Vgpr or Agpr
  uint16_t index = 0;                              ///< after indexing by M0
  uint8_t dwords = 0;
  uint64_t lanes = 0;  ///< bit per lane
};
/// Vector registers of one instruction.
struct WrittenSet {
  WrittenVectors at[2];  ///< two for V_SWAP
  unsigned count = 0;    ///< of `at`
};

/// Vector registers of an instruction other than a memory instruction, from the state before it.
WrittenSet written_vectors(const WaveState& before, const isa::Instruction& instruction);
/// Vector registers of a memory instruction, from its operation.
WrittenSet written_vectors(const WaveState& wave, const MemoryOp& op);

}  // namespace cuvette::wave
