// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "compute_unit/compute_unit_tlm.h"
#include "hsa/queue_error.h"
#include "wave/trap.h"

// Exceptions of instructions and the way into the trap handler (MI100 ISA 3.10). S_TRAP and
// S_RFE_B64 are scalar instructions like others.
namespace cuvette::compute_unit {

bool arithmetic_traps(const wave::WaveState& wave) {
  constexpr uint32_t kArithmetic = 0x7f;
  return (wave.s.mode.excp_en() & kArithmetic) != 0 && wave::traps_armed(wave);
}

/// Exceptions of a finished instruction: sticky, and for the handler if there is one.
void ComputeUnitTlm::raise(WaveContext& w, uint32_t exceptions, unsigned length) {
  w.state.s.trapsts |= exceptions;
  if (exceptions == 0 || !wave::traps_armed(w.state)) return;
  w.raised |= exceptions;
  w.raised_length = length;
  wake(w);
}

/// Between two instructions: the wave goes on in its handler when MODE.EXCP_EN wants it to.
bool ComputeUnitTlm::take_trap(WaveContext& w, machine::Cycle now) {
  const uint32_t raised = std::exchange(w.raised, 0);
  const unsigned length = raised == wave::kMemViol ? 0 : w.raised_length;
  if (!wave::take_exception_trap(w.state, raised, length)) return false;
  go_to_handler(w, now);
  return true;
}

/// The next instruction is in another function than the last one, or in none. False when only
/// straight-line execution can have come there: the wave fails.
bool ComputeUnitTlm::enter_code(WaveContext& w) {
  const uint64_t pc = w.state.s.pc;
  const hsa::CodeExtent next = config_.address_space->code_at(w.launch.vmid, pc);
  if (pc == w.falls_to && hsa::runs_past_end(w.code, next)) {
    w.state.s.trapsts |= wave::kIllegalInst;
    fail(w, hsa::kQueueErrorIllegalInstruction, 0, hsa::past_end_text(w.code, next), nullptr);
    return false;
  }
  w.code = next;
  return true;
}

void ComputeUnitTlm::go_to_handler(WaveContext& w, machine::Cycle now) {
  end_stall(w);
  fetch_.jump(w.index, w.state.s.pc);
  w.ready_at = now + std::max(1u, config_.timing.branch_cycles);
}

/// Whether or not STATUS.TRAP_EN lets the program trap. Not before vector instructions have told
/// their exceptions.
void ComputeUnitTlm::enter_save(WaveContext& w, machine::Cycle now) {
  if (w.vector_done() > now) {
    block(w, Stall::VectorResult, w.vector_done());
    return;
  }
  w.saves = false;
  end_stall(w);
  w.state.s.trapsts |= wave::kSaveCtx;  // a handler may have written TRAPSTS since the command
  wave::enter_trap(w.state, w.state.s.pc, 0, 0);
  go_to_handler(w, now);
}

/// Whether a wave goes on behind an access to memory that is not there.
bool ComputeUnitTlm::records_violations(const WaveContext& w) const {
  return on_violation_ == OnViolation::Record ||
         (wave::traps_armed(w.state) && (w.state.s.mode.excp_en() & wave::kMemViol) != 0);
}

}  // namespace cuvette::compute_unit
