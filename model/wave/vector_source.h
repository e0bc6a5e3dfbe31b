// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/operand.h"

// Parts that both ways of executing vector instructions share.
namespace cuvette::wave {

/// A dword of a scalar source of a vector instruction.
inline uint32_t scalar_dword(const WaveState& wave, const isa::Operand& operand, unsigned dword) {
  if (operand.dwords == 2) {
    const uint64_t pair = read_scalar64(wave, operand);
    return dword == 0 ? base::lo32(pair) : base::hi32(pair);
  }
  if (dword == 0) return read_scalar32(wave, operand);
  if (operand.kind == isa::OperandKind::Sgpr) return read_code(wave, operand.index + dword);
  return dword == 1 ? base::hi32(operand.value) : 0;
}

/// V_CMPX writes EXEC as well.
inline bool writes_exec(const isa::Instruction& instruction) {
  return instruction.row->format == isa::Format::Vopc && instruction.row->has(isa::kWritesExec);
}

}  // namespace cuvette::wave
