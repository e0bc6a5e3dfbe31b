// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "base/occupancy.h"
#include "compute_unit/compute_unit.h"
#include "compute_unit/memory_unit.h"
#include "machine/core.h"
#include "spi/wave_launch.h"

namespace cuvette::compute_unit {

/// Event counters of one compute unit since construction: those of statistics
/// (docs/reference/statistics.md) and those of hardware counters beyond them
/// (docs/reference/counters.md). Times are cycles; those of calls do not fall.
class Statistics {
 public:
  /// `coalescer_lanes`: lanes whose addresses are joined in a cycle.
  explicit Statistics(uint32_t coalescer_lanes);

  void count_launch(const spi::WaveLaunch& record, machine::Cycle now);
  /// The wave has left its slot after `residency` cycles.
  void count_end(machine::Cycle residency, machine::Cycle now);
  /// An instruction was issued, by its row of the table.
  void count_issue(uint32_t row) { ++counters_.by_row[row]; }
  /// Instruction that VSKIP skipped, which count_issue() has, too.
  void count_skip(uint32_t row) {
    ++detail_.skipped;
    ++detail_.skipped_by_row[row];
  }
  /// A vector instruction holds the issue port of its SIMD for `cycles`.
  void count_vector(unsigned cycles, uint64_t exec) {
    detail_.valu_cycles += cycles;
    detail_.valu_thread_cycles += uint64_t{cycles} * static_cast<unsigned>(std::popcount(exec));
  }
  /// Lanes of an instruction that took effect at issue; those in a simd are counted there.
  void count_lanes(uint64_t exec) {
    counters_.lane_operations += static_cast<uint64_t>(std::popcount(exec));
  }
  /// A matrix instruction holds its matrix core for `cycles`.
  void count_matrix(unsigned cycles) { detail_.matrix_cycles += cycles; }
  /// A memory instruction, cache maintenance apart, from its issue to its retirement.
  void begin_access(const Operation& operation, machine::Cycle now);
  void end_access(const Operation& operation, machine::Cycle now);
  /// Rows of a load of vector memory, on their way to the registers.
  void begin_return(machine::Cycle now) { returns_.enter(now); }
  void end_return(machine::Cycle now) { returns_.leave(now); }

  /// Where cycles of residency are counted (Residency::account).
  ComputeUnit::Counters& residency() { return counters_; }
  const ComputeUnit::Counters& residency() const { return counters_; }

  /// Counters up to `now`, but for those of parts and of waves that are still resident.
  ComputeUnit::Counters counters(machine::Cycle now) const;
  ComputeUnit::Detail detail(machine::Cycle now) const;

 private:
  base::Occupancy* level_of(wave::MemorySpace space);
  bool is_coalesced(const Operation& operation) const;

  uint32_t coalescer_lanes_;
  ComputeUnit::Counters counters_;
  ComputeUnit::Detail detail_;           // its times apart
  base::Occupancy vmem_, smem_, dsmem_;  // instructions under way
  base::Occupancy returns_;              // loads whose rows are on their way
  unsigned resident_ = 0;                // waves
  machine::Cycle resident_since_ = 0;    // the first of them
};

}  // namespace cuvette::compute_unit
