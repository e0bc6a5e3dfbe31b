// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ip/lockstep/rule_checked.h"
#include "ip/spi/spi_checker.h"
#include "spi/placement_names.h"
#include "spi/spi.h"

namespace cuvette::ip {

/// Wave launcher whose work a device on pins does, checked by an SpiChecker
/// (docs/reference/spi.md).
class SpiSeat final : public spi::Spi {
 public:
  using Kit = RuleChecked<SpiChecker>;

  SpiSeat(std::unique_ptr<PinDevice> device, const spi::Config& config,
          const LockstepOptions& options, Kit::OnMismatch on_mismatch);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  unsigned compute_units() const override { return static_cast<unsigned>(ports_.size()); }
  ComputeUnitPort& compute_unit(unsigned index) override { return *ports_[index]; }
  Counters counters() const override { return checker_.counters(); }
  bool on_dispatch(OnDispatch observer) override {
    checker_.on_dispatch(std::move(observer));
    return true;
  }

  Kit& kit() { return kit_; }
  SpiChecker& checker() { return checker_; }

 private:
  static constexpr unsigned kDispatch = 0, kCancel = 2, kSave = 4, kRestore = 6,
                            kDone = 9;  // channels

  /// Messages about dispatches on their way to the device.
  template <class M>
  struct About {
    std::vector<M> early;  ///< their dispatch has not been taken
    machine::Channel<M> known{machine::kUnbounded};
  };
  /// Sends a message about a dispatch behind the dispatch itself, without holding up messages about
  /// others.
  template <class M>
  void pass(machine::Channel<M>& from, About<M>& to, machine::Cycle now);

  std::vector<std::unique_ptr<ComputeUnitPort>> ports_;
  machine::Channel<spi::Dispatch> behind_restores_{2};
  machine::Channel<spi::SavedGroup> restores_{machine::kUnbounded};
  std::unordered_map<uint32_t, unsigned> restoring_;  ///< on their way to the device, by dispatch
  SpiChecker checker_;
  std::unordered_set<uint64_t> ended_;  ///< waves of a rerun
  std::unordered_set<uint32_t> taken_;  ///< ids of dispatches that the device has
  About<spi::Cancel> cancels_;
  About<spi::Save> saves_;
  Kit kit_;
};

}  // namespace cuvette::ip

namespace cuvette::ip::recording {

/// The placement by its number.
inline unsigned placement_number(const spi::Config& config) {
  const std::vector<std::string> names = spi::placement_names();
  const auto found = std::find(names.begin(), names.end(), config.placement);
  return static_cast<unsigned>(found - names.begin()) % static_cast<unsigned>(names.size());
}

/// Settings for recordings (ip/lockstep/config_json.h).
template <class Config, class Visitor>
std::enable_if_t<std::is_same_v<std::remove_const_t<Config>, spi::Config>> visit_config(
    Config& config, Visitor&& visit) {
  visit("compute_units", config.compute_units);
  visit("shader_engines", config.shader_engines);
  visit("simds", config.simds);
  visit("slots", config.slots);
  visit("vgpr_rows", config.vgpr_rows);
  visit("acc_rows", config.acc_rows);
  visit("vgpr_granule", config.vgpr_granule);
  visit("lds_bytes", config.lds_bytes);
  visit("lds_granule", config.lds_granule);
  visit("sgprs_per_simd", config.sgprs_per_simd);
  visit("launch_cycles", config.launch_cycles);
  visit("poison", config.poison);
  unsigned placement = placement_number(config);
  visit("placement", placement);
  if constexpr (!std::is_const_v<Config>) {
    const std::vector<std::string> names = spi::placement_names();
    config.placement = names[placement % names.size()];
  }
}

}  // namespace cuvette::ip::recording
