// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gds/gds_model.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

#include "base/bits.h"
#include "wave/memory/lane_data.h"
#include "wave/memory/share_access.h"

namespace cuvette::gds {

using machine::Cycle;
using machine::kNever;
using wave::MemoryKind;
using wave::SyncOp;

namespace {

/// Waves that began and ended are of interest to ordered counts only. Nobody is woken for them
/// before so many are known.
constexpr size_t kMostUnread = 4096;

bool is_atomic(MemoryKind kind) {
  return kind == MemoryKind::Atomic || kind == MemoryKind::AtomicReturn;
}

/// The fields that wave's functions look at.
void fill(const Request& r, wave::MemoryOp& op) {
  op.space = wave::MemorySpace::Gds;
  op.kind = r.kind;
  op.atomic = r.atomic;
  op.accesses = r.accesses;
  op.bytes = r.bytes;
  op.operand_in_lds = r.operand_in_gds;
  op.exec = r.exec[0] | r.exec[1];
  const unsigned dwords = wave::memory::dwords_of(r.bytes);
  for (unsigned access = 0; access < r.accesses; ++access) {
    for (unsigned d = 0; d < dwords; ++d) op.partial[access * dwords + d] = ~r.exec[access];
  }
  for (unsigned a = 0; a < 2; ++a) {
    std::copy(r.offset[a].begin(), r.offset[a].end(), op.address[a]);
    std::copy(r.compare[a].begin(), r.compare[a].end(), op.compare[a]);
  }
  for (unsigned d = 0; d < 4; ++d) std::copy(r.data[d].begin(), r.data[d].end(), op.data[d]);
}

/// MODE.FP_DENORM, of F32 and of F16.
wave::Mode mode_of(const Request& r) {
  return {(r.flush_in ? 0u : 1u << 4 | 1u << 6) | (r.flush_out ? 0u : 1u << 5 | 1u << 7)};
}

}  // namespace

GdsModel::GdsModel(const Config& config) : config_(config), bytes_(wave::gds_bytes(config.target)) {
  config_.latency_cycles = std::max(1u, config.latency_cycles);
  config_.bytes_per_cycle = std::max(1u, config.bytes_per_cycle);
  for (unsigned i = 0; i < config.compute_units; ++i) ports_.push_back(std::make_unique<Port>());
  taken_at_.resize(config.compute_units);
}

Cycle GdsModel::next_event() const {
  Cycle next = kNever;
  for (unsigned unit = 0; unit < ports_.size(); ++unit) {
    next = std::min(next, next_request(unit));
  }
  if (wants_waves()) next = std::min(next, waves.next_event());
  if (deciding_ || (counting_ != 0 && find_turn() >= 0)) next = 0;
  return next == kNever ? next : std::max(next, free_at_);
}

/// When the oldest request may act: a withdrawal behind the `taken` of the request before it.
Cycle GdsModel::next_request(unsigned unit) const {
  const machine::Channel<Request>& requests = ports_[unit]->request;
  const Cycle at = requests.next_event();
  if (at == kNever || !requests.front(at)->withdraw) return at;
  return std::max(at, taken_at_[unit] + 1);
}

bool GdsModel::wants_waves() const {
  return counting_ != 0 || deciding_ || waves.size() >= kMostUnread;
}

void GdsModel::tick(Cycle now) {
  if (now < free_at_) return;
  Cycle next = now;  // when the next count may be added
  add_counts(next);
  take_events(now, next);
  if (const auto who = std::exchange(deciding_, std::nullopt)) {
    decide(*who, now - 1);
    add_counts(next);
  }
  if (next != now) {  // a wave that has waited goes before a new one
    free_at_ = next;
    return;
  }
  for (unsigned n = 0; n < ports_.size(); ++n) {
    const unsigned unit = (next_ + n) % static_cast<unsigned>(ports_.size());
    const Request* request = ports_[unit]->request.front(now);
    if (request == nullptr || request->withdraw) continue;
    next_ = unit + 1;
    serve(unit, *request, now);
    ports_[unit]->request.drop(now);
    return;
  }
}

/// Ordered counts whose turn has come, one in a cycle from `next` on.
void GdsModel::add_counts(Cycle& next) {
  while (counting_ != 0) {
    const int turn = find_turn();
    if (turn < 0) return;
    const auto who = waiting_.begin() + turn;
    const Waiting entry = *who;
    waiting_.erase(who);
    --counting_;
    count(entry, next++);
  }
}

/// Begins and ends of waves, and withdrawals behind the request before them, that are visible, by
/// time, waves first (gds.md, Ordering).
void GdsModel::take_events(Cycle now, Cycle& next) {
  for (;;) {
    const auto [at, unit] = first_withdrawal(now);
    while (waves.next_event() <= std::min(at, now)) {
      const spi::WaveOrder w = waves.pop(now);
      w.ended ? order_.release(w.dispatch, w.wave) : order_.begin(w.dispatch, w.wave);
      add_counts(next);
    }
    if (at > now) return;
    withdraw(unit, ports_[unit]->request.pop(now).wave, now);
    add_counts(next);
  }
}

/// Time and compute unit of the earliest withdrawal that is the oldest of its port; kNever: none.
std::pair<Cycle, unsigned> GdsModel::first_withdrawal(Cycle now) const {
  std::pair<Cycle, unsigned> first{kNever, 0};
  for (unsigned unit = 0; unit < ports_.size(); ++unit) {
    const Request* request = ports_[unit]->request.front(now);
    if (request == nullptr || !request->withdraw) continue;
    if (const Cycle at = next_request(unit); at < first.first) first = {at, unit};
  }
  return first;
}

int GdsModel::find_turn() const {
  for (size_t i = 0; i < waiting_.size(); ++i) {
    const Waiting& w = waiting_[i];
    if (w.ticket == 0 && order_.has_turn(w.dispatch, w.wave)) return static_cast<int>(i);
  }
  return -1;
}

/// Bytes read or written at the width of the GDS; a sync has one value.
uint32_t GdsModel::cycles_of(const Request& r) const {
  if (r.sync != SyncOp::None) return 1;
  const auto lanes = [](uint64_t mask) { return static_cast<uint32_t>(std::popcount(mask)); };
  uint32_t moved = 0;
  for (unsigned a = 0; a < r.accesses; ++a) moved += lanes(r.exec[a]) * r.bytes;
  const uint32_t width = config_.bytes_per_cycle;
  return std::max(1u, (moved + width - 1) / width);
}

void GdsModel::serve(unsigned unit, const Request& r, Cycle now) {
  const uint32_t cycles = cycles_of(r);
  free_at_ = now + cycles;
  ++counters_.requests;
  counters_.busy_cycles += cycles;
  ports_[unit]->taken.push(Taken{r.id}, now + cycles);
  taken_at_[unit] = now + cycles;
  if (r.sync != SyncOp::None) {
    ++counters_.syncs;
    deciding_ = Deciding{unit, r.id, r.wave, r.dispatch, r.sync, r.resource, r.value, r.releases};
    return;
  }
  Response done;
  done.id = r.id;
  access(r, done);
  answer(unit, done, now + (cycles - 1));
}

void GdsModel::access(const Request& r, Response& done) {
  wave::MemoryOp op;
  wave::MemoryReply reply;
  fill(r, op);
  wave::access_share(op, op.exec, mode_of(r), bytes_, reply);
  if (is_atomic(r.kind)) counters_.atomics += static_cast<uint64_t>(std::popcount(r.exec[0]));
  for (unsigned d = 0; d < 4; ++d) {
    std::copy_n(reply.data[d], wave::kLanes, done.data[d].begin());
  }
}

/// A sync acts in the cycle of its `taken`, behind what came until then. `last`: the cycle in which
/// its operand came.
void GdsModel::decide(const Deciding& who, Cycle last) {
  Waiting entry{who.unit, who.id, who.wave, who.dispatch, 0, who.resource, who.value, who.releases};
  if (who.sync == SyncOp::OrderedCount) {
    if (order_.has_turn(who.dispatch, who.wave)) return count(entry, last);
    ++counting_;
  } else {
    wave::MemoryOp op;
    op.sync = who.sync;
    op.sync_resource = who.resource;
    op.data[0][0] = who.value;
    entry.ticket = sync_.perform(op);
    if (entry.ticket == 0) {
      answer(who.unit, Response{who.id, {}}, last);
      let_go(last);
      return;
    }
  }
  ++counters_.waits;
  waiting_.push_back(entry);
}

/// Adds to an ordered counter. `last`: the cycle in which the last operand came.
void GdsModel::count(const Waiting& who, Cycle last) {
  Response done;
  done.id = who.id;
  done.data[0][0] = sync_.ordered_add(who.counter, who.count);
  answer(who.unit, done, last);
  if (who.release) order_.release(who.dispatch, who.wave);
}

/// Answers those that GWS has released, in the order in which they came.
void GdsModel::let_go(Cycle now) {
  std::erase_if(waiting_, [&](const Waiting& w) {
    if (w.ticket == 0 || !sync_.released(w.ticket)) return false;
    answer(w.unit, Response{w.id, {}}, now);
    return true;
  });
}

void GdsModel::withdraw(unsigned unit, uint64_t wave, Cycle now) {
  std::erase_if(waiting_, [&](const Waiting& w) {
    if (w.wave != wave) return false;
    if (w.ticket != 0) {
      sync_.drop(w.ticket);
    } else {
      --counting_;
    }
    answer(unit, Response{w.id, {}}, now);
    return true;
  });
}

/// `last`: the cycle in which the last operand came.
void GdsModel::answer(unsigned unit, const Response& response, Cycle last) {
  ports_[unit]->response.push(response, last + config_.latency_cycles);
}

void GdsModel::peek(uint32_t address, uint8_t* bytes, uint32_t count) const {
  assert(uint64_t{address} + count <= bytes_.size());
  std::memcpy(bytes, bytes_.data() + address, count);
}

void GdsModel::poke(uint32_t address, const uint8_t* bytes, uint32_t count) {
  assert(uint64_t{address} + count <= bytes_.size());
  std::memcpy(bytes_.data() + address, bytes, count);
}

void register_tlm(Registry& registry) {
  registry.add("tlm", [](const Config& config) { return std::make_unique<GdsModel>(config); });
}

}  // namespace cuvette::gds
