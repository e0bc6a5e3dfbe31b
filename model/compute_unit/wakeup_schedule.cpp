// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/wakeup_schedule.h"

#include <algorithm>
#include <bit>

#include "compute_unit/wave_control.h"

namespace cuvette::compute_unit {

using machine::Cycle;
using machine::kNever;

namespace {

/// True if the wave is never tried: it has ended, waits for an event, or is halted.
bool is_asleep(const WaveContext& w) {
  return w.phase != Phase::Running || w.wake == kNever || is_halted(w);
}

/// Without an instruction, nothing but to wait for one happens at the wave's turn.
bool only_fetches(const WaveContext& w) {
  return w.raised == 0 && w.valu == 0 && !w.saves && !w.steps && w.code.contains(w.state.s.pc);
}

}  // namespace

WakeupSchedule::WakeupSchedule(WaveSlots& slots, const Fetch& fetch, StallAccounting& stalls)
    : slots_(slots), fetch_(fetch), stalls_(stalls), simds_(slots.simds()) {
  for (Simd& simd : simds_) simd.try_at.assign(slots.slots(), kNever);
}

Cycle WakeupSchedule::find_next_try(unsigned simd) const {
  Simd& s = simds_[simd];
  uint64_t changed = slots_.take_changed(simd);
  s.passed_over &= ~changed;
  for (; changed != 0; changed &= changed - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(changed));
    const WaveContext& w = slots_.at(simd, slot);
    Cycle& from = s.try_at[slot];
    from = kNever;
    if (is_asleep(w)) continue;
    from = std::max(w.wake, w.ready_at);
    if (const Cycle words = fetch_.no_head_before(w.index); words > from && only_fetches(w)) {
      if (s.passed_over == 0) s.passed_turn = kNever;
      s.passed_over |= uint64_t{1} << slot;
      s.passed_turn = std::min(s.passed_turn, turn_of(simd, from));
      passed_turn_ = std::min(passed_turn_, s.passed_turn);
      from = words;
    }
  }
  s.next_try = *std::min_element(s.try_at.begin(), s.try_at.end());
  return s.next_try;
}

Cycle WakeupSchedule::unseen_fetch(const WaveContext& w, Cycle now) const {
  if (is_asleep(w) || !only_fetches(w)) return kNever;
  const Cycle turn = turn_of(w);
  return turn < now && turn < fetch_.no_head_before(w.index) ? turn : kNever;
}

void WakeupSchedule::catch_up_passed(Cycle now) {
  passed_turn_ = kNever;
  for (unsigned s = 0; s < simds_.size(); ++s) {
    Simd& simd = simds_[s];
    if (simd.passed_over == 0) continue;
    if (simd.passed_turn >= now) {
      passed_turn_ = std::min(passed_turn_, simd.passed_turn);
      continue;
    }
    simd.passed_turn = kNever;
    for (uint64_t left = simd.passed_over; left != 0; left &= left - 1) {
      WaveContext& w = slots_.at(s, static_cast<unsigned>(std::countr_zero(left)));
      const Cycle turn = unseen_fetch(w, now);
      if (turn == kNever) {
        simd.passed_turn = std::min(simd.passed_turn, turn_of(s, std::max(w.wake, w.ready_at)));
        continue;
      }
      stalls_.start(w, Stall::Fetch, turn);
      slots_.note_change(w);
      w.wake = fetch_.no_head_before(w.index);
    }
    passed_turn_ = std::min(passed_turn_, simd.passed_turn);
  }
}

}  // namespace cuvette::compute_unit
