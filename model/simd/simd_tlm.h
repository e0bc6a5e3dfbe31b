// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "simd/beats.h"
#include "simd/simd.h"

namespace cuvette::simd {

/// Our implementation of the simd. With the valu `tlm` an instruction is executed on all 64 lanes
/// in the cycle it is accepted and only its retirement takes time; with any other valu operands are
/// collected and go through the valu's channels beat by beat. Results are the same.
class SimdTlm final : public Simd {
 public:
  /// `device` null: instructions are executed whole.
  SimdTlm(const Config& config, std::unique_ptr<vrf::Vrf> registers,
          std::unique_ptr<valu::Valu> device);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& modifiers) const override;
  unsigned issue_cycles(const isa::Instruction& instruction) const override;
  vrf::Vrf& registers() override { return *registers_; }
  Counters counters() const override { return counters_; }

 private:
  void take_fills(machine::Cycle now);
  void take_reads(machine::Cycle now);
  void take_responses(machine::Cycle now);
  void send_beats(machine::Cycle now);
  void accept(machine::Cycle now);
  void send_retires(machine::Cycle now);
  bool on_device(const isa::Instruction& instruction) const;
  bool may_accept(const Issue& issue) const;

  struct Due {
    machine::Cycle at = 0;
    Retire retire;
  };

  Config config_;
  std::unique_ptr<vrf::Vrf> registers_;
  std::unique_ptr<valu::Valu> device_;  // null: the fast path
  std::deque<Beats> under_way_;         // in issue order
  std::deque<Due> due_;                 // beats waiting for their time or for room
  std::vector<Retire> beats_;
  uint32_t next_request_ = 0;
  machine::Cycle free_at_ = 0;
  machine::Cycle last_retire_ = 0;
  Counters counters_;
};

/// Adds `tlm` to a registry. Its factory gives null when `config.valus` or `config.vrfs` lacks what
/// is asked for; our own, `tlm`, need no registry.
void register_tlm(Registry& registry);

}  // namespace cuvette::simd
