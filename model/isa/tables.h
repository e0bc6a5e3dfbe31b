// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/hazard.h"
#include "isa/instruction.h"

// The generated tables (tools/gen/gen_isa.py) and how decoder and encoder look into them.
namespace cuvette::isa {

/// Opcode spaces. Order and sizes as in tools/gen/gen_isa.py.
enum class Space : uint8_t {
  Sop2,
  Sopk,
  Sop1,
  Sopc,
  Sopp,
  Smem,
  Vop2,
  Vop1,
  Vopc,
  Vintrp,
  Vop3,
  Vop3p,
  Ds,
  Mubuf,
  Mtbuf,
  Mimg,
  Flat,
  Scratch,
  Global,
  Exp,
};
inline constexpr unsigned kSpaces = 20;
/// Opcodes of each space, and where a space starts in kLookup.
inline constexpr uint16_t kSpaceSize[kSpaces] = {128,  32,  256, 128, 128, 256, 64,  256, 256, 4,
                                                 1024, 128, 256, 128, 16,  128, 128, 128, 128, 1};

constexpr unsigned space_base(Space space) {
  unsigned base = 0;
  for (unsigned i = 0; i < static_cast<unsigned>(space); ++i) base += kSpaceSize[i];
  return base;
}
inline constexpr unsigned kLookupSize = space_base(Space::Exp) + 1;

/// Check of the first 64 bits of a form: (word & mask) == value or the word is illegal;
/// `ignored` bits mean nothing.
struct FieldRule {
  uint64_t mask, value, ignored;  ///< second dword in the upper half
};

/// The bit layouts that a row may have.
enum class Form : uint8_t { Native, Vop3, Sdwa, Dpp };
inline constexpr unsigned kForms = 4;

extern const Row kRows[];
extern const uint32_t kRowCount;
extern const HazardRule kHazardRules[];
extern const uint32_t kHazardRuleCount;
extern const FieldRule kRules[];
extern const uint16_t kRuleIndex[];  ///< [row][target][form], kAbsent where the form does not exist
extern const uint16_t kLookup[];     ///< [target][space and opcode], kAbsent where nothing is

/// Null where the target has no such opcode. The opcode is below the size of the space.
inline const Row* look_up(Target target, Space space, unsigned opcode) {
  const uint16_t row = kLookup[index_of(target) * kLookupSize + space_base(space) + opcode];
  return row == kAbsent ? nullptr : &kRows[row];
}

/// Null where the row has no such form on the target.
inline const FieldRule* rule_of(const Row& row, Target target, Form form) {
  const auto index = static_cast<size_t>(&row - kRows);
  const uint16_t rule =
      kRuleIndex[(index * kTargets + index_of(target)) * kForms + static_cast<unsigned>(form)];
  return rule == kAbsent ? nullptr : &kRules[rule];
}

}  // namespace cuvette::isa
