// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace cuvette::golden {

/// Use of mapped ranges by the work-groups of a dispatch that several host threads run. A range is
/// either read only, and loads from it depend on nobody's order, or changed, and the bytes of every
/// access count. Which one is not known when a dispatch starts: a range counts as read only until
/// the first store or atomic. When loads came before that, the dispatch has to be tried again, with
/// the range as changed from the start, in this and in later dispatches.
///
/// Ranges are named by their first addresses. Every thread may call read() and change().
class RangeUse {
 public:
  /// Before a load. True: its bytes count.
  bool read(uint64_t range);
  /// Before a store or an atomic.
  void change(uint64_t range);
  /// True if a range changed after uncounted loads from it: the try does not hold.
  bool conflict() const { return conflict_.load(std::memory_order_relaxed); }
  /// Starts a try of a dispatch. What is known of a range is kept when another one takes its place:
  /// then more bytes count than have to.
  void start();

 private:
  struct Use {
    bool read = false, changed = false;  ///< in this try
    bool counts = false;                 ///< was read before it was changed, in any try
  };
  std::mutex mutex_;
  static constexpr size_t kMostRanges = 4096;
  std::map<uint64_t, Use> ranges_;
  std::atomic<bool> conflict_{false};
};

}  // namespace cuvette::golden
