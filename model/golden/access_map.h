// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/atomic_op.h"

namespace cuvette::golden {

/// Accesses to 64 bytes that begin at a multiple of 64: bit n is byte n.
struct LineAccess {
  uint64_t read = 0, written = 0;
  uint64_t atomic = 0;  ///< atomics without return

  uint64_t any() const { return read | written | atomic; }
  /// Bytes that both touched where one of them changed them, atomics of both apart.
  uint64_t races(const LineAccess& o) const {
    return (o.written & any()) | (written & o.any()) | (o.atomic & read) | (atomic & o.read);
  }
};

/// Atomics of one kind commute with each other: the result does not depend on their order. A width
/// belongs to the kind.
enum class AtomicKind : uint8_t { None = 0, Mixed = 255 };

/// Mixed: does not even commute with itself (integer exchanges, counters with a limit, all float
/// operations).
AtomicKind atomic_kind(base::AtomicOp op, unsigned bytes);

/// 4 KiB of addresses, bookkeeping to the byte. Accesses to whole lines, which most are, take a bit
/// each.
class AccessBlock {
 public:
  static constexpr unsigned kShift = 12, kLine = 64;
  static constexpr uint64_t kBytes = uint64_t{1} << kShift;
  static constexpr unsigned kLines = kBytes / kLine;
  static constexpr uint64_t kWholeLine = ~uint64_t{0};

  explicit AccessBlock(uint64_t number) : number_(number) {}
  /// Becomes that of other addresses, with no accesses.
  void renew(uint64_t number);

  uint64_t number() const { return number_; }  ///< address / kBytes
  uint64_t line_address(unsigned line) const { return number_ * kBytes + line * kLine; }
  static uint64_t lines_of(unsigned first, unsigned bytes) {
    const unsigned last = (first + bytes - 1) / kLine;
    return (~uint64_t{0} << (first / kLine)) & (~uint64_t{0} >> (kLines - 1 - last));
  }
  /// Lines with accesses, a bit each.
  uint64_t touched() const { return read_ | written_ | in_part_; }
  LineAccess line(unsigned n) const;

  /// Adds a load or store of `bytes` bytes from byte `first` of the block on, inside of it.
  void add(unsigned first, unsigned bytes, bool write);
  /// The same for bytes of one line, a bit each.
  void add_line(unsigned n, uint64_t bytes, bool write) {
    if (bytes == kWholeLine) {
      (write ? written_ : read_) |= uint64_t{1} << n;
      return;
    }
    LineAccess& line = part(n);
    if (((write ? line.written : line.read) |= bytes) == kWholeLine) complete(n);
  }
  void add_atomic(unsigned first, unsigned bytes, AtomicKind kind);
  /// AccessMap::fold() for one block.
  bool fold(const AccessBlock& other);

  uint64_t saved = 0;  ///< bit per line: the snapshot has it

 private:
  struct Parts {
    LineAccess lines[kLines];
    AtomicKind kinds[kLines] = {};
  };
  LineAccess& part(unsigned n) {
    if (parts_ == nullptr) parts_ = std::make_unique<Parts>();
    in_part_ |= uint64_t{1} << n;
    return parts_->lines[n];
  }
  /// The line has got all of its bytes in parts: as one access when there is no other.
  void complete(unsigned n);
  void add_kind(unsigned n, AtomicKind kind);
  bool fold_line(const AccessBlock& other, unsigned n);

  uint64_t number_;
  uint64_t read_ = 0, written_ = 0;  // bit per line: all of its bytes
  uint64_t in_part_ = 0;             // bit per line: parts_ has accesses, to be added to the former
  std::unique_ptr<Parts> parts_;
};

/// Map of the bytes of memory that were read and written. Blocks stand in the order of their first
/// access.
class AccessMap {
 public:
  AccessMap();

  AccessBlock& at(uint64_t number) {
    AccessBlock* const recent = recent_[number % kRecent];
    return recent != nullptr && recent->number() == number ? *recent : find(number);
  }
  size_t size() const { return used_; }
  const AccessBlock& operator[](size_t i) const { return blocks_[i]; }
  /// Keeps the storage of some blocks.
  void clear();
  /// Adds what `other` says. True when that conflicts with what is here already: one of both
  /// changed a byte that the other touched, other than by atomics of one kind.
  bool fold(const AccessMap& other);

 private:
  static constexpr size_t kRecent = 32;
  static constexpr size_t kKept = 8192;

  AccessBlock& find(uint64_t number);
  void grow();
  size_t slot_of(uint64_t number) const;

  std::deque<AccessBlock> blocks_;  // stay where they are; the first used_ ones count
  size_t used_ = 0;
  std::vector<AccessBlock*> table_;             // open addressing, at most half full
  std::array<AccessBlock*, kRecent> recent_{};  ///< found last, by the low bits of their numbers
};

}  // namespace cuvette::golden
