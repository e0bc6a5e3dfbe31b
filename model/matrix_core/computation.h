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
/// Number of passes that bring A and B.
unsigned source_passes(const isa::Row& row);
/// Messages that bring its results.
unsigned result_passes(const isa::Row& row);
/// The times of matrix_core.md: MatrixCore::occupancy_cycles() and latency_cycles() of ours.
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
  /// Row `r` of C of a pass that is not taken yet, wherever it comes from.
  const wave::LaneRow& addend(const Operands& pass, unsigned r) const;

 private:
  static constexpr unsigned kMaxRows = 32;
  using Rows = std::array<wave::LaneRow, kMaxRows>;

  void compute(const Operands& last);
  Rows& own() { return rows_[own_]; }
  const Rows& own() const { return rows_[own_]; }
  /// `own`: which are those of the instruction of `pass`.
  const wave::LaneRow& row_of_c(const Operands& pass, unsigned r, unsigned own) const;

  isa::Target target_;
  const isa::Row* row_ = nullptr;
  uint32_t id_ = 0;
  unsigned c_rows_ = 0;
  std::array<wave::LaneRow, 4> a_{}, b_{};
  wave::LaneRow index_{};       ///< V_SMFMAC
  std::array<Rows, 3> rows_{};  ///< C, then D; of this instruction and the two before in turn
  unsigned own_ = 0;            ///< index of the rows of this instruction
};

}  // namespace cuvette::matrix_core
