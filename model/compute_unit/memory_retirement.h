// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compute_unit/lds_path.h"
#include "compute_unit/memory_unit.h"
#include "compute_unit/probe_point.h"
#include "compute_unit/statistics.h"
#include "compute_unit/trap_unit.h"
#include "compute_unit/wave_slots.h"
#include "compute_unit/wave_termination.h"
#include "compute_unit/write_back.h"

namespace cuvette::compute_unit {

/// Retirement of memory instructions: from the last answer until their results are in the registers
/// and their counters have fallen. Vector memory returns in issue order (MI100 ISA 4.4), the others
/// as they are answered.
class MemoryRetirement {
 public:
  MemoryRetirement(WaveSlots& slots, MemoryUnit& memory, LdsPath& lds, WriteBack& write_back,
                   TrapUnit& traps, WaveTermination& termination, Statistics& statistics,
                   const ProbePoint& probe)
      : slots_(slots),
        memory_(memory),
        lds_(lds),
        write_back_(write_back),
        traps_(traps),
        termination_(termination),
        statistics_(statistics),
        probe_(probe) {}

  /// Everything that the operation has asked for is back.
  void take_answer(Operation& operation);
  /// All of its rows have gone to the registers.
  void take_written(Operation& operation);

 private:
  void complete_scalar(Operation& operation);
  void retire_in_order(WaveContext& w);
  void retire(Operation& operation);

  WaveSlots& slots_;
  MemoryUnit& memory_;
  LdsPath& lds_;
  WriteBack& write_back_;
  TrapUnit& traps_;
  WaveTermination& termination_;
  Statistics& statistics_;
  const ProbePoint& probe_;
};

}  // namespace cuvette::compute_unit
