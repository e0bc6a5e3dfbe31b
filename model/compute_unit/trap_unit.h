// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compute_unit/backdoor.h"
#include "compute_unit/fetch.h"
#include "compute_unit/stall_accounting.h"
#include "compute_unit/wave_slots.h"

namespace cuvette::compute_unit {

/// True if a trap handler is enabled for arithmetic exceptions.
bool arithmetic_traps(const wave::WaveState& wave);

/// Trap unit: exceptions of instructions, and the way into the trap handler (MI100 ISA 3.10).
/// S_TRAP and S_RFE_B64 are scalar instructions like others.
class TrapUnit {
 public:
  /// `branch_cycles`: from the decision to the first instruction of the handler.
  TrapUnit(WaveSlots& slots, Fetch& fetch, StallAccounting& stalls, uint32_t branch_cycles)
      : slots_(slots), fetch_(fetch), stalls_(stalls), branch_cycles_(branch_cycles) {}

  void on_violation(OnViolation what) { on_violation_ = what; }
  /// True if a wave goes on behind an access to memory that is not there.
  bool records_violations(const WaveContext& w, wave::MemorySpace space) const;

  /// Exceptions (TRAPSTS bits) of a finished instruction of `length` dwords, 0: imprecise. They are
  /// sticky, and for the handler if there is one.
  void raise(WaveContext& w, uint32_t exceptions, unsigned length);
  /// Between two instructions, with exceptions raised: true when MODE.EXCP_EN wants the wave to go
  /// on in its handler.
  bool take(WaveContext& w, machine::Cycle now);
  /// Enters the trap handler to save the wave, whether or not STATUS.TRAP_EN lets the program trap,
  /// once vector instructions have reported their exceptions.
  void enter_save(WaveContext& w, machine::Cycle now);
  /// Behind an instruction that has issued with a handler that could be entered: the handler
  /// follows for MODE.DEBUG, and when the instruction has set TRAPSTS.SAVECTX (`before`: TRAPSTS in
  /// front of it).
  void note_step(WaveContext& w, uint32_t before);
  /// The handler follows when the last instruction is done.
  void enter_step(WaveContext& w, machine::Cycle now);

 private:
  void go_to_handler(WaveContext& w, machine::Cycle now);

  WaveSlots& slots_;
  Fetch& fetch_;
  StallAccounting& stalls_;
  uint32_t branch_cycles_;
  OnViolation on_violation_ = OnViolation::EndWave;
};

}  // namespace cuvette::compute_unit
