// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "compute_unit/matrix_unit.h"
#include "compute_unit/wave_context.h"
#include "machine/core.h"
#include "simd/simd.h"

namespace cuvette::compute_unit {

/// A SIMD with its matrix core, and the issue port that both share.
struct SimdUnit {
  std::unique_ptr<simd::Simd> simd;
  std::unique_ptr<MatrixUnit> matrix;  ///< null: the target has none
  /// Cycles from the end of an issue to the retirement of an instruction that takes effect at
  /// issue; 0: none does (Simd::pipeline_at_issue).
  uint32_t pipeline_cycles = 0;
  machine::Cycle issue_free_at = 0;  ///< the first cycle in which the port takes an instruction
  machine::Cycle next = machine::kNever;  ///< nothing happens inside before, unless it is due
};

/// SIMDs and matrix cores of a compute unit. A unit is due when something was put into it since its
/// next event was found; the others rest until that event.
class SimdUnits {
 public:
  /// `matrix`: one for each SIMD, or none.
  SimdUnits(std::vector<std::unique_ptr<simd::Simd>> simds,
            std::vector<std::unique_ptr<matrix_core::MatrixCore>> matrix);

  SimdUnit& operator[](unsigned simd) { return units_[simd]; }
  const SimdUnit& operator[](unsigned simd) const { return units_[simd]; }
  /// For those who put nothing into it.
  SimdUnit& of(const WaveContext& w) { return units_[w.launch.simd]; }
  auto begin() const { return units_.begin(); }
  auto end() const { return units_.end(); }

  /// Something is put into the unit.
  void make_due(unsigned simd) { due_ |= uint64_t{1} << simd; }
  bool any_due() const { return due_ != 0; }
  /// Calls `act` with every unit that is due and its number.
  template <class Act>
  void for_due(Act act) {
    for (uint64_t left = due_; left != 0; left &= left - 1) {
      const auto simd = static_cast<unsigned>(std::countr_zero(left));
      act(units_[simd], simd);
    }
  }

  /// Ticks the parts of the units that are due or have an event; these are due from here on.
  void tick(machine::Cycle now) {
    if (next_ <= now || due_ != 0) tick_due(now);
  }
  /// Feeds the matrix cores and finds the next events, at the end of a tick.
  void settle(machine::Cycle now) {
    if (due_ != 0) settle_due(now);
  }
  machine::Cycle next_event() const { return due_ == 0 ? next_ : next_of_due(); }

 private:
  static machine::Cycle next_of(const SimdUnit& unit);
  void tick_due(machine::Cycle now);
  void settle_due(machine::Cycle now);
  machine::Cycle next_of_due() const;

  std::vector<SimdUnit> units_;
  uint64_t due_;
  machine::Cycle next_ = machine::kNever;  // the first SimdUnit::next
};

}  // namespace cuvette::compute_unit
