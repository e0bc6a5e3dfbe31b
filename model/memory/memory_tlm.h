// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "memory/memory.h"

namespace cuvette::memory {

/// Fixed latency, one block per port every cycles_per_block.
class MemoryTlm final : public Memory {
 public:
  explicit MemoryTlm(const Config& config);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  unsigned ports() const override { return static_cast<unsigned>(ports_.size()); }
  Port& port(unsigned index) override { return ports_[index]->port; }
  Traffic traffic() const override { return traffic_; }

 private:
  struct State {
    Port port;
    machine::Cycle free_at = 0;
  };
  Config config_;
  std::vector<std::unique_ptr<State>> ports_;
  uint64_t next_serial_ = 1;
  Traffic traffic_;
};

/// Adds `tlm` to a registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::memory
