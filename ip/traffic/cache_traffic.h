// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "cache/cache.h"
#include "ip/cache/cache_seat.h"
#include "ip/traffic/memory_coverage.h"

namespace cuvette::ip::traffic {

/// Level below a cache: requests of one block are served in order, others in any. Reads and writes
/// of blocks that are absent fault, and writes of read-only ones.
class LevelBelow {
 public:
  LevelBelow(cache::Cache::Port& port, uint32_t seed) : port_(port), rng_(seed) {}
  void step(machine::Cycle now);
  bool idle() const { return waiting_.empty(); }
  /// Changes a byte behind the cache.
  void poke(uint64_t address, uint8_t value) { block(address)[address % 64] = value; }

  static bool is_absent(uint64_t address) { return address / 64 % 37 == 13; }
  static bool is_read_only(uint64_t address) { return address / 64 % 37 == 6; }

 private:
  using Bytes = std::array<uint8_t, 64>;
  struct Waits {
    memory::MemReq request;
    machine::Cycle due = 0;
  };
  Bytes& block(uint64_t address);
  memory::MemResp serve(const memory::MemReq& r);

  cache::Cache::Port& port_;
  std::mt19937 rng_;
  std::deque<Waits> waiting_;
  std::unordered_map<uint64_t, Bytes> blocks_;
  std::unordered_map<uint64_t, machine::Cycle> due_;  ///< of the last request to a block
  uint64_t serial_ = 0;
};

/// Requesters of a cache in any role, with the level below it: reads, writes, atomics of all
/// operations, invalidations and write-backs under way, conflicts in few sets, faults. A host
/// writes behind the cache now and then.
class CacheTraffic final : public Requester {
 public:
  struct Options {
    unsigned requests = 1000;  ///< in all
    uint32_t seed = 1;
    bool shared = false;       ///< ports use the same blocks: races are legal in either order
    unsigned under_way = 24;   ///< of a port, at most
    unsigned maintenance = 2;  ///< of 100 requests
    bool faults = true;        ///< some blocks are absent or read-only below
  };
  /// Connects the level below to the seat.
  CacheTraffic(ip::CacheSeat& seat, const cache::Config& config, const Options& options);

  bool step(machine::Cycle now) override;
  void follow(machine::Cycle now) override { below_.step(now); }
  uint64_t answers() const override { return answers_; }
  Coverage coverage() const override;
  uint64_t faults() const { return faults_; }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(rng_() % n); }
  uint64_t address(unsigned number) const;
  uint64_t pick(unsigned port);
  memory::MemReq make(unsigned port);
  void make_atomic(memory::MemReq& r);
  void poke();
  uint32_t word();

  ip::CacheSeat& seat_;
  cache::Config config_;
  Options options_;
  std::mt19937 rng_, host_rng_;
  cache::Cache::Port down_;
  LevelBelow below_;
  MemoryCoverage coverage_;
  unsigned sets_ = 0, tags_ = 0;
  uint64_t stride_ = 0;  ///< between addresses of one set
  unsigned sent_ = 0;
  std::vector<unsigned> under_way_;  ///< by port
  unsigned quiet_ = 0;               ///< cycles without a new request
  uint64_t answers_ = 0, faults_ = 0, next_id_ = 1;
  uint32_t sequence_ = 0;
};

}  // namespace cuvette::ip::traffic
