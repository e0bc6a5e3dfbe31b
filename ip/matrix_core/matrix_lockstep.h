// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ip/common/answer_watch.h"
#include "ip/common/device_failure.h"
#include "ip/matrix_core/matrix_compare.h"
#include "ip/matrix_core/matrix_report.h"
#include "ip/matrix_core/matrix_timing.h"
#include "machine/description.h"
#include "matrix_core/computation.h"

namespace cuvette::ip {

/// Lockstep for the matrix_core block: the device under test answers, with its own results and
/// times; the arithmetic of layer wave shadows it and every field of every pass of results is
/// compared. The channels of this object are handed to the device for each tick, so that nothing is
/// delayed or reordered.
///
/// A device may give results before the last operands of the instruction were sent; the lanes of
/// such passes are compared as soon as they were, all other fields at once.
///
/// At most 16 instructions may be unanswered, and none of them without a pass of results for longer
/// than answer_watch.h says; a device that lets more pile up, or stops, fails in "order".
/// After the first difference comparing stops and mismatch() stays set; whether the run stops is
/// the owner's decision, who can be told through on_mismatch. Results of the cycle in which it was
/// found, and later ones, are not handed on: nobody has checked which registers they name.
class MatrixLockstep final : public matrix_core::MatrixCore {
 public:
  using Observer = std::function<void(const MatrixMismatch&)>;
  using Failed = std::function<std::optional<DeviceFailure>()>;
  struct Options {
    uint32_t share = 1;  ///< for whoever samples (ip/matrix_core/matrix_sampled.h)
    machine::TimingRule timing;
  };

  /// `device_failed`, when given, is asked after every tick; what it tells is a difference.
  MatrixLockstep(std::unique_ptr<matrix_core::MatrixCore> device, const matrix_core::Config& config,
                 Observer on_mismatch, Failed device_failed, const Options& options);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  /// What the device implements and the reference knows.
  bool implements(const isa::Row& row) const override;
  unsigned occupancy_cycles(const isa::Row& row) const override {
    return device_->occupancy_cycles(row);
  }
  unsigned latency_cycles(const isa::Row& row) const override {
    return device_->latency_cycles(row);
  }

  const matrix_core::Config& config() const { return config_; }
  const Options& options() const { return options_; }
  MatrixCounts counts() const;
  /// Whether every instruction has all its results.
  bool idle() const { return oldest_ == transactions_.size() && operands.empty(); }
  /// An instruction that is not in the sample; for the counts.
  void pass_by() { ++counts_.instructions; }
  const std::optional<MatrixMismatch>& mismatch() const { return mismatch_; }
  /// The last instructions, oldest first: finished ones, then those under way.
  std::vector<MatrixTransaction> recent() const {
    return {transactions_.begin(), transactions_.end()};
  }

 private:
  static constexpr size_t kHistory = 8;  ///< finished instructions kept
  static constexpr size_t kMostUnanswered = 16;

  /// One tick of the device and what it did; a difference is in mismatch().
  void compare_cycle(machine::Cycle now);
  void remember_operands();
  void remember_taken();
  bool takable(unsigned pass) const;
  void check(const matrix_core::Result& actual);
  void compare_pending();
  void finish_oldest();
  void fail(const char* field, const std::string& what, size_t transaction);
  void fail(const MatrixDifference& difference, const std::string& what, size_t transaction,
            const matrix_core::Result* expected, const matrix_core::Result* actual);

  matrix_core::Config config_;
  Options options_;
  std::unique_ptr<matrix_core::MatrixCore> device_;
  matrix_core::Computation reference_;
  MatrixTiming timing_;
  AnswerWatch watch_;
  Observer on_mismatch_;
  Failed device_failed_;

  /// Instructions, oldest first: finished ones, the one whose results come next, those behind it.
  std::deque<MatrixTransaction> transactions_;
  bool open_ = false;                         ///< the last one has passes still to be sent
  size_t oldest_ = 0;                         ///< without its last result
  std::vector<matrix_core::Result> pending_;  ///< of the oldest, lanes not compared yet
  bool computed_ = false;                     ///< reference_ has the oldest
  size_t taking_ = 0, taking_pass_ = 0;       ///< the next pass the device takes
  uint64_t seen_ = 0, taken_ = 0;             ///< passes sent, passes the device took
  machine::Cycle now_ = 0;
  MatrixCounts counts_;
  std::optional<MatrixMismatch> mismatch_;
};

}  // namespace cuvette::ip
