// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_rerun.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ip/matrix_core/matrix_lockstep.h"
#include "ip/matrix_core/matrix_rtl.h"

namespace cuvette::ip {
namespace {

using machine::Cycle;

/// Longer pauses between passes are cut to this: nothing happens in them.
constexpr Cycle kLongestPause = 8;
/// Without an operand or a result in so many cycles the rerun ends, when none is due.
constexpr Cycle kDrain = 256;
/// After a difference, so that the waveforms show what came then.
constexpr Cycle kTail = 4;

class Rerun {
 public:
  Rerun(matrix_core::MatrixCore& core, const MatrixRecording& recording)
      : core_(core), transactions_(recording.transactions) {
    Cycle last = 0;
    // Instructions before the first one are not there; the recording has the rows of C.
    for (size_t n = 0; n < std::min<size_t>(2, transactions_.size()); ++n) {
      for (matrix_core::Operands& pass : transactions_[n].passes) {
        if (n <= pass.forward_from) pass.forward = 0;
      }
    }
    for (const MatrixTransaction& t : transactions_) {
      for (size_t p = 0; p < t.passes.size(); ++p) {
        // A pass that was sent and never came to the pins follows the one before.
        last = t.offered[p] != machine::kNever ? t.offered[p] : last;
        passes_.push_back({&t.passes[p], last});
      }
      results_.insert(results_.end(), t.answered.begin(), t.answered.end());
    }
  }

  void run(const std::optional<MatrixMismatch>& mismatch) {
    now_ = passes_.front().offered;
    // How long a device may be silent that owes a result the lockstep says.
    for (Cycle quiet = 0; (quiet < kDrain || is_due()) && !mismatch; ++now_) {
      quiet = cycle() ? 0 : quiet + 1;
    }
    for (Cycle n = 0; n < kTail; ++n, ++now_) core_.tick(now_);
  }

 private:
  struct Pass {
    const matrix_core::Operands* operands;
    Cycle offered;
  };

  /// Whether anything moved.
  bool cycle() {
    bool moved = false;
    if (next_ < passes_.size() && core_.operands.empty() && results_taken_ == results_due() &&
        passes_[next_].offered > now_ + kLongestPause) {
      now_ = passes_[next_].offered - kLongestPause;
    }
    while (next_ < passes_.size() && passes_[next_].offered <= now_ &&
           core_.operands.can_push(now_)) {
      core_.operands.push(*passes_[next_++].operands, now_);
      moved = true;
    }
    core_.tick(now_);
    while (core_.result.front(now_) != nullptr && held_until() <= now_) {
      core_.result.drop(now_);
      ++results_taken_;
      moved = true;
    }
    return moved;
  }
  bool is_due() const {
    return next_ < passes_.size() || !core_.operands.empty() || results_taken_ < results_due();
  }
  Cycle held_until() const {
    return results_taken_ < results_.size() ? results_[results_taken_] + 1 : 0;
  }
  /// Passes of results of the instructions that were fed completely.
  size_t results_due() const {
    size_t due = 0;
    for (size_t n = 0; n < next_; ++n) {
      const matrix_core::Operands& o = *passes_[n].operands;
      if (o.last) due += matrix_core::result_passes(*(isa::rows().begin() + o.row));
    }
    return due;
  }

  matrix_core::MatrixCore& core_;
  std::vector<MatrixTransaction> transactions_;
  std::vector<Pass> passes_;
  std::vector<Cycle> results_;
  size_t next_ = 0, results_taken_ = 0;
  Cycle now_ = 0;
};

}  // namespace

base::Result<MatrixRerun> rerun_matrix(std::unique_ptr<MatrixDevice> device,
                                       const MatrixRecording& recording, const std::string& wave) {
  if (!wave.empty()) {
    if (const base::Status traced = device->trace(wave); !traced) return traced.error();
  }
  device->reset();
  matrix_core::Config config;
  config.target = recording.target;
  config.compute_unit = recording.compute_unit;
  config.simd = recording.simd;
  auto rtl = std::make_unique<MatrixRtl>(std::move(device), recording.target);
  for (const MatrixTransaction& t : recording.transactions) {
    const isa::Row& row = row_of(t);
    if (rtl->implements(row)) continue;
    return base::Error("the device has no circuit for " + std::string(row.mnemonic));
  }
  MatrixLockstep::Options options;
  options.timing = recording.timing;
  const MatrixRtl& failing = *rtl;
  MatrixLockstep lockstep(
      std::move(rtl), config, {}, [&failing] { return failing.failure(); }, options);
  Rerun(lockstep, recording).run(lockstep.mismatch());
  return MatrixRerun{lockstep.counts(), lockstep.mismatch()};
}

}  // namespace cuvette::ip
