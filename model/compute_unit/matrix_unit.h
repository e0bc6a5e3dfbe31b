// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "compute_unit/matrix_scoreboard.h"
#include "matrix_core/matrix_core.h"
#include "wave/memory_op.h"

namespace cuvette::compute_unit {

/// A matrix instruction from issue until its rows are written.
struct MatrixIssue {
  uint32_t id = 0;                       ///< matrix_core::Operands::id
  unsigned wave = 0;                     ///< index in the compute unit
  uint64_t launch = 0;                   ///< id of the wave, for reports
  uint64_t pc = 0, order = 0, exec = 0;  ///< address, number among those of the wave, EXEC at issue
  const isa::Instruction* instruction = nullptr;  ///< stays where it is
  std::vector<wave::LaneRow> d;                   ///< results so far
};

/// Feeds the matrix core of one SIMD and takes its results.
class MatrixUnit {
 public:
  explicit MatrixUnit(std::unique_ptr<matrix_core::MatrixCore> core) : core_(std::move(core)) {}

  matrix_core::MatrixCore& core() { return *core_; }
  bool free(machine::Cycle now) const { return operands_.empty() && now >= free_at_; }
  /// `a`, `b`, `c`: rows of the operands; sparse ones have the index row behind those of A. Rows of
  /// C that are forwarded are not looked at. The unit must be free.
  void issue(MatrixIssue issue, const wave::LaneRow* a, const wave::LaneRow* b,
             const wave::LaneRow* c, const MatrixScoreboard::Forwarding& forwarding,
             machine::Cycle now);
  /// Instead of issue(), for an instruction that has taken effect: when its rows count as written,
  /// the last in the cycle that is returned.
  machine::Cycle schedule(unsigned wave, uint32_t id, const isa::Row& row, machine::Cycle now);
  /// A row that counts as written, of instruction `id` of a wave by its index.
  struct Written {
    unsigned wave = 0;
    uint32_t id = 0;
  };
  /// Rows of schedule(), in the cycles of their write port.
  machine::Channel<Written> written{machine::kUnbounded};
  /// The last instruction issued, and the one before it.
  const MatrixScoreboard::Recent& recent() const { return recent_; }
  void tick(machine::Cycle now);
  bool has_result(machine::Cycle now) const { return core_->result.front(now) != nullptr; }
  /// A pass of results into `d` of the instruction that it belongs to: rows [first, first + rows),
  /// in order.
  struct Rows {
    MatrixIssue* issue = nullptr;
    unsigned first = 0, rows = 0;
  };
  Rows take(machine::Cycle now);
  /// All rows of the oldest instruction are written.
  void drop_oldest() {
    under_way_.pop_front();
    --answered_;
  }
  machine::Cycle next_event() const;
  machine::Cycle free_at() const { return free_at_; }

 private:
  std::unique_ptr<matrix_core::MatrixCore> core_;
  std::deque<matrix_core::Operands> operands_;  // not sent yet
  std::deque<MatrixIssue> under_way_;           // until their rows are written
  size_t answered_ = 0;                         // of them, those with all results
  MatrixScoreboard::Recent recent_{};
  machine::Cycle free_at_ = 0;
  machine::Cycle rows_free_at_ = 0;  // the write port of the registers, by schedule()
};

}  // namespace cuvette::compute_unit
