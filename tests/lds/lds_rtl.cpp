// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "lds_rtl.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/bits.h"

namespace cuvette::lds::testing {

using wave::kLanes;
using wave::MemoryKind;

Cost cost_of(const Request& r) {
  // The words of each bank: a set, or for atomic operations all of them (lds.md, Timing).
  Cost total;
  const bool atomic = r.kind >= MemoryKind::Atomic;
  const unsigned places = r.operand_in_lds ? 2 : r.accesses;
  for (unsigned which = 0; which < places; ++which) {
    for (unsigned group = 0; group < kLanes; group += 32) {
      std::map<uint32_t, std::multiset<uint32_t>> banks;
      uint32_t count = 0;
      for (unsigned l = group; l < group + 32; ++l) {
        const uint64_t offset = r.offset[which][l];
        const bool fits = offset + r.bytes <= r.limit && r.base + offset + r.bytes <= 65536;
        if (!base::bit(r.exec, l) || !fits) continue;
        for (uint32_t k = 0; k < (r.bytes + 3u) / 4; ++k) {
          const auto word = static_cast<uint32_t>((r.base + offset) / 4 + k);
          auto& bank = banks[word % 32];
          if (!atomic && bank.count(word) != 0) continue;
          bank.insert(word);
          ++count;
        }
      }
      uint32_t busiest = 0;
      for (const auto& bank : banks) {
        busiest = std::max(busiest, static_cast<uint32_t>(bank.second.size()));
      }
      total.busy += busiest;
      total.conflict += busiest - (count + 31) / 32;
    }
  }
  return total;
}

void Schedule::clock(const Request* taken, bool given) {
  if (!serves_ && !whole_.empty() && due_.size() < kSlots) {
    const Whole& w = whole_.front();
    serves_ = true;
    ends_ = now_ + std::max(1u, w.cost.busy) - 1;
    if (w.atomic) ends_ = std::max(ends_, now_ + kAtomicLanes);
    due_.push_back(now_ + kLatency + w.cost.conflict);
  }
  if (serves_ && ends_ == now_) {
    whole_.pop_front();
    serves_ = false;
  }
  if (taken != nullptr && ++taken_ == kBeats) {
    whole_.push_back({cost_of(*taken), taken->kind >= MemoryKind::Atomic});
    taken_ = 0;
  }
  if (given && ++given_ == kBeats) {
    due_.pop_front();
    given_ = 0;
  }
  ++now_;
}

}  // namespace cuvette::lds::testing
