// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "compute_unit/wave_context.h"
#include "machine/core.h"

namespace cuvette::compute_unit {

/// Wave slots of the SIMDs with the contexts of their waves, and the clock by which waves are
/// woken. Sets of slots are masks with one bit each: at most 64 slots of a SIMD and 64 SIMDs.
class WaveSlots {
 public:
  WaveSlots(unsigned simds, unsigned slots);

  unsigned simds() const { return simds_; }
  /// Slots of each SIMD.
  unsigned slots() const { return slots_; }

  /// The cycle of the present tick, or of the last one.
  machine::Cycle now() const { return now_; }
  /// Waves that are woken from here on can be tried in this cycle.
  void begin_cycle(machine::Cycle now) { now_ = wake_time_ = now; }
  /// The turn of this cycle is over: waves that are woken from here on are tried in the next one.
  void end_turn() { wake_time_ = now_ + 1; }

  /// By WaveContext::index.
  WaveContext& operator[](unsigned index) { return waves_[index]; }
  const WaveContext& operator[](unsigned index) const { return waves_[index]; }
  WaveContext& at(unsigned simd, unsigned slot) { return waves_[simd * slots_ + slot]; }
  const WaveContext& at(unsigned simd, unsigned slot) const { return waves_[simd * slots_ + slot]; }
  /// All of them, free ones included.
  auto begin() { return waves_.begin(); }
  auto end() { return waves_.end(); }
  auto begin() const { return waves_.begin(); }
  auto end() const { return waves_.end(); }

  /// A context as made, for a wave that takes the slot.
  WaveContext& renew(unsigned simd, unsigned slot);
  void occupy(const WaveContext& w) {
    masks_[w.launch.simd].resident |= bit_of(w);
    occupied_ |= uint64_t{1} << w.launch.simd;
  }
  /// The wave ends when nothing is outstanding.
  void begin_end(WaveContext& w) {
    w.phase = Phase::Ending;
    masks_[w.launch.simd].ending |= bit_of(w);
    ++ending_;
  }
  /// The slot of a wave that was ending is free.
  void vacate(WaveContext& w);

  /// SIMDs with a wave.
  uint64_t occupied() const { return occupied_; }
  bool any_ending() const { return ending_ != 0; }

  /// Tries the wave at its next turn: the event it waits for may have come.
  void wake(WaveContext& w) {
    w.wake = std::min(w.wake, wake_time_);
    note_change(w);
  }
  /// When the wave is to be tried is not known any more.
  void note_change(const WaveContext& w) { masks_[w.launch.simd].changed |= bit_of(w); }
  /// Waves of a SIMD that have changed since it was asked last.
  uint64_t take_changed(unsigned simd) const { return std::exchange(masks_[simd].changed, 0); }
  bool any_changed(unsigned simd) const { return masks_[simd].changed != 0; }

  /// Wakes the wave at the next make_room().
  void wait_for_room(const WaveContext& w) { masks_[w.launch.simd].without_room |= bit_of(w); }
  /// A memory path has room for instructions that are issued from `from` on.
  void make_room(machine::Cycle from);

  /// Calls `act` with every wave that has a slot, by index. `act` may free it.
  template <class Act>
  void for_resident(Act act) {
    for_each(*this, &Masks::resident, act);
  }
  /// The same for those that are ending.
  template <class Act>
  void for_ending(Act act) {
    for_each(*this, &Masks::ending, act);
  }
  template <class Act>
  void for_ending(Act act) const {
    for_each(*this, &Masks::ending, act);
  }

 private:
  struct Masks {
    uint64_t resident = 0;         // slots with a wave
    uint64_t ending = 0;           // those of them in Phase::Ending
    uint64_t without_room = 0;     // those whose memory instruction found no room
    mutable uint64_t changed = 0;  // those for which note_change() was called
  };
  static uint64_t bit_of(const WaveContext& w) { return uint64_t{1} << w.launch.slot; }
  template <class Slots, class Act>
  static void for_each(Slots& slots, uint64_t Masks::* set, Act& act) {
    for (uint64_t simds = slots.occupied_; simds != 0; simds &= simds - 1) {
      const auto s = static_cast<unsigned>(std::countr_zero(simds));
      for (uint64_t left = slots.masks_[s].*set; left != 0; left &= left - 1) {
        act(slots.at(s, static_cast<unsigned>(std::countr_zero(left))));
      }
    }
  }

  unsigned simds_, slots_;
  std::vector<Masks> masks_;  // by SIMD
  std::vector<WaveContext> waves_;
  uint64_t occupied_ = 0;
  unsigned ending_ = 0;
  machine::Cycle now_ = 0;
  machine::Cycle wake_time_ = 0;  // the first cycle in which a wave that is woken now can be tried
};

}  // namespace cuvette::compute_unit
