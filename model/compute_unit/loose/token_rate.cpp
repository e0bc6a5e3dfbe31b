// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/loose/token_rate.h"

#include <algorithm>

namespace cuvette::compute_unit::loose {

using machine::Cycle;

/// Windows that are too old for the account make room up to `window`.
void TokenRate::reach(uint64_t window) {
  if (window < first_ + kWindows) return;
  const uint64_t first = window - kWindows + 1;
  if (first >= first_ + kWindows) {
    used_.fill(0);
  } else {
    for (uint64_t old = first_; old < first; ++old) used(old) = 0;
  }
  first_ = first;
}

Cycle TokenRate::take_slowly(Cycle at, uint64_t cost) {
  const Cycle alone = at + (cost + kUnit - 1) / kUnit;
  const uint64_t asked = at >> kWindowBits;
  uint64_t window = asked;
  // Requests that waited have moved the account on: what is left of windows before it is forgotten.
  const bool before = asked < first_ && first_ < full_to_ && asked + kWindows >= full_from_;
  if (before || (window >= full_from_ && window < full_to_)) window = full_to_;
  if (cost == 0 || window < first_) return alone;
  for (;; ++window) {
    reach(window);
    uint16_t& taken = used(window);
    // In the window that `at` is in, the part before `at` has passed.
    const uint64_t left = window == asked ? kRoom - (at & (kWindow - 1)) * kUnit : kRoom;
    const uint64_t here = std::min({cost, left, uint64_t{kRoom} - taken});
    taken = static_cast<uint16_t>(taken + here);
    cost -= here;
    if (cost == 0) break;
  }
  const Cycle served =
      (Cycle{window} << kWindowBits) + (uint64_t{used(window)} + kUnit - 1) / kUnit;
  // Windows between are full now; the first one may have tokens that came too early.
  if (window > asked + 1) {
    const uint64_t from = asked + 1;
    full_from_ = before || (from <= full_to_ && from >= full_from_) ? full_from_ : from;
    full_to_ = window;
  }
  return std::max(alone, served);
}

}  // namespace cuvette::compute_unit::loose
