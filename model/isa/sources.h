// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction.h"

// The meaning of register and source codes, the same in every format (MI100 ISA table 23).
namespace cuvette::isa {

/// Findings of decoding besides an operand. The first finding of a kind is kept.
struct Findings {
  const char* illegal = nullptr;    ///< reason for messages; null: legal
  const char* field = nullptr;      ///< name of the reserved field; null: none
  const char* treatment = nullptr;  ///< of the reserved field by the model

  /// The instruction is illegal.
  void refuse(const char* reason) {
    if (illegal == nullptr) illegal = reason;
  }
  /// A field has a reserved value; the model treats it as `what` says.
  void reserve(const char* name, const char* what) {
    if (field == nullptr) {
      field = name;
      treatment = what;
    }
  }
};

/// The bits an operand of `type` receives from an inline constant. Integers are sign-extended bit
/// patterns whatever the type; floats expand to the width of a float type; 16-bit and packed
/// integer types receive the F32 pattern, packed F16 the F16 pattern with a zero upper half.
uint64_t inline_value(unsigned code, Type type);

/// The bits an operand of `type` receives from a 32-bit literal: the upper half of an F64,
/// sign-extended to an I64, zero-extended to other 64-bit types.
uint64_t literal_value(uint32_t literal, Type type);

/// Codes of inline constants.
constexpr bool is_inline_integer(unsigned code) {
  return code >= 128 && code <= 208;
}
constexpr bool is_inline_float(unsigned code) {
  return code >= 240 && code <= 248;
}

/// Scalar register codes 0 to 127 for the operand's `dwords` registers; sets kind and index.
void set_scalar_register(unsigned code, Operand& operand, Findings& findings);

/// An 8-bit scalar or the lower half of a 9-bit vector source (codes 0 to 255): registers,
/// constants, special values. Code 255 takes `literal`, or is illegal where that is null. Code 254
/// is legal when `lds_direct`.
void set_scalar_source(unsigned code, const uint32_t* literal, bool lds_direct, Operand& operand,
                       Findings& findings);

/// The operand's `dwords` vector registers from `index`, AccVGPRs with `acc`; on targets with
/// unified registers tuples start even.
void set_vector_register(unsigned index, bool acc, Target target, Operand& operand,
                         Findings& findings);

}  // namespace cuvette::isa
