// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Requests that a cache has sent down and waits for: places for ids, and the misses under way by
// block.
#include <algorithm>
#include <cassert>
#include <utility>

#include "base/bits.h"
#include "cache/cache_model.h"

namespace cuvette::cache {

using machine::Cycle;
using memory::MemOp;
using memory::MemResp;
using memory::MemStatus;

uint64_t CacheModel::remember(const Pending& pending) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(pending_.size()));
    pending_.emplace_back();
    assert(pending_.size() <= size_t{1} << kPlaceBits);
  }
  const uint32_t place = free_.back();
  free_.pop_back();
  pending_[place] = pending;
  return (next_id_++ & base::low_mask(kCountBits)) << kPlaceBits | place;
}

CacheModel::Miss* CacheModel::find_miss(uint64_t block) {
  if (missing_in_[hash_of(block)] == 0) return nullptr;
  const auto found = std::find(missing_.begin(), missing_.end(), block);
  return found == missing_.end() ? nullptr
                                 : &misses_[static_cast<size_t>(found - missing_.begin())];
}

CacheModel::Miss& CacheModel::add_miss(uint64_t block) {
  const size_t n = missing_.size();
  missing_.push_back(block);
  ++missing_in_[hash_of(block)];
  if (n == misses_.size()) misses_.emplace_back();
  misses_[n].before_invalidate = 0;
  misses_[n].stale = false;
  misses_[n].written = 0;
  return misses_[n];
}

CacheModel::Miss& CacheModel::take_miss(uint64_t block) {
  Miss* const miss = find_miss(block);
  assert(miss != nullptr);
  --missing_in_[hash_of(block)];
  missing_[static_cast<size_t>(miss - misses_.data())] = missing_.back();
  missing_.pop_back();
  std::swap(*miss, misses_[missing_.size()]);
  return misses_[missing_.size()];
}

void CacheModel::filled(uint64_t block, const MemResp& reply, Cycle now) {
  Miss& miss = take_miss(block);
  const auto wake_all = [&] {
    for (; !miss.waiting.empty(); miss.waiting.pop_front()) {
      replay_.push_back(std::move(miss.waiting.front()));
    }
  };
  if (reply.status == MemStatus::Fault) {
    // Of the first that asks for nothing here, and of all behind it, the turn comes again.
    for (; !miss.waiting.empty(); miss.waiting.pop_front()) {
      Waiting& w = miss.waiting.front();
      if (!needs_fill(w.request)) break;
      replayed_ = &w;
      count(w.request, false, now);
      answer(w.port, w.request, now, nullptr, MemStatus::Fault);
    }
    replayed_ = nullptr;
    wake_all();
    return;
  }
  MemResp bytes = reply;
  merge(bytes.data.data(), miss.data.data(), miss.written);
  if (miss.stale) {
    // Reads from before the invalidate may have these bytes; everything later asks again, and so do
    // those that go past this cache, for which the fill was not sent.
    MemResp& older = bytes;
    if (const TagStore::Line* held = tags_.find(block, false)) {
      const TagStore::Block& b = tags_.block_of(*held, block);
      merge(older.data.data(), b.data.data(), b.valid);
    }
    while (miss.before_invalidate != 0) {
      Waiting& w = miss.waiting.front();
      if (w.request.op != MemOp::Read || passes(w.request)) break;
      replayed_ = &w;
      count(w.request, false, now);
      replayed_ = nullptr;
      answer(w.port, w.request, now, older.data.data());
      miss.waiting.pop_front();
      --miss.before_invalidate;
    }
    wake_all();
    return;
  }
  TagStore::Line* line = tags_.find(block, true);
  if (line == nullptr) line = &make_room(block, now);
  TagStore::Block& b = tags_.block_of(*line, block);
  merge(b.data.data(), bytes.data.data(), ~b.valid);  // bytes written meanwhile are newer
  b.valid = kWholeBlock;
  wake_all();
}

}  // namespace cuvette::cache
