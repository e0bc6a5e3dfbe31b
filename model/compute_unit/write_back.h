// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "compute_unit/memory_unit.h"
#include "compute_unit/simd_units.h"
#include "compute_unit/statistics.h"
#include "compute_unit/vector_registers.h"
#include "compute_unit/wave_slots.h"

namespace cuvette::compute_unit {

/// Write-back of vector results that come from outside of the SIMDs: rows of loads and of matrix
/// instructions. Each SIMD has a write port for either kind, which takes one row per cycle.
class WriteBack {
 public:
  /// A row on its way to the registers; the last one of an instruction completes it.
  struct Row {
    Operation* operation = nullptr;  ///< a memory instruction
    MatrixIssue* matrix = nullptr;   ///< or a matrix instruction
    uint8_t row = 0;                 ///< of its rows
    bool last = false;
    mutable bool written = false;  ///< in place
  };

  WriteBack(WaveSlots& slots, SimdUnits& simds, VectorRegisters& registers, Statistics& statistics)
      : slots_(slots),
        simds_(simds),
        registers_(registers),
        statistics_(statistics),
        ports_(slots.simds()) {}

  /// Turns the reply to a memory instruction into rows, which wait for their port. Sets
  /// Operation::done when there are none.
  void start(Operation& operation);
  /// Row `row` of the result of a matrix instruction.
  void start(MatrixIssue& matrix, unsigned row, bool last, machine::Cycle now);
  /// The row of a load that is at the port of the SIMD in this cycle is there for an instruction
  /// that takes effect at issue now.
  void write_ahead(unsigned simd, machine::Cycle now) {
    if (const Row* row = ports_[simd].memory.front(now)) write(*row, now);
  }

  /// No row waits.
  bool idle() const { return filling_ == 0; }
  /// Gives every port its next row. Calls `written` with each row that has gone.
  template <class Written>
  void send(machine::Cycle now, Written written) {
    for (uint64_t left = filling_; left != 0; left &= left - 1) {
      const auto simd = static_cast<unsigned>(std::countr_zero(left));
      Ports& ports = ports_[simd];
      for (Rows* const rows : {&ports.memory, &ports.matrix}) {
        if (rows->empty()) continue;
        const Row row = *rows->front(now);
        if (!send_row(row, simd, now)) continue;
        rows->drop(now);
        written(row);
      }
      if (ports.memory.empty() && ports.matrix.empty()) filling_ &= ~(uint64_t{1} << simd);
    }
  }

 private:
  using Rows = machine::Channel<Row>;
  struct Ports {
    Rows memory{machine::kUnbounded}, matrix{machine::kUnbounded};
  };
  bool send_row(const Row& row, unsigned simd, machine::Cycle now);
  void write(const Row& row, machine::Cycle now);
  void merge_halves(Operation& operation, unsigned row, machine::Cycle now);
  simd::Fill fill_of(const Row& row, machine::Cycle now);

  WaveSlots& slots_;
  SimdUnits& simds_;
  VectorRegisters& registers_;
  Statistics& statistics_;
  std::vector<Ports> ports_;  // by SIMD
  uint64_t filling_ = 0;      // SIMDs with rows that wait
};

}  // namespace cuvette::compute_unit
