// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "compute_unit/stall_accounting.h"
#include "compute_unit/wave_slots.h"
#include "spi/wave_launch.h"

namespace cuvette::compute_unit {

/// Barrier unit: the work-groups with resident waves, and which of their waves have arrived at
/// S_BARRIER. Waves that have ended are discounted (isa_notes 39).
class Workgroups {
 public:
  /// `barrier_cycles`: from the last arrival to the next instructions.
  Workgroups(WaveSlots& slots, StallAccounting& stalls, uint32_t barrier_cycles)
      : slots_(slots), stalls_(stalls), barrier_cycles_(barrier_cycles) {}

  /// A wave is launched. True for the first of its work-group.
  bool join(const spi::WaveLaunch& record);
  /// The wave executes S_BARRIER, which passes at once in a group of one wave (decisions.md D15).
  void arrive(WaveContext& w, machine::Cycle now);
  /// A wave that may wait at the barrier waits there no longer.
  void withdraw(const WaveContext& w) {
    if (w.phase == Phase::AtBarrier) --group_of(w.launch.workgroup).arrived;
  }
  /// The wave has left its slot.
  void leave(const WaveContext& w, machine::Cycle now);

 private:
  struct Group {
    uint32_t key = 0;  // WaveLaunch::workgroup
    unsigned waves = 1, arrived = 0, ended = 0;
  };
  Group* find(uint32_t key);
  Group& group_of(uint32_t key);
  void release(Group& group, machine::Cycle now);

  WaveSlots& slots_;
  StallAccounting& stalls_;
  uint32_t barrier_cycles_;
  std::vector<Group> groups_;  // in no order
};

}  // namespace cuvette::compute_unit
