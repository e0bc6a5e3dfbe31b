// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/hazard.h"
#include "isa/hazard_parts.h"

// Relations between the first and the second instruction of a hazard.
namespace cuvette::isa {
namespace {

using parts::of_operand;

constexpr RegisterRange kVcc{RegisterFile::Scalar, 2, kVccLo};
constexpr RegisterRange kExec{RegisterFile::Scalar, 2, kExecLo};
constexpr RegisterRange kM0Range{RegisterFile::Scalar, 1, kM0};

bool is_vector_file(RegisterFile file) {
  return file == RegisterFile::Vgpr || file == RegisterFile::Agpr;
}

/// The VGPRs and AccVGPRs of a set, or its scalar registers.
RegisterSet part(const RegisterSet& set, bool vector) {
  RegisterSet out;
  for (const RegisterRange& range : set) {
    if (is_vector_file(range.file) == vector) out.add(range);
  }
  return out;
}

RegisterSet vector_written(const Instruction& in) {
  return part(registers_written(in), true);
}

bool is_carry(Role role) {
  return role == Role::VccIn || role == Role::Vcc;
}

/// Scalar registers that an instruction's operands name; `carries` chooses between those that are a
/// carry, borrow or select, and the others.
RegisterSet scalar_operands(const Instruction& in, bool carries) {
  RegisterSet out;
  for (unsigned i = 0; i < 4; ++i) {
    if (in.src[i].kind != OperandKind::Sgpr || !in.src[i].read) continue;
    if (is_carry(in.row->src[i].role) != carries) continue;
    for (const RegisterRange& range : of_operand(in.src[i])) out.add(range);
  }
  return out;
}

/// Scalar registers that a memory instruction names, FLAT_SCRATCH of private memory and M0 of LDS
/// transfers.
RegisterSet scalars_of_memory(const Instruction& in) {
  RegisterSet out;
  for (const RegisterRange& range : registers_read(in)) {
    if (range.file == RegisterFile::Scalar && !range.overlaps(kExec)) out.add(range);
  }
  return out;
}

/// SrcC of a matrix instruction or a dot product; V_SMFMAC and V_DOT*C accumulate in place.
RegisterSet accumulator(const Instruction& in) {
  if (in.dst[0].read) return of_operand(in.dst[0]);
  return of_operand(in.src[2]);
}

RegisterSet sources(const Instruction& in, bool index) {
  RegisterSet out = of_operand(in.src[0]);
  for (const RegisterRange& range : of_operand(in.src[1])) out.add(range);
  if (index && in.row->has(kSparse)) {
    for (const RegisterRange& range : of_operand(in.src[2])) out.add(range);
  }
  return out;
}

bool same(const RegisterSet& a, const RegisterSet& b) {
  return a.count == 1 && b.count == 1 && a.ranges[0] == b.ranges[0];
}

bool accumulates_exactly(const Instruction& first, const Instruction& second) {
  return same(vector_written(first), accumulator(second));
}
bool has_passes_of(const Instruction& first, const Instruction& second) {
  return passes_on(*first.row, first.target) == passes_on(*second.row, second.target);
}

/// The lane select stands in source 1 of both V_READLANE and V_WRITELANE.
RegisterSet lane_select(const Instruction& in) {
  return of_operand(in.src[1]);
}

/// A row that writes VCC without a field that names it in this encoding.
bool implies_vcc(const Instruction& in) {
  if (in.encoding == Encoding::Vop3 || in.row->format == Format::Vop3a ||
      in.row->format == Format::Vop3b) {
    return false;
  }
  return registers_written(in).overlaps(kVcc) &&
         (in.dst[0].kind != OperandKind::Sgpr || in.row->format == Format::Vopc);
}

/// The ranges of a set that have nothing of `other`.
RegisterSet beside(const RegisterSet& set, const RegisterRange& other) {
  RegisterSet out;
  for (const RegisterRange& range : set) {
    RegisterSet one;
    one.add(range);
    if (!one.overlaps(other)) out.add(range);
  }
  return out;
}

bool reads(const Instruction& in, const RegisterSet& set) {
  return part(registers_read(in), true).overlaps(set);
}
bool writes(const Instruction& in, const RegisterSet& set) {
  return vector_written(in).overlaps(set);
}

}  // namespace

namespace parts {

RegisterSet of_operand(const Operand& operand) {
  RegisterSet set;
  if (operand.kind == OperandKind::Vgpr) {
    set.add({RegisterFile::Vgpr, operand.dwords, operand.index});
  } else if (operand.kind == OperandKind::Agpr) {
    set.add({RegisterFile::Agpr, operand.dwords, operand.index});
  } else if (operand.kind == OperandKind::Sgpr) {
    set.add({RegisterFile::Scalar, operand.dwords, operand.index});
  }
  return set;
}

RegisterSet store_data(const Instruction& in) {
  RegisterSet out;
  for (unsigned i = 0; i < 4; ++i) {
    const Role role = in.row->src[i].role;
    if (role != Role::Vdata && role != Role::Data0 && role != Role::Data1) continue;
    for (const RegisterRange& range : of_operand(in.src[i])) out.add(range);
  }
  return out;
}

uint64_t hwreg_field(const Instruction& in) {
  for (unsigned i = 0; i < 4; ++i) {
    if (in.row->src[i].role == Role::Hwreg) return in.src[i].value;
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (in.row->dst[i].role == Role::Hwreg) return in.dst[i].value;
  }
  return 0;
}

bool has_special(const Instruction& in, uint16_t code) {
  for (const Operand& operand : in.src) {
    if (operand.kind == OperandKind::Special && operand.index == code) return true;
  }
  return false;
}

}  // namespace parts

bool related(HazardRelation relation, const Instruction& first, const Instruction& second,
             const Instruction* before) {
  using R = HazardRelation;
  const RegisterSet written = registers_written(first);
  const RegisterSet result = part(written, true);
  switch (relation) {
    case R::Any:
    case R::UntilJump:
      return true;
    case R::SameHardwareRegister:
      return (parts::hwreg_field(first) & 0x3f) == (parts::hwreg_field(second) & 0x3f);
    case R::ZeroFlagOperand:
      return (written.overlaps(kVcc) && parts::has_special(second, kVccz)) ||
             (written.overlaps(kExec) && parts::has_special(second, kExecz));
    case R::LaneSelect:
      return written.overlaps(lane_select(second));
    case R::VccWritten:
      return written.overlaps(kVcc);
    case R::ExecWritten:
      return written.overlaps(kExec);
    case R::M0Written:
      return written.overlaps(kM0Range);
    case R::VccAlias:
      return implies_vcc(first) && scalar_operands(second, false).overlaps(kVcc);
    case R::StoreData:
      return vector_written(second).overlaps(parts::store_data(first));
    case R::ScalarOperand:
      return part(written, false).overlaps(scalars_of_memory(second));
    case R::ScalarConstant:
      return beside(written, kExec).overlaps(scalar_operands(second, false));
    case R::CarryIn:
      // An implied VCC is an operand too; the long forms may name another register.
      return written.overlaps(scalar_operands(second, true));
    case R::ExecConstant:
      return scalar_operands(second, false).overlaps(kExec);
    case R::Source0:
      return result.overlaps(of_operand(second.src[0]));
    case R::RegisterRead:
      return reads(second, result);
    case R::RegisterWritten:
      return writes(second, result);
    case R::RegisterTouched:
      return reads(second, result) || writes(second, result);
    case R::Accumulator:
      return result.overlaps(accumulator(second));
    case R::AccumulatorExact:
      return accumulates_exactly(first, second) && has_passes_of(first, second);
    case R::AccumulatorPasses:
      return accumulates_exactly(first, second) && !has_passes_of(first, second);
    case R::AccumulatorOverlap:
      return result.overlaps(accumulator(second)) && !accumulates_exactly(first, second);
    case R::AccumulatorRewritten:
      return writes(second, accumulator(first));
    case R::SourceAB:
      return result.overlaps(sources(second, false));
    case R::SourceABOrIndex:
      return result.overlaps(sources(second, true));
    case R::SameOpcodeAccumulator:
      return first.row == second.row && result.overlaps(accumulator(second));
    case R::SameOpcodeSourceAB:
      return first.row == second.row && result.overlaps(sources(second, false));
    case R::OtherOpcodeTouches:
      return first.row != second.row && (reads(second, result) || writes(second, result));
    case R::ValuBeforeFirst:
      return before != nullptr && belongs(*before, InstructionClass::Valu) &&
             reads(second, vector_written(*before));
    case R::CountersZero:
    case R::LgkmZero:
    case R::Itself:
      return false;  // a matter of S_WAITCNT (wave/wait_checker.h), or of no second instruction
  }
  return false;
}

}  // namespace cuvette::isa
