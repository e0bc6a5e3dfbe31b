// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/encode.h"

#include "isa/decode.h"
#include "isa/encode_parts.h"
#include "isa/registers.h"

namespace cuvette::isa {
namespace {

using base::Error;
using base::Status;
using parts::Build;

bool is_memory(Format format) {
  return format == Format::Smem || format >= Format::Ds;
}

bool is_two_dwords(const Row& row, Form form) {
  return form != Form::Native || row.format >= Format::Vop3a || row.format == Format::Smem;
}

/// The literal dword of an instruction in its literal encoding.
uint32_t literal_of(const Instruction& in) {
  for (const Operand& operand : in.src) {
    if (operand.kind != OperandKind::Literal) continue;
    return operand.type == Type::F64 ? base::hi32(operand.value) : base::lo32(operand.value);
  }
  return 0;
}

void place_operands(Build& build) {
  const Row& row = *build.in.row;
  const auto place = [&](Role role, const Operand& operand) {
    if (role == Role::None || role == Role::Vcc || role == Role::Imm32) return;
    const Field field = field_of(build.layout, role);
    if (field.width != 0) build.put(field, parts::code_of(operand, field.width));
  };
  for (unsigned i = 0; i < 2; ++i) place(row.dst[i].role, build.in.dst[i]);
  for (unsigned i = 0; i < 4; ++i) {
    // A read-modify-write register stands in one field only.
    place(row.src[i].role, build.in.src[i]);
  }
}

bool same(const Operand& a, const Operand& b, Role role) {
  const bool implied = role == Role::SdstMask || role == Role::VccIn || role == Role::Vcc;
  if (implied && a.kind == OperandKind::None) return true;
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case OperandKind::None:
    case OperandKind::Off:
      return true;
    case OperandKind::Literal:
    case OperandKind::Immediate:
      return a.value == b.value;
    default:
      return a.index == b.index;
  }
}

/// The first thing of `wanted` that did not survive encoding, null when all did.
const char* lost(const Instruction& wanted, const Instruction& got) {
  for (unsigned i = 0; i < 2; ++i) {
    if (!same(wanted.dst[i], got.dst[i], wanted.row->dst[i].role)) return "a destination";
  }
  for (unsigned i = 0; i < 4; ++i) {
    if (!same(wanted.src[i], got.src[i], wanted.row->src[i].role)) return "a source";
  }
  if (!(wanted.mod == got.mod)) return "a modifier";
  MemoryFields fields = wanted.mem;
  fields.attribute = got.mem.attribute;  // these two follow from the operand
  fields.attribute_channel = got.mem.attribute_channel;
  if (!(fields == got.mem)) return "a memory field";
  return nullptr;
}

}  // namespace

namespace parts {

uint32_t code_of(const Operand& operand, unsigned width) {
  switch (operand.kind) {
    case OperandKind::Vgpr:
    case OperandKind::Agpr:
      return operand.index + (width == 9 ? kFirstVgpr : 0u);
    case OperandKind::Literal:
      return kLiteral;
    case OperandKind::Immediate:
      return base::lo32(operand.value);
    case OperandKind::None:
    case OperandKind::Off:
      return 0;
    default:
      return operand.index;
  }
}

}  // namespace parts

Status encode(Instruction& instruction) {
  const Row* row = instruction.row;
  if (row == nullptr) return Error("an instruction without a row");
  const Target target = instruction.target;
  const std::string name(row->mnemonic);
  const std::string where = " on " + std::string(name_of(target));
  const Form form = form_of(instruction.encoding);
  const FieldRule* rule = rule_of(*row, target, form);
  if (!row->on(target)) return Error(name + " does not exist" + where);
  if (rule == nullptr) return Error(name + " has no such encoding" + where);

  Build build{instruction, form, layout_of(*row, form), 0};
  build.word = opcode_bits(*row, target, form) | rule->value;
  place_operands(build);
  if (form == Form::Sdwa) build.put(8, 0, kSdwa);
  if (form == Form::Dpp) build.put(8, 0, kDpp);
  if (is_memory(row->format)) {
    parts::encode_memory(build);
  } else {
    parts::encode_modifiers(build);
  }

  uint32_t words[2] = {base::lo32(build.word), base::hi32(build.word)};
  if (!is_two_dwords(*row, form)) words[1] = literal_of(instruction);
  const Decoded check = decode(target, words, 2);
  if (check.status != DecodeStatus::Legal && check.status != DecodeStatus::Reserved) {
    return Error(name + where + ": " + check.reason);
  }
  if (check.instruction.row != row) return Error(name + where + ": not encodable");
  if (check.instruction.encoding != instruction.encoding) {
    return Error(name + where + ": operands and encoding do not agree on a literal");
  }
  if (const char* what = lost(instruction, check.instruction)) {
    return Error(name + where + ": " + what + " does not fit");
  }
  instruction = check.instruction;
  return {};
}

}  // namespace cuvette::isa
