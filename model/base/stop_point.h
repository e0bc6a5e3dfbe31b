// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace cuvette::base {

/// Cancellation token of a simulation. Any thread and any signal handler may ask; the simulation
/// passes places where it can stand still, and the first one after the request is where it does.
///
/// The places are counted, and their number is a function of the simulation alone: a run that
/// stopped at place n of the host's will is had again by stop_at(n).
class StopPoint {
 public:
  static constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

  /// Asks for a stop with `reason`, not 0. A later request takes the place of an earlier one that
  /// has not been met.
  void ask(uint32_t reason) { asked_.store(reason, std::memory_order_relaxed); }
  /// At place `n` at the latest.
  void stop_at(uint64_t n, uint32_t reason) {
    stop_at_ = n;
    reason_at_ = reason;
  }

  /// The simulation, where it can stand still: whether it has to, now and at every place from here
  /// on until go_on().
  bool here() {
    if (stopped_) return true;
    const uint32_t asked = asked_.load(std::memory_order_relaxed);
    if (++passed_ < stop_at_ && asked == 0) return false;
    reason_ = asked != 0 ? asked_.exchange(0, std::memory_order_relaxed) : reason_at_;
    stop_at_ = kNever;
    stopped_ = true;
    return true;
  }
  void go_on() { stopped_ = false; }

  bool stopped() const { return stopped_; }
  /// Reason of the last stop.
  uint32_t reason() const { return reason_; }
  /// Places so far; of the last stop, while stopped().
  uint64_t passed() const { return passed_; }

 private:
  std::atomic<uint32_t> asked_{0};
  static_assert(std::atomic<uint32_t>::is_always_lock_free, "signal handlers may ask");
  uint64_t passed_ = 0, stop_at_ = kNever;
  uint32_t reason_ = 0, reason_at_ = 0;
  bool stopped_ = false;
};

}  // namespace cuvette::base
