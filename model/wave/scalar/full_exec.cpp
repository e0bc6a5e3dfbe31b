// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/scalar/full_exec.h"

#include "wave/operand.h"

namespace cuvette::wave::scalar {
namespace {

using S = isa::SemanticId;

constexpr uint64_t kFull = ~uint64_t{0};

/// S_AND_SAVEEXEC_B64 (Vega ISA 12.3).
bool save_full(const Prepared& p, WaveState& wave, HostSlice&) {
  const isa::Instruction& i = *p.instruction;
  if (read_scalar64(wave, i.src[0]) != kFull) return false;
  write_scalar64(wave, i.dst[0], kFull);
  wave.s.scc = true;
  return true;
}

/// S_OR_B64 of EXEC with anything.
bool join_full(const Prepared&, WaveState& wave, HostSlice&) {
  wave.s.scc = true;
  return true;
}

bool is_exec(const isa::Operand& operand) {
  return operand.kind == isa::OperandKind::Sgpr && operand.dwords == 2 &&
         (operand.index & ~1u) == isa::kExecLo;
}

}  // namespace

Prepared::Run full_exec_row(const isa::Instruction& i) {
  if (i.semantic() == S::s_and_saveexec_b64) return is_exec(i.dst[0]) ? nullptr : save_full;
  const bool joins = i.semantic() == S::s_or_b64 && is_exec(i.dst[0]);
  return joins && (is_exec(i.src[0]) || is_exec(i.src[1])) ? join_full : nullptr;
}

bool keeps_full_exec(Prepared::Run run) {
  return run == save_full || run == join_full;
}

}  // namespace cuvette::wave::scalar
