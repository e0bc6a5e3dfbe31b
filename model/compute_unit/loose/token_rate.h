// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "machine/core.h"

namespace cuvette::compute_unit::loose {

/// A resource that serves so much per cycle, for requesters who come in no order of time: an
/// account of the tokens taken from each window of 128 cycles, instead of a queue. A requester that
/// comes late in the run of the host but early in simulated time finds the tokens of its own time.
class TokenRate {
 public:
  /// Fractions of a cycle that costs are given in.
  static constexpr uint32_t kUnit = 64;

  /// Takes `cost` / kUnit cycles of the resource from `at` on, from the first windows that have
  /// some left. The cycle in which all of it is served: not before at + cost.
  machine::Cycle take(machine::Cycle at, uint64_t cost) {
    const uint64_t window = at >> kWindowBits;
    if (window < first_ || window >= first_ + kWindows) [[unlikely]]
      return take_slowly(at, cost);
    // All of it from the window of `at`, as a rule.
    uint16_t& taken = used(window);
    const uint64_t end = taken + cost;
    if (end > kRoom || cost > (kWindow - at % kWindow) * kUnit) return take_slowly(at, cost);
    taken = static_cast<uint16_t>(end);
    const machine::Cycle alone = at + (cost + kUnit - 1) / kUnit;
    const machine::Cycle served = (window << kWindowBits) + (end + kUnit - 1) / kUnit;
    return alone < served ? served : alone;
  }

 private:
  static constexpr unsigned kWindowBits = 7;
  static constexpr uint64_t kWindow = uint64_t{1} << kWindowBits;  // cycles
  static constexpr uint32_t kRoom = kUnit << kWindowBits;          // of a window
  static constexpr uint64_t kWindows = 1024;

  uint16_t& used(uint64_t window) { return used_[window % kWindows]; }
  machine::Cycle take_slowly(machine::Cycle at, uint64_t cost);
  void reach(uint64_t window);

  std::array<uint16_t, kWindows> used_{};
  uint64_t first_ = 0;                    // window there is an account of
  uint64_t full_from_ = 0, full_to_ = 0;  // windows between are known to be full
};

}  // namespace cuvette::compute_unit::loose
