// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/trap_unit.h"

#include <algorithm>
#include <utility>

#include "wave/trap.h"

namespace cuvette::compute_unit {

using machine::Cycle;

bool arithmetic_traps(const wave::WaveState& wave) {
  constexpr uint32_t kArithmetic = 0x7f;
  return (wave.s.mode.excp_en() & kArithmetic) != 0 && wave::traps_armed(wave);
}

bool TrapUnit::records_violations(const WaveContext& w, wave::MemorySpace space) const {
  return on_violation_ == OnViolation::Record ||
         (space != wave::MemorySpace::Scalar && wave::traps_armed(w.state) &&
          (w.state.s.mode.excp_en() & wave::kMemViol) != 0);
}

void TrapUnit::raise(WaveContext& w, uint32_t exceptions, unsigned length) {
  w.state.s.trapsts |= exceptions;
  if (exceptions == 0 || !wave::traps_armed(w.state)) return;
  w.raised |= exceptions;
  w.raised_length = length;
  slots_.wake(w);
}

bool TrapUnit::take(WaveContext& w, Cycle now) {
  const uint32_t raised = std::exchange(w.raised, 0);
  const unsigned length = raised == wave::kMemViol ? 0 : w.raised_length;
  if (!wave::take_exception_trap(w.state, raised, length)) return false;
  w.steps = false;
  go_to_handler(w, now);
  return true;
}

void TrapUnit::enter_save(WaveContext& w, Cycle now) {
  if (w.vector_done() > now) {
    stalls_.block(w, Stall::VectorResult, w.vector_done());
    return;
  }
  w.saves = w.steps = false;
  stalls_.end(w);
  w.state.s.trapsts |= wave::kSaveCtx;  // a handler may have written TRAPSTS since the command
  wave::enter_trap(w.state, w.state.s.pc, 0, 0);
  go_to_handler(w, now);
}

void TrapUnit::note_step(WaveContext& w, uint32_t before) {
  const bool saves = (w.state.s.trapsts & ~before & wave::kSaveCtx) != 0;
  if ((!saves && !w.state.s.mode.debug()) || !wave::traps_armed(w.state)) return;
  w.steps = w.phase != Phase::Ending && w.phase != Phase::Free;
}

void TrapUnit::enter_step(WaveContext& w, Cycle now) {
  if (w.valu != 0 || w.vector_done() > now) {
    stalls_.block(w, Stall::VectorResult, w.valu != 0 ? machine::kNever : w.vector_done());
    return;
  }
  w.steps = false;
  wave::enter_trap(w.state, w.state.s.pc, 0, 0);
  go_to_handler(w, now);
}

void TrapUnit::go_to_handler(WaveContext& w, Cycle now) {
  stalls_.end(w);
  w.residency.pc = w.state.s.pc;
  fetch_.jump(w.index, w.state.s.pc);
  w.ready_at = now + std::max(1u, branch_cycles_);
}

}  // namespace cuvette::compute_unit
