// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace cuvette::base {

/// Cache of the results of the last lookups by address, so that the next one near by need not
/// search. An entry is a hint only: the caller checks that it holds the address. Threads may look
/// and note at the same time; forget(), needed before something noted goes away, must not overlap
/// with them.
template <class T>
class LookupHints {
 public:
  /// Entry that was noted last near `address`; null when there is none.
  const T* at(uint64_t address) const { return slot(address).load(std::memory_order_relaxed); }
  void note(uint64_t address, const T* found) const {
    slot(address).store(found, std::memory_order_relaxed);
  }
  void forget() {
    for (auto& s : slots_) s.store(nullptr, std::memory_order_relaxed);
  }

 private:
  static constexpr size_t kSlots = 16;
  static constexpr unsigned kShift = 12;  ///< the ring of a queue uses all slots, few others one
  std::atomic<const T*>& slot(uint64_t address) const {
    return slots_[(address >> kShift) % kSlots];
  }

  mutable std::array<std::atomic<const T*>, kSlots> slots_{};
};

}  // namespace cuvette::base
