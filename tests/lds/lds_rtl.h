// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "lds/lds_model.h"

// For tests of rtl/lds: the schedule of lds.md worked out again.
namespace cuvette::lds::testing {

using machine::Cycle;

/// The cycles of a request in the banks, those that conflicts cost among them.
struct Cost {
  uint32_t busy = 0, conflict = 0;
};
Cost cost_of(const Request& r);

/// The times of rtl/lds as the page has them, in cycles of its clock.
class Schedule {
 public:
  static constexpr uint32_t kLatency = 64, kSlots = 4, kBeats = 4, kAtomicLanes = 64;

  /// State of the block in the next cycle.
  bool request_ready() const { return whole_.size() < 2; }
  bool response_valid() const { return !due_.empty() && due_.front() <= now_; }
  /// The end of the cycle: a beat of `r` was taken, one of an answer was given.
  void clock(const Request* taken, bool given);
  Cycle now() const { return now_; }

 private:
  struct Whole {
    Cost cost;
    bool atomic;
  };
  Cycle now_ = 0, ends_ = 0;
  std::deque<Whole> whole_;
  std::deque<Cycle> due_;
  bool serves_ = false;
  unsigned taken_ = 0, given_ = 0;
};

}  // namespace cuvette::lds::testing
