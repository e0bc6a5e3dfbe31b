// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/access_map.h"

#include <bit>

namespace cuvette::golden {

AtomicKind atomic_kind(base::AtomicOp op, unsigned bytes) {
  using base::AtomicOp;
  const auto kind = [bytes](unsigned n) { return static_cast<AtomicKind>(n + 16 * (bytes / 8)); };
  switch (op) {
    case AtomicOp::Add:
    case AtomicOp::Sub:
      return kind(1);
    case AtomicOp::SMin:
      return kind(2);
    case AtomicOp::UMin:
      return kind(3);
    case AtomicOp::SMax:
      return kind(4);
    case AtomicOp::UMax:
      return kind(5);
    case AtomicOp::And:
      return kind(6);
    case AtomicOp::Or:
      return kind(7);
    case AtomicOp::Xor:
      return kind(8);
    default:
      return AtomicKind::Mixed;
  }
}

AccessMap::AccessMap() : table_(64, nullptr) {}

/// Slot of a block in the table, present or not.
size_t AccessMap::slot_of(uint64_t number) const {
  const size_t mask = table_.size() - 1;
  size_t slot = (number * 0x9e3779b97f4a7c15 >> 32) & mask;
  while (table_[slot] != nullptr && table_[slot]->number != number) slot = (slot + 1) & mask;
  return slot;
}

AccessBlock& AccessMap::find(uint64_t number) {
  size_t slot = slot_of(number);
  if (table_[slot] == nullptr) {
    if (2 * (used_ + 1) > table_.size()) {
      grow();
      slot = slot_of(number);
    }
    if (used_ == blocks_.size()) blocks_.push_back(std::make_unique<AccessBlock>());
    table_[slot] = blocks_[used_++].get();
    table_[slot]->number = number;
  }
  return *(recent_[number % kRecent] = table_[slot]);
}

void AccessMap::grow() {
  table_.assign(2 * table_.size(), nullptr);
  for (size_t i = 0; i < used_; ++i) table_[slot_of(blocks_[i]->number)] = blocks_[i].get();
}

void AccessMap::clear() {
  for (size_t i = 0; i < used_; ++i) {
    AccessBlock& block = *blocks_[i];
    for (; block.touched != 0; block.touched &= block.touched - 1) {
      const auto line = static_cast<unsigned>(__builtin_ctzll(block.touched));
      block.lines[line] = {};
      block.kinds[line] = AtomicKind::None;
    }
    block.saved = 0;
  }
  // As large as this use of the map needed: a small dispatch behind a large one clears little.
  table_.assign(std::bit_ceil(std::max<size_t>(64, 2 * used_)), nullptr);
  if (blocks_.size() > kKept) blocks_.resize(kKept);
  used_ = 0;
  recent_.fill(nullptr);
}

bool AccessMap::fold(const AccessMap& other) {
  uint64_t conflicts = 0;
  for (size_t i = 0; i < other.size(); ++i) {
    const AccessBlock& theirs = other[i];
    AccessBlock& ours = at(theirs.number);
    for (uint64_t rest = theirs.touched; rest != 0; rest &= rest - 1) {
      const auto n = static_cast<unsigned>(__builtin_ctzll(rest));
      LineAccess& a = ours.lines[n];
      const LineAccess& b = theirs.lines[n];
      conflicts |= a.races(b);
      if (b.atomic != 0) {
        AtomicKind& kind = ours.kinds[n];
        if (kind == AtomicKind::None) kind = theirs.kinds[n];
        if (kind != theirs.kinds[n]) kind = AtomicKind::Mixed;
        if (kind == AtomicKind::Mixed) conflicts |= a.atomic & b.atomic;
      }
      a.read |= b.read;
      a.written |= b.written;
      a.atomic |= b.atomic;
    }
    ours.touched |= theirs.touched;
  }
  return conflicts != 0;
}

}  // namespace cuvette::golden
