// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/wave_launcher.h"

namespace cuvette::compute_unit {

using machine::Cycle;

void WaveLauncher::launch(const spi::WaveLaunch& record, Cycle now) {
  WaveContext& w = slots_.renew(record.simd, record.slot);
  w.phase = Phase::Running;
  w.launch = Identity(record);
  w.age = launches_++;
  w.ready_at = now + 1;
  const bool poison = config_.simd.registers.seed != 0;
  set_initial_state(w.state, record, config_.target, config_.sramecc,
                    place_of(config_.index, config_.units_per_engine), config_.shared_aperture,
                    config_.private_aperture, poison);
  w.state.clock = [](void* slots) { return uint64_t{static_cast<WaveSlots*>(slots)->now()}; };
  w.state.clock_context = &slots_;
  registers_.initialize(w, record, now);
  if (simds_.of(w).pipeline_cycles != 0) {
    w.state.v = registers_.view(w);
    w.in_place = w.state.v.arch != nullptr;
  }
  simds_.make_due(record.simd);
  slots_.wake(w);
  slots_.occupy(w);
  if (groups_.join(record)) lds_.clear(record.lds_base, record.lds_bytes);
  fetch_.start(w.index, record.pc, record.vmid, w.age);
  statistics_.count_launch(record, now);
  w.launched_at = w.residency.accounted = now;
  w.residency.pc = record.pc;
  probe_.tell_launch(w, now);
}

}  // namespace cuvette::compute_unit
