// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/index_set.h"
#include "cache/cache.h"
#include "gpu/doorbell_aperture.h"
#include "machine/core.h"
#include "memory/memory_messages.h"

namespace cuvette::gpu {

/// The network between everything that misses (sources: vector L1s, scalar and instruction caches,
/// command processor) and the L2 slices. Addresses are interleaved over the slices; every message
/// travels `cycles` each way; a slice takes what arrives in order of time, then of source number,
/// then as sent. Sources are numbered by compute unit first, so that is (time, cu, sequence) order.
/// Bandwidth is the slice's own: it serves one request per cycle. Invalidate and Writeback go to
/// every slice and are answered when all have answered, with the first fault.
class Crossbar final : public machine::Core {
 public:
  struct Config {
    unsigned sources = 1;
    unsigned slices = 1;
    uint32_t interleave_bytes = 256;
    uint32_t cycles = 1;  ///< one way
  };
  explicit Crossbar(const Config& config);

  /// Ports of both ends; they outlive the crossbar. A source's requests do not come through a
  /// channel but through send(), so that no cycle looks at every source.
  void connect_source(unsigned source, machine::Channel<memory::MemResp>& response);
  void connect_slice(unsigned slice, cache::Cache::Port& up);

  /// Stores into `doorbells` go to no slice: rung() has them, and the answer is on its way back at
  /// once.
  void connect_doorbells(const DoorbellAperture& doorbells) { doorbells_ = &doorbells; }

  unsigned slice_of(uint64_t address) const {
    return static_cast<unsigned>(address / config_.interleave_bytes % config_.slices);
  }

  /// `sent`: when the source's message was visible at its port. The answer is when tick() will see
  /// it. Calls of different sources may come in any order, also for earlier times than before.
  machine::Cycle send(unsigned source, const memory::MemReq& request, machine::Cycle sent);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;

  /// What the last tick() did, for the owner that wakes the receivers.
  const std::vector<unsigned>& slices_fed() const { return slices_fed_; }
  struct Delivery {
    unsigned source;
    machine::Cycle time;
  };
  const std::vector<Delivery>& deliveries() const { return deliveries_; }
  const std::vector<command_processor::Doorbell>& rung() const { return rung_; }

 private:
  struct Arrival {
    machine::Cycle time;
    unsigned source;
    uint64_t number;  // of the source's messages
    uint32_t entry;   // in entries_
  };
  bool is_ring(const memory::MemReq& request) const {
    return doorbells_ != nullptr && request.op == memory::MemOp::Write &&
           doorbells_->covers(request.address);
  }
  void place(unsigned slice, unsigned source, uint32_t entry, machine::Cycle arrival);
  void deliver(uint32_t entry, const memory::MemResp& response, machine::Cycle time);
  static bool later(const Arrival& a, const Arrival& b);
  struct Entry {
    memory::MemReq request;
    unsigned source = 0;
    uint64_t id = 0;    // the source's own
    unsigned left = 1;  // slices that have not answered
    std::optional<memory::MemResp> fault;
  };
  struct Slice {
    std::vector<Arrival> queue;  // a heap: the earliest on top
    cache::Cache::Port* up = nullptr;
    unsigned under_way = 0;  // given and not answered
  };
  struct Source {
    machine::Channel<memory::MemResp>* response = nullptr;
    uint64_t sent = 0;
  };

  Config config_;
  std::vector<Source> sources_;
  std::vector<Slice> slices_;
  base::IndexSet busy_;         // slices with requests on their way to them, or under way in them
  std::vector<Entry> entries_;  // requests on their way and those being answered; index = id below
  std::vector<uint32_t> free_;
  std::vector<unsigned> slices_fed_;
  std::vector<Delivery> deliveries_;
  const DoorbellAperture* doorbells_ = nullptr;
  std::vector<command_processor::Doorbell> rung_;
};

}  // namespace cuvette::gpu
