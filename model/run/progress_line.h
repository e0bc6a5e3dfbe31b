// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace cuvette::run {

/// Progress line of a dispatch on a terminal: share of its waves that have begun, cycles simulated
/// per second of the host, time left. It appears after two seconds, changes twice a second at most,
/// and is wiped out by clear().
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;

  /// `out`: where the line stands; null: nowhere.
  explicit ProgressLine(std::FILE* out) : out_(out) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// A dispatch begins.
  void begin(Clock::time_point now) { begin_ = last_ = now; }
  /// True if show() would change the line now.
  bool wants(Clock::time_point now) const;
  /// `waves` of `all` have begun, after `cycles`.
  void show(Clock::time_point now, uint64_t waves, uint64_t all, uint64_t cycles);
  void clear();

  /// The line without its ends: "12 % of 65536 waves begun, 1.25 Mcycles/s, 1:35 left".
  static std::string text(double seconds, uint64_t waves, uint64_t all, uint64_t cycles);

 private:
  std::FILE* out_;
  Clock::time_point begin_, last_;
  bool shown_ = false;
};

}  // namespace cuvette::run
