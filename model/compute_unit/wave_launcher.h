// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compute_unit/fetch.h"
#include "compute_unit/lds_path.h"
#include "compute_unit/probe_point.h"
#include "compute_unit/simd_units.h"
#include "compute_unit/statistics.h"
#include "compute_unit/vector_registers.h"
#include "compute_unit/wave_slots.h"
#include "compute_unit/workgroups.h"

namespace cuvette::compute_unit {

/// Wave launch: makes a wave of a launch record, with its initial registers, and the LDS of its
/// work-group as zeros. Its first instruction can issue in the next cycle.
class WaveLauncher {
 public:
  /// `config` outlives it.
  WaveLauncher(const Config& config, WaveSlots& slots, SimdUnits& simds, VectorRegisters& registers,
               Fetch& fetch, Workgroups& groups, LdsPath& lds, Statistics& statistics,
               const ProbePoint& probe)
      : config_(config),
        slots_(slots),
        simds_(simds),
        registers_(registers),
        fetch_(fetch),
        groups_(groups),
        lds_(lds),
        statistics_(statistics),
        probe_(probe) {}

  void launch(const spi::WaveLaunch& record, machine::Cycle now);

 private:
  const Config& config_;
  WaveSlots& slots_;
  SimdUnits& simds_;
  VectorRegisters& registers_;
  Fetch& fetch_;
  Workgroups& groups_;
  LdsPath& lds_;
  Statistics& statistics_;
  const ProbePoint& probe_;
  uint64_t launches_ = 0;  // so far
};

}  // namespace cuvette::compute_unit
