// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace cuvette::hsail {

/// The largest WAVESIZE: activelanemask has 256 bits (HSAIL PRM 9.4).
constexpr unsigned kMostLanes = 256;

/// A set of lanes of a wavefront.
class LaneMask {
 public:
  constexpr LaneMask() = default;

  /// The set of one lane.
  static LaneMask of(unsigned lane) { return range(lane, 1); }
  /// Lanes first to first + count - 1, all below kMostLanes.
  static LaneMask range(unsigned first, unsigned count) {
    LaneMask m;
    for (unsigned i = 0; i < kWords; ++i) {
      const unsigned low = std::clamp(first, 64 * i, 64 * i + 64) - 64 * i;
      const unsigned high = std::clamp(first + count, 64 * i, 64 * i + 64) - 64 * i;
      m.words_[i] = below(high) & ~below(low);
    }
    return m;
  }

  void set(unsigned lane) { words_[lane / 64] |= uint64_t{1} << lane % 64; }
  bool has(unsigned lane) const { return (words_[lane / 64] >> lane % 64 & 1) != 0; }
  bool any() const { return (words_[0] | words_[1] | words_[2] | words_[3]) != 0; }
  bool none() const { return !any(); }
  unsigned count() const {
    unsigned n = 0;
    for (const uint64_t w : words_) n += static_cast<unsigned>(std::popcount(w));
    return n;
  }
  /// The lowest lane; kMostLanes in an empty set.
  unsigned first() const {
    for (unsigned i = 0; i < kWords; ++i) {
      if (words_[i] != 0) return 64 * i + static_cast<unsigned>(std::countr_zero(words_[i]));
    }
    return kMostLanes;
  }
  /// Lanes 64 i to 64 i + 63 as bits.
  uint64_t word(unsigned i) const { return words_[i]; }

  /// f(lane) in rising order.
  template <class F>
  void each(F f) const {
    for (unsigned i = 0; i < kWords; ++i) {
      for (uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        f(64 * i + static_cast<unsigned>(std::countr_zero(rest)));
      }
    }
  }

  LaneMask& operator&=(const LaneMask& o) {
    for (unsigned i = 0; i < kWords; ++i) words_[i] &= o.words_[i];
    return *this;
  }
  /// Without the lanes of `o`.
  LaneMask& operator-=(const LaneMask& o) {
    for (unsigned i = 0; i < kWords; ++i) words_[i] &= ~o.words_[i];
    return *this;
  }
  friend LaneMask operator&(LaneMask a, const LaneMask& b) { return a &= b; }
  friend LaneMask operator-(LaneMask a, const LaneMask& b) { return a -= b; }
  friend bool operator==(const LaneMask& a, const LaneMask& b) { return a.words_ == b.words_; }

 private:
  static constexpr unsigned kWords = kMostLanes / 64;

  static uint64_t below(unsigned n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

  std::array<uint64_t, kWords> words_{};
};

}  // namespace cuvette::hsail
