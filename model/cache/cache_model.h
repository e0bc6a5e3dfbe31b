// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/ring.h"
#include "cache/cache.h"
#include "cache/tag_store.h"
#include "cache/traffic.h"

namespace cuvette::cache {

/// Our implementation of the cache contract, one class for the four roles, with the schedule of
/// rtl/cache (cache.md "Timing"): one request taken per cycle, one sent below per cycle,
/// replacement by the policy of its configuration. A request to a block whose miss is under way
/// waits behind that miss, which keeps requests to one block in order.
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
  /// Requests of a block whose fill has come: each has its turn.
  struct Woken {
    uint64_t block = 0;
    bool places = false;  // the block has a turn before: it comes into its line
    std::array<uint8_t, memory::kBlockBytes> data{};  // until then
    machine::Cycle ready = 0;                         // no turn before
    base::Ring<Waiting> waiting;
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
  /// Invalidate or Writeback: begins when everything before it is done, walks over the sets, waits
  /// until its writes are acknowledged. Nothing else is served before its answer has left.
  struct Maintenance {
    unsigned port = 0;
    memory::MemReq request;
    enum class State : uint8_t { Waits, Below, Walks } state = State::Waits;
    memory::MemStatus status = memory::MemStatus::Ok;  // of the level below
    machine::Cycle walked = 0;                         // the walk is over
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
  void begin_maintenance(machine::Cycle now);
  void walk(Maintenance& maintenance, machine::Cycle now);
  /// The same behind the answer of the level below.
  void begin_walk(Maintenance& maintenance, const memory::MemResp& below, machine::Cycle now);
  void finish_maintenance(machine::Cycle now);
  /// When everything that was taken is done, as far as is known.
  machine::Cycle quiet_at() const;
  /// The turn of the first woken request; kNever: there is none.
  machine::Cycle woken_at() const;
  void serve_woken(machine::Cycle now);
  /// Null: no fill has woken requests to the block, or they are served.
  Woken* find_woken(uint64_t block);
  void place(const Woken& woken, machine::Cycle now);
  void filled(uint64_t block, const memory::MemResp& reply, machine::Cycle now);

  /// True if a new request may have a turn, whatever it is: it may need an entry of its own, or a
  /// place behind a miss, and so may the two before it, of which nothing is known yet.
  bool has_room(machine::Cycle now) const;
  void note_waiting(machine::Cycle now) {
    ++waiting_;
    if (replayed_ == nullptr) joined_ = {joined_[1], now};
  }
  bool can_fill() const { return missing_.size() < config_.misses; }
  bool can_forward() const { return forwards_under_way_ < config_.misses; }
  bool can_write_back() const { return writebacks_under_way_ < config_.misses; }
  /// When what is sent below in a request's turn is there: one in a cycle.
  machine::Cycle send_time(machine::Cycle now) {
    return last_sent_ = std::max(now + kToBelow, last_sent_ + 1);
  }
  /// The id of something to be sent down.
  uint64_t remember(const Pending& pending);
  /// A new miss, of which the request is the first.
  void wait_for_fill(unsigned port, const memory::MemReq& request, machine::Cycle now);
  void send_fill(const memory::MemReq& cause, machine::Cycle now);
  void send_forward(unsigned port, const memory::MemReq& request, machine::Cycle now);
  /// Sends the dirty bytes of a line, each block a cycle after the one before, from `at` on.
  void write_back(TagStore::Line& line, machine::Cycle now, machine::Cycle at);
  /// The same for one block, which has some.
  void write_back(TagStore::Block& block, uint64_t address, machine::Cycle now, machine::Cycle at);
  /// The line is written back in a request's turn, which dirty bytes make a cycle longer.
  void make_clean(TagStore::Line& line, machine::Cycle now);
  void drop(TagStore::Line& line, machine::Cycle now);
  void keep_for_woken(const TagStore::Line& line);
  void bring_back(const TagStore::Block& lost, uint64_t address, machine::Cycle now);
  TagStore::Line& make_room(uint64_t block, machine::Cycle now);
  /// Time from an answer of the level below to that which is passed on.
  machine::Cycle passed_cycles() const { return std::max(config_.hit_cycles, 3u) - 2; }
  static Event event_of(Event::Kind kind, const memory::MemReq& request, machine::Cycle time);
  void answer(unsigned port, const memory::MemReq& request, machine::Cycle now, const uint8_t* data,
              memory::MemStatus status = memory::MemStatus::Ok, uint64_t serial = 0);

  // Cycles of the stages (cache.md "Timing").
  static constexpr machine::Cycle kToBelow = 5;     // from a request's turn to what it sends
  static constexpr machine::Cycle kStages = 4;      // from a request's turn until it is done here
  static constexpr machine::Cycle kPassed = 2;      // the same of an answer that is passed on
  static constexpr machine::Cycle kWoken = 3;       // between steps of misses, and of dirty lines
  static constexpr machine::Cycle kCountDelay = 2;  // from a turn until has_room() knows
  static constexpr machine::Cycle kWalkSends = 7;  // from a set's turn in a walk to its first write

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
    uint64_t written = 0;  // bytes that were written back since the fill was sent: newer
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
  base::Ring<Woken> woken_;                 // in the order of their fills
  size_t waiting_ = 0;                      // requests of all misses, woken ones too
  std::array<machine::Cycle, 2> added_{};   // turns of the last requests that became misses
  std::array<machine::Cycle, 2> joined_{};  // of the last that wait, those among them
  machine::Cycle freed_ = 0, left_ = 0;     // turns that freed the last entry, the last place
  machine::Cycle room_at_ = 0;              // no room for a new request before
  Waiting* replayed_ = nullptr;             // the one of them being served
  std::optional<Maintenance> maintenance_;
  unsigned writebacks_under_way_ = 0, forwards_under_way_ = 0;
  std::optional<uint64_t> refused_;  // a block that could not be written, not yet told to anybody
  uint64_t next_id_ = 1;
  uint64_t next_serial_ = 1;
  machine::Cycle busy_until_ = 0;  // no request has its turn before
  machine::Cycle last_turn_ = 0;   // of a request
  machine::Cycle last_sent_ = 0;   // when the last one sent below is there
  machine::Cycle last_step_ = 0;   // of misses
  machine::Cycle stalled_since_ = machine::kNever;
  bool stalled_woken_ = false;  // the one that waits since then is woken
  Counters counters_;
  TrafficCounters traffic_;
  Watcher watcher_;
};

/// Adds `tlm` to a registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::cache
