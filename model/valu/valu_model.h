// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "valu/lane_beat.h"

namespace cuvette::valu {

/// The vector ALU as a model: every instruction that layer wave has, every modifier, one beat per
/// cycle, Config::latency_cycles from a request to its response.
class ValuModel final : public Valu {
 public:
  explicit ValuModel(const Config& config);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override { return request.next_event(); }
  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& modifiers) const override;

 private:
  machine::Cycle latency_;
  LaneBeat lanes_;
};

/// Registers it as `tlm`.
void register_valu_tlm(Registry& registry);

}  // namespace cuvette::valu
