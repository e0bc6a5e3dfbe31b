// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "lds/bank_cycles.h"
#include "lds/lds.h"

namespace cuvette::lds {

/// One request at a time. A group of `lanes_per_cycle` lanes takes as many cycles as the busiest
/// bank has words to serve: loads and stores of one word by several lanes count once, atomics once
/// per lane. The answer to a request without conflicts comes latency_cycles after it was taken, to
/// another one later by the conflict cycles.
class LdsModel final : public Lds {
 public:
  explicit LdsModel(const Config& config);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  void peek(uint32_t address, uint8_t* bytes, uint32_t count) const override;
  void poke(uint32_t address, const uint8_t* bytes, uint32_t count) override;
  Counters counters() const override { return counters_; }
  std::optional<Detail> detail() const override { return detail_; }

 private:
  BankCycles cost(const Request& request) const;
  void perform(const Request& request, Response& answer);
  void move_dwords(const Request& request, Response& answer);
  void access(const Request& request, unsigned lane, unsigned which, Response& answer);

  Config config_;
  Banks banks_;
  std::vector<uint8_t> bytes_;
  machine::Cycle free_at_ = 0;
  machine::Cycle last_answer_ = 0;
  Counters counters_;
  Detail detail_;
};

/// Adds `tlm` to a registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::lds
