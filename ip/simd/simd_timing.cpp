// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/simd/simd_timing.h"

#include "ip/simd/simd_on_pins.h"

namespace cuvette::ip {

void SimdTiming::begin(const simd::Schedule::Ports& ports) {
  ports_ = ports;
  if (ports.issue != nullptr) {
    issue_ = *ports.issue;
    ports_.issue = &issue_;
  }
  fills_ = fill_.size();
}

std::string SimdTiming::check(const PinAdapter& pins, machine::Cycle) {
  const simd::Schedule::Moved due = schedule_.cycle(ports_);
  ++compared_;
  const auto wrong = [](bool is, bool expected, const char* what) {
    return is == expected ? std::string() : what + std::string(is ? " too early" : " too late");
  };
  std::string text = wrong(pins.end(SimdPin::kIssue).moved(), due.issue, "an instruction is taken");
  if (text.empty()) text = wrong(pins.end(SimdPin::kRetire).moved(), due.retire, "a beat retires");
  if (text.empty()) text = wrong(fill_.size() != fills_, due.fill, "a row goes in");
  return text;
}

}  // namespace cuvette::ip
