// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cache/tag_store.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/bits.h"

namespace cuvette::cache {

using memory::kBlockBytes;

TagStore::TagStore(const Config& config)
    : ways_(config.ways),
      line_bytes_(config.line_bytes),
      slices_(config.slices),
      interleave_bytes_(config.interleave_bytes),
      sets_(config.sets()),
      replacement_(  // checked with the description
          make_replacement(config.replacement, {sets_, ways_, seed_of(config)}).value()),
      lines_(sets_ * ways_),
      address_(lines_.size()),
      used_(lines_.size()),
      buckets_(std::max<size_t>(2, std::bit_ceil(lines_.size())), kNone),
      next_(lines_.size(), kNone),
      bucket_shift_(64 - static_cast<unsigned>(std::countr_zero(buckets_.size()))) {}

TagStore::Line* TagStore::find(uint64_t address, bool touch) {
  const uint64_t base = base_of(address);
  uint32_t n = bucket_of(base);
  while (n != kNone && address_[n] != base) n = next_[n];
  if (n == kNone) return nullptr;
  if (touch) replacement_->touch(n);
  return &lines_[n];
}

const TagStore::Line* TagStore::find(uint64_t address) const {
  return const_cast<TagStore*>(this)->find(address, false);
}

TagStore::Line& TagStore::victim(uint64_t address) {
  const size_t set = set_of(address), first = set * ways_;
  if (const void* const free = std::memchr(&used_[first], 0, ways_)) {
    return lines_[static_cast<size_t>(static_cast<const uint8_t*>(free) - used_.data())];
  }
  return lines_[first + replacement_->victim(set)];
}

void TagStore::claim(Line& line, uint64_t address) {
  release(line);
  line.address = base_of(address);
  line.used = true;
  for (auto& block : line.blocks) block.valid = block.dirty = 0;
  const auto n = static_cast<uint32_t>(&line - lines_.data());
  address_[n] = line.address;
  used_[n] = 1;
  replacement_->touch(n);
  next_[n] = std::exchange(bucket_of(line.address), n);
}

void TagStore::release(Line& line) {
  if (!line.used) return;
  const auto n = static_cast<uint32_t>(&line - lines_.data());
  uint32_t* link = &bucket_of(line.address);
  while (*link != n) link = &next_[*link];
  *link = next_[n];
  used_[n] = 0;
  line.used = false;
}

void merge(uint8_t* to, const uint8_t* from, uint64_t mask) {
  if (mask == kWholeBlock) {
    std::memcpy(to, from, kBlockBytes);
    return;
  }
  while (mask != 0) {  // run by run
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    const auto count = static_cast<unsigned>(std::countr_one(mask >> first));
    std::memcpy(to + first, from + first, count);
    mask &= ~(base::low_mask(count) << first);
  }
}

}  // namespace cuvette::cache
