// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace cuvette::spi {

/// First-fit allocation of [0, size) in whole granules: vector registers, LDS.
class RangeAllocator {
 public:
  RangeAllocator(uint32_t size, uint32_t granule) : size_(size), granule_(granule) {}

  uint32_t rounded(uint32_t amount) const { return (amount + granule_ - 1) / granule_ * granule_; }

  /// Start of a free range of `amount`, rounded up to granules; 0 for an amount of 0.
  std::optional<uint32_t> allocate(uint32_t amount) {
    const uint32_t wanted = rounded(amount);
    if (wanted == 0) return 0;
    uint32_t at = 0;
    auto next = used_.begin();
    for (; next != used_.end() && next->start - at < wanted; ++next)
      at = next->start + next->length;
    if (size_ - at < wanted) return std::nullopt;
    used_.insert(next, Used{at, wanted});
    return at;
  }
  void free(uint32_t start, uint32_t amount) {
    if (rounded(amount) == 0) return;
    const auto found = std::find_if(used_.begin(), used_.end(),
                                    [start](const Used& u) { return u.start == start; });
    if (found != used_.end()) used_.erase(found);
  }
  bool empty() const { return used_.empty(); }

 private:
  struct Used {
    uint32_t start, length;
  };
  uint32_t size_, granule_;
  std::vector<Used> used_;  // ascending; as many as waves or work-groups, so few
};

}  // namespace cuvette::spi
