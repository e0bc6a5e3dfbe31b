// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// What a cache has sent down and waits for: places for ids, and the misses under way by block.
#include <algorithm>
#include <cassert>
#include <utility>

#include "cache/cache_tlm.h"

namespace cuvette::cache {

uint64_t CacheTlm::remember(const Pending& pending) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(pending_.size()));
    pending_.emplace_back();
    assert(pending_.size() <= size_t{1} << kPlaceBits);
  }
  const uint32_t place = free_.back();
  free_.pop_back();
  pending_[place] = pending;
  return next_id_++ << kPlaceBits | place;
}

CacheTlm::Miss* CacheTlm::find_miss(uint64_t block) {
  if (missing_in_[hash_of(block)] == 0) return nullptr;
  const auto found = std::find(missing_.begin(), missing_.end(), block);
  return found == missing_.end() ? nullptr
                                 : &misses_[static_cast<size_t>(found - missing_.begin())];
}

CacheTlm::Miss& CacheTlm::add_miss(uint64_t block) {
  const size_t n = missing_.size();
  missing_.push_back(block);
  ++missing_in_[hash_of(block)];
  if (n == misses_.size()) misses_.emplace_back();
  misses_[n].before_invalidate = 0;
  misses_[n].stale = false;
  misses_[n].written = 0;
  return misses_[n];
}

CacheTlm::Miss& CacheTlm::take_miss(uint64_t block) {
  Miss* const miss = find_miss(block);
  assert(miss != nullptr);
  --missing_in_[hash_of(block)];
  missing_[static_cast<size_t>(miss - misses_.data())] = missing_.back();
  missing_.pop_back();
  std::swap(*miss, misses_[missing_.size()]);
  return misses_[missing_.size()];
}

}  // namespace cuvette::cache
