// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/fetch.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "base/bits.h"

namespace cuvette::compute_unit {

using machine::Cycle;
using memory::kBlockBytes;

namespace {

/// A refill is worth a request from half an empty buffer on.
constexpr unsigned kRefillDwords = kBufferDwords / 2;

}  // namespace

Fetch::Fetch(const std::shared_ptr<CodeStore>& store, isa::Target target, unsigned waves,
             uint32_t fetch_cycles, const hsa::AddressSpace& space)
    : fetch_cycles_(fetch_cycles),
      space_(space),
      buffers_(waves),
      wanting_(waves),
      code_(store, target) {}

void Fetch::connect(uint16_t cu, cache::Cache::Port& port, uint32_t& sequence) {
  cu_ = cu;
  port_ = &port;
  sequence_ = &sequence;
}

void Fetch::restart(unsigned wave, uint64_t pc) {
  Buffer& b = buffers_[wave];
  b.pc = pc;
  b.count = b.fresh = 0;
  b.fresh_at = 0;
  b.outstanding = b.fault = false;
  b.head = nullptr;
  ++b.epoch;
  follow(wave);
}

void Fetch::follow(unsigned wave) {
  const Buffer& b = buffers_[wave];
  if (b.active && !b.outstanding && !b.fault && kBufferDwords - b.count >= kRefillDwords) {
    wanting_.insert(wave);
  } else {
    wanting_.erase(wave);
  }
}

void Fetch::start(unsigned wave, uint64_t pc, uint32_t vmid, uint64_t age) {
  Buffer& b = buffers_[wave];
  b.vmid = vmid;
  b.age = age;
  b.active = true;
  restart(wave, pc);
}

void Fetch::jump(unsigned wave, uint64_t pc) {
  restart(wave, pc);
}

void Fetch::stop(unsigned wave) {
  buffers_[wave].active = false;
  restart(wave, 0);
}

void Fetch::invalidate(unsigned wave, uint64_t pc, Cycle now) {
  restart(wave, pc);
  memory::MemReq& r = port_->request.push_in_place(now + 1);
  r = memory::MemReq{};
  r.id = next_id_++;
  r.cu = cu_;
  r.wave = static_cast<uint16_t>(wave);
  r.time = now + 1;
  r.sequence = (*sequence_)++;
  r.op = memory::MemOp::Invalidate;
  Flight flight;
  flight.wave = wave;
  flight.epoch = buffers_[wave].epoch - 1;  // its answer means nothing to anybody
  flights_.push_back(flight);
}

Cycle Fetch::usable_at(unsigned wave, Cycle now) const {
  const Buffer& b = buffers_[wave];
  return b.fresh != 0 && b.fresh_at > now ? b.fresh_at : machine::kNever;
}

const Code* Fetch::decode(unsigned wave, Cycle now) {
  Buffer& b = buffers_[wave];
  const unsigned usable = b.fresh_at > now ? b.count - b.fresh : b.count;
  if (usable == 0) return nullptr;
  const Code& code = code_.find(b.pc, b.words.data(), usable);
  // More words may still be on their way.
  const bool cut = code.decoded.status == isa::DecodeStatus::Truncated;
  if (cut && (!b.fault || usable < b.count)) return nullptr;
  if (code.way == Code::Way::Illegal) return &code;
  return b.head = &code;
}

const Code* Fetch::known_head(unsigned wave) const {
  const Buffer& b = buffers_[wave];
  if (b.head != nullptr) return b.head;
  return b.active ? code_.known(b.pc) : nullptr;
}

void Fetch::advance(unsigned wave, unsigned dwords) {
  Buffer& b = buffers_[wave];
  assert(dwords <= b.count);
  b.count = static_cast<uint8_t>(b.count - dwords);
  std::memmove(b.words.data(), b.words.data() + dwords, 4u * b.count);
  b.pc += 4u * dwords;
  b.head = nullptr;
  follow(wave);
}

void Fetch::take(Cycle now) {
  woken_.clear();
  while (const memory::MemResp* response = port_->response.front(now)) {
    assert(response->id - oldest_id_ < flights_.size());
    Flight& flight = flights_[response->id - oldest_id_];
    flight.done = true;
    if (flight.dwords != 0) {
      under_way_.leave(now);
      if (on_answer_) on_answer_(flight.wave, flight.sequence);
    }
    Buffer& b = buffers_[flight.wave];
    if (flight.epoch == b.epoch && b.active && flight.dwords != 0) {
      b.outstanding = false;
      if (response->status == memory::MemStatus::Fault) {
        b.fault = true;
      } else {
        std::memcpy(b.words.data() + b.count, response->data.data() + flight.offset,
                    4u * flight.dwords);
        b.count = static_cast<uint8_t>(b.count + flight.dwords);
        b.fresh = flight.dwords;
        b.fresh_at = now + fetch_cycles_;
      }
      follow(flight.wave);
      woken_.push_back(flight.wave);
    }
    port_->response.drop(now);
  }
  size_t finished = 0;
  while (finished < flights_.size() && flights_[finished].done) ++finished;
  flights_.erase(flights_.begin(), flights_.begin() + static_cast<std::ptrdiff_t>(finished));
  oldest_id_ += finished;
}

unsigned Fetch::send(Cycle now) {
  if (wanting_.empty() || !port_->request.can_push(now)) return kNobody;
  // The emptiest buffer first, then the oldest wave.
  const Buffer* best = nullptr;
  wanting_.for_each([&](size_t wave) {
    const Buffer& b = buffers_[wave];
    if (b.fresh_at > now) return;
    if (best == nullptr || b.count < best->count || (b.count == best->count && b.age < best->age)) {
      best = &b;
    }
  });
  if (best == nullptr) return kNobody;
  const auto wave = static_cast<unsigned>(best - buffers_.data());
  request(wave, now);
  follow(wave);
  return wave;
}

void Fetch::request(unsigned wave, Cycle now) {
  Buffer& b = buffers_[wave];
  const uint64_t va = b.pc + 4u * b.count;
  const hsa::Translation t = space_.translate(b.vmid, va, hsa::Access::Execute);
  if (!t.ok() || t.bytes < 4) {
    b.fault = true;
    return;
  }
  const auto inside = static_cast<unsigned>(t.pa % kBlockBytes);
  const auto bytes = static_cast<unsigned>(
      std::min<uint64_t>({4u * (kBufferDwords - b.count), kBlockBytes - inside, t.bytes}));
  Flight flight;
  flight.wave = wave;
  flight.epoch = b.epoch;
  flight.offset = static_cast<uint8_t>(inside);
  flight.dwords = static_cast<uint8_t>(bytes / 4);
  flight.sequence = *sequence_;
  flights_.push_back(flight);
  under_way_.enter(now);
  memory::MemReq& r = port_->request.push_in_place(now + 1);
  r = memory::MemReq{};
  r.id = next_id_++;
  r.cu = cu_;
  r.wave = static_cast<uint16_t>(wave);
  r.time = now + 1;
  r.sequence = (*sequence_)++;
  r.op = memory::MemOp::Read;
  r.address = t.pa - inside;
  r.byte_mask = base::low_mask(4u * flight.dwords) << inside;
  b.outstanding = true;
  if (on_request_) on_request_(wave, r, va, 4u * flight.dwords);
}

Cycle Fetch::next_event() const {
  Cycle next = port_->response.next_event();
  wanting_.for_each([&](size_t wave) { next = std::min(next, buffers_[wave].fresh_at); });
  return next;
}

}  // namespace cuvette::compute_unit
