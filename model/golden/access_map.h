// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
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

/// 4 KiB of addresses, bookkeeping to the byte.
struct AccessBlock {
  static constexpr unsigned kShift = 12, kLine = 64;
  static constexpr uint64_t kBytes = uint64_t{1} << kShift;
  static constexpr unsigned kLines = kBytes / kLine;

  uint64_t number = 0;   ///< address / kBytes
  uint64_t touched = 0;  ///< bit per line
  uint64_t saved = 0;    ///< bit per line: the snapshot has it
  AtomicKind kinds[kLines] = {};
  LineAccess lines[kLines];

  static uint64_t lines_of(unsigned first, unsigned bytes) {
    const unsigned last = (first + bytes - 1) / kLine;
    return (~uint64_t{0} << (first / kLine)) & (~uint64_t{0} >> (kLines - 1 - last));
  }
  uint64_t line_address(unsigned line) const { return number * kBytes + line * kLine; }
  template <class Act>  // act(LineAccess&, uint64_t bytes, unsigned line)
  void for_lines(unsigned first, unsigned bytes, Act act) {
    while (bytes != 0) {
      const unsigned line = first / kLine, bit = first % kLine;
      const unsigned count = std::min(bytes, kLine - bit);
      touched |= uint64_t{1} << line;
      act(lines[line], (~uint64_t{0} >> (kLine - count)) << bit, line);
      first += count;
      bytes -= count;
    }
  }
};

/// Map of the bytes of memory that were read and written. Blocks stand in the order of their first
/// access.
class AccessMap {
 public:
  AccessMap();

  AccessBlock& at(uint64_t number) {
    AccessBlock* const recent = recent_[number % kRecent];
    return recent != nullptr && recent->number == number ? *recent : find(number);
  }
  size_t size() const { return used_; }
  const AccessBlock& operator[](size_t i) const { return *blocks_[i]; }
  /// Keeps the storage, up to 16 MiB.
  void clear();
  /// Adds what `other` says. True when that conflicts with what is here already: one of both
  /// changed a byte that the other touched, other than by atomics of one kind.
  bool fold(const AccessMap& other);

 private:
  static constexpr size_t kRecent = 32;
  static constexpr size_t kKept = (size_t{16} << 20) / sizeof(AccessBlock);

  AccessBlock& find(uint64_t number);
  void grow();
  size_t slot_of(uint64_t number) const;

  std::vector<std::unique_ptr<AccessBlock>> blocks_;  // the first used_ ones count
  size_t used_ = 0;
  std::vector<AccessBlock*> table_;             // open addressing, at most half full
  std::array<AccessBlock*, kRecent> recent_{};  ///< found last, by the low bits of their numbers
};

}  // namespace cuvette::golden
