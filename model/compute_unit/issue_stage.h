// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "compute_unit/code_store.h"
#include "compute_unit/fetch.h"
#include "compute_unit/probe_point.h"
#include "compute_unit/stall_accounting.h"
#include "compute_unit/statistics.h"
#include "compute_unit/wave_termination.h"

namespace cuvette::compute_unit {

/// Issue stage, as all issue ports share it: the outcomes of a try. The wave is issued and moves
/// behind its instruction, stalls for a reason, or is refused the instruction.
class IssueStage {
 public:
  IssueStage(Fetch& fetch, StallAccounting& stalls, WaveTermination& termination,
             Statistics& statistics, const ProbePoint& probe)
      : fetch_(fetch),
        stalls_(stalls),
        termination_(termination),
        statistics_(statistics),
        probe_(probe) {}

  // False, as the answer of who tried to issue.
  bool block(WaveContext& w, Stall reason, machine::Cycle wake) {
    return stalls_.block(w, reason, wake);
  }
  bool block_for_room(WaveContext& w, Stall reason) { return stalls_.block_for_room(w, reason); }
  bool refuse(WaveContext& w, const isa::Instruction& instruction, const std::string& why) {
    return termination_.refuse(w, instruction, why);
  }
  /// False, and the wave waits, while the instruction touches a result of the matrix core too
  /// early.
  bool matrix_results_ready(WaveContext& w, const isa::Instruction& i, machine::Cycle now) {
    const machine::Cycle ready = w.matrix.ready(i, w.state.s.mode.gpr_idx_en(), now);
    return ready <= now || block(w, Stall::MatrixResult, ready);
  }

  /// The instruction is issued in cycle `now`: tells it, moves behind it and counts it. The next
  /// one can be tried in the next cycle. `complete`: ProbePoint::tell_issue.
  void step(WaveContext& w, const Code& code, machine::Cycle now, machine::Cycle complete,
            uint32_t requests = 0) {
    if (probe_.is_watched()) {
      probe_.tell_issue(w, code.instruction(), w.state.s.pc, relative_of(w), complete, requests,
                        now);
    }
    move_behind(w, code, now + 1);
  }
  /// Moves behind the instruction and counts it, without telling.
  void move_behind(WaveContext& w, const Code& code, machine::Cycle ready_at) {
    const unsigned length = code.instruction().length;
    w.state.s.pc += 4u * length;
    w.falls_to = w.state.s.pc;
    count(w, code, ready_at);
    fetch_.advance(w.index, length);
  }
  /// Counts an instruction that the wave has moved behind. The next one can be tried at `ready_at`.
  void count(WaveContext& w, const Code& code, machine::Cycle ready_at) {
    statistics_.count_issue(code.row);
    ++w.order;
    stalls_.end(w);
    w.residency.issues = true;
    w.residency.pc = w.state.s.pc;
    w.ready_at = ready_at;
    w.wake = 0;
    w.sleeping = false;
  }
  /// Passes an instruction that VSKIP skips. No step of the counters (Vega ISA 12.4, S_SETVSKIP).
  void skip(WaveContext& w, const Code& code, machine::Cycle now);

 private:
  Fetch& fetch_;
  StallAccounting& stalls_;
  WaveTermination& termination_;
  Statistics& statistics_;
  const ProbePoint& probe_;
};

}  // namespace cuvette::compute_unit
