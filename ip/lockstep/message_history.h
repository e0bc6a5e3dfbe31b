// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ip/lockstep/mismatch.h"
#include "machine/contract.h"

namespace cuvette::ip {

/// The beats of a message as its packed structs, one after the other, each in whole words.
template <class M>
std::vector<uint32_t> beats_of(const M& message) {
  std::vector<uint32_t> beats;
  for (unsigned beat = 0; beat < contract::Message<M>::kBeats; ++beat) {
    const auto pins = contract::pack(message, beat);
    beats.insert(beats.end(), pins.begin(), pins.end());
  }
  return beats;
}

/// A transaction and its number among those of all channels of a block.
struct NumberedTransaction {
  uint64_t number = 0;
  Transaction transaction;  ///< pins of its beats
};

/// The last messages of one channel, each with its number among those of all channels of a block.
template <class M>
class MessageHistory {
 public:
  void add(const M& message, machine::Cycle now, uint64_t number) {
    if (entries_.size() < kRememberedTransactions) entries_.emplace_back();
    Entry& entry = entries_[next_];
    entry.message = message;
    entry.time = now;
    entry.number = number;
    next_ = (next_ + 1) % kRememberedTransactions;
  }
  void collect(unsigned pin, std::vector<NumberedTransaction>& out) const {
    for (const Entry& e : entries_) {
      out.push_back({e.number, {pin, e.time, beats_of(e.message)}});
    }
  }

 private:
  struct Entry {
    M message{};
    machine::Cycle time = 0;
    uint64_t number = 0;
  };
  std::vector<Entry> entries_;
  size_t next_ = 0;
};

}  // namespace cuvette::ip
