// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/common/bounded_timing.h"

namespace cuvette::ip {

std::string BoundedTiming::check(machine::Cycle now, bool taken, bool ready, bool answered) {
  const auto text = [this](const char* what, machine::Cycle age) {
    return what + std::to_string(age) + words_.after + ", allowed are " +
           std::to_string(rule_.min_cycles) + " to " + std::to_string(rule_.max_cycles);
  };
  if (!ready) {
    for (machine::Cycle& t : taken_) ++t;
  }
  std::string wrong;
  if (!taken_.empty()) {
    const machine::Cycle age = now - taken_.front();
    const bool early = age < rule_.min_cycles;
    const bool late = age > rule_.max_cycles;
    if (answered && (early || late)) wrong = text(words_.comes, age);
    if (!answered && late && ready) wrong = text(words_.missing, age);
    if (answered) {
      ++compared_;
      taken_.pop_front();
    }
  }
  if (taken) taken_.push_back(now);
  return wrong;
}

}  // namespace cuvette::ip
