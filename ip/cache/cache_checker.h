// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cache/cache.h"
#include "ip/cache/block_history.h"
#include "ip/lockstep/rule_checked.h"

namespace cuvette::ip {

/// Coherence checker of a cache in any of its roles (docs/reference/cache.md "A user's device"):
/// sees what requesters and the next level exchange with it, keeps for every byte the values that
/// some legal order allows, and names the rule that a message breaks. Evictions, merges, order
/// between blocks and serials are the cache's own choice.
///
/// Where several ports write the same bytes at the same time, either order is legal; an atomic
/// whose old value may be one of more than kMostValues is not checked. Both are rare, and lenient.
class CacheChecker {
 public:
  using Finding = std::optional<Violation>;

  explicit CacheChecker(const cache::Config& config) : config_(config) {}

  Finding taken(unsigned channel, unsigned port, const memory::MemReq& request, machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const memory::MemResp& answer, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, memory::MemReq& request, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, memory::MemResp& answer, machine::Cycle now);
  bool busy() const { return under_way_ != 0 || !below_.empty(); }
  bool owes() const { return under_way_ != 0 && below_.empty(); }
  std::string owed() const;
  Finding conclude() const;
  uint64_t checked() const { return checked_; }

  /// Accesses, hits and misses as they look from outside: an access is a miss when its block was
  /// asked for below, or it went there, before its answer.
  const cache::Cache::Counters& counters() const { return counters_; }
  /// The newest value of bytes, when it is known.
  bool peek(uint64_t address, uint8_t* bytes, unsigned count) const;
  void for_dirty(const cache::Cache::OnDirty& f) const;

 private:
  /// A request that has not been answered.
  struct Asked {
    memory::MemReq request;
    unsigned port = 0;
    Stamp taken = 0, valid_from = 0;
    std::vector<VisibleVersion> may_see;  ///< of a read
    VersionPointer version;               ///< of a store or atomic
    bool missed = false, faulted = false;
    /// True when an atomic, Invalidate or Writeback went below; `below`, the answer from there.
    bool forwarded = false;
    std::optional<memory::MemResp> below;
    Stamp below_at = 0;
    memory::MemStatus written = memory::MemStatus::Ok;  ///< of a store, by the level below
    std::vector<uint64_t> below_serials;
  };
  using AskedPointer = std::shared_ptr<Asked>;
  /// A request of the cache that the next level has not answered.
  struct Below {
    memory::MemReq request;
    Stamp given = 0;
    AskedPointer forwarded;           ///< the atomic, Invalidate or Writeback that it passes on
    std::set<VersionPointer> surely;  ///< of a write: whose bytes it has for sure
    std::map<VersionPointer, uint64_t> sent;  ///< of a write: whose bytes it may have
    std::vector<VisibleVersion>
        newer;  ///< of a fill: bytes of stores that are not below when it is served
  };
  struct Block {
    BlockHistory history;
    std::vector<AskedPointer> asked;  ///< oldest first
    std::vector<Below*> fills;        ///< under way
  };

  // Requests of requesters.
  void take_store(const AskedPointer& asked, Block& block);
  bool passes(const memory::MemReq& request) const;
  bool goes_past(const memory::MemReq& request) const;
  bool goes_below(const memory::MemReq& request) const;
  bool reaches_below(const memory::MemReq& request) const;
  // Answers to them.
  Finding check_answer(const Asked& asked, const memory::MemResp& answer);
  Finding check_order(const Asked& asked) const;
  Finding check_read(const Asked& asked, const memory::MemResp& answer, Block& block);
  Finding check_store(const Asked& asked, const memory::MemResp& answer, Block& block);
  Finding check_atomic(Asked& asked, const memory::MemResp& answer, Block& block);
  Finding check_forwarded(const Asked& asked, const memory::MemResp& answer) const;
  Finding check_serial(const Asked& asked, const memory::MemResp& answer);
  Finding check_maintenance(Asked& asked, const memory::MemResp& answer);
  Finding check_written_back(const Asked& asked) const;
  void count(const Asked& asked);
  void forget(const AskedPointer& asked);
  // Requests of the cache to the level below.
  Finding check_fill(Below& below);
  Finding check_write(Below& below);
  Finding check_forward(Below& below);
  Finding check_maintenance_below(Below& below);
  Finding check_cause(const memory::MemReq& down, const memory::MemReq& cause) const;
  void note_miss(uint64_t address);
  // Answers to that.
  void filled(Below& below, const memory::MemResp& answer);
  void written(Below& below, const memory::MemResp& answer);

  bool same_line(uint64_t a, uint64_t b) const {
    return a / config_.line_bytes == b / config_.line_bytes;
  }
  Block& block_of(uint64_t address) { return blocks_[block_address(address)]; }
  static uint64_t block_address(uint64_t address) {
    return address & ~uint64_t{memory::kBlockBytes - 1};
  }

  cache::Config config_;
  Stamp now_ = 1;
  Stamp valid_from_ = 0;  ///< clean bytes that are older have been invalidated
  std::unordered_map<uint64_t, Block> blocks_;
  std::set<uint64_t> dirty_blocks_;  ///< blocks that may have bytes to send
  std::map<std::pair<unsigned, uint64_t>, AskedPointer> asked_;  ///< by port and id
  std::vector<AskedPointer> maintenance_;                        ///< not answered, oldest first
  size_t under_way_ = 0;
  std::map<uint64_t, Below> below_;  ///< by the cache's id
  std::set<uint64_t> refused_;       ///< blocks that below could not write; one has to be told
  std::set<uint64_t> may_tell_;      ///< others, since one was told
  std::map<std::pair<unsigned, uint64_t>, uint64_t> serials_;  ///< last one of a port and block
  uint64_t checked_ = 0;
  cache::Cache::Counters counters_;
};

/// "compute unit 3 wave 2 sequence 17, serial 5": who asked, for reports.
std::string requester_text(const memory::MemReq& request, uint64_t serial = 0);

}  // namespace cuvette::ip
