// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace cuvette::base {

/// Set of addresses, kept as disjoint half-open ranges.
class AddressRanges {
 public:
  using Range = std::pair<uint64_t, uint64_t>;  ///< [first, end)

  /// Adds [first, end). Returns the parts that the set did not hold before, ascending.
  std::vector<Range> add(uint64_t first, uint64_t end);

  bool contains(uint64_t address) const;

 private:
  std::map<uint64_t, uint64_t> ends_;  // by first address; no two of them touch
};

}  // namespace cuvette::base
