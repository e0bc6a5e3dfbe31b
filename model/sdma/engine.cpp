// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "sdma/engine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"
#include "sdma/execution.h"
#include "sdma/ring_state.h"

namespace cuvette::sdma {

using machine::Cycle;

namespace {
constexpr uint64_t kLeastRing = 64;
}

base::Status check(const Ring& ring) {
  if (ring.aql) {
    return base::Error(fmt::format("rings of SDMA AQL packets ({}, {}) are not executed",
                                   name(Packet::AqlCopyLinear), name(Packet::AqlBarrierOr)));
  }
  if (!base::is_power_of_two(ring.bytes) || ring.bytes < kLeastRing) {
    return base::Error(
        fmt::format("expected a ring of a power of two of bytes, at least {}, found {}", kLeastRing,
                    ring.bytes));
  }
  if (ring.base % sizeof(uint32_t) != 0) {
    return base::Error(fmt::format("expected a ring at a multiple of 4, found {:#x}", ring.base));
  }
  if (ring.read_report % sizeof(uint64_t) != 0) {
    return base::Error(
        fmt::format("expected a read pointer at a multiple of 8, found {:#x}", ring.read_report));
  }
  return {};
}

Engine::Engine(const Config& config) : config_(config) {}
Engine::~Engine() = default;

void Engine::bind(uint32_t number, const Ring& ring) {
  auto state = std::make_unique<RingState>();
  state->number = number;
  state->ring = ring;
  rings_[number] = std::move(state);
}

void Engine::unbind(uint32_t number) {
  const auto found = rings_.find(number);
  if (found == rings_.end()) return;
  found->second->leaving = true;
  if (!ticking_) sweep();
}

void Engine::sweep() {
  std::erase_if(rings_, [](const auto& entry) { return entry.second->leaving; });
}

void Engine::ring(uint32_t number, uint64_t write) {
  const auto found = rings_.find(number);
  if (found == rings_.end() || found->second->failed) return;
  RingState& r = *found->second;
  if (write % sizeof(uint32_t) != 0 || write < r.read || write - r.read > r.ring.bytes) {
    r.identified = false;
    Execution(*this, r, last_tick_)
        .fail(fmt::format("the write pointer {:#x} is not between the read pointer {:#x} and the "
                          "end of a ring of {:#x} bytes, or no multiple of 4",
                          write, r.read, r.ring.bytes));
    return;
  }
  if (r.read == r.write && !r.under_way()) r.cold = true;
  r.write = write;
  r.incomplete = false;
}

void Engine::sleep(uint32_t number, bool asleep) {
  if (const auto found = rings_.find(number); found != rings_.end()) found->second->asleep = asleep;
}

bool Engine::move(uint32_t number, uint64_t base, uint64_t bytes) {
  const auto found = rings_.find(number);
  if (found == rings_.end() || found->second->under_way()) return false;
  Ring moved = found->second->ring;
  moved.base = base;
  moved.bytes = bytes;
  if (!check(moved).ok() || found->second->write - found->second->read > bytes) return false;
  found->second->ring = moved;
  return true;
}

/// It sleeps between two packets.
bool Engine::can_go_on(const RingState& r) const {
  if (r.failed || r.leaving) return false;
  if (r.phase != RingState::Phase::Fetch) return true;
  if (r.asleep) return false;
  return r.indirect || (r.read < r.write && !r.incomplete);
}

/// The ring that moves data; else the next one by number behind the last, of those that may.
RingState* Engine::choose(Cycle now) {
  const auto last = rings_.find(turn_);
  if (last != rings_.end()) {
    RingState& r = *last->second;
    const bool moves = r.phase != RingState::Phase::Fetch && !r.waits();
    if (moves && can_go_on(r) && r.due <= now) return &r;
  }
  const auto ready = [&](const auto& entry) {
    return can_go_on(*entry.second) && entry.second->due <= now;
  };
  const auto behind = rings_.upper_bound(turn_);
  auto found = std::find_if(behind, rings_.end(), ready);
  if (found == rings_.end()) {
    found = std::find_if(rings_.begin(), behind, ready);
    if (found == behind) return nullptr;
  }
  turn_ = found->first;
  return found->second.get();
}

void Engine::tick(Cycle now) {
  ticking_ = true;
  last_tick_ = now;
  while (busy_until_ <= now) {
    RingState* const r = choose(now);
    if (r == nullptr) break;
    const Cycle cost = Execution(*this, *r, now).step();
    busy_until_ = std::max(busy_until_, now + cost);
  }
  ticking_ = false;
  sweep();
}

Cycle Engine::next_event() const {
  Cycle next = machine::kNever;
  for (const auto& [number, r] : rings_) {
    if (can_go_on(*r)) next = std::min(next, std::max(r->due, busy_until_));
  }
  return next;
}

bool Engine::works() const {
  return std::any_of(rings_.begin(), rings_.end(), [this](const auto& entry) {
    return can_go_on(*entry.second) && !entry.second->waits();
  });
}

RingReport Engine::report(uint32_t number) const {
  using State = RingReport::State;
  RingReport out;
  out.ring = number;
  out.engine = config_.index;
  const auto found = rings_.find(number);
  if (found == rings_.end()) return out;
  const RingState& r = *found->second;
  out.doorbell = r.ring.doorbell;
  out.read = r.read;
  out.write = r.write;
  out.why = r.why;
  if (r.failed) {
    out.state = State::Failed;
  } else if (r.waits()) {
    const WaitJob& w = std::get<WaitJob>(r.job);
    out.state = State::Waiting;
    out.why =
        fmt::format("{} at {:#x}, last seen {:#x}",
                    w.what == WaitJob::What::Register ? "register" : "memory", w.address, w.last);
  } else if (r.incomplete) {
    out.state = State::Waiting;
    out.why = "the rest of a packet";
  } else if (r.asleep) {
    out.state = State::Asleep;
  } else if (can_go_on(r)) {
    out.state = State::Running;
  }
  return out;
}

std::vector<std::string> Engine::take_errors() {
  return std::exchange(errors_, {});
}

}  // namespace cuvette::sdma
