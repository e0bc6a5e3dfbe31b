// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "lds/bank_cycles.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

#include "base/bits.h"

namespace cuvette::lds {

namespace {

/// The words that a group of lanes wants of each bank.
class BankWords {
 public:
  /// `repeated`: a word that is wanted twice counts twice.
  BankWords(unsigned banks, bool repeated)
      : banks_(banks), shift_(std::countr_zero(banks)), repeated_(repeated) {
    std::memset(last_, kNone, banks);
  }
  void add(uint32_t word) {
    const unsigned bank = word & (banks_ - 1);
    uint32_t wanted = 1;
    for (uint8_t w = last_[bank]; w != kNone; w = before_[w], ++wanted) {
      if (words_[w] == word && !repeated_) return;
    }
    busiest_ = std::max(busiest_, wanted);
    words_[count_] = word;
    before_[count_] = std::exchange(last_[bank], static_cast<uint8_t>(count_));
    ++count_;
  }
  /// Number of words wanted from the bank that has the most.
  uint32_t busiest() const { return busiest_; }
  /// Cycles beyond those that the words need when they lie in all banks alike.
  uint32_t conflict() const { return busiest_ - ((count_ + banks_ - 1) >> shift_); }

 private:
  static constexpr uint8_t kNone = 0xff;
  static constexpr unsigned kMost = wave::kLanes * 4;
  static_assert(kMost - 1 <= kNone);  // the last one of a full set is nobody's `before_`

  unsigned banks_;
  int shift_;
  bool repeated_;
  uint32_t count_ = 0, busiest_ = 0;
  uint8_t last_[Banks::kMost], before_[kMost];  // chains by bank
  uint32_t words_[kMost];
};

}  // namespace

BankCycles& BankCycles::operator+=(const BankCycles& other) {
  busy += other.busy;
  conflict += other.conflict;
  address_conflict += other.address_conflict;
  return *this;
}

Banks::Banks(unsigned banks, unsigned group) : banks_(banks), group_(group) {
  assert(banks != 0 && banks <= kMost && (banks & (banks - 1)) == 0 && group != 0);
}

BankCycles Banks::cycles_of(uint64_t lanes, uint32_t base, uint32_t limit,
                            const std::array<uint32_t, wave::kLanes>& offset, unsigned bytes,
                            bool atomic) const {
  BankCycles total;
  const unsigned words_per_access = (bytes + kWordBytes - 1) / kWordBytes;
  for (unsigned first = 0; first < wave::kLanes; first += group_) {
    const unsigned end = std::min(first + group_, wave::kLanes);
    BankWords words(banks_, atomic);
    BankWords different(banks_, false);  // of an atomic
    const uint64_t group = lanes & base::low_mask(end) & ~base::low_mask(first);
    for (uint64_t left = group; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
      if (uint64_t{offset[lane]} + bytes > limit) continue;
      const uint32_t word = (base + offset[lane]) / kWordBytes;
      for (unsigned w = 0; w < words_per_access; ++w) words.add(word + w);
      for (unsigned w = 0; atomic && w < words_per_access; ++w) different.add(word + w);
    }
    const uint32_t conflict = words.conflict();
    total.busy += words.busiest();
    total.conflict += conflict;
    if (atomic) total.address_conflict += conflict - std::min(conflict, different.conflict());
  }
  return total;
}

}  // namespace cuvette::lds
