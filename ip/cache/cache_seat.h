// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "cache/cache.h"
#include "ip/cache/cache_checker.h"
#include "ip/lockstep/rule_checked.h"

namespace cuvette::ip {

/// Cache whose work a device on pins does, checked by a CacheChecker (docs/reference/cache.md).
/// Questions of the machine past the channels are answered from what crossed the pins.
class CacheSeat final : public cache::Cache {
 public:
  using Kit = RuleChecked<CacheChecker>;

  CacheSeat(std::unique_ptr<PinDevice> device, const cache::Config& config,
            const LockstepOptions& options, Kit::OnMismatch on_mismatch);

  void tick(machine::Cycle now) override { kit_.tick(now); }
  machine::Cycle next_event() const override { return kit_.next_event(); }
  unsigned up_ports() const override { return static_cast<unsigned>(up_.size()); }
  Port& up(unsigned index) override { return *up_[index]; }
  void connect(Port& down) override;
  Counters counters() const override { return checker_.counters(); }
  bool peek(uint64_t address, uint8_t* bytes, unsigned count) const override {
    return checker_.peek(address, bytes, count);
  }
  bool for_dirty(const OnDirty& f) const override {
    checker_.for_dirty(f);
    return true;
  }

  Kit& kit() { return kit_; }

 private:
  std::vector<std::unique_ptr<Port>> up_;
  CacheChecker checker_;
  Kit kit_;
};

}  // namespace cuvette::ip

namespace cuvette::ip::recording {

/// Settings for recordings (ip/lockstep/config_json.h).
template <class Config, class Visitor>
std::enable_if_t<std::is_same_v<std::remove_const_t<Config>, cache::Config>> visit_config(
    Config& config, Visitor&& visit) {
  visit("role", config.role);
  visit("index", config.index);
  visit("up_ports", config.up_ports);
  visit("bytes", config.bytes);
  visit("ways", config.ways);
  visit("line_bytes", config.line_bytes);
  visit("hit_cycles", config.hit_cycles);
  visit("misses", config.misses);
  visit("slices", config.slices);
  visit("interleave_bytes", config.interleave_bytes);
}

}  // namespace cuvette::ip::recording
