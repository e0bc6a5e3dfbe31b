// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compute_unit/gds_path.h"
#include "compute_unit/stall_accounting.h"
#include "compute_unit/wave_slots.h"
#include "compute_unit/wave_termination.h"
#include "compute_unit/workgroups.h"
#include "spi/wave_launch.h"

namespace cuvette::compute_unit {

/// Commands to waves from outside (SQ_CMD): kill, halt, resume, context save, and the debugger that
/// comes and goes.
class WaveCommands {
 public:
  WaveCommands(WaveSlots& slots, StallAccounting& stalls, Workgroups& groups, GdsPath& gds,
               WaveTermination& termination)
      : slots_(slots), stalls_(stalls), groups_(groups), gds_(gds), termination_(termination) {}

  void execute(const spi::WaveCommand& command, machine::Cycle now);

 private:
  void attach(bool attached);
  void save(const spi::WaveCommand& command, machine::Cycle now);
  void save_wave(WaveContext& w, const spi::WaveCommand& command, bool first, machine::Cycle now);

  WaveSlots& slots_;
  StallAccounting& stalls_;
  Workgroups& groups_;
  GdsPath& gds_;
  WaveTermination& termination_;
};

}  // namespace cuvette::compute_unit
