// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "matrix_core/computation.h"
#include "matrix_core/matrix_core.h"

namespace cuvette::matrix_core {

/// Takes the operands of one instruction as they come, computes when the last pass is there, and
/// spreads the results over the passes, so that the last one is visible latency_cycles after the
/// first operands were.
class MatrixCoreModel final : public MatrixCore {
 public:
  /// Gets each pass before it is taken, and what says the rows of C that are forwarded.
  using Observer = std::function<void(const Operands&, const Computation&)>;

  explicit MatrixCoreModel(const Config& config);

  void observe(Observer observer) { observer_ = std::move(observer); }
  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  bool implements(const isa::Row& row) const override;
  bool at_issue() const override { return !observer_; }
  unsigned occupancy_cycles(const isa::Row& row) const override;
  unsigned latency_cycles(const isa::Row& row) const override;

 private:
  void take(const Operands& pass, machine::Cycle now);

  struct Due {
    machine::Cycle at = 0;
    Result result;
  };

  Config config_;
  Computation computation_;
  Observer observer_;
  bool busy_ = false;           // operands of an instruction are coming in
  machine::Cycle started_ = 0;  // when its first pass was visible
  machine::Cycle free_at_ = 0;  // when the next instruction may start
  std::vector<Due> due_;        // results not sent yet, in order
};

/// Adds `tlm` to a registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::matrix_core
