// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "base/index_set.h"
#include "base/occupancy.h"
#include "base/ring.h"
#include "crossbar/crossbar.h"

namespace cuvette::crossbar {

/// Our crossbar. A source's port takes a request a cycle when one of the source's places is free,
/// and while a broadcast (Invalidate, Writeback) of the source is under way no second one. A
/// request is at its slice latency_cycles later. A slice is given one request a cycle, the oldest
/// arrival first, of one cycle that of the lowest source; that frees its place. A slice's port
/// takes an answer a cycle when one of the slice's places is free; it is at its source
/// latency_cycles later, one a cycle and source, the oldest first, of one cycle that of the lowest
/// slice, and frees its place then. A store to the aperture is answered when it is given, in place
/// of an answer of the slice in that cycle.
class CrossbarModel final : public Crossbar {
 public:
  /// `follows`: it is the reference of a device, whose ports have taken what it is given. Then its
  /// own take requests and answers in the cycle in which they come, whatever is under way.
  explicit CrossbarModel(const Config& config, bool follows = false);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  unsigned sources() const override { return static_cast<unsigned>(sources_.size()); }
  Port& source(unsigned index) override { return sources_[index]->port; }
  unsigned slices() const override { return static_cast<unsigned>(slices_.size()); }
  Port& slice(unsigned index) override { return slices_[index]->port; }
  machine::Channel<memory::MemReq>& aperture_store(unsigned slice) override {
    return slices_[slice]->stores;
  }
  void rely_on_notices() override { noticed_ = true; }
  /// Requests may be noticed later than they were sent, up to lookahead() cycles, and those of
  /// different sources in any order.
  machine::Cycle notice(unsigned source, machine::Cycle /*sent*/) override {
    return take_in(source);
  }
  machine::Cycle lookahead() const override { return config_.latency_cycles; }
  void take_sent(std::vector<unsigned>& to_slices, std::vector<unsigned>& to_sources) override;
  uint64_t busy_cycles(machine::Cycle now) const override { return at_slices_.busy(now); }

  unsigned slice_of(uint64_t address) const {
    return static_cast<unsigned>(address / config_.interleave_bytes % config_.slices);
  }

 private:
  /// A request at, or on its way to, a slice.
  struct Arrival {
    machine::Cycle time;
    unsigned source;
    uint64_t number;  // of the source's messages
    uint32_t entry;   // in entries_
  };
  static bool later(const Arrival& a, const Arrival& b);
  struct Entry {
    memory::MemReq request;
    unsigned source = 0;
    unsigned left = 1;  // slices that have not been given it
  };
  /// An Invalidate or Writeback until every slice has answered.
  struct Broadcast {
    uint64_t id = 0;
    unsigned left = 0;  // slices that have not answered
    std::optional<memory::MemResp> fault;
  };
  struct Source {
    Port port;
    base::Ring<machine::Cycle> places;  // free ones: since when
    machine::Cycle next_entry = 0;      // the port is free
    std::vector<Broadcast> broadcasts;  // under way: one, but of who follows
    machine::Cycle next_broadcast = 0;  // the next one may be taken
    uint64_t sent = 0;
    machine::Cycle next_delivery = 0;
    bool waits = false;  // for a place or for a broadcast
    bool told = false;   // in to_sources_
  };
  struct Slice {
    Port port;
    machine::Channel<memory::MemReq> stores{machine::kUnbounded};
    std::vector<Arrival> queue;  // a heap: the earliest on top
    // Places of answers: from when on they are free.
    std::priority_queue<machine::Cycle, std::vector<machine::Cycle>, std::greater<>> places;
    unsigned under_way = 0;        // given and not answered
    machine::Cycle next_take = 0;  // the port takes the next answer
    bool told = false;             // in to_slices_
  };

  bool is_inside(const memory::MemReq& request) const {
    return aperture_.there && request.op == memory::MemOp::Write &&
           request.address - aperture_.base < aperture_.bytes;
  }
  machine::Cycle take_in(unsigned source);
  bool is_to_take(const Source& source) const {
    return !source.waits && !source.port.request.empty();
  }
  void enter(unsigned source, const memory::MemReq& request, machine::Cycle at);
  void give(unsigned slice, machine::Cycle now);
  void release(uint32_t entry, machine::Cycle now);
  void take_answer(unsigned slice, machine::Cycle now);
  void answer(unsigned slice, unsigned source, const memory::MemResp& response, machine::Cycle now);
  void tell_slice(unsigned slice);

  Config config_;
  bool follows_;
  unsigned id_bits_;  // of the source's part
  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<std::unique_ptr<Slice>> slices_;
  base::IndexSet busy_;         // slices with requests on their way to them, or under way in them
  std::vector<Entry> entries_;  // requests on their way
  std::vector<uint32_t> free_;
  std::vector<unsigned> resumed_;  // sources that may go on
  std::vector<unsigned> to_slices_, to_sources_;
  Aperture aperture_;
  bool noticed_ = false;  // requests; or else every tick looks for them
  base::Occupancy at_slices_;
};

/// Adds `tlm` to a registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::crossbar
