// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/atomic_op.h"
#include "wave/state.h"

namespace cuvette::wave {

/// Translation lookaside buffer of software: where pieces of device memory are in the host, by
/// right. Pieces found once are remembered until forget_spans(), when what is mapped changes.
class SoftTlb {
 public:
  virtual ~SoftTlb() = default;

  static constexpr uint64_t kWidest = uint64_t{4} << 20;  ///< bytes of a piece, at most
  /// A span of device memory that is contiguous in the host: addresses [first, end).
  struct Span {
    uint64_t first = 1, end = 0;
    uint8_t* host = nullptr;  ///< host address of `first`
    bool noted = true;        ///< loads from it are reported to who watches
    bool holds(uint64_t address, uint64_t bytes) const {
      return address >= first && address < end && bytes <= end - address;
    }
  };
  /// Host address of [address, address + bytes); null when it is not mapped for this access or
  /// not in one piece.
  [[gnu::always_inline]] uint8_t* host_of(uint64_t address, unsigned bytes, bool write) {
    const Span& span = (write ? write_ : read_)[place_of(address)];
    if (span.holds(address, bytes)) [[likely]]
      return span.host + (address - span.first);
    return find_span(address, bytes, write);
  }

  /// True if accesses have to be reported, stores before they happen and loads unless is_unnoted():
  /// as one piece, or `bytes` bytes for every lane at first + offset[lane].
  bool watched = false;
  /// True if the host's memory may be used for atomics, too.
  bool grants_atomics = true;
  /// Reports an access to device memory by byte address.
  virtual void touch(uint64_t address, unsigned bytes, bool write) = 0;
  /// True if a load of what host_of() has just found need not be reported.
  bool is_unnoted(uint64_t address, uint64_t bytes) const {
    const Span& span = read_[place_of(address)];
    return !span.noted && span.holds(address, bytes);
  }
  /// `offset`: bytes; `lanes`: bit per lane.
  virtual void touch_lanes(uint64_t first, const uint32_t (&offset)[kLanes], uint64_t lanes,
                           unsigned bytes, bool write) = 0;
  virtual void touch_atomic(uint64_t address, unsigned bytes, base::AtomicOp op, bool returns) = 0;

 protected:
  static constexpr unsigned kShift = 16, kBits = 8;
  /// Looks it up and remembers the piece with keep_span().
  virtual uint8_t* find_span(uint64_t address, unsigned bytes, bool write) = 0;
  /// For accesses that begin in the page of 2^kShift bytes that `address` is in.
  void keep_span(const Span& span, uint64_t address, bool write) {
    (write ? write_ : read_)[place_of(address)] = span;
  }
  void forget_spans() {
    read_ = {};
    write_ = {};
  }

 private:
  /// Multiplied, as buffers like to be a power of two apart.
  static uint64_t place_of(uint64_t address) {
    return (address >> kShift) * 0x9e3779b97f4a7c15 >> (64 - kBits);
  }
  using Spans = std::array<Span, size_t{1} << kBits>;
  Spans read_{}, write_{};
};

}  // namespace cuvette::wave
