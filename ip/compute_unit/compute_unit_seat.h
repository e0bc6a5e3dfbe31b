// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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
                  const LockstepOptions& options, Kit::OnMismatch on_mismatch)
      : space_(config.address_space),
        checker_(config),
        kit_(compute_unit::kChannels, checker_, std::move(device),
             pin_channels(compute_unit::kChannels, 0),
             {"compute_unit", config.index, 0, "compute_unit " + std::to_string(config.index)},
             options, std::move(on_mismatch)) {
    visit_channels(static_cast<compute_unit::ComputeUnit&>(*this), kit_);
  }

  void connect(spi::Spi::ComputeUnitPort& waves, cache::Cache::Port& vector,
               cache::Cache::Port& scalar, cache::Cache::Port& instruction) override {
    kit_.in(0, 0, waves.launch);
    kit_.out(1, 0, waves.done);
    kit_.in(2, 0, waves.command);
    unsigned channel = 4;
    for (cache::Cache::Port* port : {&vector, &scalar, &instruction}) {
      kit_.out(channel++, 0, port->request);
      kit_.in(channel++, 0, port->response);
    }
    kit_.out(10, 0, translate_request_);
    kit_.in(11, 0, translate_response_);
    kit_.out(16, 0, retired_);
    kit_.out(17, 0, vector_writes_);
    kit_.out(18, 0, scalar_writes_);
    kit_.out(19, 0, accesses_);
  }
  void tick(machine::Cycle now) override {
    kit_.tick(now);
    translate(now);
    // The checker has seen them.
    discard(retired_, now);
    discard(vector_writes_, now);
    discard(scalar_writes_, now);
    discard(accesses_, now);
  }
  machine::Cycle next_event() const override {
    return std::min({kit_.next_event(), translate_request_.next_event(), retired_.next_event(),
                     vector_writes_.next_event(), scalar_writes_.next_event(),
                     accesses_.next_event()});
  }
  void observe(Observer observer) override { checker_.observe(std::move(observer)); }
  std::vector<compute_unit::WaveReport> waves() const override { return checker_.waves(); }
  std::string failure() const override { return checker_.failure(); }
  lds::Lds::Counters lds_counters() const override { return {}; }
  Counters counters() const override { return checker_.counters(kit_.now()); }
  Counters counters(machine::Cycle now) const override { return checker_.counters(now); }

  Kit& kit() { return kit_; }

 private:
  template <class M>
  static void discard(machine::Channel<M>& channel, machine::Cycle now) {
    while (channel.front(now) != nullptr) channel.drop(now);
  }
  /// By the machine's address space, a cycle after the question. A recording has the answers.
  void translate(machine::Cycle now) {
    while (const memory::TranslateRequest* asked = translate_request_.front(now)) {
      if (space_ != nullptr) translate_response_.push(translated(*asked, *space_), now + 1);
      translate_request_.drop(now);
    }
  }

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
