// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

#include "crossbar/crossbar.h"
#include "ip/crossbar/crossbar_ports.h"
#include "ip/lockstep/lockstep.h"

namespace cuvette::ip {

/// Crossbar whose work a device on pins does, with our model beside it
/// (docs/reference/crossbar.md). Its requests are at the pins in the cycle in which they are sent,
/// so its sources run no cycle ahead.
class CrossbarSeat final : public CrossbarPorts {
 public:
  using Kit = Lockstep<crossbar::Crossbar>;

  CrossbarSeat(std::unique_ptr<PinDevice> device, const crossbar::Config& config,
               const LockstepOptions& options, Kit::OnMismatch on_mismatch);

  void tick(machine::Cycle now) override { kit_.tick(now); }
  machine::Cycle next_event() const override { return kit_.next_event(); }
  uint64_t busy_cycles(machine::Cycle now) const override {
    return kit_.reference().busy_cycles(now);
  }

  Kit& kit() { return kit_; }

 private:
  mutable Kit kit_;
};

}  // namespace cuvette::ip

namespace cuvette::ip::recording {

/// Settings for recordings (ip/lockstep/config_json.h).
template <class Config, class Visitor>
std::enable_if_t<std::is_same_v<std::remove_const_t<Config>, crossbar::Config>> visit_config(
    Config& config, Visitor&& visit) {
  visit("sources", config.sources);
  visit("slices", config.slices);
  visit("interleave_bytes", config.interleave_bytes);
  visit("latency_cycles", config.latency_cycles);
  visit("depth", config.depth);
}

}  // namespace cuvette::ip::recording
