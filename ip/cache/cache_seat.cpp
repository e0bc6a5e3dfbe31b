// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/cache/cache_seat.h"

#include <utility>

namespace cuvette::ip {
namespace {

constexpr unsigned kDownRequest = 2, kDownResponse = 3;

BlockPlace place_of(const cache::Config& config) {
  const std::string role = cache::name_of(config.role);
  const bool of_unit = config.role == cache::Role::VectorL1;
  const char* what = config.role == cache::Role::L2 ? " slice "
                     : of_unit                      ? " of compute unit "
                                                    : " ";
  return {role, of_unit ? config.index : 0, config.index,
          role + what + std::to_string(config.index)};
}

}  // namespace

CacheSeat::CacheSeat(std::unique_ptr<PinDevice> device, const cache::Config& config,
                     const LockstepOptions& options, Kit::OnMismatch on_mismatch)
    : checker_(config),
      kit_(cache::kChannels, checker_, std::move(device),
           pin_channels(cache::kChannels, config.up_ports), place_of(config), options,
           std::move(on_mismatch)) {
  for (unsigned i = 0; i < config.up_ports; ++i) up_.push_back(std::make_unique<Port>());
  visit_channels(static_cast<cache::Cache&>(*this), kit_);
}

void CacheSeat::connect(Port& down) {
  kit_.out(kDownRequest, 0, down.request);
  kit_.in(kDownResponse, 0, down.response);
}

}  // namespace cuvette::ip
