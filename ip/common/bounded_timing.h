// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "machine/core.h"
#include "machine/gpu_config.h"

namespace cuvette::ip {

/// The rule bounded(min,max) of a block whose answers come in the order of what it took: an answer
/// comes `min` to `max` cycles after the edge at which its request was taken; cycles in which the
/// receiver is not ready do not count.
class BoundedTiming {
 public:
  /// Phrases of messages: "a response comes ", "no response ", " cycles after its request".
  struct Words {
    const char* comes;
    const char* missing;
    const char* after;
  };
  BoundedTiming(const machine::TimingRule& rule, const Words& words) : rule_(rule), words_(words) {}

  /// One cycle: a request was taken; the receiver is ready; an answer was given. Empty when the
  /// cycle keeps the rule.
  std::string check(machine::Cycle now, bool taken, bool ready, bool answered);

  uint64_t compared() const { return compared_; }  ///< answers whose time was compared

 private:
  machine::TimingRule rule_;
  Words words_;
  std::deque<machine::Cycle> taken_;  ///< when, later by the stalls since then
  uint64_t compared_ = 0;
};

}  // namespace cuvette::ip
