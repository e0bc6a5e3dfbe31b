// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <set>

#include "wave/memory_op.h"

namespace cuvette::wave {

/// Global wave sync: 64 resources, each a counting semaphore or a barrier by what was done with it
/// last, and the four ordered counters (Vega ISA 12.15, opcodes 152 to 157 and 191). Waves wait in
/// the order in which they came. State lives as long as the machine; INIT sets it. The engine
/// decides when waves go on: golden, and the gds block (docs/reference/gds.md).
class GlobalSync {
 public:
  /// 0: done. Otherwise the wave waits until released(ticket).
  uint64_t perform(const MemoryOp& op);
  /// True once for a ticket whose wave may go on.
  bool released(uint64_t ticket) { return released_.erase(ticket) != 0; }
  /// True if released() would be.
  bool may_go(uint64_t ticket) const { return released_.count(ticket) != 0; }
  /// True if there is a ticket that released() has not been asked for.
  bool any_may_go() const { return !released_.empty(); }
  /// Number of a resource: what its semaphore counts, or how many waves a barrier lacks.
  int64_t counter(unsigned resource) const {
    return resources_[resource % resources_.size()].counter;
  }
  /// Adds to an ordered counter (0 to 3); the value before.
  uint32_t ordered_add(unsigned counter, uint32_t count);
  /// The wave of this ticket waits no more; what it did to the counter stays.
  void drop(uint64_t ticket);
  /// Drops all waiting waves (a dispatch ended early).
  void drop_waiting();

 private:
  struct Resource {
    int64_t counter = 0;
    std::deque<uint64_t> queue;  // tickets
  };
  uint64_t wait(Resource& resource);
  void release(Resource& resource, bool counted);

  std::array<Resource, 64> resources_{};
  std::array<uint32_t, 4> ordered_{};
  std::set<uint64_t> released_;
  uint64_t next_ticket_ = 1;
};

}  // namespace cuvette::wave
