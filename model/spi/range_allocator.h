// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

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
    for (const auto& [start, length] : used_) {
      if (start - at >= wanted) break;
      at = start + length;
    }
    if (size_ - at < wanted) return std::nullopt;
    used_[at] = wanted;
    return at;
  }
  void free(uint32_t start, uint32_t amount) {
    if (rounded(amount) != 0) used_.erase(start);
  }
  bool empty() const { return used_.empty(); }

 private:
  uint32_t size_, granule_;
  std::map<uint32_t, uint32_t> used_;  // start to length
};

}  // namespace cuvette::spi
