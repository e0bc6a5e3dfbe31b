// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cache/cache_messages.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "memory/memory_messages.h"

/// Contract of the cache block (docs/cache.md): one class of cache in four roles. Caches hold data,
/// so a missing invalidate or write-back gives the stale value, as on hardware.
namespace cuvette::cache {

/// `up`: requesters, `down`: next level. Hits answer after hit_cycles. Requests of one `up` port to
/// one block stay in order; others may overtake. Lockstep classes: status `exact`, data `exact`
/// under the order that the serials state; serial and order of responses `ordered-by-dut` (serials
/// of our own L2 follow (time, cu, sequence)); time `time`.
class Cache : public machine::Core {
 public:
  /// Between domains (docs/engines.md) channels have no depth limit: senders are bound by their
  /// credits.
  struct Port {
    explicit Port(size_t depth = machine::kUnbounded) : request(depth), response(depth) {}
    machine::Channel<memory::MemReq> request;
    machine::Channel<memory::MemResp> response;
  };
  virtual unsigned up_ports() const = 0;
  virtual Port& up(unsigned index) = 0;
  /// Owned by the next level: the cache pushes into `down.request`, reads `down.response`.
  virtual void connect(Port& down) = 0;

  /// An access that waits for a miss under way, or goes past the cache, is a miss. A write hits
  /// when its line is held. Every access is counted once, however often it is tried.
  struct Counters {
    uint64_t reads = 0, read_hits = 0, read_misses = 0;
    uint64_t writes = 0, write_hits = 0, write_misses = 0;
    uint64_t atomics = 0, atomic_hits = 0, atomic_misses = 0;
    uint64_t fills = 0;     ///< blocks asked for below
    uint64_t forwards = 0;  ///< accesses passed on
    uint64_t evictions = 0, writebacks = 0, invalidates = 0;
    uint64_t stalls = 0;        ///< times a request stood still because every miss entry was taken
    uint64_t stall_cycles = 0;  ///< how long
  };
  virtual Counters counters() const = 0;

  /// Called at every miss when set, with the request that missed; false when the implementation has
  /// no such observer.
  using OnMiss = std::function<void(machine::Cycle now, const memory::MemReq& request)>;
  virtual bool on_miss(OnMiss) { return false; }

  /// Backdoor for host accesses and tests: the bytes this cache would answer with, without time.
  /// False when the block is not held.
  virtual bool peek(uint64_t address, uint8_t* bytes, unsigned count) const = 0;

  /// Backdoor: calls `f` with the bytes that stores and atomics have left here and that the level
  /// below has not acknowledged, older ones first. False when the implementation cannot tell.
  using OnDirty = std::function<void(uint64_t address, uint64_t byte_mask, const uint8_t* block)>;
  virtual bool for_dirty(const OnDirty&) const { return false; }
};

struct Config {
  Role role = Role::VectorL1;
  unsigned up_ports = 1;
  uint32_t bytes = 16384;
  uint32_t ways = 4;
  uint32_t line_bytes = 64;  ///< 64 or 128
  uint32_t hit_cycles = 1;
  uint32_t misses = 16;  ///< outstanding misses
  /// A slice sees every `slices`-th piece of `interleave_bytes`; its sets are numbered over its own
  /// pieces only. 1: all addresses.
  uint32_t slices = 1;
  uint32_t interleave_bytes = 64;
};
using Registry = machine::Registry<Cache, Config>;

}  // namespace cuvette::cache
