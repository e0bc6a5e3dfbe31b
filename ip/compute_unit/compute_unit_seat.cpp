// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/compute_unit/compute_unit_seat.h"

#include <algorithm>
#include <utility>

namespace cuvette::ip {
namespace {

template <class M>
void discard(machine::Channel<M>& channel, machine::Cycle now) {
  while (channel.front(now) != nullptr) channel.drop(now);
}

}  // namespace

ComputeUnitSeat::ComputeUnitSeat(std::unique_ptr<PinDevice> device,
                                 const compute_unit::Config& config, const LockstepOptions& options,
                                 Kit::OnMismatch on_mismatch)
    : space_(config.address_space),
      checker_(config),
      kit_(compute_unit::kChannels, checker_, std::move(device),
           pin_channels(compute_unit::kChannels, 0),
           {"compute_unit", config.index, 0, "compute_unit " + std::to_string(config.index)},
           options, std::move(on_mismatch)) {
  visit_channels(static_cast<compute_unit::ComputeUnit&>(*this), kit_);
}

void ComputeUnitSeat::connect(spi::Spi::ComputeUnitPort& waves, cache::Cache::Port& vector,
                              cache::Cache::Port& scalar, cache::Cache::Port& instruction) {
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

void ComputeUnitSeat::tick(machine::Cycle now) {
  kit_.tick(now);
  translate(now);
  // The checker has seen them.
  discard(retired_, now);
  discard(vector_writes_, now);
  discard(scalar_writes_, now);
  discard(accesses_, now);
}

machine::Cycle ComputeUnitSeat::next_event() const {
  return std::min({kit_.next_event(), translate_request_.next_event(), retired_.next_event(),
                   vector_writes_.next_event(), scalar_writes_.next_event(),
                   accesses_.next_event()});
}

void ComputeUnitSeat::translate(machine::Cycle now) {
  while (const memory::TranslateRequest* asked = translate_request_.front(now)) {
    if (space_ != nullptr) translate_response_.push(translated(*asked, *space_), now + 1);
    translate_request_.drop(now);
  }
}

}  // namespace cuvette::ip
