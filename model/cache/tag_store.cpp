// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cache/tag_store.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace cuvette::cache {

TagStore::TagStore(uint32_t bytes, uint32_t ways, uint32_t line_bytes, uint32_t slices,
                   uint32_t interleave_bytes)
    : ways_(ways),
      line_bytes_(line_bytes),
      slices_(slices),
      interleave_bytes_(interleave_bytes),
      sets_(bytes / (ways * line_bytes)),
      lines_(sets_ * ways),
      address_(lines_.size()),
      last_use_(lines_.size()),
      buckets_(std::max<size_t>(2, std::bit_ceil(lines_.size())), kNone),
      next_(lines_.size(), kNone),
      bucket_shift_(64 - static_cast<unsigned>(std::countr_zero(buckets_.size()))) {}

TagStore::Line* TagStore::find(uint64_t address, bool touch) {
  const uint64_t base = base_of(address);
  uint32_t n = bucket_of(base);
  while (n != kNone && address_[n] != base) n = next_[n];
  if (n == kNone) return nullptr;
  if (touch) last_use_[n] = ++clock_;
  return &lines_[n];
}

const TagStore::Line* TagStore::find(uint64_t address) const {
  return const_cast<TagStore*>(this)->find(address, false);
}

TagStore::Line& TagStore::victim(uint64_t address) {
  const auto set = last_use_.begin() + static_cast<std::ptrdiff_t>(set_of(address) * ways_);
  return lines_[static_cast<size_t>(std::min_element(set, set + ways_) - last_use_.begin())];
}

void TagStore::claim(Line& line, uint64_t address) {
  release(line);
  line.address = base_of(address);
  line.used = true;
  for (auto& block : line.blocks) block.valid = block.dirty = 0;
  const auto n = static_cast<uint32_t>(&line - lines_.data());
  address_[n] = line.address;
  last_use_[n] = ++clock_;
  next_[n] = std::exchange(bucket_of(line.address), n);
}

void TagStore::release(Line& line) {
  if (!line.used) return;
  const auto n = static_cast<uint32_t>(&line - lines_.data());
  uint32_t* link = &bucket_of(line.address);
  while (*link != n) link = &next_[*link];
  *link = next_[n];
  last_use_[n] = 0;
  line.used = false;
}

}  // namespace cuvette::cache
