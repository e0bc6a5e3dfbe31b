// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
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
                       const contract::PortCounts& ports)
      : space_(config.address_space),
        checker_(config, ports.of(command_processor::kChannels[16]),
                 ports.of(command_processor::kChannels[18])),
        kit_(command_processor::kChannels, checker_, std::move(device),
             pin_channels(command_processor::kChannels, ports),
             {"command_processor", 0, 0, "command_processor"}, options, std::move(on_mismatch)) {
    visit_channels(static_cast<command_processor::CommandProcessor&>(*this), kit_);
    kit_.in(0, 0, bind_);
    kit_.out(1, 0, bound_);
    kit_.in(2, 0, unbind_);
    kit_.out(14, 0, translate_request_);
    kit_.in(15, 0, translate_response_);
  }

  void connect(spi::Spi& spi, cache::Cache::Port& memory,
               const std::vector<cache::Cache::Port*>& near,
               const std::vector<cache::Cache::Port*>& far) override {
    kit_.out(12, 0, memory.request);
    kit_.in(13, 0, memory.response);
    for (unsigned i = 0; i < near.size(); ++i) {
      kit_.out(16, i, near[i]->request);
      kit_.in(17, i, near[i]->response);
    }
    for (unsigned i = 0; i < far.size(); ++i) {
      kit_.out(18, i, far[i]->request);
      kit_.in(19, i, far[i]->response);
    }
    kit_.out(20, 0, spi.dispatch);
    kit_.in(21, 0, spi.dispatch_done);
    kit_.out(22, 0, spi.cancel);
    kit_.out(23, 0, spi.save);
    kit_.in(24, 0, spi.saved);
    kit_.out(25, 0, spi.restore);
  }
  /// Numbers count up in the order of bindings, so that nobody has to wait for the answer.
  uint32_t bind(const command_processor::QueueBinding& queue, machine::Cycle when) override {
    bind_.push(queue, when);
    return bound_queues_++;
  }
  void unbind(uint32_t queue) override { unbind_.push({queue}, kit_.now() + 1); }
  void tick(machine::Cycle now) override {
    kit_.tick(now);
    while (bound_.front(now) != nullptr) bound_.drop(now);  // the checker has seen it
    while (const memory::TranslateRequest* asked = translate_request_.front(now)) {
      if (space_ != nullptr) {  // a recording has the answers
        translate_response_.push(translated(*asked, *space_), now + 1);
      }
      translate_request_.drop(now);
    }
  }
  machine::Cycle next_event() const override {
    return std::min({kit_.next_event(), translate_request_.next_event(), bound_.next_event()});
  }
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
