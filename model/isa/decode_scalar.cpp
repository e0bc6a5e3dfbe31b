// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/decode_parts.h"

namespace cuvette::isa::parts {
namespace {

void scalar_operand(const Work& work, Role role, Operand& operand) {
  const Field field = field_of(work.layout, role);
  const uint32_t code = get(work.word, field);
  switch (role) {
    case Role::Sdst:
      set_scalar_register(code, operand, work.findings);
      break;
    case Role::Ssrc0:
    case Role::Ssrc1:
      set_scalar_source(code, work.literal, false, operand, work.findings);
      break;
    case Role::Sreg0:
      if (code > 127) work.findings.refuse(kWrongClass);
      set_scalar_register(code & 127, operand, work.findings);
      break;
    case Role::Imm32:
      operand.kind = OperandKind::Literal;
      operand.value = literal_value(*work.literal, operand.type);
      break;
    case Role::GprIdx:
      if (code > 0xf) work.findings.reserve("gpr_idx", "upper bits ignored");
      [[fallthrough]];
    default:
      operand.kind = OperandKind::Immediate;
      operand.value = code;
      break;
  }
}

}  // namespace

void copy_specs(Instruction& in) {
  const auto copy = [](const OperandSpec& spec, Operand& operand) {
    operand.type = spec.type;
    operand.dwords = spec.dwords;
    operand.read = spec.read;
    operand.write = spec.write;
  };
  // Operands stand without gaps.
  for (unsigned i = 0; i < 2 && in.row->dst[i].role != Role::None; ++i) {
    copy(in.row->dst[i], in.dst[i]);
  }
  for (unsigned i = 0; i < 4 && in.row->src[i].role != Role::None; ++i) {
    copy(in.row->src[i], in.src[i]);
  }
}

void decode_scalar(const Work& work) {
  Instruction& in = work.in;
  for (unsigned i = 0; i < 2; ++i) {
    const Role role = in.row->dst[i].role;
    if (role == Role::None) break;
    scalar_operand(work, role, in.dst[i]);
  }
  for (unsigned i = 0; i < 4; ++i) {
    const Role role = in.row->src[i].role;
    if (role == Role::None) break;
    scalar_operand(work, role, in.src[i]);
  }
}

}  // namespace cuvette::isa::parts
