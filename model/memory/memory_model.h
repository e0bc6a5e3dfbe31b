// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/occupancy.h"
#include "memory/memory.h"

namespace cuvette::memory {

/// Fixed latency, one block per port every cycles_per_block.
class MemoryModel final : public Memory {
 public:
  explicit MemoryModel(const Config& config);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  unsigned ports() const override { return static_cast<unsigned>(ports_.size()); }
  Port& port(unsigned index) override { return ports_[index]->port; }
  Traffic traffic() const override { return traffic_; }
  std::optional<uint64_t> busy_cycles(machine::Cycle now) const override {
    return under_way_.busy(now);
  }
  bool on_request(OnRequest observer) override {
    on_request_ = std::move(observer);
    return true;
  }

 private:
  struct State {
    Port port;
    machine::Cycle free_at = 0;
  };
  Config config_;
  std::vector<std::unique_ptr<State>> ports_;
  uint64_t next_serial_ = 1;
  Traffic traffic_;
  base::Occupancy under_way_;
  OnRequest on_request_;
};

/// Adds `tlm` to a registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::memory
