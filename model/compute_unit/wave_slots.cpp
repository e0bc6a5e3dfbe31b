// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/wave_slots.h"

#include <cassert>
#include <memory>

namespace cuvette::compute_unit {

WaveSlots::WaveSlots(unsigned simds, unsigned slots)
    : simds_(simds), slots_(slots), masks_(simds), waves_(size_t{simds} * slots) {
  assert(slots <= 64 && simds < 64);
  for (unsigned i = 0; i < waves_.size(); ++i) waves_[i].index = i;
}

/// In place: most of a context is registers, and a copy would cost as much again.
WaveContext& WaveSlots::renew(unsigned simd, unsigned slot) {
  WaveContext& w = at(simd, slot);
  const unsigned index = w.index;
  std::destroy_at(&w);
  std::construct_at(&w);
  w.index = index;
  return w;
}

void WaveSlots::vacate(WaveContext& w) {
  w.phase = Phase::Free;
  --ending_;
  Masks& masks = masks_[w.launch.simd];
  masks.resident &= ~bit_of(w);
  masks.ending &= masks.resident;
  if (masks.resident == 0) occupied_ &= ~(uint64_t{1} << w.launch.simd);
}

void WaveSlots::make_room(machine::Cycle from) {
  const auto wake = [&](WaveContext& w) {
    w.wake = std::min(w.wake, from);
    note_change(w);
  };
  for_each(*this, &Masks::without_room, wake);
  for (Masks& masks : masks_) masks.without_room = 0;
}

}  // namespace cuvette::compute_unit
