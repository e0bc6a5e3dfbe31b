// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cache/cache_model.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/bits.h"
#include "wave/atomic.h"

namespace cuvette::cache {

using machine::Cycle;
using memory::kBlockBytes;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;

namespace {

uint64_t block_address(uint64_t address) {
  return address & ~uint64_t{kBlockBytes - 1};
}

uint64_t atomic_mask(const MemReq& r) {
  return base::low_mask(r.atomic_bytes) << (r.address % kBlockBytes);
}

/// MTYPE UC bypasses the L2. CC is never dirty in it, and what it holds is never older than what
/// others write (LLVM's memory model of gfx90a): without probes of the host that means to go past.
bool passes_l2(const MemReq& r) {
  return r.mtype == memory::Mtype::Uncached || r.mtype == memory::Mtype::CoherentlyCached;
}

/// First levels do not look at MTYPE, only at the scope. A read of the device or the system must
/// not see what an earlier read left here (LLVM's memory models; Vega ISA 8.1.10: GLC forces a
/// miss), so it goes down every time. Waves of a work-group share the cache, whatever sc0 says
/// (gfx942).
bool passes_first_level(const MemReq& r) {
  if (r.scope == memory::Scope::Wave) return r.glc;
  return r.scope >= memory::Scope::Agent;
}

uint64_t load(const uint8_t* from, unsigned bytes) {
  uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

}  // namespace

CacheModel::CacheModel(const Config& config)
    : config_(config),
      write_back_(config.role == Role::Scalar || config.role == Role::L2),
      tags_(config),
      traffic_(config) {
  for (unsigned i = 0; i < config.up_ports; ++i) up_.push_back(std::make_unique<Port>());
}

Cycle CacheModel::next_event() const {
  Cycle turn = woken_at();
  if (!maintenance_) {
    Cycle asked = machine::kNever;
    for (const auto& port : up_) asked = std::min(asked, port->request.next_event());
    turn = std::min(turn, std::max(asked, room_at_));
  } else if (maintenance_->state == Maintenance::State::Waits) {
    turn = std::min(turn, quiet_at());
  }
  if (turn != machine::kNever) turn = std::max(turn, busy_until_);
  return std::min(turn, down_->response.next_event());
}

void CacheModel::tick(Cycle now) {
  take_replies(now);
  take_requests(now);
  begin_maintenance(now);
  finish_maintenance(now);
}

void CacheModel::take_replies(Cycle now) {
  while (const MemResp* reply = down_->response.front(now)) {
    const auto place = static_cast<uint32_t>(reply->id & base::low_mask(kPlaceBits));
    assert(place < pending_.size());
    const Pending pending = pending_[place];
    free_.push_back(place);
    traffic_.replied(pending.op, now);
    switch (pending.kind) {
      case Pending::Kind::Fill:
        filled(pending.block, *reply, now);
        break;
      case Pending::Kind::Forward: {
        --forwards_under_way_;
        last_turn_ = std::max(last_turn_, now + kPassed - kStages);
        const Cycle time = now + passed_cycles();
        MemResp& up = up_[pending.port]->response.overtake_in_place(time);
        up = *reply;
        up.id = pending.request_id;
        up.time = time;
        traffic_.answered(time);
        if (watcher_) {
          watcher_({Event::Kind::Answer, pending.op, pending.cu, pending.wave, pending.sequence,
                    time, pending.address});
        }
        break;
      }
      case Pending::Kind::Writeback:
        --writebacks_under_way_;
        writing_.erase(pending.request_id);
        if (reply->status == MemStatus::Fault && !refused_) refused_ = pending.block;
        break;
      case Pending::Kind::Below:
        assert(maintenance_);
        if (maintenance_) begin_walk(*maintenance_, *reply, now + 1);
        break;
    }
    down_->response.drop(now);
  }
}

void CacheModel::take_requests(Cycle now) {
  if (busy_until_ > now) return;
  if (woken_at() <= now) return serve_woken(now);
  if (maintenance_) return;  // later requests wait behind invalidate and write-back
  unsigned oldest = config_.up_ports;
  const MemReq* best = nullptr;
  for (unsigned i = 0; i < up_.size(); ++i) {
    const MemReq* r = up_[i]->request.front(now);
    if (r == nullptr) continue;
    if (best == nullptr ||
        std::tie(r->time, r->cu, r->sequence) < std::tie(best->time, best->cu, best->sequence)) {
      best = r;
      oldest = i;
    }
  }
  if (best == nullptr) return;
  busy_until_ = now + 1;
  if (!has_room(now)) {
    room_at_ = machine::kNever;  // until a woken one leaves
    for (const Cycle turn : {freed_, left_}) {
      if (turn + kCountDelay >= now) room_at_ = std::min(room_at_, turn + kCountDelay + 1);
    }
    return tried(false, *best, now);
  }
  traffic_.taken(now);
  const bool served = serve(oldest, *best, now);
  tried(served, *best, now);
  if (!served) return traffic_.answered(now);  // not yet
  if (!maintenance_) last_turn_ = now;
  up_[oldest]->request.drop(now);
}

bool CacheModel::serve(unsigned port, const MemReq& r, Cycle now) {
  switch (r.op) {
    case MemOp::Invalidate:
    case MemOp::Writeback:
      maintenance_ = Maintenance{port, r};
      traffic_.maintained();
      return true;
    default:
      break;
  }
  const uint64_t block = block_address(r.address);
  if (replayed_ == nullptr) {  // behind older requests to the block
    if (Miss* const miss = find_miss(block)) {
      miss->waiting.push_back({port, r});
      note_waiting(now);
      return true;
    }
    if (Woken* const woken = find_woken(block)) {
      woken->waiting.push_back({port, r});
      note_waiting(now);
      return true;
    }
  }
  switch (r.op) {
    case MemOp::Read:
      return serve_read(port, r, now);
    case MemOp::Write:
      return serve_write(port, r, now);
    default:
      return serve_atomic(port, r, now);
  }
}

bool CacheModel::passes(const MemReq& r) const {
  return config_.role == Role::L2 ? passes_l2(r) : passes_first_level(r);
}

/// A read that does not go past, or an atomic that is performed here.
bool CacheModel::needs_fill(const MemReq& r) const {
  if (r.op == MemOp::Write || passes(r)) return false;
  return r.op == MemOp::Read || config_.role == Role::L2;
}

bool CacheModel::serve_read(unsigned port, const MemReq& r, Cycle now) {
  TagStore::Line* line = tags_.find(r.address, true);
  TagStore::Block* block = line ? &tags_.block_of(*line, r.address) : nullptr;
  const bool bypass = passes(r);
  if (!bypass && block != nullptr && (block->valid & r.byte_mask) == r.byte_mask) {
    count(r, true, now);
    answer(port, r, now, block->data.data());
    return true;
  }
  if (bypass ? !can_forward() : !can_fill()) return false;
  count(r, false, now);
  if (bypass) {
    traffic_.bypassed();
    if (line != nullptr) drop(*line, now);
    send_forward(port, r, now);
    return true;
  }
  wait_for_fill(port, r, now);
  return true;
}

/// An access that waited for a fill is a miss, also when it finds its bytes now.
void CacheModel::count(const MemReq& request, bool hit, Cycle now) {
  if (replayed_ != nullptr) {
    if (replayed_->counted) return;
    replayed_->counted = true;
    traffic_.waited_for_fill();
    hit = false;
  }
  traffic_.accessed(request);
  Counters& c = counters_;
  switch (request.op) {
    case MemOp::Read:
      ++c.reads;
      ++(hit ? c.read_hits : c.read_misses);
      break;
    case MemOp::Write:
      ++c.writes;
      ++(hit ? c.write_hits : c.write_misses);
      break;
    default:
      ++c.atomics;
      ++(hit ? c.atomic_hits : c.atomic_misses);
      break;
  }
  if (watcher_) watcher_(event_of(hit ? Event::Kind::Hit : Event::Kind::Miss, request, now));
}

/// After every attempt to serve a request. A new one that waits is not served by a woken one.
void CacheModel::tried(bool served, const MemReq& request, Cycle now) {
  const bool woken = replayed_ != nullptr;
  if (!served && stalled_since_ == machine::kNever) {
    ++counters_.stalls;
    stalled_since_ = now;
    stalled_woken_ = woken;
  } else if (served && stalled_since_ != machine::kNever && stalled_woken_ == woken) {
    counters_.stall_cycles += now - stalled_since_;
    traffic_.stalled(request, now - stalled_since_);
    stalled_since_ = machine::kNever;
  }
}

bool CacheModel::serve_write(unsigned port, const MemReq& r, Cycle now) {
  TagStore::Line* line = tags_.find(r.address, true);
  if (write_back_ && passes_l2(r)) {
    if (!can_forward()) return false;
    count(r, false, now);
    if (line != nullptr) drop(*line, now);
    send_forward(port, r, now);
    return true;
  }
  if (!write_back_) {
    if (!can_forward()) return false;
    count(r, line != nullptr, now);
    if (line != nullptr) {
      TagStore::Block& block = tags_.block_of(*line, r.address);
      merge(block.data.data(), r.data.data(), r.byte_mask & block.valid);
    }
    send_forward(port, r, now);
    return true;
  }
  if (line == nullptr) {
    if (!can_write_back()) return false;  // the victim may have to be written
    count(r, false, now);
    line = &make_room(r.address, now);
  } else {
    count(r, true, now);
  }
  TagStore::Block& block = tags_.block_of(*line, r.address);
  merge(block.data.data(), r.data.data(), r.byte_mask);
  block.valid |= r.byte_mask;
  block.dirty |= r.byte_mask;
  answer(port, r, now, nullptr, MemStatus::Ok, config_.role == Role::L2 ? next_serial_++ : 0);
  return true;
}

bool CacheModel::serve_atomic(unsigned port, const MemReq& r, Cycle now) {
  TagStore::Line* line = tags_.find(r.address, true);
  if (config_.role != Role::L2 || passes_l2(r)) {
    if (!can_forward()) return false;
    count(r, false, now);
    if (line != nullptr) drop(*line, now);
    send_forward(port, r, now);
    return true;
  }
  TagStore::Block* block = line ? &tags_.block_of(*line, r.address) : nullptr;
  const uint64_t mask = atomic_mask(r);
  if (block == nullptr || (block->valid & mask) != mask) {
    if (!can_fill()) return false;
    count(r, false, now);
    wait_for_fill(port, r, now);
    return true;
  }
  count(r, true, now);
  uint8_t* at = block->data.data() + r.address % kBlockBytes;
  const uint64_t old = load(at, r.atomic_bytes);
  const uint64_t value =
      wave::apply_atomic(r.atomic, old, load(r.data.data(), 8), load(r.data.data() + 8, 8),
                         r.atomic_bytes * 8, r.flush_subnormals, r.flush_subnormals);
  std::memcpy(at, &value, r.atomic_bytes);
  block->dirty |= mask;
  std::array<uint8_t, kBlockBytes> reply{};
  std::memcpy(reply.data(), &old, r.atomic_bytes);
  busy_until_ = now + 2;
  answer(port, r, now + 1, reply.data(), MemStatus::Ok, next_serial_++);
  return true;
}

void CacheModel::wait_for_fill(unsigned port, const MemReq& r, Cycle now) {
  // What the fill does not have yet goes first.
  if (TagStore::Line* const line = tags_.find(r.address, false)) {
    TagStore::Block& block = tags_.block_of(*line, r.address);
    if (block.dirty != 0) {
      write_back(block, block_address(r.address), now, now + kToBelow + 1);
      busy_until_ = now + 3;
    }
  }
  add_miss(block_address(r.address)).waiting.push_back({port, r, true});
  if (replayed_ == nullptr) added_ = {added_[1], now};  // its entry is kept
  note_waiting(now);
  send_fill(r, now);
}

void CacheModel::send_fill(const MemReq& cause, Cycle now) {
  ++counters_.fills;
  const Cycle time = send_time(now);
  MemReq& down = down_->request.push_in_place(time);
  down = cause;
  down.op = MemOp::Read;
  down.time = time;
  down.address = block_address(cause.address);
  down.byte_mask = kWholeBlock;
  down.id = remember({Pending::Kind::Fill, down.address, 0, 0, MemOp::Read});
  traffic_.sent(down, now);
}

void CacheModel::send_forward(unsigned port, const MemReq& request, Cycle now) {
  ++counters_.forwards;
  if (request.op != MemOp::Read) {  // newer than what is written back under it
    for (auto& [id, written] : writing_) {
      if (written.address == block_address(request.address)) written.mask &= ~request.byte_mask;
    }
  }
  ++forwards_under_way_;
  const Cycle time = send_time(now);
  MemReq& down = down_->request.push_in_place(time);
  down = request;
  down.id = remember({Pending::Kind::Forward, block_address(request.address), port, request.id,
                      request.op, request.cu, request.wave, request.sequence, request.address});
  down.time = time;
  traffic_.sent(down, now);
}

void CacheModel::write_back(TagStore::Line& line, Cycle now, Cycle at) {
  for (unsigned i = 0; i < tags_.blocks_per_line(); ++i) {
    TagStore::Block& block = line.blocks[i];
    if (block.dirty != 0) write_back(block, line.address + uint64_t{i} * kBlockBytes, now, at);
  }
}

void CacheModel::write_back(TagStore::Block& block, uint64_t address, Cycle now, Cycle at) {
  MemReq down;
  down.op = MemOp::Write;
  down.time = last_sent_ = std::max(at, last_sent_ + 1);
  down.address = address;
  const uint64_t number = next_id_;
  down.id = remember({Pending::Kind::Writeback, down.address, 0, number, MemOp::Write});
  down.byte_mask = block.dirty;
  down.data = block.data;
  writing_[number] = {down.address, down.byte_mask, down.data};
  ++writebacks_under_way_;
  ++counters_.writebacks;
  if (Miss* const miss = find_miss(down.address)) {
    merge(miss->data.data(), block.data.data(), block.dirty);
    miss->written |= block.dirty;
  }
  if (Woken* const woken = find_woken(down.address); woken != nullptr && woken->places) {
    merge(woken->data.data(), block.data.data(), block.dirty);
  }
  traffic_.sent(down, now);
  down_->request.push(down, down.time);
  block.dirty = 0;
}

void CacheModel::make_clean(TagStore::Line& line, Cycle now) {
  const uint64_t before = counters_.writebacks;
  write_back(line, now, now + kToBelow + 1);
  if (counters_.writebacks != before) busy_until_ = std::max(busy_until_, now + 2);
}

/// An access goes past this cache: what it holds is written down first and forgotten.
void CacheModel::drop(TagStore::Line& line, Cycle now) {
  make_clean(line, now);
  keep_for_woken(line);
  for (auto& block : line.blocks) block.valid = 0;
  tags_.release(line);
}

/// A line is lost, all of it clean: the first of those that wait for each block gets a copy.
void CacheModel::keep_for_woken(const TagStore::Line& line) {
  for (unsigned i = 0; i < tags_.blocks_per_line() && !woken_.empty(); ++i) {
    Woken* const woken = find_woken(line.address + uint64_t{i} * kBlockBytes);
    if (woken == nullptr) continue;
    woken->waiting.front().lost = std::make_unique<TagStore::Block>(line.blocks[i]);
  }
}

void CacheModel::bring_back(const TagStore::Block& lost, uint64_t address, Cycle now) {
  TagStore::Line* line = tags_.find(address, false);
  if (line == nullptr) line = &make_room(address, now);
  TagStore::Block& block = tags_.block_of(*line, address);
  merge(block.data.data(), lost.data.data(), lost.valid & ~block.valid);
  block.valid |= lost.valid;
}

TagStore::Line& CacheModel::make_room(uint64_t block, Cycle now) {
  TagStore::Line& line = tags_.victim(block);
  if (line.used) {
    ++counters_.evictions;
    make_clean(line, now);
    keep_for_woken(line);
  }
  tags_.claim(line, block);
  return line;
}

Cache::Event CacheModel::event_of(Event::Kind kind, const MemReq& r, Cycle time) {
  return {kind, r.op, r.cu, r.wave, r.sequence, time, r.address};
}

void CacheModel::answer(unsigned port, const MemReq& r, Cycle now, const uint8_t* data,
                        MemStatus status, uint64_t serial) {
  const Cycle time = now + config_.hit_cycles;
  MemResp& response = up_[port]->response.push_in_place(time);
  response = MemResp{};
  response.id = r.id;
  response.address = r.address;
  response.status = status;
  response.serial = serial;
  response.time = time;
  traffic_.answered(time);
  if (watcher_ && r.op != MemOp::Invalidate && r.op != MemOp::Writeback) {
    watcher_(event_of(Event::Kind::Answer, r, time));
  }
  if (data != nullptr) std::memcpy(response.data.data(), data, kBlockBytes);
}

bool CacheModel::peek(uint64_t address, uint8_t* bytes, unsigned count) const {
  for (unsigned i = 0; i < count; ++i) {
    const TagStore::Line* line = tags_.find(address + i);
    if (line == nullptr) return false;
    const TagStore::Block& block = tags_.block_of(*line, address + i);
    const unsigned at = (address + i) % kBlockBytes;
    if (!base::bit(block.valid, at)) return false;
    bytes[i] = block.data[at];
  }
  return true;
}

bool CacheModel::for_dirty(const OnDirty& f) const {
  for (const auto& [id, written] : writing_) f(written.address, written.mask, written.data.data());
  for (const TagStore::Line& line : tags_.lines()) {
    for (unsigned i = 0; line.used && i < tags_.blocks_per_line(); ++i) {
      const TagStore::Block& block = line.blocks[i];
      if (block.dirty == 0) continue;
      f(line.address + uint64_t{i} * kBlockBytes, block.dirty, block.data.data());
    }
  }
  return true;
}

void register_tlm(Registry& registry) {
  registry.add("tlm", [](const Config& config) { return std::make_unique<CacheModel>(config); });
}

}  // namespace cuvette::cache
