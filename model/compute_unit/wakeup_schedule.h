// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "compute_unit/fetch.h"
#include "compute_unit/stall_accounting.h"
#include "compute_unit/wave_slots.h"

namespace cuvette::compute_unit {

/// Wakeup schedule of the sequencer: from when on the waves of each SIMD have something to try at
/// its turns, which go round the SIMDs cycle by cycle (isa_notes 5). Turns at which a wave would
/// only find that its words are still missing are passed over; their stalls are made good later.
class WakeupSchedule {
 public:
  WakeupSchedule(WaveSlots& slots, const Fetch& fetch, StallAccounting& stalls);

  /// The SIMD whose turn it is.
  unsigned simd_of(machine::Cycle now) const { return static_cast<unsigned>(now % slots_.simds()); }
  /// From when on a wave of the SIMD has something to try at a turn; kNever: not before something
  /// arrives. try_at() has the same of each slot afterwards.
  machine::Cycle next_try(unsigned simd) const {
    return slots_.any_changed(simd) ? find_next_try(simd) : simds_[simd].next_try;
  }
  const std::vector<machine::Cycle>& try_at(unsigned simd) const { return simds_[simd].try_at; }
  /// The first turn from `from` on at which a wave has something to try.
  machine::Cycle next_turn(machine::Cycle from) const {
    machine::Cycle next = machine::kNever;
    for (uint64_t simds = slots_.occupied(); simds != 0; simds &= simds - 1) {
      const auto s = static_cast<unsigned>(std::countr_zero(simds));
      const machine::Cycle first = next_try(s);
      if (first != machine::kNever) next = std::min(next, turn_of(s, std::max(first, from)));
    }
    return next;
  }

  /// Stalls of the turns before `now` that were passed over; at the begin of a tick.
  void catch_up(machine::Cycle now) {
    if (passed_turn_ < now) catch_up_passed(now);
  }
  /// A wave that was passed over would have found no instruction at a turn before `now`: from then
  /// on it waits for one. kNever: it has not been passed over.
  machine::Cycle unseen_fetch(const WaveContext& w, machine::Cycle now) const;

 private:
  struct Simd {
    machine::Cycle next_try = machine::kNever;  // the first of `try_at`
    uint64_t passed_over = 0;                   // slots with waves whose turns are passed over
    machine::Cycle passed_turn = 0;             // the first of these turns
    std::vector<machine::Cycle> try_at;         // by slot
  };
  machine::Cycle find_next_try(unsigned simd) const;
  void catch_up_passed(machine::Cycle now);
  machine::Cycle turn_of(unsigned simd, machine::Cycle from) const {
    return from + (simd + slots_.simds() - from % slots_.simds()) % slots_.simds();
  }
  machine::Cycle turn_of(const WaveContext& w) const {
    return turn_of(w.launch.simd, std::max(w.wake, w.ready_at));
  }

  WaveSlots& slots_;
  const Fetch& fetch_;
  StallAccounting& stalls_;
  // As of the last look at what has changed.
  mutable std::vector<Simd> simds_;
  mutable machine::Cycle passed_turn_ = machine::kNever;  // none of the passed turns is earlier
};

}  // namespace cuvette::compute_unit
