// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuvette::base {

/// Some of the numbers 0 to size - 1: those of many parts that have something to do, so that nobody
/// has to look at the others.
class IndexSet {
 public:
  explicit IndexSet(size_t size = 0) : words_((size + kBits - 1) / kBits) {}

  void insert(size_t index) { word(index) |= uint64_t{1} << index % kBits; }
  void erase(size_t index) { word(index) &= ~(uint64_t{1} << index % kBits); }

  bool empty() const {
    for (const uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }

  /// The lowest number that is not in it; `size` or more when all are.
  size_t first_absent() const {
    size_t w = 0;
    while (w < words_.size() && words_[w] == ~uint64_t{0}) ++w;
    return w * kBits + (w < words_.size() ? lowest(~words_[w]) : 0);
  }

  /// Calls `act(index)` in ascending order. `act` may erase its own index.
  template <class Act>
  void for_each(Act act) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      for (uint64_t left = words_[w]; left != 0; left &= left - 1) {
        act(w * kBits + lowest(left));
      }
    }
  }

 private:
  static constexpr size_t kBits = 64;
  static size_t lowest(uint64_t word) { return static_cast<size_t>(__builtin_ctzll(word)); }
  uint64_t& word(size_t index) {
    assert(index / kBits < words_.size());
    return words_[index / kBits];
  }

  std::vector<uint64_t> words_;
};

}  // namespace cuvette::base
