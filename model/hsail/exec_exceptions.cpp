// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/exec.h"

namespace cuvette::hsail {

unsigned exceptions_of(const Inst& inst) {
  constexpr unsigned kRounding = fp::kOverflow | fp::kUnderflow | fp::kInexact;
  const bool to_float = is_float(element_type(inst.type));
  const bool from_float = is_float(element_type(inst.source_type));
  switch (inst.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kMad:
    case Opcode::kFma:
      return to_float ? fp::kInvalid | kRounding : 0;
    case Opcode::kDiv:
      return to_float ? fp::kInvalid | fp::kDivideByZero | kRounding : 0;
    case Opcode::kSqrt:
    case Opcode::kFract:
      return fp::kInvalid | fp::kUnderflow | fp::kInexact;
    case Opcode::kMin:
    case Opcode::kMax:
    case Opcode::kCeil:
    case Opcode::kFloor:
    case Opcode::kRint:
    case Opcode::kTrunc:
      return to_float ? unsigned{fp::kInvalid} : 0;
    case Opcode::kCmp:
      return from_float ? unsigned{fp::kInvalid} : 0;
    case Opcode::kCvt: {
      if (to_float) return (from_float ? unsigned{fp::kInvalid} : 0) | kRounding;
      const bool exact = inst.round >= Round::kIntSignalNear;
      return from_float ? fp::kInvalid | (exact ? unsigned{fp::kInexact} : 0) : 0;
    }
    default:
      return 0;
  }
}

}  // namespace cuvette::hsail
