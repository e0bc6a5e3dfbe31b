// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/bits.h"
#include "wave/executor/host_mode.h"
#include "wave/lanes/level_table.h"

namespace cuvette::wave {

namespace lanes {

const LevelTable* level_table() {
  switch (host_level()) {
#if defined(__x86_64__)
    case HostLevel::Avx512:
      return &level_table_v4();
    case HostLevel::Avx2:
      return &level_table_v3();
#endif
    case HostLevel::Baseline:
      return &level_table_v2();
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
    return {known ? row.handler : nullptr, row.mode, false};
  }
  if (i.row->has(isa::kOpSel) && mod.op_sel != 0) return {};
  const bool edited = mod.abs != 0 || mod.neg != 0;
  LevelChoice choice{edited ? row.edited : row.handler, row.mode, false};
  if (mod.clamp && row.clamps_float) {
    choice.clamp = true;
  } else if (mod.clamp) {
    choice.handler = edited ? nullptr : row.clamped;
  }
  return choice;
}

}  // namespace lanes

void compute_lanes(const LaneOp& op, LaneResult& result) {
  const isa::Instruction& i = *op.instruction;
  const auto choice = i.encoding == isa::Encoding::Sdwa ? lanes::LevelChoice{}
                                                        : lanes::choose_level(i, i.semantic());
  if (choice.handler == nullptr || choice.clamp) {
    lane_handler(i.semantic())(op, result);
    return;
  }
  // The level's function wants whole registers.
  alignas(64) LaneRow rows[3][4], old[4];
  LaneOp whole = op;
  whole.lanes = kLanes;
  whole.exec = op.exec & base::low_mask(op.lanes);
  LaneResult out;
  for (unsigned d = 0; d < 4; ++d) {
    for (unsigned s = 0; s < 3; ++s) {
      if (op.src[s][d] == nullptr) continue;
      std::copy_n(op.src[s][d], op.lanes, rows[s][d].begin());
      whole.src[s][d] = rows[s][d].data();
    }
    if (result.dst[d] == nullptr) continue;
    std::copy_n(result.dst[d], op.lanes, old[d].begin());
    out.dst[d] = old[d].data();
  }
  ScalarState scalar;
  scalar.mode = op.mode;
  HostFloat floats(scalar);
  floats.arrange(choice.mode);
  choice.handler(whole, out);
  floats.leave();
  for (unsigned d = 0; d < 4; ++d) {
    if (result.dst[d] != nullptr) std::copy_n(old[d].begin(), op.lanes, result.dst[d]);
  }
  result.mask = out.mask;
  result.flags = static_cast<uint8_t>(out.flags | (scalar.trapsts & kExcpMask));
}

}  // namespace cuvette::wave
