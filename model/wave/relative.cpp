// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/relative.h"

#include "isa/registers.h"
#include "wave/mode.h"
#include "wave/vector_index.h"

namespace cuvette::wave {
namespace {

using isa::Format;
using isa::Instruction;
using isa::Operand;
using isa::OperandKind;
using S = isa::SemanticId;

bool is_scalar(const Instruction& i) {
  switch (i.row->format) {
    case Format::Sop2:
    case Format::Sopk:
    case Format::Sop1:
    case Format::Sopc:
    case Format::Sopp:
    case Format::Smem:
      return true;
    default:
      return false;
  }
}

/// The matrix core and moves to and from its registers know no indexing.
bool knows_indexing(const Instruction& i) {
  const bool vector = i.row->unit == isa::Unit::Valu || i.row->unit == isa::Unit::Trans;
  return vector && i.row->format != Format::Vop3pMai && i.semantic() != S::v_accvgpr_mov_b32;
}

bool move(Operand& operand, OperandKind kind, uint32_t by) {
  if (operand.kind != kind || by == 0) return false;
  operand.index = static_cast<uint16_t>(operand.index + by);
  return true;
}

/// Nothing above the SGPRs is reached (MI100 ISA 3.6.1).
bool move_scalar(Operand& operand, uint32_t by) {
  const uint64_t last = uint64_t{operand.index} + by + operand.dwords - 1u;
  return last <= isa::kLastSgpr && move(operand, OperandKind::Sgpr, by);
}

}  // namespace

bool place_registers(Instruction& i, Relative relative) {
  switch (i.semantic()) {
    case S::s_movrels_b32:
    case S::s_movrels_b64:
      return move_scalar(i.src[0], relative.m0);
    case S::s_movreld_b32:
    case S::s_movreld_b64:
      return move_scalar(i.dst[0], relative.m0);
    default:
      break;
  }
  Mode mode;
  mode.raw = relative.mode;
  if (!mode.gpr_idx_en() || !knows_indexing(i)) return false;
  const auto by = [&](Index which) {
    return base::bit(relative.m0, static_cast<unsigned>(which)) ? relative.m0 & 0xff : 0;
  };
  bool moved = false;
  for (unsigned s = 0; s < 3; ++s) moved |= move(i.src[s], OperandKind::Vgpr, by(source_index(s)));
  for (Operand& operand : i.dst) moved |= move(operand, OperandKind::Vgpr, by(Index::Dst));
  return moved;
}

bool is_skipped(const Instruction& i, uint32_t mode) {
  Mode bits;
  bits.raw = mode;
  return bits.vskip() && !is_scalar(i);
}

}  // namespace cuvette::wave
