// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "crossbar/crossbar.h"
#include "ip/crossbar/crossbar_ports.h"
#include "ip/lockstep/rule_checked.h"
#include "ip/traffic/crossbar_ledger.h"

namespace cuvette::ip::traffic {

/// Rule checker of a crossbar's pins: a CrossbarLedger in the form that RuleChecked takes. The
/// order in which a slice is given requests of different sources is the crossbar's own choice.
class CrossbarChecker {
 public:
  using Finding = std::optional<Violation>;

  explicit CrossbarChecker(const crossbar::Config& config) : ledger_(config, true) {}

  Finding taken(unsigned channel, unsigned port, const memory::MemReq& r, machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const memory::MemResp& r, machine::Cycle now);
  Finding taken(unsigned channel, unsigned port, const crossbar::Aperture& a, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, memory::MemReq& r, machine::Cycle now);
  Finding given(unsigned channel, unsigned port, memory::MemResp& r, machine::Cycle now);
  bool busy() const { return ledger_.open() != 0; }
  bool owes() const { return ledger_.open() != ledger_.at_slices(); }
  std::string owed() const;
  Finding conclude() const;
  uint64_t checked() const { return ledger_.checked(); }

 private:
  CrossbarLedger ledger_;
};

/// Crossbar whose work a device on pins does, checked by the rules of its page
/// (docs/reference/crossbar.md) whatever its latencies are.
class CheckedCrossbar final : public CrossbarPorts {
 public:
  using Kit = RuleChecked<CrossbarChecker>;

  CheckedCrossbar(std::unique_ptr<PinDevice> device, const crossbar::Config& config,
                  const LockstepOptions& options, Kit::OnMismatch on_mismatch);

  void tick(machine::Cycle now) override { kit_.tick(now); }
  machine::Cycle next_event() const override { return kit_.next_event(); }
  /// Not counted.
  uint64_t busy_cycles(machine::Cycle /*now*/) const override { return 0; }

  Kit& kit() { return kit_; }

 private:
  CrossbarChecker checker_;
  Kit kit_;
};

}  // namespace cuvette::ip::traffic
