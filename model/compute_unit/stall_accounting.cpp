// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/stall_accounting.h"

#include <optional>

#include "compute_unit/wave_control.h"

namespace cuvette::compute_unit {

using machine::Cycle;

void account_and_tell(const WaveContext& w, Residency& residency, Cycle end,
                      ComputeUnit::Counters& counters, const ComputeUnit::ResidencyWatcher& tell) {
  const auto stalled = counters.stalled;
  const uint64_t issues = counters.issue_cycles;
  const Cycle from = residency.accounted;
  residency.account(end, w.ready_at, w.sleeping, counters);
  ResidencyCycles told{w.launch.id, residency.pc, std::nullopt, counters.issue_cycles - issues,
                       from};
  const auto tell_class = [&] {
    told.end += told.cycles;
    if (told.cycles != 0) tell(told);
  };
  tell_class();
  // Of those that one call can find, the way to the next try comes before the turn.
  static_assert(Stall::Latency < Stall::Rotation && Stall::Sleep < Stall::Rotation);
  for (unsigned n = 0; n < kStalls; ++n) {
    told.stall = static_cast<Stall>(n);
    told.cycles = counters.stalled[n] - stalled[n];
    tell_class();
  }
}

void StallAccounting::follow_halt(WaveContext& w, Cycle now) {
  if (w.phase == Phase::Running && is_halted(w)) {
    start(w, Stall::Halt, now);
  } else if (w.residency.stalled && w.residency.stall == Stall::Halt) {
    end(w, now);
  }
}

}  // namespace cuvette::compute_unit
