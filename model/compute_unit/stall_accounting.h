// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "compute_unit/probe_point.h"
#include "compute_unit/statistics.h"
#include "compute_unit/wave_slots.h"

namespace cuvette::compute_unit {

/// Residency::account() for a wave, with `tell` called with what it puts into classes.
void account_and_tell(const WaveContext& w, Residency& residency, machine::Cycle end,
                      ComputeUnit::Counters& counters, const ComputeUnit::ResidencyWatcher& tell);

/// Stall attribution: puts every cycle of a wave's residency into one class, an issue or the reason
/// why the wave did not issue (docs/reference/statistics.md).
class StallAccounting {
 public:
  StallAccounting(WaveSlots& slots, Statistics& statistics, const ProbePoint& probe)
      : slots_(slots), statistics_(statistics), probe_(probe) {}

  /// The wave stalls and is not tried again before `wake` unless something arrives for it. False,
  /// as the answer of who tried to issue.
  bool block(WaveContext& w, Stall reason, machine::Cycle wake) {
    start(w, reason, slots_.now());
    slots_.note_change(w);
    w.wake = wake;
    return false;
  }
  /// Until the lds or the memory unit has taken something.
  bool block_for_room(WaveContext& w, Stall reason) {
    slots_.wait_for_room(w);
    return block(w, reason, machine::kNever);
  }
  /// A stall from `since` on, but for the cycle of an issue.
  void start(WaveContext& w, Stall reason, machine::Cycle since) {
    Residency& r = w.residency;
    if (r.stalled && r.stall == reason) return;
    account(w, std::max(since, r.accounted + (r.issues ? 1u : 0u)));
    r.stalled = true;
    r.stall = reason;
  }
  /// The wave is on its way to its next try from this cycle on, or from `end` on.
  void end(WaveContext& w) { end(w, slots_.now()); }
  void end(WaveContext& w, machine::Cycle end) {
    account(w, end);
    w.residency.stalled = false;
  }
  /// Puts the cycles before `end` that are in no class yet into theirs.
  void account(WaveContext& w, machine::Cycle end) {
    slots_.note_change(w);
    ComputeUnit::Counters& counters = statistics_.residency();
    if (probe_.watches_residency()) {
      return account_and_tell(w, w.residency, end, counters, probe_.residency_watcher());
    }
    w.residency.account(end, w.ready_at, w.sleeping, counters);
  }
  /// After anything that may have halted the wave, or let it go.
  void follow_halt(WaveContext& w, machine::Cycle now);

 private:
  WaveSlots& slots_;
  Statistics& statistics_;
  const ProbePoint& probe_;
};

}  // namespace cuvette::compute_unit
