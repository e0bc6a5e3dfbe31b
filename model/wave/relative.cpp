// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/relative.h"

#include "isa/registers.h"
#include "wave/formats.h"
#include "wave/mode.h"
#include "wave/vector_index.h"

namespace cuvette::wave {
namespace {

using isa::Format;
using isa::Instruction;
using isa::Operand;
using isa::OperandKind;
using S = isa::SemanticId;

bool moves(const Operand& operand, uint32_t by) {
  return operand.kind == OperandKind::Sgpr && by != 0;
}

/// True if the register moved by `by` is an SGPR, too; nothing above is reached (MI100 ISA 3.6.1).
bool reaches(const Operand& operand, uint32_t by) {
  return uint64_t{operand.index} + by + operand.dwords - 1u <= isa::kLastSgpr;
}

}  // namespace

bool knows_indexing(const Instruction& i) {
  const bool vector = i.row->unit == isa::Unit::Valu || i.row->unit == isa::Unit::Trans;
  return vector && i.row->format != Format::Vop3pMai && i.semantic() != S::v_accvgpr_mov_b32;
}

bool place_registers(Instruction& i, Relative relative) {
  switch (i.semantic()) {
    case S::s_movrels_b32:
    case S::s_movrels_b64:
      if (!moves(i.src[0], relative.m0)) return false;
      // Beyond them S0 is read.
      i.src[0].index =
          static_cast<uint16_t>(reaches(i.src[0], relative.m0) ? i.src[0].index + relative.m0 : 0);
      return true;
    case S::s_movreld_b32:
    case S::s_movreld_b64:
      if (!moves(i.dst[0], relative.m0)) return false;
      if (reaches(i.dst[0], relative.m0)) {
        i.dst[0].index = static_cast<uint16_t>(i.dst[0].index + relative.m0);
      } else {
        i.dst[0].write = false;
      }
      return true;
    default:
      break;
  }
  if (!knows_indexing(i)) return false;
  bool moved = false;
  const auto place = [&](Operand& operand, Index which) {
    const uint16_t named = operand.index;
    operand = indexed(relative, operand, which);
    moved |= operand.index != named;
  };
  for (unsigned s = 0; s < 3; ++s) place(i.src[s], source_index(s));
  for (Operand& operand : i.dst) place(operand, Index::Dst);
  return moved;
}

bool skips(uint32_t mode) {
  Mode bits;
  bits.raw = mode;
  return bits.vskip();
}

bool is_skipped(const Instruction& i, uint32_t mode) {
  return skips(mode) && i.row->format != Format::Smem && !is_scalar(i.row->format);
}

}  // namespace cuvette::wave
