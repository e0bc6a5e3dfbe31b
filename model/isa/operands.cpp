// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/operands.h"

#include "isa/registers.h"

namespace cuvette::isa {
namespace {

constexpr RegisterRange scalar(uint16_t first, uint8_t count) {
  return {RegisterFile::Scalar, count, first};
}

void add_operand(RegisterSet& set, const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::Vgpr:
      set.add({RegisterFile::Vgpr, operand.dwords, operand.index});
      break;
    case OperandKind::Agpr:
      set.add({RegisterFile::Agpr, operand.dwords, operand.index});
      break;
    case OperandKind::Sgpr:
      set.add(scalar(operand.index, operand.dwords));
      break;
    case OperandKind::Special:
      if (operand.index == kVccz) set.add(scalar(kVccLo, 2));
      if (operand.index == kExecz) set.add(scalar(kExecLo, 2));
      if (operand.index == kScc) set.add({RegisterFile::Scc, 1, 0});
      if (operand.index == kLdsDirect) set.add(scalar(kM0, 1));
      break;
    default:
      break;
  }
}

/// VCC stands among the operands, so the flag of the row adds nothing.
bool names_vcc(const Instruction& in) {
  for (const OperandSpec& spec : in.row->dst) {
    if (spec.role == Role::SdstMask) return true;
  }
  for (const OperandSpec& spec : in.row->src) {
    if (spec.role == Role::VccIn || spec.role == Role::Vcc) return true;
  }
  return false;
}

bool is_half(Type type) {
  return type == Type::F16 || type == Type::I16 || type == Type::U16 || type == Type::B16;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// The instruction changes a part of its destination and keeps the rest.
bool keeps_part(const Instruction& in) {
  if (in.encoding == Encoding::Sdwa) return in.mod.sdwa_unused == SdwaUnused::Preserve;
  const Row& row = *in.row;
  if (row.has(kLoad) && (row.has(kD16) || row.has(kD16High))) {
    // For formatted loads, only those whose last register holds one component.
    return !row.has(kFormatted) || ends_with(row.mnemonic, "_x") || ends_with(row.mnemonic, "_xyz");
  }
  if (is_mix(row)) return row.dst[0].type == Type::F16;
  const bool vop3 = row.format == Format::Vop3a;
  return vop3 && row.has(kOpSel) && is_half(row.dst[0].type);
}

}  // namespace

bool is_mix(const Row& row) {
  switch (row.semantic) {
    case SemanticId::v_mad_mix_f32:
    case SemanticId::v_mad_mixlo_f16:
    case SemanticId::v_mad_mixhi_f16:
    case SemanticId::v_fma_mix_f32:
    case SemanticId::v_fma_mixlo_f16:
    case SemanticId::v_fma_mixhi_f16:
      return true;
    default:
      return false;
  }
}

void RegisterSet::add(RegisterRange range) {
  if (range.count != 0 && count < kMost) ranges[count++] = range;
}

bool RegisterSet::overlaps(const RegisterRange& range) const {
  for (const RegisterRange& own : *this) {
    if (own.overlaps(range)) return true;
  }
  return false;
}

bool RegisterSet::overlaps(const RegisterSet& other) const {
  for (const RegisterRange& range : other) {
    if (overlaps(range)) return true;
  }
  return false;
}

RegisterSet registers_read(const Instruction& in) {
  RegisterSet set = registers_fetched(in);
  if (in.row->has(kLoad) && keeps_part(in) && !in.dst[0].read) add_operand(set, in.dst[0]);
  return set;
}

RegisterSet registers_fetched(const Instruction& in) {
  const Row& row = *in.row;
  RegisterSet set;
  for (unsigned i = 0; i < 4; ++i) {
    const bool exported = row.format != Format::Exp || (in.mem.export_enable >> i & 1) != 0;
    if (in.src[i].read && exported) add_operand(set, in.src[i]);
  }
  for (const Operand& operand : in.dst) {
    if (operand.read) add_operand(set, operand);
  }
  if (!row.has(kLoad) && keeps_part(in) && !in.dst[0].read) add_operand(set, in.dst[0]);
  if (row.has(kReadsScc)) set.add({RegisterFile::Scc, 1, 0});
  if (row.has(kReadsVcc) && !names_vcc(in)) set.add(scalar(kVccLo, 2));
  if (row.has(kReadsExec)) set.add(scalar(kExecLo, 2));
  if (row.has(kReadsM0) || in.mem.lds) set.add(scalar(kM0, 1));
  const bool scratch_base = row.format == Format::Flat || row.format == Format::Scratch;
  if (scratch_base && in.target != Target::Gfx942) set.add(scalar(kFlatScratchLo, 2));
  return set;
}

RegisterSet registers_written(const Instruction& in) {
  const Row& row = *in.row;
  RegisterSet set;
  for (const Operand& operand : in.dst) {
    if (operand.write) add_operand(set, operand);
  }
  for (const Operand& operand : in.src) {
    if (operand.write) add_operand(set, operand);  // V_SWAP_B32
  }
  if (row.has(kWritesScc)) set.add({RegisterFile::Scc, 1, 0});
  if (row.has(kWritesVcc) && !names_vcc(in)) set.add(scalar(kVccLo, 2));
  if (row.has(kWritesExec)) set.add(scalar(kExecLo, 2));
  if (row.has(kWritesM0)) set.add(scalar(kM0, 1));
  return set;
}

}  // namespace cuvette::isa
