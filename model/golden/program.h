// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "hsa/memory.h"
#include "isa/decode.h"
#include "isa/target.h"
#include "wave/prepared.h"

namespace cuvette::golden {

/// Decoded instructions by address, read from memory once. forget() after memory was rewritten;
/// golden itself sees code as it was when first reached, like an instruction cache that is only
/// invalidated when asked.
class Program {
 public:
  Program(const hsa::DeviceMemory& memory, isa::Target target) : memory_(memory), target_(target) {}

  /// What the short way touches fills one cache line.
  struct alignas(64) Entry {
    wave::Prepared prepared;
    uint64_t executed = 0;  ///< how often; counted by who executes
    bool ready = false;
    isa::Decoded decoded;
  };
  /// The instruction at `pc` (a multiple of 4). Null when the memory cannot be fetched.
  Entry* at(uint64_t pc) {
    const uint64_t page = pc >> kPageShift;
    if (page != last_page_) [[unlikely]]
      turn_to(page);
    Entry& entry = last_[(pc >> 2) & (kPageEntries - 1)];
    if (!entry.ready && !fetch(pc, entry)) [[unlikely]]
      return nullptr;
    return &entry;
  }
  /// The entry at `pc`, which follows `entry` of the last at(); null on another page. Perhaps not
  /// decoded yet: only at() sees to that.
  Entry* following(uint64_t pc, Entry& entry) const {
    return pc >> kPageShift == last_page_ ? &entry + entry.prepared.length : nullptr;
  }
  /// Executions per instruction since the last forget(), in table order.
  std::map<const isa::Row*, uint64_t> executed() const;
  void forget() {
    pages_.clear();
    last_page_ = ~uint64_t{0};
  }

 private:
  static constexpr unsigned kPageShift = 10;
  static constexpr size_t kPageEntries = size_t{1} << (kPageShift - 2);
  void turn_to(uint64_t page);
  bool fetch(uint64_t pc, Entry& entry);

  const hsa::DeviceMemory& memory_;
  isa::Target target_;
  std::unordered_map<uint64_t, std::vector<Entry>> pages_;
  uint64_t last_page_ = ~uint64_t{0};
  Entry* last_ = nullptr;
};

}  // namespace cuvette::golden
