// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/written.h"

#include "wave/dpp.h"
#include "wave/operand.h"
#include "wave/relative.h"
#include "wave/vector_index.h"

namespace cuvette::wave {
namespace {

using isa::Operand;
using isa::OperandKind;
using S = isa::SemanticId;

Operand placed(const WaveState& wave, const isa::Instruction& i, const Operand& operand,
               Index which) {
  return knows_indexing(i) ? indexed(wave, operand, which) : operand;
}

/// One destination out of range suppresses all of them (isa_notes 23).
bool suppressed(const WaveState& wave, const isa::Instruction& i) {
  for (const Operand& operand : i.dst) {
    if (operand.kind == OperandKind::None) continue;
    if (operand.type == isa::Type::Mask) {
      if (!scalar_in_range(wave, operand.index & ~1u, 2)) return true;
    } else if (operand.is_vector()) {
      const Operand at = placed(wave, i, operand, Index::Dst);
      if (!vector_in_range(wave, at.kind, at.index, at.dwords)) return true;
    }
  }
  return false;
}

uint64_t lanes_of(const WaveState& wave, const isa::Instruction& i) {
  if (i.semantic() == S::v_mfma || i.semantic() == S::v_smfmac) return ~uint64_t{0};
  if (i.semantic() == S::v_writelane_b32) {
    return uint64_t{1} << (read_scalar32(wave, i.src[1]) % kLanes);
  }
  if (i.encoding == isa::Encoding::Dpp) return dpp_route(i.mod, wave.s.exec()).write;
  return wave.s.exec();
}

}  // namespace

WrittenSet written_vectors(const WaveState& before, const isa::Instruction& i) {
  WrittenSet set;
  if (before.s.mode.vskip() || suppressed(before, i)) return set;
  const uint64_t lanes = lanes_of(before, i);
  const auto add = [&](const Operand& operand, Index which) {
    const Operand at = placed(before, i, operand, which);
    if (lanes == 0) return;
    set.at[set.count++] = {at.kind, at.index, at.dwords, lanes};
  };
  for (const Operand& operand : i.dst) {
    if (operand.is_vector()) add(operand, Index::Dst);
  }
  if (i.semantic() == S::v_swap_b32) {
    const Operand other = placed(before, i, i.src[0], Index::Src0);
    if (!vector_in_range(before, other.kind, other.index)) return {};
    add(i.src[0], Index::Src0);
    // Swapped with itself: one register.
    if (set.count == 2 && set.at[1].index == set.at[0].index) set.count = 1;
  }
  return set;
}

WrittenSet written_vectors(const WaveState& wave, const MemoryOp& op) {
  WrittenSet set;
  const bool returns = op.kind == MemoryKind::Load || op.kind == MemoryKind::AtomicReturn;
  const uint64_t lanes = op.written_lanes();
  if (!returns || op.space == MemorySpace::Scalar || op.dst_dwords == 0 || lanes == 0) return set;
  if (!vector_in_range(wave, op.dst_kind, op.dst, op.dst_dwords)) return set;
  set.at[set.count++] = {op.dst_kind, op.dst, op.dst_dwords, lanes};
  return set;
}

}  // namespace cuvette::wave
