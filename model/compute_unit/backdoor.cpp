// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/compute_unit_tlm.h"

namespace cuvette::compute_unit {

const wave::ScalarState& ComputeUnitTlm::scalars(unsigned simd, unsigned slot) const {
  return at(simd, slot).state.s;
}

void ComputeUnitTlm::set_scalars(unsigned simd, unsigned slot, const wave::ScalarState& state) {
  WaveContext& w = waves_[simd * config_.slots + slot];
  if (state.pc != w.state.s.pc) fetch_.jump(w.index, state.pc);
  w.state.s = state;
  wake(w);
}

Backdoor::Progress ComputeUnitTlm::progress(unsigned simd, unsigned slot) const {
  const WaveContext& w = at(simd, slot);
  Progress p;
  p.running = w.phase == Phase::Running || w.phase == Phase::AtBarrier;
  p.failed = w.failed;
  p.unsupported = w.unsupported;
  p.issued = w.order;
  return p;
}

const std::string& ComputeUnitTlm::failure_of(unsigned simd, unsigned slot) const {
  return at(simd, slot).failure;
}

}  // namespace cuvette::compute_unit
