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

Cycle TokenRate::take(Cycle at, uint64_t cost) {
  const Cycle alone = at + (cost + kUnit - 1) / kUnit;
  uint64_t window = at >> kWindowBits;
  if (cost == 0 || window < first_) return alone;
  const uint64_t asked = window;
  if (window >= full_from_ && window < full_to_) window = full_to_;
  for (;; ++window) {
    reach(window);
    uint16_t& taken = used(window);
    const uint64_t here = std::min<uint64_t>(cost, kRoom - taken);
    taken = static_cast<uint16_t>(taken + here);
    cost -= here;
    if (cost == 0) break;
  }
  const Cycle served =
      (Cycle{window} << kWindowBits) + (uint64_t{used(window)} + kUnit - 1) / kUnit;
  if (window > asked) {
    full_from_ = asked <= full_to_ && asked >= full_from_ ? full_from_ : asked;
    full_to_ = window;
  }
  return std::max(alone, served);
}

}  // namespace cuvette::compute_unit::loose
