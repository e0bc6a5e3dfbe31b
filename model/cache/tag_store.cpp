// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cache/tag_store.h"

namespace cuvette::cache {

TagStore::TagStore(uint32_t bytes, uint32_t ways, uint32_t line_bytes, uint32_t slices,
                   uint32_t interleave_bytes)
    : ways_(ways),
      line_bytes_(line_bytes),
      slices_(slices),
      interleave_bytes_(interleave_bytes),
      sets_(bytes / (ways * line_bytes)),
      lines_(sets_ * ways) {}

TagStore::Line* TagStore::find(uint64_t address, bool touch) {
  const uint64_t base = base_of(address);
  Line* set = &lines_[set_of(address) * ways_];
  for (uint32_t way = 0; way < ways_; ++way) {
    if (set[way].used && set[way].address == base) {
      if (touch) set[way].last_use = ++clock_;
      return &set[way];
    }
  }
  return nullptr;
}

const TagStore::Line* TagStore::find(uint64_t address) const {
  return const_cast<TagStore*>(this)->find(address, false);
}

TagStore::Line& TagStore::victim(uint64_t address) {
  Line* set = &lines_[set_of(address) * ways_];
  Line* oldest = set;
  for (uint32_t way = 0; way < ways_; ++way) {
    if (!set[way].used) return set[way];
    if (set[way].last_use < oldest->last_use) oldest = &set[way];
  }
  return *oldest;
}

void TagStore::claim(Line& line, uint64_t address) {
  line.address = base_of(address);
  line.used = true;
  line.last_use = ++clock_;
  for (auto& block : line.blocks) block.valid = block.dirty = 0;
}

}  // namespace cuvette::cache
