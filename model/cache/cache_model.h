// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/ring.h"
#include "cache/cache.h"
#include "cache/tag_store.h"
#include "cache/traffic.h"

namespace cuvette::cache {

/// Our implementation of the cache contract, one class for the four roles. Fixed latencies, one
/// request taken per cycle, replacement by the policy of its configuration. A request to a block
/// whose miss is under way waits behind that miss, which keeps requests to one block in order.
class CacheModel final : public Cache {
 public:
  explicit CacheModel(const Config& config);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  unsigned up_ports() const override { return static_cast<unsigned>(up_.size()); }
  Port& up(unsigned index) override { return *up_[index]; }
  void connect(Port& down) override { down_ = &down; }
  Counters counters() const override { return counters_; }
  std::optional<Detail> detail(machine::Cycle now) const override { return traffic_.at(now); }
  bool watch(Watcher watcher) override {
    watcher_ = std::move(watcher);
    return true;
  }
  bool peek(uint64_t address, uint8_t* bytes, unsigned count) const override;
  bool for_dirty(const OnDirty& f) const override;

 private:
  struct Waiting {
    unsigned port;
    memory::MemReq request;
    bool counted = false;  // in counters_: one access, however often it is tried
    /// Woken: its block, when the line was lost before its turn came.
    std::unique_ptr<TagStore::Block> lost = nullptr;
  };
  /// Something sent down whose answer matters.
  struct Pending {
    enum class Kind { Fill, Forward, Writeback, Below } kind = Kind::Fill;
    uint64_t block = 0;
    unsigned port = 0;        // Forward: whose request
    uint64_t request_id = 0;  // Writeback: its number
    memory::MemOp op = memory::MemOp::Read;
    uint16_t cu = 0, wave = 0;  // Forward: of the request
    uint32_t sequence = 0;
    uint64_t address = 0;
  };
  /// Invalidate and Writeback wait until their writes are acknowledged.
  struct Maintenance {
    unsigned port;
    memory::MemReq request;
    bool started = false;  // a write-back first waits for older stores
    enum class Below : uint8_t { NotAsked, Asked, Done } below = Below::NotAsked;
    memory::MemStatus status = memory::MemStatus::Ok;
  };

  void take_replies(machine::Cycle now);
  void take_requests(machine::Cycle now);
  bool serve(unsigned port, const memory::MemReq& request, machine::Cycle now);
  /// A read goes past this cache.
  bool passes(const memory::MemReq& request) const;
  bool needs_fill(const memory::MemReq& request) const;
  bool serve_read(unsigned port, const memory::MemReq& request, machine::Cycle now);
  void count(const memory::MemReq& request, bool hit, machine::Cycle now);
  void tried(bool served, const memory::MemReq& request, machine::Cycle now);
  bool serve_write(unsigned port, const memory::MemReq& request, machine::Cycle now);
  bool serve_atomic(unsigned port, const memory::MemReq& request, machine::Cycle now);
  void maintain(unsigned port, const memory::MemReq& request, machine::Cycle now);
  bool reaches_below(const memory::MemReq& request) const;
  bool below_is_done(Maintenance& maintenance, machine::Cycle now);
  void start_maintenance(machine::Cycle now);
  bool stores_wait() const;
  void finish_maintenance(machine::Cycle now);
  void filled(uint64_t block, const memory::MemResp& reply, machine::Cycle now);

  bool can_send() const { return pending_.size() - free_.size() < config_.misses; }
  /// The id of something to be sent down.
  uint64_t remember(const Pending& pending);
  void send_fill(const memory::MemReq& cause, machine::Cycle now);
  void send_forward(unsigned port, const memory::MemReq& request, machine::Cycle now);
  void write_back(TagStore::Line& line, uint64_t address, machine::Cycle now);
  void drop(TagStore::Line& line, machine::Cycle now);
  void keep_for_woken(const TagStore::Line& line);
  void bring_back(const TagStore::Block& lost, uint64_t address, machine::Cycle now);
  TagStore::Line& make_room(uint64_t block, machine::Cycle now);
  static Event event_of(Event::Kind kind, const memory::MemReq& request, machine::Cycle time);
  void answer(unsigned port, const memory::MemReq& request, machine::Cycle now, const uint8_t* data,
              memory::MemStatus status = memory::MemStatus::Ok, uint64_t serial = 0);

  Config config_;
  bool write_back_ = false;  // keeps dirty bytes: Scalar and L2
  std::vector<std::unique_ptr<Port>> up_;
  Port* down_ = nullptr;
  TagStore tags_;
  // An id sent down is a count above, and below it a place in pending_.
  static constexpr unsigned kPlaceBits = 24;
  static constexpr unsigned kCountBits = 28;  // a crossbar needs bits of ids for itself
  std::vector<Pending> pending_;
  std::vector<uint32_t> free_;  // places
  struct Written {
    uint64_t address = 0, mask = 0;
    std::array<uint8_t, memory::kBlockBytes> data{};
  };
  std::map<uint64_t, Written> writing_;  // write-backs under way, by Pending::request_id
  struct Miss {
    base::Ring<Waiting> waiting;
    size_t before_invalidate = 0;  // so many came before the last invalidate, 0: none was seen
    bool stale = false;            // the bytes under way may be older than an invalidate
    uint64_t written = 0;          // bytes that were written back since the fill was sent: newer
    std::array<uint8_t, memory::kBlockBytes> data{};
  };
  static unsigned hash_of(uint64_t block) { return block / memory::kBlockBytes % 256; }
  Miss* find_miss(uint64_t block);
  Miss& add_miss(uint64_t block);
  /// It is under way no more; valid until the next one is added.
  Miss& take_miss(uint64_t block);
  /// Misses under way come first in misses_, and the others keep their storage.
  std::vector<Miss> misses_;
  std::vector<uint64_t> missing_;           // their blocks
  std::array<uint16_t, 256> missing_in_{};  // number of them that have a hash
  base::Ring<Waiting> replay_;              // woken by a fill, served before new requests
  Waiting* replayed_ = nullptr;             // the one of them being served
  std::deque<Maintenance> maintenance_;
  unsigned writebacks_under_way_ = 0;
  std::optional<uint64_t> refused_;  // a block that could not be written, not yet told to anybody
  uint64_t next_id_ = 1;
  uint64_t next_serial_ = 1;
  machine::Cycle busy_until_ = 0;
  machine::Cycle stalled_since_ = machine::kNever;
  Counters counters_;
  TrafficCounters traffic_;
  Watcher watcher_;
};

/// Adds `tlm` to a registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::cache
