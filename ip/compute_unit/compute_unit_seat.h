// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "compute_unit/compute_unit.h"
#include "ip/compute_unit/compute_unit_checker.h"
#include "ip/lockstep/rule_checked.h"

namespace cuvette::ip {

/// Compute unit whose work a device on pins does, checked by a ComputeUnitChecker
/// (docs/reference/compute_unit.md).
class ComputeUnitSeat final : public compute_unit::ComputeUnit {
 public:
  using Kit = RuleChecked<ComputeUnitChecker>;

  ComputeUnitSeat(std::unique_ptr<PinDevice> device, const compute_unit::Config& config,
                  const LockstepOptions& options, Kit::OnMismatch on_mismatch);

  void connect(spi::Spi::ComputeUnitPort& waves, cache::Cache::Port& vector,
               cache::Cache::Port& scalar, cache::Cache::Port& instruction) override;
  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  void observe(Observer observer) override { checker_.observe(std::move(observer)); }
  std::vector<compute_unit::WaveReport> waves() const override { return checker_.waves(); }
  std::string failure() const override { return checker_.failure(); }
  lds::Lds::Counters lds_counters() const override { return {}; }
  Counters counters() const override { return checker_.counters(kit_.now()); }
  Counters counters(machine::Cycle now) const override { return checker_.counters(now); }

  Kit& kit() { return kit_; }

 private:
  /// By the machine's address space, a cycle after the question. A recording has the answers.
  void translate(machine::Cycle now);

  const hsa::AddressSpace* space_;
  ComputeUnitChecker checker_;
  Kit kit_;
  machine::Channel<memory::TranslateRequest> translate_request_{machine::kUnbounded};
  machine::Channel<memory::TranslateResponse> translate_response_{machine::kUnbounded};
  machine::Channel<compute_unit::Retired> retired_{machine::kUnbounded};
  machine::Channel<compute_unit::VectorWrite> vector_writes_{machine::kUnbounded};
  machine::Channel<compute_unit::ScalarWrite> scalar_writes_{machine::kUnbounded};
  machine::Channel<compute_unit::MemoryAccess> accesses_{machine::kUnbounded};
};

}  // namespace cuvette::ip

namespace cuvette::ip::recording {

/// Settings for recordings (ip/lockstep/config_json.h).
template <class Config, class Visitor>
std::enable_if_t<std::is_same_v<std::remove_const_t<Config>, compute_unit::Config>> visit_config(
    Config& config, Visitor&& visit) {
  visit("index", config.index);
  visit("sramecc", config.sramecc);
  visit("simds", config.simds);
  visit("slots", config.slots);
  visit("units_per_engine", config.units_per_engine);
  visit("shared_aperture", config.shared_aperture);
  visit("private_aperture", config.private_aperture);
  visit("poison", config.simd.registers.seed);
}

}  // namespace cuvette::ip::recording
