// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "ip/dut_library.h"
#include "ip/lockstep/lockstep.h"
#include "lds/lds.h"

namespace cuvette::ip {

/// Local data share whose work a device on pins does, with our model beside it (lds.md). Every
/// request and every answer goes through the pins; what is written past the channels becomes stores
/// before anything later, and takes their time.
class LdsLockstep final : public lds::Lds {
 public:
  using Kit = Lockstep<lds::Lds>;

  LdsLockstep(std::unique_ptr<PinDevice> device, const lds::Config& config,
              const LockstepOptions& options, Kit::OnMismatch on_mismatch);

  void tick(machine::Cycle now) override { kit_.tick(now); }
  machine::Cycle next_event() const override { return kit_.next_event(); }
  void peek(uint32_t address, uint8_t* bytes, uint32_t count) const override;
  void poke(uint32_t address, const uint8_t* bytes, uint32_t count) override;
  Counters counters() const override { return kit_.reference().counters(); }

  Kit& kit() { return kit_; }

 private:
  mutable Kit kit_;
};

/// Adds `rtl`, `lockstep` and, with assertions, random start values and monitors, `rtl-check`,
/// `lockstep-check`; all of them compare.
void register_lds(lds::Registry& registry, const LdsLockstep::Kit::OnMismatch& on_mismatch,
                  const LockstepOptions& options);
/// Adds `dut:<name>`, a user's device.
void register_lds_dut(lds::Registry& registry, const std::string& name,
                      const std::shared_ptr<const DutLibrary>& library,
                      const LdsLockstep::Kit::OnMismatch& on_mismatch,
                      const LockstepOptions& options);

/// The Verilated builds of rtl/lds: for speed; for checking, every bit starting at values drawn
/// from `seed`.
std::unique_ptr<PinDevice> make_lds_fast();
std::unique_ptr<PinDevice> make_lds_check(uint64_t seed);

}  // namespace cuvette::ip

namespace cuvette::ip::recording {

/// Settings for recordings (ip/lockstep/config_json.h).
template <class Config, class Visitor>
std::enable_if_t<std::is_same_v<std::remove_const_t<Config>, lds::Config>> visit_config(
    Config& config, Visitor&& visit) {
  visit("latency_cycles", config.latency_cycles);
  visit("lanes_per_cycle", config.lanes_per_cycle);
}

}  // namespace cuvette::ip::recording
