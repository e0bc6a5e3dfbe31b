// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/access_map.h"

#include <algorithm>
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

void AccessBlock::renew(uint64_t number) {
  number_ = number;
  for (; in_part_ != 0; in_part_ &= in_part_ - 1) {
    const auto n = static_cast<unsigned>(std::countr_zero(in_part_));
    parts_->lines[n] = {};
    parts_->kinds[n] = AtomicKind::None;
  }
  read_ = written_ = saved = 0;
}

LineAccess AccessBlock::line(unsigned n) const {
  const uint64_t bit = uint64_t{1} << n;
  LineAccess line;
  if ((in_part_ & bit) != 0) line = parts_->lines[n];
  if ((read_ & bit) != 0) line.read = kWholeLine;
  if ((written_ & bit) != 0) line.written = kWholeLine;
  return line;
}

namespace {

/// Calls act(line, bytes of it) for every line of [first, first + bytes) of a block.
template <class Act>
void for_lines(unsigned first, unsigned bytes, Act act) {
  constexpr unsigned kLine = AccessBlock::kLine;
  while (bytes != 0) {
    const unsigned bit = first % kLine, count = std::min(bytes, kLine - bit);
    act(first / kLine, (AccessBlock::kWholeLine >> (kLine - count)) << bit);
    first += count;
    bytes -= count;
  }
}

}  // namespace

void AccessBlock::add(unsigned first, unsigned bytes, bool write) {
  for_lines(first, bytes, [&](unsigned n, uint64_t mask) { add_line(n, mask, write); });
}

void AccessBlock::complete(unsigned n) {
  LineAccess& line = parts_->lines[n];
  if (line.atomic != 0) return;
  const uint64_t bit = uint64_t{1} << n;
  if (line.written == kWholeLine) {
    written_ |= bit;  // loads do not matter beside that
  } else if (line.written == 0) {
    read_ |= bit;
  } else {
    return;
  }
  in_part_ &= ~bit;
  line = {};
}

void AccessBlock::add_kind(unsigned n, AtomicKind kind) {
  AtomicKind& there = parts_->kinds[n];
  if (there == AtomicKind::None) there = kind;
  if (there != kind) there = AtomicKind::Mixed;
}

void AccessBlock::add_atomic(unsigned first, unsigned bytes, AtomicKind kind) {
  for_lines(first, bytes, [&](unsigned n, uint64_t mask) {
    part(n).atomic |= mask;
    add_kind(n, kind);
  });
}

bool AccessBlock::fold_line(const AccessBlock& other, unsigned n) {
  const LineAccess before = line(n), theirs = other.line(n);
  bool conflict = before.races(theirs) != 0;
  LineAccess& ours = part(n);
  if (theirs.atomic != 0) {
    add_kind(n, other.parts_->kinds[n]);
    if (parts_->kinds[n] == AtomicKind::Mixed) {
      conflict = conflict || (before.atomic & theirs.atomic) != 0;
    }
  }
  ours.read |= theirs.read;
  ours.written |= theirs.written;
  ours.atomic |= theirs.atomic;
  return conflict;
}

bool AccessBlock::fold(const AccessBlock& other) {
  const uint64_t in_part = other.touched() & (in_part_ | other.in_part_);
  const uint64_t read = other.read_ & ~in_part, written = other.written_ & ~in_part;
  bool conflict = (written & (read_ | written_)) != 0 || (read & written_) != 0;
  read_ |= read;
  written_ |= written;
  for (uint64_t rest = in_part; rest != 0; rest &= rest - 1) {
    conflict = fold_line(other, static_cast<unsigned>(std::countr_zero(rest))) || conflict;
  }
  return conflict;
}

AccessMap::AccessMap() : table_(64, nullptr) {}

/// Slot of a block in the table, present or not.
size_t AccessMap::slot_of(uint64_t number) const {
  const size_t mask = table_.size() - 1;
  size_t slot = (number * 0x9e3779b97f4a7c15 >> 32) & mask;
  while (table_[slot] != nullptr && table_[slot]->number() != number) slot = (slot + 1) & mask;
  return slot;
}

AccessBlock& AccessMap::find(uint64_t number) {
  size_t slot = slot_of(number);
  if (table_[slot] == nullptr) {
    if (2 * (used_ + 1) > table_.size()) {
      grow();
      slot = slot_of(number);
    }
    if (used_ == blocks_.size()) {
      blocks_.emplace_back(number);
    } else {
      blocks_[used_].renew(number);
    }
    table_[slot] = &blocks_[used_++];
  }
  return *(recent_[number % kRecent] = table_[slot]);
}

void AccessMap::grow() {
  table_.assign(2 * table_.size(), nullptr);
  for (size_t i = 0; i < used_; ++i) table_[slot_of(blocks_[i].number())] = &blocks_[i];
}

void AccessMap::clear() {
  // As large as this use of the map needed: a small dispatch behind a large one clears little.
  table_.assign(std::bit_ceil(std::max<size_t>(64, 2 * used_)), nullptr);
  while (blocks_.size() > kKept) blocks_.pop_back();
  used_ = 0;
  recent_.fill(nullptr);
}

bool AccessMap::fold(const AccessMap& other) {
  bool conflict = false;
  for (size_t i = 0; i < other.size(); ++i) {
    const AccessBlock& theirs = other[i];
    conflict = at(theirs.number()).fold(theirs) || conflict;
  }
  return conflict;
}

}  // namespace cuvette::golden
