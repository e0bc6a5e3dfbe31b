// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/address_ranges.h"

#include <algorithm>
#include <iterator>

namespace cuvette::base {

std::vector<AddressRanges::Range> AddressRanges::add(uint64_t first, uint64_t end) {
  std::vector<Range> missing;
  if (first >= end) return missing;
  uint64_t at = first;
  uint64_t whole_first = first;
  uint64_t whole_end = end;
  auto it = ends_.upper_bound(first);
  if (it != ends_.begin() && std::prev(it)->second >= first) --it;
  while (it != ends_.end() && it->first <= end) {
    if (it->first > at) missing.emplace_back(at, it->first);
    at = std::max(at, it->second);
    whole_first = std::min(whole_first, it->first);
    whole_end = std::max(whole_end, it->second);
    it = ends_.erase(it);
  }
  if (at < end) missing.emplace_back(at, end);
  ends_[whole_first] = whole_end;
  return missing;
}

bool AddressRanges::contains(uint64_t address) const {
  const auto behind = ends_.upper_bound(address);
  return behind != ends_.begin() && std::prev(behind)->second > address;
}

}  // namespace cuvette::base
