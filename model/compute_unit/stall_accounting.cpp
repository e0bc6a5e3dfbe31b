// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/stall_accounting.h"

#include <optional>

#include "compute_unit/wave_control.h"

namespace cuvette::compute_unit {

using machine::Cycle;

void StallAccounting::account_and_tell(WaveContext& w, Cycle end) {
  ComputeUnit::Counters& counters = statistics_.residency();
  const auto stalled = counters.stalled;
  const uint64_t issues = counters.issue_cycles;
  const Cycle from = w.residency.accounted;
  w.residency.account(end, w.ready_at, w.sleeping, counters);
  ResidencyCycles told{w.launch.id, w.residency.pc, std::nullopt, counters.issue_cycles - issues,
                       from};
  const auto tell = [&] {
    told.end += told.cycles;
    if (told.cycles != 0) probe_.tell_residency(told);
  };
  tell();
  // Of those that one call can find, the way to the next try comes before the turn.
  static_assert(Stall::Latency < Stall::Rotation && Stall::Sleep < Stall::Rotation);
  for (unsigned n = 0; n < kStalls; ++n) {
    told.stall = static_cast<Stall>(n);
    told.cycles = counters.stalled[n] - stalled[n];
    tell();
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
