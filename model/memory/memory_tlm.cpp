// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/memory_tlm.h"

#include <algorithm>

#include "memory/serve.h"

namespace cuvette::memory {

using machine::Cycle;

MemoryTlm::MemoryTlm(const Config& config) : config_(config) {
  for (unsigned i = 0; i < config.ports; ++i) ports_.push_back(std::make_unique<State>());
}

Cycle MemoryTlm::next_event() const {
  Cycle next = machine::kNever;
  for (const auto& state : ports_) {
    const Cycle arrival = state->port.request.next_event();
    if (arrival != machine::kNever) next = std::min(next, std::max(arrival, state->free_at));
  }
  return next;
}

void MemoryTlm::tick(Cycle now) {
  for (auto& state : ports_) {
    if (state->free_at > now || state->port.request.front(now) == nullptr) continue;
    const MemReq& request = *state->port.request.front(now);
    traffic_.add(request);
    const Cycle time = now + config_.latency_cycles;
    MemResp& response = state->port.response.push_in_place(time);
    response = serve(*config_.backing, request);
    if (is_store(request.op)) response.serial = next_serial_++;
    response.time = time;
    state->port.request.drop(now);
    state->free_at = now + config_.cycles_per_block;
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
  registry.add("tlm", [](const Config& config) { return std::make_unique<MemoryTlm>(config); });
}

}  // namespace cuvette::memory
