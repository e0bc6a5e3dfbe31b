// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace cuvette::base {

/// Occupancy of a resource: how many items are in it, how long at least one was, and how long all
/// of them together. Times are cycles; those of enter() do not fall. An item may leave at a time to
/// come, as soon as that is known.
class Occupancy {
 public:
  void enter(uint64_t now) {
    if (level_++ == 0 && now > until_) {
      busy_ += until_ - since_;
      since_ = now;
    }
    last_ = std::max(last_, now);
    item_time_ -= now;
  }
  void leave(uint64_t when) {
    --level_;
    until_ = std::max(until_, when);
    item_time_ += when;
  }
  /// One item at most, which is there or not.
  void set(bool occupied, uint64_t now) {
    if (occupied == (level_ != 0)) return;
    occupied ? enter(now) : leave(now);
  }

  uint64_t level() const { return level_; }
  /// Cycles with an item, up to `now`.
  uint64_t busy(uint64_t now) const {
    const uint64_t end = level_ != 0 ? std::max(now, until_) : std::min(now, until_);
    return busy_ + (std::max(end, since_) - since_);
  }
  /// Cycles of all items, up to `now` of those that have not left.
  uint64_t item_time(uint64_t now) const { return item_time_ + level_ * std::max(now, last_); }

 private:
  uint64_t level_ = 0;
  uint64_t busy_ = 0;       // of intervals that are over
  uint64_t since_ = 0;      // begin of the last interval
  uint64_t until_ = 0;      // its end, as far as known
  uint64_t last_ = 0;       // the latest enter()
  uint64_t item_time_ = 0;  // modulo 2^64, as if those that are there had left at 0
};

}  // namespace cuvette::base
