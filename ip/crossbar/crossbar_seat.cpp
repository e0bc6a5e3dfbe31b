// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/crossbar/crossbar_seat.h"

#include <string>
#include <utility>

#include "crossbar/crossbar_model.h"

namespace cuvette::ip {

using memory::MemReq;
using memory::MemResp;

namespace {

constexpr unsigned kSourceRequest = 0, kSliceResponse = 3;

/// A device may be quicker than the machine's crossbar. Where times are not those of the reference,
/// it has none, so that it is never run ahead for a message, and what comes in order stays so.
crossbar::Config of_reference(crossbar::Config config, const LockstepOptions& options) {
  if (options.timing.kind != machine::TimingRule::Kind::Exact) config.latency_cycles = 0;
  return config;
}

/// What is wrong with messages of a recording; empty: nothing.
std::string admit_request(const MemReq& r, unsigned id_bits) {
  if (r.op > memory::MemOp::Writeback) return "'op' is no operation";
  if (r.id >> id_bits == 0) return {};
  return "'id' must be below 2^" + std::to_string(id_bits);
}
std::string admit_answer(const MemResp& r, unsigned id_bits, unsigned sources) {
  if (r.id >> id_bits < sources) return {};
  return "'id' must have the number of a source, less than " + std::to_string(sources) +
         ", in bits " + std::to_string(id_bits) + " and up";
}

}  // namespace

CrossbarSeat::CrossbarSeat(std::unique_ptr<PinDevice> device, const crossbar::Config& config,
                           const LockstepOptions& options, Kit::OnMismatch on_mismatch)
    : CrossbarPorts(config),
      kit_(crossbar::kChannels, *this,
           std::make_unique<crossbar::CrossbarModel>(of_reference(config, options), true),
           std::move(device), pin_channels(crossbar::kChannels, {config.sources, config.slices}),
           {"crossbar", 0, 0, "crossbar"}, options, std::move(on_mismatch)) {
  const unsigned id_bits = 64 - crossbar::id_source_bits(config.sources);
  for (unsigned s = 0; s < config.sources; ++s) {
    kit_.input<MemReq>(kSourceRequest, s).admit([id_bits](const MemReq& r) {
      return admit_request(r, id_bits);
    });
  }
  for (unsigned k = 0; k < config.slices; ++k) {
    kit_.input<MemResp>(kSliceResponse, k)
        .admit([id_bits, sources = config.sources](const MemResp& r) {
          return admit_answer(r, id_bits, sources);
        });
  }
}

}  // namespace cuvette::ip
