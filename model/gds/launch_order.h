// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

namespace cuvette::gds {

/// Waves of each dispatch in the order of their launch, as ordered counts have to follow it
/// (gds.md, Ordering). Ids ascend in that order within a dispatch.
class LaunchOrder {
 public:
  void begin(uint32_t dispatch, uint64_t wave);
  /// The wave lets later ones go on, or has ended. Waves that never began are passed over.
  void release(uint32_t dispatch, uint64_t wave);
  /// True if every earlier wave of the dispatch that began has been released.
  bool has_turn(uint32_t dispatch, uint64_t wave) const;

 private:
  struct Entry {
    uint64_t wave = 0;
    bool released = false;
  };
  /// The first entry is not released.
  struct Waves {
    std::deque<Entry> entries;
    size_t released = 0;
  };
  std::map<uint32_t, Waves> dispatches_;  ///< with waves that are not released
};

}  // namespace cuvette::gds
