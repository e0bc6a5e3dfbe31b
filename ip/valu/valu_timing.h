// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "ip/common/bounded_timing.h"
#include "ip/lockstep/schedule.h"
#include "machine/core.h"
#include "machine/gpu_config.h"

namespace cuvette::ip {

/// The timing check of a vector ALU: compares when messages move with a rule, nothing else.
///
/// exact: the pipeline of valu.md, three stages that hold when the next one is full; every
///   cycle in which a request is taken or a response given has to be the one it says.
/// bounded(min,max): a response is given `min` to `max` cycles after the edge at which its request
///   was taken; cycles in which the receiver is not ready do not count.
class ValuTiming final : public Schedule {
 public:
  explicit ValuTiming(const machine::TimingRule& rule)
      : rule_(rule),
        bounded_(rule, {"a response comes ", "no response ", " cycles after its request"}) {}

  /// Events at the pins in one cycle. Cycles in which nothing is offered and nothing under
  /// way may be left out.
  struct Cycle {
    machine::Cycle now = 0;
    bool offered = false, taken = false;   ///< request valid; and ready
    bool ready = false, answered = false;  ///< response ready; and valid
  };
  /// Empty when the cycle keeps the rule.
  std::string check(const Cycle& cycle);
  std::string check(const PinAdapter& pins, machine::Cycle now) override;

  /// Responses.
  uint64_t compared() const override { return compared_ + bounded_.compared(); }

 private:
  std::string check_exact(const Cycle& cycle);

  machine::TimingRule rule_;
  std::array<bool, 3> stage_{};  ///< exact: which are full
  uint64_t compared_ = 0;        ///< exact
  BoundedTiming bounded_;
};

}  // namespace cuvette::ip
