// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ip/lockstep/pin_adapter.h"
#include "machine/core.h"

namespace cuvette::ip {

/// Timing check of a block that states its schedule cycle by cycle, for exact and bounded times.
class Schedule {
 public:
  virtual ~Schedule() = default;
  /// One clock cycle of the device, after its edge. Cycles in which nothing is offered or under way
  /// may be left out. Empty: the cycle keeps the rule; otherwise what is wrong.
  virtual std::string check(const PinAdapter& pins, machine::Cycle now) = 0;
  /// Messages whose time was compared.
  virtual uint64_t compared() const = 0;
};

}  // namespace cuvette::ip
