// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/workgroups.h"

#include <algorithm>
#include <cassert>

namespace cuvette::compute_unit {

using machine::Cycle;

Workgroups::Group* Workgroups::find(uint32_t key) {
  const auto found =
      std::find_if(groups_.begin(), groups_.end(), [key](const Group& g) { return g.key == key; });
  return found == groups_.end() ? nullptr : &*found;
}

Workgroups::Group& Workgroups::group_of(uint32_t key) {
  Group* const group = find(key);
  assert(group != nullptr);
  return *group;
}

bool Workgroups::join(const spi::WaveLaunch& record) {
  if (find(record.workgroup) != nullptr) return false;
  Group group;
  group.key = record.workgroup;
  group.waves = record.waves_in_group;
  groups_.push_back(group);
  return true;
}

void Workgroups::arrive(WaveContext& w, Cycle now) {
  Group& group = group_of(w.launch.workgroup);
  if (group.waves == 1) return;
  w.phase = Phase::AtBarrier;
  stalls_.start(w, Stall::Barrier, now);
  ++group.arrived;
  release(group, now);
}

void Workgroups::leave(const WaveContext& w, Cycle now) {
  Group& group = group_of(w.launch.workgroup);
  if (++group.ended == group.waves) {
    group = groups_.back();
    groups_.pop_back();
  } else {
    release(group, now);
  }
}

/// Lets everybody go when all waves that still live have arrived.
void Workgroups::release(Group& group, Cycle now) {
  if (group.arrived == 0 || group.arrived + group.ended != group.waves) return;
  group.arrived = 0;
  const uint32_t key = group.key;
  slots_.for_resident([&](WaveContext& w) {
    if (w.phase != Phase::AtBarrier || w.launch.workgroup != key) return;
    w.phase = Phase::Running;
    stalls_.end(w);
    w.ready_at = now + std::max(1u, barrier_cycles_);
    slots_.wake(w);
    stalls_.follow_halt(w, now);
  });
}

}  // namespace cuvette::compute_unit
