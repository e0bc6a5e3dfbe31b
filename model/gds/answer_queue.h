// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>

#include "gds/sync_unit.h"
#include "machine/core.h"

namespace cuvette::gds {

/// Answers of a part of the block, in order, each with the first cycle in which it may go. One that
/// goes has its place until its last beat is given. Room that it leaves is there from the next
/// cycle on.
class AnswerQueue {
 public:
  /// `depth`: answers under way, at least 1.
  explicit AnswerQueue(size_t depth) : depth_(depth) {}

  /// First cycle from which on there is room; kNever: one of them has to go first.
  machine::Cycle room_from() const {
    if (kept_.size() >= depth_) return machine::kNever;
    return kept_.size() + 1 == depth_ ? goes_until_ : 0;
  }
  void push(const Answer& answer, machine::Cycle due) { kept_.emplace_back(answer, due); }

  /// First cycle in which the oldest may go; kNever: there is none.
  machine::Cycle due() const { return kept_.empty() ? machine::kNever : kept_.front().second; }
  /// The oldest goes; `until`: the cycle behind its last beat.
  Answer pop(machine::Cycle until) {
    const Answer oldest = kept_.front().first;
    kept_.pop_front();
    goes_until_ = until;
    return oldest;
  }

 private:
  size_t depth_;
  std::deque<std::pair<Answer, machine::Cycle>> kept_;
  machine::Cycle goes_until_ = 0;
};

}  // namespace cuvette::gds
