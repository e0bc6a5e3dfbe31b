// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Requests that a cache has sent down and waits for: places for ids, the misses under way by block,
// and the requests that their fills wake.
#include <algorithm>
#include <cassert>
#include <utility>

#include "base/bits.h"
#include "cache/cache_model.h"

namespace cuvette::cache {

using machine::Cycle;
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
  // Of a fault, the first that asks for nothing here, and all behind it, have their turn again.
  const bool faulted = reply.status == MemStatus::Fault;
  for (; faulted && !miss.waiting.empty(); miss.waiting.pop_front(), --waiting_) {
    Waiting& w = miss.waiting.front();
    if (!needs_fill(w.request)) break;
    replayed_ = &w;
    count(w.request, false, now);
    answer(w.port, w.request, now, nullptr, MemStatus::Fault);
  }
  replayed_ = nullptr;
  if (faulted) room_at_ = std::min(room_at_, now);
  if (miss.waiting.empty()) return;
  Woken& woken = woken_.append();
  woken.block = block;
  woken.places = !faulted;
  woken.ready = now + 1;
  woken.data = reply.data;
  merge(woken.data.data(), miss.data.data(), miss.written);
  std::swap(woken.waiting, miss.waiting);
}

bool CacheModel::has_room(Cycle now) const {
  const auto recent = [now](Cycle turn) { return turn != 0 && turn + kCountDelay >= now; };
  const auto known = [&](size_t count, const std::array<Cycle, 2>& taken, Cycle freed) {
    count += recent(freed);
    // One that joined woken requests may have had its turn already.
    for (const Cycle turn : taken) count -= count != 0 && recent(turn);
    return count;
  };
  const uint32_t misses = config_.misses;
  const uint32_t kept = std::min(2u, misses - 1);
  return known(missing_.size() + woken_.size(), added_, freed_) + kept < misses &&
         known(waiting_, joined_, left_) + kept < size_t{2} * misses;
}

Cycle CacheModel::woken_at() const {
  if (woken_.empty()) return machine::kNever;
  return std::max(woken_.front().ready, last_step_ + kWoken);
}

CacheModel::Woken* CacheModel::find_woken(uint64_t block) {
  for (size_t i = 0; i < woken_.size(); ++i) {
    if (woken_[i].block == block) return &woken_[i];
  }
  return nullptr;
}

/// A fill answers those that it wakes even if another one has taken the line meanwhile, or a few
/// lines could be fetched for ever.
void CacheModel::serve_woken(Cycle now) {
  Woken& woken = woken_.front();
  busy_until_ = now + 1;
  if (std::exchange(woken.places, false)) {
    last_step_ = now;
    return place(woken, now);
  }
  Waiting& w = woken.waiting.front();
  if (w.lost != nullptr) bring_back(*std::exchange(w.lost, nullptr), w.request.address, now);
  replayed_ = &w;
  const bool served = serve(w.port, w.request, now);
  tried(served, w.request, now);
  replayed_ = nullptr;
  if (!served) return;
  woken.waiting.pop_front();
  --waiting_;
  last_turn_ = last_step_ = busy_until_ - 1;
  if (Miss* const again = find_miss(woken.block)) {  // the others wait for that fill, too
    for (; !woken.waiting.empty(); woken.waiting.pop_front()) {
      again->waiting.push_back(std::move(woken.waiting.front()));
      again->waiting.back().lost.reset();
    }
  } else {
    left_ = last_turn_;
    if (woken.waiting.empty()) freed_ = last_turn_;
    room_at_ = std::min(room_at_, last_turn_ + kCountDelay + 1);
  }
  if (woken.waiting.empty()) woken_.pop_front();
}

void CacheModel::place(const Woken& woken, Cycle now) {
  TagStore::Line* line = tags_.find(woken.block, true);
  if (line == nullptr) line = &make_room(woken.block, now);
  TagStore::Block& b = tags_.block_of(*line, woken.block);
  merge(b.data.data(), woken.data.data(), ~b.valid);  // bytes written meanwhile are newer
  b.valid = kWholeBlock;
}

}  // namespace cuvette::cache
