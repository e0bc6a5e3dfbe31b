// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "matrix_core/matrix_core.h"

namespace cuvette::matrix_core {

/// Clocks of one pass.
inline constexpr unsigned kPassCycles = 4;

/// Registers of C and of D.
unsigned result_rows(const isa::Row& row);
/// Messages that bring the operands of an instruction.
unsigned operand_passes(const isa::Row& row);
/// Messages that bring its results.
unsigned result_passes(const isa::Row& row);
/// Passes by which the first result waits longer than others do: every result takes all registers
/// of B, one comes with a pass, and the time of all instructions has two in it.
unsigned lead_passes(const isa::Row& row);
/// The times of docs/matrix_core.md: MatrixCore::occupancy_cycles() and latency_cycles() of ours.
unsigned occupancy_of(const isa::Row& row, isa::Target target);
unsigned latency_of(const isa::Row& row, isa::Target target);

/// A pass of results without its lanes.
Result result_header(const isa::Row& row, uint32_t id, unsigned pass);

/// One instruction from its operands to its results, by the arithmetic of layer wave: the body of
/// `tlm` and the reference of `lockstep`.
class Computation {
 public:
  explicit Computation(isa::Target target) : target_(target) {}

  /// Passes in order; pass 0 begins a new instruction, the last one computes it.
  void take(const Operands& pass);
  /// A pass of results, after the last operands.
  Result result(unsigned pass) const;

 private:
  static constexpr unsigned kMaxRows = 32;

  void compute(const Operands& last);

  isa::Target target_;
  const isa::Row* row_ = nullptr;
  uint32_t id_ = 0;
  unsigned c_rows_ = 0;
  std::array<wave::LaneRow, 4> a_{}, b_{};
  wave::LaneRow index_{};  ///< V_SMFMAC
  std::array<wave::LaneRow, kMaxRows> d_{};
};

}  // namespace cuvette::matrix_core
