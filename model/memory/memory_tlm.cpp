// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/memory_tlm.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "wave/atomic.h"

namespace cuvette::memory {

using machine::Cycle;

namespace {

/// Calls `act(first, count)` for each run of set bits.
template <class Act>
bool for_runs(uint64_t mask, Act act) {
  for (unsigned i = 0; i < kBlockBytes;) {
    if (!base::bit(mask, i)) {
      ++i;
      continue;
    }
    unsigned end = i;
    while (end < kBlockBytes && base::bit(mask, end)) ++end;
    if (!act(i, end - i)) return false;
    i = end;
  }
  return true;
}

}  // namespace

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
    const MemReq request = state->port.request.pop(now);
    MemResp response = serve(request);
    response.id = request.id;
    response.address = request.address;
    response.time = now + config_.latency_cycles;
    state->port.response.push(response, response.time);
    state->free_at = now + config_.cycles_per_block;
  }
}

MemResp MemoryTlm::serve(const MemReq& request) {
  MemResp response;
  bool ok = true;
  switch (request.op) {
    case MemOp::Read:
      // A cache asks for whole blocks; bytes that do not exist read as 0, as long as one does.
      ok = false;
      for_runs(request.byte_mask, [&](unsigned first, unsigned count) {
        if (config_.backing->read(request.address + first, response.data.data() + first, count)) {
          ok = true;
          return true;
        }
        for (unsigned i = first; i < first + count; ++i) {
          ok |= config_.backing->read(request.address + i, response.data.data() + i, 1);
        }
        return true;
      });
      break;
    case MemOp::Write:
      ok = for_runs(request.byte_mask, [&](unsigned first, unsigned count) {
        return config_.backing->write(request.address + first, request.data.data() + first, count);
      });
      response.serial = next_serial_++;
      break;
    case MemOp::Atomic:
    case MemOp::AtomicReturn: {
      uint64_t data = 0;
      uint64_t compare = 0;
      uint64_t old = 0;
      std::memcpy(&data, request.data.data(), 8);
      std::memcpy(&compare, request.data.data() + 8, 8);
      ok = config_.backing->read_modify_write(
          request.address, request.atomic_bytes,
          [&](uint64_t before) {
            return wave::apply_atomic(request.atomic, before, data, compare,
                                      request.atomic_bytes * 8u, request.flush_subnormals,
                                      request.flush_subnormals);
          },
          &old);
      std::memcpy(response.data.data(), &old, request.atomic_bytes);
      response.serial = next_serial_++;
      break;
    }
    case MemOp::Invalidate:
    case MemOp::Writeback:
      break;
  }
  response.status = ok ? MemStatus::Ok : MemStatus::Fault;
  return response;
}

void register_tlm(Registry& registry) {
  registry.add("tlm", [](const Config& config) { return std::make_unique<MemoryTlm>(config); });
}

}  // namespace cuvette::memory
