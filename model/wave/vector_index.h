// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bits.h"
#include "isa/instruction.h"
#include "wave/relative.h"
#include "wave/state.h"

// VGPR indexing relative to M0 (MI100 ISA 6.6).
namespace cuvette::wave {

/// Positions of the bits of M0 that switch VGPR indexing on (MI100 ISA 6.6).
enum class Index : uint8_t { Src0 = 12, Src1 = 13, Src2 = 14, Dst = 15 };

inline bool indexes(Relative relative, Index which) {
  Mode mode;
  mode.raw = relative.mode;
  return mode.gpr_idx_en() && base::bit(relative.m0, static_cast<unsigned>(which));
}

/// The operand with the index of M0[7:0] added where M0 asks for it; only VGPRs are indexed.
inline isa::Operand indexed(Relative relative, const isa::Operand& operand, Index which) {
  isa::Operand result = operand;
  if (operand.kind == isa::OperandKind::Vgpr && indexes(relative, which)) {
    result.index = static_cast<uint16_t>(operand.index + (relative.m0 & 0xff));
  }
  return result;
}
inline isa::Operand indexed(const WaveState& wave, const isa::Operand& operand, Index which) {
  return indexed(Relative{wave.s.mode.raw, wave.s.m0()}, operand, which);
}
/// `s`: 0 to 2.
inline Index source_index(unsigned s) {
  return static_cast<Index>(static_cast<unsigned>(Index::Src0) + s);
}

}  // namespace cuvette::wave
