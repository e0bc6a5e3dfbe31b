// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "gds/answer_queue.h"
#include "lds/bank_cycles.h"

namespace cuvette::gds {

/// Schedule of the memory with its atomic units (docs/reference/gds.md, Timing): two requests are
/// gathered or served, one at a time is served, four answers are under way. Cycles of the block.
class ShareSchedule {
 public:
  explicit ShareSchedule(const Config& config);

  /// First cycle in which the first beat of another request may come; kNever: not before one of
  /// those that are here has started.
  machine::Cycle room_from() const { return free_from_[taken_ % free_from_.size()]; }
  /// The last beat of a request comes in cycle `at`, and the request acts. `size`: of the memory.
  void take(const Request& request, uint32_t size, const Answer& answer, machine::Cycle at);

  /// When the oldest request that has not started may; kNever: none, or not before an answer goes.
  machine::Cycle next_start() const;
  /// It starts.
  void start(machine::Cycle now);

  AnswerQueue& answers() { return answers_; }
  const AnswerQueue& answers() const { return answers_; }

 private:
  struct Whole {
    machine::Cycle from = 0;  ///< first cycle in which it may start
    uint32_t busy = 0;        ///< cycles in the banks and the atomic units
    uint32_t conflict = 0;    ///< that conflicts delay its answer
    Answer answer;
  };
  lds::BankCycles cost(const Request& request, uint32_t size) const;

  lds::Banks banks_;
  uint32_t latency_;
  std::deque<Whole> whole_;
  AnswerQueue answers_;
  /// First cycle in which each buffer is free; kNever: its request has not started.
  std::array<machine::Cycle, 2> free_from_{};
  uint64_t taken_ = 0, started_ = 0;  ///< requests so far
  machine::Cycle serves_until_ = 0;   ///< the cycle behind the last one of those that have started
};

}  // namespace cuvette::gds
