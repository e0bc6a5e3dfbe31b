// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/lanes/level_table.h"

namespace cuvette::wave::lanes {

// Without levels, which mutants of the reference do not need, there is no table.
const LevelTable* level_table() {
  switch (host_level()) {
#if !defined(CUVETTE_WITHOUT_LEVELS)
#if defined(__x86_64__)
    case HostLevel::Avx512:
      return &level_table_v4();
    case HostLevel::Avx2:
      return &level_table_v3();
#endif
    case HostLevel::Baseline:
      return &level_table_v2();
#endif
    default:
      return nullptr;
  }
}

LevelChoice choose_level(const isa::Instruction& i, isa::SemanticId semantic) {
  const LevelTable* const level = level_table();
  const isa::Modifiers& mod = i.mod;
  if (level == nullptr || mod.omod != 0) return {};
  const LevelRow& row = level->rows[static_cast<size_t>(semantic)];
  if (i.row->format == isa::Format::Vop3p) {
    const bool known = row.packed && !mod.clamp;
    return {known ? row.plain : LevelFunction{}, row.mode, false};
  }
  if (i.row->has(isa::kOpSel) && mod.op_sel != 0) return {};
  const bool edited = mod.abs != 0 || mod.neg != 0;
  LevelChoice choice{edited ? row.edited : row.plain, row.mode, false};
  if (mod.clamp && row.clamps_float) {
    choice.clamp = true;
  } else if (mod.clamp) {
    choice.function = edited ? LevelFunction{} : row.clamped;
  }
  return choice;
}

}  // namespace cuvette::wave::lanes
