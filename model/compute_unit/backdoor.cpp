// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/compute_unit_model.h"
#include "compute_unit/wave_control.h"

namespace cuvette::compute_unit {

const wave::ScalarState& ComputeUnitModel::scalars(unsigned simd, unsigned slot) const {
  return slots_.at(simd, slot).state.s;
}

void ComputeUnitModel::set_scalars(unsigned simd, unsigned slot, const wave::ScalarState& state) {
  WaveContext& w = slots_.at(simd, slot);
  if (state.pc != w.state.s.pc) fetch_.jump(w.index, state.pc);
  w.state.s = state;
  slots_.wake(w);
}

Backdoor::Progress ComputeUnitModel::progress(unsigned simd, unsigned slot) const {
  const WaveContext& w = slots_.at(simd, slot);
  Progress p;
  p.running = w.phase == Phase::Running || w.phase == Phase::AtBarrier;
  p.failed = w.failed;
  p.unsupported = w.unsupported;
  p.issued = w.order;
  return p;
}

const std::string& ComputeUnitModel::failure_of(unsigned simd, unsigned slot) const {
  return slots_.at(simd, slot).failure;
}

std::optional<uint32_t> ComputeUnitModel::inspect(unsigned simd, unsigned slot, uint32_t index,
                                                  unsigned lane) const {
  if (simd >= config_.simds || slot >= config_.slots) return std::nullopt;
  const WaveContext& w = slots_.at(simd, slot);
  if (w.phase == Phase::Free) return std::nullopt;
  if (const auto vector = vector_index(index, w.launch)) {
    wave::LaneRow values;
    registers_.read(w, vector->acc, vector->row, slots_.now(), values);
    return values[lane % wave::kLanes];
  }
  const uint32_t* words = nullptr;
  const unsigned held = fetch_.held(w.index, words);
  return inspect_scalar(w, index, words, held);
}

}  // namespace cuvette::compute_unit
