// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "machine/core.h"
#include "machine/gpu_config.h"

namespace cuvette::ip {

/// Watchdog of one block: counts cycles in which requests wait and no answer comes. The machine has
/// few requests under way and waits for the oldest, and the watchdog of the run names no block.
class AnswerWatch {
 public:
  /// Cycles without an answer: far above any pipeline.
  static constexpr machine::Cycle kMostCycles = 10'000;

  /// A bounded rule that allows more time is the limit.
  explicit AnswerWatch(const machine::TimingRule& rule)
      : limit_(rule.kind == machine::TimingRule::Kind::Bounded
                   ? std::max<machine::Cycle>(kMostCycles, rule.max_cycles)
                   : kMostCycles) {}

  machine::Cycle limit() const { return limit_; }
  /// One cycle: something is under way; the receiver is ready (cycles in which it is not do not
  /// count); an answer was given. True when there were more cycles than the limit without one.
  bool is_over(bool under_way, bool ready, bool answered) {
    if (!under_way || answered) {
      silent_ = 0;
      return false;
    }
    silent_ += ready ? 1 : 0;
    return silent_ > limit_;
  }

 private:
  machine::Cycle limit_;
  machine::Cycle silent_ = 0;
};

}  // namespace cuvette::ip
