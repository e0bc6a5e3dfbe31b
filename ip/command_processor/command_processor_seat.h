// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "command_processor/command_processor.h"
#include "ip/command_processor/command_processor_checker.h"
#include "ip/lockstep/rule_checked.h"

namespace cuvette::ip {

/// Command processor whose work a device on pins does, checked by a CommandProcessorChecker
/// (docs/reference/command_processor.md).
class CommandProcessorSeat final : public command_processor::CommandProcessor {
 public:
  using Kit = RuleChecked<CommandProcessorChecker>;

  /// `ports`: to near and far caches.
  CommandProcessorSeat(std::unique_ptr<PinDevice> device, const command_processor::Config& config,
                       const LockstepOptions& options, Kit::OnMismatch on_mismatch,
                       const contract::PortCounts& ports);

  void connect(spi::Spi& spi, cache::Cache::Port& memory,
               const std::vector<cache::Cache::Port*>& near,
               const std::vector<cache::Cache::Port*>& far) override;
  /// Numbers count up in the order of bindings, so that nobody has to wait for the answer.
  uint32_t bind(const command_processor::QueueBinding& queue, machine::Cycle when) override {
    bind_.push(queue, when);
    return bound_queues_++;
  }
  void unbind(uint32_t queue) override { unbind_.push({queue}, kit_.now() + 1); }
  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  Counters counters() const override { return checker_.counters(); }
  std::vector<command_processor::QueueReport> queues() const override { return checker_.queues(); }

  unsigned near_ports() const { return checker_.near_ports(); }
  unsigned far_ports() const { return checker_.far_ports(); }

  Kit& kit() { return kit_; }

 private:
  const hsa::AddressSpace* space_;
  CommandProcessorChecker checker_;
  Kit kit_;
  uint32_t bound_queues_ = 0;
  machine::Channel<command_processor::QueueBinding> bind_{machine::kUnbounded};
  machine::Channel<command_processor::QueueNumber> bound_{machine::kUnbounded};
  machine::Channel<command_processor::QueueNumber> unbind_{machine::kUnbounded};
  machine::Channel<memory::TranslateRequest> translate_request_{machine::kUnbounded};
  machine::Channel<memory::TranslateResponse> translate_response_{machine::kUnbounded};
};

}  // namespace cuvette::ip

namespace cuvette::ip::recording {

/// Settings for recordings (ip/lockstep/config_json.h).
template <class Config, class Visitor>
std::enable_if_t<std::is_same_v<std::remove_const_t<Config>, command_processor::Config>>
visit_config(Config& config, Visitor&& visit) {
  visit("packet_cycles", config.packet_cycles);
  visit("poll_cycles", config.poll_cycles);
  visit("group_bytes", config.group_bytes);
}

}  // namespace cuvette::ip::recording
