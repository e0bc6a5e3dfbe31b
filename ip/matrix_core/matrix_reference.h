// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "ip/matrix_core/matrix_report.h"
#include "matrix_core/computation.h"

namespace cuvette::ip {

/// Reference of the matrix core in lockstep: the arithmetic of layer wave without time. The results
/// of an instruction are there as soon as its last operands are; the headers of its passes are
/// known before.
class MatrixReference final : public matrix_core::MatrixCore {
 public:
  explicit MatrixReference(isa::Target target) : computation_(target) {}

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override { return operands.next_event(); }
  bool implements(const isa::Row& row) const override;
  unsigned occupancy_cycles(const isa::Row& row) const override;
  unsigned latency_cycles(const isa::Row& row) const override;

  /// A pass of operands was at the pins of the device in cycle `now` for the first time.
  void offered(machine::Cycle now) { offered_ = now; }
  /// A pass of results was given in cycle `now`; whether its instruction has all of them now.
  bool given(machine::Cycle now);
  /// The next pass of results without its lanes, once the device has taken what it is made of.
  std::optional<matrix_core::Result> header() const;
  /// True if an instruction has passes of results that are not given.
  bool under_way() const { return oldest_ != transactions_.size(); }
  /// The instruction whose results come next; null: none is under way.
  const MatrixTransaction* oldest() const;
  /// One of the last two that have all their results, 1 the last one; null: it is not kept.
  const MatrixTransaction* finished(size_t back) const;

 private:
  static constexpr size_t kFinished = 2;  ///< instructions kept when they have all their results

  matrix_core::Computation computation_;
  std::deque<MatrixTransaction> transactions_;  ///< finished ones, then those under way
  size_t oldest_ = 0;                           ///< without its last result
  bool open_ = false;                           ///< the last one has passes still to be taken
  machine::Cycle offered_ = 0;
};

}  // namespace cuvette::ip
