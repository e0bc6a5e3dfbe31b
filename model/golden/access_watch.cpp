// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/access_watch.h"

#include <fmt/format.h>

namespace cuvette::golden {
namespace {

constexpr uint64_t kInBlock = AccessBlock::kBytes - 1;

const char* verb(const LineAccess& line, unsigned byte) {
  if ((line.written >> byte & 1) != 0) return "writes";
  return (line.atomic >> byte & 1) != 0 ? "updates" : "reads";
}

}  // namespace

void AccessWatch::save(AccessBlock& block, uint64_t lines) {
  AccessBlock& known = history_.at(block.number());
  if ((lines & ~known.saved) != 0) known.saved |= snapshot_->save(*log_, block.number(), lines);
  block.saved = known.saved;
}

void AccessWatch::touch(uint64_t address, unsigned bytes, bool write) {
  while (bytes != 0) {
    const auto first = static_cast<unsigned>(address & kInBlock);
    const auto count = std::min(bytes, static_cast<unsigned>(AccessBlock::kBytes) - first);
    block_of(address, count, write).add(first, count, write);
    address += count;
    bytes -= count;
  }
}

void AccessWatch::touch_lanes(uint64_t first, const uint32_t (&offset)[wave::kLanes],
                              uint64_t lanes, unsigned bytes, bool write) {
  // Lanes next to each other that are in one line, as one access.
  constexpr unsigned kLine = AccessBlock::kLine;
  const uint64_t mask = ~uint64_t{0} >> (kLine - bytes);
  uint64_t line = 0, touched = 0;
  AccessBlock* block = nullptr;
  const auto touch_line = [&] {
    if (touched == 0) return;
    if (block == nullptr || block->number() != line >> AccessBlock::kShift) {
      block = &map_->at(line >> AccessBlock::kShift);
    }
    const auto n = static_cast<unsigned>((line & kInBlock) / kLine);
    if (write) keep(*block, uint64_t{1} << n);
    block->add_line(n, touched, write);
  };
  for (; lanes != 0; lanes &= lanes - 1) {
    const uint64_t address = first + offset[__builtin_ctzll(lanes)];
    const auto at = static_cast<unsigned>(address % kLine);
    if (at + bytes > kLine) {
      touch(address, bytes, write);
      continue;
    }
    if (address - at != line) {
      touch_line();
      line = address - at;
      touched = 0;
    }
    touched |= mask << at;
  }
  touch_line();
}

void AccessWatch::atomic(uint64_t address, unsigned bytes, base::AtomicOp op, bool returns) {
  AtomicKind kind = atomic_kind(op, bytes);
  if (returns || kind == AtomicKind::Mixed) {
    depends_on_order(returns              ? "a returning atomic"
                     : base::is_float(op) ? "a float atomic"
                                          : "an atomic that does not commute");
    kind = AtomicKind::Mixed;
  }
  block_of(address, bytes, true).add_atomic(static_cast<unsigned>(address & kInBlock), bytes, kind);
}

void AccessWatch::note_order(const char* what) {
  if (stop_ != nullptr) {
    stop_->store(true, std::memory_order_relaxed);
  } else if (order_.empty()) {
    order_ = fmt::format("{} in work-group {}", what, group_);
  }
}

void AccessWatch::end(uint64_t group, AccessMap& accesses) {
  group_ = group;
  if (stop_ == nullptr) {
    for (size_t i = 0; i < accesses.size(); ++i) name_races(group, accesses[i]);
  }
  if (history_.fold(accesses)) note_order("an overlap with another work-group");
  accesses.clear();
}

/// Against every line's owners, who become more.
void AccessWatch::name_races(uint64_t group, const AccessBlock& block) {
  for (uint64_t rest = block.touched(); rest != 0; rest &= rest - 1) {
    const auto n = static_cast<unsigned>(__builtin_ctzll(rest));
    const LineAccess line = block.line(n);
    std::vector<Owner>& owners = owners_[block.line_address(n)];
    Owner own{group, line};
    uint64_t all = 0;
    for (const Owner& other : owners) {
      const uint64_t races = line.races(other.first);
      all |= races;
      own.first.read &= ~other.first.read;
      own.first.written &= ~other.first.written;
      own.first.atomic &= ~other.first.atomic;
      if (races == 0 || races_.size() == kMostTexts) continue;
      const auto byte = static_cast<unsigned>(__builtin_ctzll(races));
      races_.push_back(fmt::format("{:#x}: work-group {} {}, work-group {} {}",
                                   block.line_address(n) + byte, other.group,
                                   verb(other.first, byte), group, verb(line, byte)));
    }
    race_bytes_ += static_cast<unsigned>(__builtin_popcountll(all));
    if (own.first.any() != 0) owners.push_back(own);
  }
}

}  // namespace cuvette::golden
