// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/simd_units.h"

#include <algorithm>
#include <utility>

namespace cuvette::compute_unit {

using machine::Cycle;
using machine::kNever;

SimdUnits::SimdUnits(std::vector<std::unique_ptr<simd::Simd>> simds,
                     std::vector<std::unique_ptr<matrix_core::MatrixCore>> matrix)
    : due_((uint64_t{1} << simds.size()) - 1) {
  for (unsigned s = 0; s < simds.size(); ++s) {
    SimdUnit unit;
    unit.simd = std::move(simds[s]);
    unit.pipeline_cycles = unit.simd->pipeline_at_issue();
    if (!matrix.empty()) unit.matrix = std::make_unique<MatrixUnit>(std::move(matrix[s]));
    units_.push_back(std::move(unit));
  }
}

void SimdUnits::tick_due(Cycle now) {
  if (next_ <= now) {
    for (unsigned s = 0; s < units_.size(); ++s) {
      if (units_[s].next <= now) make_due(s);
    }
  }
  for_due([now](SimdUnit& unit, unsigned) {
    unit.simd->tick(now);
    if (unit.matrix != nullptr) unit.matrix->core().tick(now);
  });
}

void SimdUnits::settle_due(Cycle now) {
  for_due([now](SimdUnit& unit, unsigned) {
    if (unit.matrix != nullptr) unit.matrix->tick(now);
    unit.next = next_of(unit);
  });
  due_ = 0;
  next_ = kNever;
  for (const SimdUnit& unit : units_) next_ = std::min(next_, unit.next);
}

Cycle SimdUnits::next_of(const SimdUnit& unit) {
  const Cycle next = std::min(unit.simd->next_event(), unit.simd->retire.next_event());
  return unit.matrix != nullptr ? std::min(next, unit.matrix->next_event()) : next;
}

Cycle SimdUnits::next_of_due() const {
  Cycle next = next_;
  for (uint64_t left = due_; left != 0; left &= left - 1) {
    next = std::min(next, next_of(units_[static_cast<unsigned>(std::countr_zero(left))]));
  }
  return next;
}

}  // namespace cuvette::compute_unit
