// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Form of an instruction: operands, packing, conditions, default rounding, its name.
#include "hsail/gcn_table.h"
#include "hsail/inst_table.h"
#include "hsail/matrix_table.h"

namespace cuvette::hsail {

namespace {

std::string suffix(std::string_view piece) {
  std::string text = "_";
  text += piece;
  return text;
}

/// The last row for what the instruction names; nullptr when it has none.
const InstRow* row_of(const Inst& inst) {
  const InstRows rows = inst_rows(inst.opcode);
  const InstRow* row = rows.first == rows.last ? nullptr : rows.first;
  for (const InstRow& r : rows) {
    if (names_fit(r, inst)) row = &r;
  }
  return row;
}

}  // namespace

Role operand_role(const Inst& inst, size_t index) {
  const InstRow* row = row_of(inst);
  const std::string_view roles(row == nullptr ? "" : row->operands);
  return index < roles.size() ? static_cast<Role>(roles[index]) : Role::kSource;
}

Type operand_type(const Inst& inst, size_t index) {
  const InstRow* row = row_of(inst);
  if (row != nullptr && index < row->operand_types.size() &&
      row->operand_types[index] != Type::kNone) {
    return row->operand_types[index];
  }
  switch (operand_role(inst, index)) {
    case Role::kSourceOther:
    case Role::kSourceVector:
    case Role::kSignal:
    case Role::kImage:
      return inst.source_type;
    case Role::kSampler:
      return Type::kSamp;
    case Role::kCoordinates:
      return inst.coord_type;
    case Role::kU32:
    case Role::kDimension:
    case Role::kByte:
    case Role::kExceptions:
    case Role::kFbarrier:
    case Role::kThreeBits:
    case Role::kFourBits:
      return Type::kU32;
    case Role::kGradient:
      return Type::kF32;
    case Role::kMatrixA:
      return matrix_inst(inst.opcode)->a_type();
    case Role::kMatrixB:
      return matrix_inst(inst.opcode)->b_type();
    case Role::kTimeout:
      return Type::kU64;
    case Role::kSelector:
      return Type::kB32;
    case Role::kCondition:
      return condition_type(inst);
    default:
      return inst.type;
  }
}

Type condition_type(const Inst& inst) {
  if (!is_packed(inst.type)) return Type::kB1;
  constexpr Type kElements[] = {Type::kU8, Type::kU16, Type::kU32, Type::kU64};
  const unsigned bits = type_bits(element_type(inst.type));
  const Type element = kElements[bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3];
  return static_cast<Type>(number(element) | (number(inst.type) & kTypePackMask));
}

PackControl pack_control(Pack pack) {
  switch (pack) {
    case Pack::kPpSat:
    case Pack::kPSat:
      return {false, false, false, true};
    case Pack::kPs:
    case Pack::kPsSat:
      return {false, false, true, pack == Pack::kPsSat};
    case Pack::kSp:
    case Pack::kSpSat:
      return {false, true, false, pack == Pack::kSpSat};
    case Pack::kSs:
    case Pack::kS:
      return {true, false, false, false};
    case Pack::kSsSat:
    case Pack::kSSat:
      return {true, false, false, true};
    default:
      return {false, false, false, false};
  }
}

bool applies_to_elements(const Inst& inst) {
  switch (inst.opcode) {
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kCmov:
    case Opcode::kCmp:
    case Opcode::kCvt:
      return is_packed(inst.type);
    default:
      return inst.pack != Pack::kNone;
  }
}

Inst element_inst(const Inst& packed) {
  Inst scalar = packed;
  scalar.type = element_type(packed.type);
  scalar.source_type = element_type(packed.source_type);
  scalar.pack = Pack::kNone;
  if (pack_control(packed.pack).saturates) scalar.modifier |= kAluIntegerSat;
  return scalar;
}

Round default_round(const Inst& cvt) {
  const Type from = element_type(cvt.source_type);
  const Type to = element_type(cvt.type);
  if (is_float(to)) {
    const bool rounds = is_float(from) ? type_bits(from) > type_bits(to) : from != Type::kB1;
    return rounds ? Round::kFloatDefault : Round::kNone;
  }
  return is_float(from) && to != Type::kB1 ? Round::kIntZero : Round::kNone;
}

std::string inst_name(const Inst& inst) {
  std::string text(name(inst.opcode));
  if (is_matrix(inst.opcode)) return text;
  if (is_gcn(inst.opcode) && inst_rows(inst.opcode).first->syntax == Syntax::kUntyped) return text;
  switch (inst.opcode) {
    case Opcode::kRdImage:
    case Opcode::kLdImage:
    case Opcode::kStImage:
    case Opcode::kMipmapRdImageLod:
    case Opcode::kMipmapRdImageGrad:
    case Opcode::kMipmapLdImageMip:
    case Opcode::kMipmapStImageMip:
      text += suffix(name(inst.geometry));
      break;
    case Opcode::kQueryImage:
    case Opcode::kMipmapQueryImage:
      text += suffix(name(inst.geometry)) + suffix(name(inst.image_query));
      break;
    case Opcode::kQuerySampler:
      text += suffix(name(inst.sampler_query));
      break;
    default:
      break;
  }
  if (inst.opcode == Opcode::kCmp) text += suffix(name(inst.compare));
  if (inst.opcode == Opcode::kAtomic || inst.opcode == Opcode::kAtomicNoRet ||
      inst.opcode == Opcode::kGcnAtomic || inst.opcode == Opcode::kGcnAtomicNoRet ||
      inst.opcode == Opcode::kSignal || inst.opcode == Opcode::kSignalNoRet) {
    text += suffix(name(inst.atomic_op));
  }
  if (inst.type != Type::kNone) text += suffix(name(inst.type));
  if (inst.source_type != Type::kNone) text += suffix(name(inst.source_type));
  if (inst.coord_type != Type::kNone) text += suffix(name(inst.coord_type));
  return text;
}

}  // namespace cuvette::hsail
