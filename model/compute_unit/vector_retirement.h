// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "compute_unit/probe_point.h"
#include "compute_unit/simd_units.h"
#include "compute_unit/trap_unit.h"
#include "compute_unit/wave_slots.h"
#include "compute_unit/write_back.h"

namespace cuvette::compute_unit {

/// A vector instruction in a simd, from its issue to its last beat.
struct VectorIssue {
  uint32_t id = 0;                       ///< simd::Issue::id
  unsigned wave = 0;                     ///< index in the compute unit
  uint64_t pc = 0, order = 0, exec = 0;  ///< address, number among those of the wave, EXEC at issue
  const isa::Instruction* instruction = nullptr;  ///< stays where it is
  bool scalar_result = false;                     ///< will write SGPRs, VCC or EXEC
  bool has_mask = false, has_scalar = false;      ///< `mask`, `scalar` hold a result
  uint64_t mask = 0;                              ///< result with a bit per lane, as far as known
  uint32_t scalar = 0;                            ///< result of V_READLANE and V_READFIRSTLANE
  uint8_t flags = 0;                              ///< exceptions (TRAPSTS bits)
  std::vector<wave::VectorWrite> writes;          ///< for the observer
};

/// Retirement of vector instructions that went through a simd: gathers their beats, writes scalar
/// results, and reports exceptions.
class VectorRetirement {
 public:
  VectorRetirement(WaveSlots& slots, SimdUnits& simds, TrapUnit& traps, const ProbePoint& probe)
      : slots_(slots), simds_(simds), traps_(traps), probe_(probe), under_way_(slots.simds()) {}

  /// The instruction is on its way into its simd.
  void start(WaveContext& w, VectorIssue issue);
  /// Takes the beats that have come out of the simds.
  void take(machine::Cycle now);

 private:
  void take_beat(std::deque<VectorIssue>& under_way, const simd::Retire& beat);
  void note_writes(VectorIssue& v, const simd::Retire& beat) const;
  void retire(VectorIssue& v);

  WaveSlots& slots_;
  SimdUnits& simds_;
  TrapUnit& traps_;
  const ProbePoint& probe_;
  std::vector<std::deque<VectorIssue>> under_way_;  // by SIMD
};

/// Retirement of matrix instructions: sends rows of results to their write port, and tells the
/// scoreboards of the waves when they are in the registers.
class MatrixRetirement {
 public:
  MatrixRetirement(WaveSlots& slots, SimdUnits& simds, WriteBack& write_back,
                   const ProbePoint& probe)
      : slots_(slots), simds_(simds), write_back_(write_back), probe_(probe) {}

  /// Takes the rows that have come out of the matrix cores.
  void take(machine::Cycle now);
  /// A row has gone to the registers.
  void take_written(const WriteBack::Row& row);
  /// Rows of instructions that took effect at issue, in the cycle of their write port.
  void take_scheduled(machine::Cycle now);

 private:
  void note_written(WaveContext& w, uint32_t matrix) {
    w.matrix.row_written(matrix);
    slots_.wake(w);
  }
  void retire(const MatrixIssue& m);

  WaveSlots& slots_;
  SimdUnits& simds_;
  WriteBack& write_back_;
  const ProbePoint& probe_;
};

}  // namespace cuvette::compute_unit
