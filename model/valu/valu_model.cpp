// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "valu/valu_model.h"

#include <algorithm>

namespace cuvette::valu {

ValuModel::ValuModel(const Config& config)
    : latency_(std::max<machine::Cycle>(1, config.latency_cycles)), lanes_(config.target) {
  // As many responses under way as the latency needs for one beat per cycle.
  response = machine::Channel<Response>(static_cast<size_t>(latency_) + 4);
}

void ValuModel::tick(machine::Cycle now) {
  const Request* next = request.front(now);
  if (next == nullptr || !response.can_push(now)) return;
  Response answer;
  lanes_.compute(*next, answer);
  request.drop(now);
  response.push(answer, now + latency_);
}

bool ValuModel::implements(const isa::Row& row, isa::Encoding, const isa::Modifiers&) const {
  return LaneBeat::has(row);
}

void register_valu_tlm(Registry& registry) {
  registry.add("tlm", [](const Config& config) { return std::make_unique<ValuModel>(config); });
}

}  // namespace cuvette::valu
