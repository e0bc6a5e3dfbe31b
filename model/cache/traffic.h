// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/occupancy.h"
#include "cache/cache.h"

namespace cuvette::cache {

/// Traffic statistics of one cache: accesses from above, requests to below, and how long both are
/// under way, in cycles. Every access is told once, however often it is tried.
class TrafficCounters {
 public:
  explicit TrafficCounters(const Config& config)
      : channel_bytes_(uint64_t{config.interleave_bytes} * config.slices) {}

  /// A request was taken from its port, and one is answered at `when`, which may be to come.
  void taken(machine::Cycle now) { inside_.enter(now); }
  void answered(machine::Cycle when) { inside_.leave(when); }
  void accessed(const memory::MemReq& request) {
    add(request, detail_.up);
    if (request.slc) ++detail_.streaming;
  }
  void bypassed() { ++detail_.bypassing; }
  void waited_for_fill() { ++detail_.duplicates; }
  void maintained() { ++detail_.maintenance; }
  void maintenance_wrote(uint64_t blocks) { detail_.maintenance_writebacks += blocks; }
  void invalidated_line() { ++detail_.invalidated_lines; }
  void stalled(const memory::MemReq& request, uint64_t cycles);

  void sent(const memory::MemReq& down, machine::Cycle now);
  void replied(memory::MemOp op, machine::Cycle now) {
    if (base::Occupancy* flights = flights_of(op)) flights->leave(now);
  }

  Cache::Detail at(machine::Cycle now) const;

 private:
  static void add(const memory::MemReq& request, Cache::Traffic& to);
  base::Occupancy* flights_of(memory::MemOp op);
  Cache::Detail::Channel& channel_of(const memory::MemReq& request) {
    return detail_.channels[request.address / channel_bytes_ % 2];
  }

  uint64_t channel_bytes_;
  Cache::Detail detail_;
  base::Occupancy inside_, reads_, writes_, atomics_;
};

}  // namespace cuvette::cache
