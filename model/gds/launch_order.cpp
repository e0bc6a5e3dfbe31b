// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gds/launch_order.h"

#include <algorithm>

namespace cuvette::gds {

void LaunchOrder::begin(uint32_t dispatch, uint64_t wave) {
  Waves& waves = dispatches_[dispatch];
  if (waves.entries.empty() || waves.entries.back().wave < wave) {
    waves.entries.push_back({wave});
    return;
  }
  const auto at = std::ranges::lower_bound(waves.entries, wave, {}, &Entry::wave);
  if (at->wave != wave) {
    waves.entries.insert(at, {wave});
  } else if (at->released) {
    at->released = false;
    --waves.released;
  }
}

void LaunchOrder::release(uint32_t dispatch, uint64_t wave) {
  const auto found = dispatches_.find(dispatch);
  if (found == dispatches_.end()) return;
  Waves& waves = found->second;
  const auto at = std::ranges::lower_bound(waves.entries, wave, {}, &Entry::wave);
  if (at == waves.entries.end() || at->wave != wave || at->released) return;
  at->released = true;
  ++waves.released;
  for (; !waves.entries.empty() && waves.entries.front().released; --waves.released) {
    waves.entries.pop_front();
  }
  // Behind a wave that stays long, released ones do not add up.
  if (waves.released > 64 && 2 * waves.released > waves.entries.size()) {
    std::erase_if(waves.entries, [](const Entry& e) { return e.released; });
    waves.released = 0;
  }
  if (waves.entries.empty()) dispatches_.erase(found);
}

bool LaunchOrder::has_turn(uint32_t dispatch, uint64_t wave) const {
  const auto found = dispatches_.find(dispatch);
  return found == dispatches_.end() || found->second.entries.front().wave >= wave;
}

}  // namespace cuvette::gds
