// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/progress_line.h"

#include <fmt/format.h>

namespace cuvette::run {

using std::chrono::duration;
using std::chrono::milliseconds;

bool ProgressLine::wants(Clock::time_point now) const {
  return out_ != nullptr && now >= begin_ + milliseconds(2000) && now >= last_ + milliseconds(500);
}

std::string ProgressLine::text(double seconds, uint64_t waves, uint64_t all, uint64_t cycles) {
  const double rate = seconds > 0 ? static_cast<double>(cycles) / seconds : 0;
  const double share = all == 0 ? 0 : static_cast<double>(waves) / static_cast<double>(all);
  std::string line =
      fmt::format("{:.0f} % of {} waves begun, {:.2f} Mcycles/s", share * 100, all, rate / 1e6);
  if (share <= 0 || share >= 1) return line;
  const auto left = static_cast<uint64_t>(seconds / share - seconds + 0.5);
  return line + fmt::format(", {}:{:02} left", left / 60, left % 60);
}

void ProgressLine::show(Clock::time_point now, uint64_t waves, uint64_t all, uint64_t cycles) {
  if (!wants(now)) return;
  last_ = now;
  shown_ = true;
  fmt::print(out_, "\r{}\033[K", text(duration<double>(now - begin_).count(), waves, all, cycles));
  std::fflush(out_);
}

void ProgressLine::clear() {
  if (!shown_) return;
  shown_ = false;
  fmt::print(out_, "\r\033[K");
  std::fflush(out_);
}

}  // namespace cuvette::run
