// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cache/cache_messages.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "memory/memory_messages.h"

/// Contract of the cache block (cache.md): one class of cache in four roles. Caches hold data,
/// so a missing invalidate or write-back gives the stale value, as on hardware.
namespace cuvette::cache {

/// `up`: requesters, `down`: next level. Hits answer after hit_cycles. Requests of one `up` port to
/// one block stay in order; others may overtake. Lockstep classes: status `exact`, data `exact`
/// under the order that the serials state; serial and order of responses `ordered-by-dut` (serials
/// of our own L2 follow (time, cu, sequence)); time `time`.
class Cache : public machine::Core {
 public:
  /// Between domains (engines.md) channels have no depth limit: senders are bound by their
  /// credits.
  struct Port {
    explicit Port(size_t depth = machine::kUnbounded) : request(depth), response(depth) {}
    machine::Channel<memory::MemReq> request;    ///< to the cache
    machine::Channel<memory::MemResp> response;  ///< one per request, matched by id
  };
  virtual unsigned up_ports() const = 0;
  virtual Port& up(unsigned index) = 0;
  /// Owned by the next level: the cache pushes into `down.request`, reads `down.response`.
  virtual void connect(Port& down) = 0;

  /// An access that waits for a miss under way, or goes past the cache, is a miss. A write hits
  /// when its line is held. Every access is counted once, however often it is tried.
  struct Counters {
    uint64_t reads = 0, read_hits = 0, read_misses = 0;  ///< the first: all of them
    uint64_t writes = 0, write_hits = 0, write_misses = 0;
    uint64_t atomics = 0, atomic_hits = 0, atomic_misses = 0;
    uint64_t fills = 0;     ///< blocks asked for below
    uint64_t forwards = 0;  ///< accesses passed on
    /// Lines that gave way to others; dirty blocks sent below; Invalidate requests.
    uint64_t evictions = 0, writebacks = 0, invalidates = 0;
    uint64_t stalls = 0;        ///< times a request stood still because every miss entry was taken
    uint64_t stall_cycles = 0;  ///< cycles of these
  };
  virtual Counters counters() const = 0;

  /// Accesses by kind: what hardware counters tell apart.
  struct Traffic {
    /// Accesses; `atomics_return` return the old value, `atomics` do not.
    uint64_t reads = 0, writes = 0, atomics = 0, atomics_return = 0;
    uint64_t by_mtype[4][3] = {};  ///< by memory::Mtype; reads, writes, atomics of both kinds
  };
  /// Counts for hardware counters beyond Counters. Cycles are those up to the time of the call.
  struct Detail {
    Traffic up;                           ///< accesses, as in Counters
    uint64_t streaming = 0;               ///< accesses with SLC
    uint64_t bypassing = 0;               ///< reads that go past this cache whatever it holds
    uint64_t duplicates = 0;              ///< misses that waited for the fill of an earlier one
    uint64_t maintenance = 0;             ///< invalidates and write-backs asked for
    uint64_t maintenance_writebacks = 0;  ///< of Counters::writebacks, those asked for
    uint64_t invalidated_lines = 0;       ///< lines lost to invalidates
    /// Counters::stall_cycles by what stood still.
    uint64_t stall_read_cycles = 0, stall_write_cycles = 0, stall_atomic_cycles = 0;
    uint64_t busy_cycles = 0;   ///< with a request inside
    uint64_t request_time = 0;  ///< from a request's taking to its answer, summed

    /// Requests to the level below. Atomics are none of `writes`.
    Traffic down;
    uint64_t read_time = 0, write_time = 0, atomic_time = 0;  ///< under way, summed over requests
    uint64_t reads_under_way = 0, writes_under_way = 0, atomics_under_way = 0;  ///< now
    uint64_t uncached_read_sectors = 0, uncached_write_sectors = 0;  ///< 32 bytes, of MTYPE UC
    /// Reads, and writes with atomics, within 32 bytes; by the address bit above those that choose
    /// the slice, as for two channels of memory.
    struct Channel {
      uint64_t reads = 0, short_reads = 0, writes = 0, short_writes = 0, write_stall_cycles = 0;
    };
    std::array<Channel, 2> channels{};  ///< by the address bit
  };
  /// Details; nothing when the implementation does not keep them.
  virtual std::optional<Detail> detail(machine::Cycle /*now*/) const { return std::nullopt; }

  /// Event of an access. It is a hit or a miss once, as in Counters, and has one answer.
  struct Event {
    enum class Kind : uint8_t {
      Hit,
      Miss,
      Answer,  ///< `time`: when it is there for the requester
    } kind = Kind::Hit;
    memory::MemOp op = memory::MemOp::Read;
    uint16_t cu = 0, wave = 0;  ///< of the request
    uint32_t sequence = 0;      ///< of the request
    machine::Cycle time = 0;
    uint64_t address = 0;
  };
  /// Called with every event when set, an answer as soon as its time is known; false when the
  /// implementation has no such observer.
  using Watcher = std::function<void(const Event& event)>;
  virtual bool watch(Watcher) { return false; }

  /// Backdoor for host accesses and tests: the bytes this cache would answer with, without time.
  /// False when the block is not held.
  virtual bool peek(uint64_t address, uint8_t* bytes, unsigned count) const = 0;

  /// Backdoor: calls `f` with the bytes that stores and atomics have left here and that the level
  /// below has not acknowledged, older ones first. False when the implementation cannot tell.
  using OnDirty = std::function<void(uint64_t address, uint64_t byte_mask, const uint8_t* block)>;
  virtual bool for_dirty(const OnDirty&) const { return false; }
};

/// "l2", "vector_l1", "scalar_cache" or "instruction_cache": as machine descriptions name them.
constexpr const char* name_of(Role role) {
  switch (role) {
    case Role::VectorL1:
      return "vector_l1";
    case Role::Scalar:
      return "scalar_cache";
    case Role::Instruction:
      return "instruction_cache";
    case Role::L2:
      break;
  }
  return "l2";
}

/// Configuration of one cache, from the machine description.
struct Config {
  Role role = Role::VectorL1;  ///< place in the hierarchy
  uint32_t index = 0;          ///< its number among those of its role, for reports
  unsigned up_ports = 1;       ///< ports of requesters
  uint32_t bytes = 16384;      ///< ways * line_bytes * sets
  uint32_t ways = 4;           ///< associativity
  uint32_t line_bytes = 64;    ///< 64 or 128
  uint32_t hit_cycles = 1;     ///< from request to answer
  uint32_t misses = 16;        ///< outstanding misses
  /// A slice sees every `slices`-th chunk of `interleave_bytes`; its sets are numbered over its own
  /// pieces only. 1: all addresses.
  uint32_t slices = 1;
  uint32_t interleave_bytes = 64;   ///< a power of two from 64 on
  std::string replacement = "lru";  ///< policy of `tlm` (cache/replacement.h)
  uint64_t replacement_seed = 1;    ///< of a policy that draws

  uint32_t sets() const { return bytes / (ways * line_bytes); }
};
using Registry = machine::Registry<Cache, Config>;

}  // namespace cuvette::cache
