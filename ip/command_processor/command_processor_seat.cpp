// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/command_processor/command_processor_seat.h"

#include <algorithm>
#include <utility>

namespace cuvette::ip {

CommandProcessorSeat::CommandProcessorSeat(std::unique_ptr<PinDevice> device,
                                           const command_processor::Config& config,
                                           const LockstepOptions& options,
                                           Kit::OnMismatch on_mismatch,
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

void CommandProcessorSeat::connect(spi::Spi& spi, cache::Cache::Port& memory,
                                   const std::vector<cache::Cache::Port*>& near,
                                   const std::vector<cache::Cache::Port*>& far) {
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

void CommandProcessorSeat::tick(machine::Cycle now) {
  kit_.tick(now);
  while (bound_.front(now) != nullptr) bound_.drop(now);  // the checker has seen it
  while (const memory::TranslateRequest* asked = translate_request_.front(now)) {
    if (space_ != nullptr) {  // a recording has the answers
      translate_response_.push(translated(*asked, *space_), now + 1);
    }
    translate_request_.drop(now);
  }
}

machine::Cycle CommandProcessorSeat::next_event() const {
  return std::min({kit_.next_event(), translate_request_.next_event(), bound_.next_event()});
}

}  // namespace cuvette::ip
