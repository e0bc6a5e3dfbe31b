// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gds/gds.h"
#include "gds/launch_order.h"
#include "wave/memory/global_sync.h"

namespace cuvette::gds {

/// One request at a time, compute units in turn: the one behind the last served goes first. A
/// request is taken for as many cycles as its operands need at bytes_per_cycle and answered
/// latency_cycles behind the last of them, or behind the request that lets its wave go on.
class GdsModel final : public Gds {
 public:
  explicit GdsModel(const Config& config);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  unsigned compute_units() const override { return static_cast<unsigned>(ports_.size()); }
  Port& compute_unit(unsigned index) override { return *ports_[index]; }
  bool wants_waves() const override;
  uint32_t size() const override { return static_cast<uint32_t>(bytes_.size()); }
  void peek(uint32_t address, uint8_t* bytes, uint32_t count) const override;
  void poke(uint32_t address, const uint8_t* bytes, uint32_t count) override;
  Counters counters() const override { return counters_; }

 private:
  /// An instruction that is not done: its wave waits for others.
  struct Waiting {
    unsigned unit = 0;
    uint32_t id = 0;
    uint64_t wave = 0;
    uint32_t dispatch = 0;
    uint64_t ticket = 0;  // of GWS; 0: an ordered count
    uint8_t counter = 0;
    uint32_t count = 0;
    bool release = false;
  };

  /// A sync that has been served and not told `taken`.
  struct Deciding {
    unsigned unit = 0;
    uint32_t id = 0;
    uint64_t wave = 0;
    uint32_t dispatch = 0;
    wave::SyncOp sync = wave::SyncOp::None;
    uint8_t resource = 0;
    uint32_t value = 0;
    bool releases = false;
  };

  void add_counts(machine::Cycle& next);
  void take_events(machine::Cycle now, machine::Cycle& next);
  std::pair<machine::Cycle, unsigned> first_withdrawal(machine::Cycle now) const;
  machine::Cycle next_request(unsigned unit) const;
  /// The first ordered count whose turn has come; -1: none.
  int find_turn() const;
  void serve(unsigned unit, const Request& request, machine::Cycle now);
  void access(const Request& request, Response& answer);
  void decide(const Deciding& who, machine::Cycle last);
  void count(const Waiting& who, machine::Cycle last);
  void let_go(machine::Cycle now);
  void withdraw(unsigned unit, uint64_t wave, machine::Cycle now);
  uint32_t cycles_of(const Request& request) const;
  void answer(unsigned unit, const Response& response, machine::Cycle last);

  Config config_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<uint8_t> bytes_;
  wave::GlobalSync sync_;
  std::vector<Waiting> waiting_;  // in the order in which they came
  unsigned counting_ = 0;         // of them, ordered counts
  std::optional<Deciding> deciding_;
  std::vector<machine::Cycle> taken_at_;  // by compute unit: of its last request
  LaunchOrder order_;
  unsigned next_ = 0;  // compute unit that goes first
  machine::Cycle free_at_ = 0;
  Counters counters_;
};

/// Adds `tlm` to a registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::gds
