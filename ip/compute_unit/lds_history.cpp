// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/compute_unit/lds_history.h"

#include <algorithm>

#include <fmt/format.h>

namespace cuvette::ip {

using wave::MemoryKind;

/// Versions that nobody can see any more are dropped when there are so many.
static constexpr size_t kMostVersions = 32;
/// Barriers of a wave that loads under way may still lie before.
static constexpr size_t kMostBarriers = 8;

uint64_t LdsHistory::floor_of(uint64_t wave, uint64_t order, uint32_t address) const {
  uint64_t floor = 0;
  if (const auto own = own_.find({wave, address}); own != own_.end()) {
    if (own->second.order < order) floor = own->second.stamp;
  }
  if (const auto barriers = barriers_.find(wave); barriers != barriers_.end()) {
    for (const Waits& b : barriers->second) {
      if (b.order < order) floor = std::max(floor, b.stamp);
    }
  }
  return floor;
}

/// The newest version up to `floor` and all behind it.
bool LdsHistory::may_see(uint32_t address, uint64_t floor, uint8_t value) const {
  const auto found = versions_.find(address);
  if (found == versions_.end()) return value == 0;
  const std::vector<Version>& all = found->second;
  for (auto v = all.rbegin(); v != all.rend(); ++v) {
    if (v->any || v->value == value) return true;
    if (v->stamp <= floor) return false;
  }
  return all.size() >= kMostVersions || value == 0;
}

std::string LdsHistory::access(uint64_t wave, uint64_t order, const wave::MemoryAccess& a) {
  const bool loads = a.kind == MemoryKind::Load || a.kind == MemoryKind::AtomicReturn;
  const uint8_t* loaded = a.kind == MemoryKind::Load ? a.bytes : a.old_bytes;
  if (a.address + a.size > bytes_) {
    return fmt::format("bytes {:#x} to {:#x} of an LDS of {} bytes", a.address,
                       a.address + a.size - 1, bytes_);
  }
  for (unsigned n = 0; n < a.size; ++n) {
    const auto address = static_cast<uint32_t>(a.address + n);
    if (loads) {
      const uint64_t floor = floor_of(wave, order, address);
      if (!may_see(address, floor, loaded[n])) {
        open_.push_back({wave, order, stamp_, address, loaded[n]});
      }
    }
    if (a.kind == MemoryKind::Load) continue;
    std::vector<Version>& all = versions_[address];
    if (all.size() == kMostVersions) all.erase(all.begin());
    all.push_back({++stamp_, a.bytes[n], a.kind != MemoryKind::Store});
    Own& own = own_[{wave, address}];
    if (own.order <= order) own = {order, stamp_};
  }
  return {};
}

void LdsHistory::arrive(uint64_t wave, uint64_t order) {
  arrived_[wave] = order;
}

std::string LdsHistory::release() {
  std::string wrong = explain();
  for (const auto& [wave, order] : arrived_) {
    std::vector<Waits>& barriers = barriers_[wave];
    if (barriers.size() == kMostBarriers) barriers.erase(barriers.begin());
    barriers.push_back({order, stamp_});
  }
  arrived_.clear();
  return wrong;
}

/// Loads that saw a store before it retired.
std::string LdsHistory::explain() {
  std::string wrong;
  for (const Open& o : open_) {
    const auto found = versions_.find(o.address);
    const bool explained =
        found != versions_.end() &&
        std::any_of(found->second.begin(), found->second.end(), [&o](const Version& v) {
          return v.stamp > o.stamp && (v.any || v.value == o.value);
        });
    if (explained || !wrong.empty()) continue;
    wrong = fmt::format(
        "wave {} instruction {} loads {:#x} from byte {:#x} of the LDS, where it may not see it",
        o.wave, o.order, o.value, o.address);
  }
  open_.clear();
  return wrong;
}

}  // namespace cuvette::ip
