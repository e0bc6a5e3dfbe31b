// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/memory_model.h"

#include <algorithm>

#include "memory/serve.h"

namespace cuvette::memory {

using machine::Cycle;

MemoryModel::MemoryModel(const Config& config) : config_(config) {
  for (unsigned i = 0; i < config.ports; ++i) ports_.push_back(std::make_unique<State>());
}

Cycle MemoryModel::next_event() const {
  Cycle next = machine::kNever;
  for (const auto& state : ports_) {
    const Cycle arrival = state->port.request.next_event();
    if (arrival != machine::kNever) next = std::min(next, std::max(arrival, state->free_at));
  }
  return next;
}

void MemoryModel::tick(Cycle now) {
  for (unsigned p = 0; p < ports_.size(); ++p) {
    State* const state = ports_[p].get();
    if (state->free_at > now || state->port.request.front(now) == nullptr) continue;
    const MemReq& request = *state->port.request.front(now);
    traffic_.add(request);
    under_way_.enter(now);
    under_way_.leave(now + config_.latency_cycles);
    const Cycle time = now + config_.latency_cycles;
    MemResp& response = state->port.response.push_in_place(time);
    response = serve(*config_.backing, request);
    if (is_store(request.op)) response.serial = next_serial_++;
    response.time = time;
    state->free_at = now + config_.cycles_per_block;
    if (on_request_) on_request_(now, p, request, state->free_at);
    state->port.request.drop(now);
  }
}

void Memory::Traffic::add(const MemReq& request) {
  const auto bytes = static_cast<uint64_t>(__builtin_popcountll(request.byte_mask));
  switch (request.op) {
    case MemOp::Read:
      ++reads;
      read_bytes += bytes;
      break;
    case MemOp::Write:
      ++writes;
      written_bytes += bytes;
      break;
    case MemOp::Atomic:
    case MemOp::AtomicReturn:
      ++atomics;
      break;
    case MemOp::Invalidate:
    case MemOp::Writeback:
      break;
  }
}

void register_tlm(Registry& registry) {
  registry.add("tlm", [](const Config& config) { return std::make_unique<MemoryModel>(config); });
}

}  // namespace cuvette::memory
