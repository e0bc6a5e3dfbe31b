// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/fetch.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/bits.h"

namespace cuvette::compute_unit {

using machine::Cycle;
using memory::kBlockBytes;

namespace {

constexpr size_t kKnown = 1024;
constexpr unsigned kMaxDwords = 4;  // of one instruction
/// A refill is worth a request from half an empty buffer on.
constexpr unsigned kRefillDwords = kBufferDwords / 2;

}  // namespace

Fetch::Fetch(isa::Target target, unsigned waves, uint32_t fetch_cycles,
             const hsa::AddressSpace& space)
    : target_(target),
      fetch_cycles_(fetch_cycles),
      space_(space),
      buffers_(waves),
      known_(kKnown) {}

void Fetch::connect(uint16_t cu, cache::Cache::Port& port, uint32_t& sequence) {
  cu_ = cu;
  port_ = &port;
  sequence_ = &sequence;
}

void Fetch::restart(Buffer& b, uint64_t pc) {
  b.pc = pc;
  b.count = b.fresh = 0;
  b.fresh_at = 0;
  b.outstanding = b.fault = false;
  b.has_decoded = false;
  ++b.epoch;
}

void Fetch::start(unsigned wave, uint64_t pc, uint32_t vmid, uint64_t age) {
  Buffer& b = buffers_[wave];
  restart(b, pc);
  b.vmid = vmid;
  b.age = age;
  if (!b.active) active_.push_back(wave);
  b.active = true;
}

void Fetch::jump(unsigned wave, uint64_t pc) {
  restart(buffers_[wave], pc);
}

void Fetch::stop(unsigned wave) {
  restart(buffers_[wave], 0);
  buffers_[wave].active = false;
  std::erase(active_, wave);
}

void Fetch::invalidate(unsigned wave, uint64_t pc, Cycle now) {
  restart(buffers_[wave], pc);
  memory::MemReq r;
  r.id = next_id_++;
  r.cu = cu_;
  r.wave = static_cast<uint16_t>(wave);
  r.time = now + 1;
  r.sequence = (*sequence_)++;
  r.op = memory::MemOp::Invalidate;
  port_->request.push(std::move(r), now + 1);
  Flight flight;
  flight.wave = wave;
  flight.epoch = buffers_[wave].epoch - 1;  // its answer means nothing to anybody
  flights_.push_back(flight);
}

Cycle Fetch::usable_at(unsigned wave, Cycle now) const {
  const Buffer& b = buffers_[wave];
  return b.fresh != 0 && b.fresh_at > now ? b.fresh_at : machine::kNever;
}

const isa::Decoded* Fetch::head(unsigned wave, Cycle now) {
  Buffer& b = buffers_[wave];
  if (b.has_decoded) return &b.decoded;
  const unsigned usable = b.fresh_at > now ? b.count - b.fresh : b.count;
  if (usable == 0) return nullptr;
  Known& known = known_[(b.pc / 4) % kKnown];
  const isa::Instruction& i = known.decoded.instruction;
  const bool same = known.pc == b.pc && known.decoded.status != isa::DecodeStatus::Illegal &&
                    known.decoded.status != isa::DecodeStatus::Truncated && i.length <= usable &&
                    std::memcmp(i.words, b.words.data(), 4u * i.length) == 0;
  if (!same) {
    known.pc = b.pc;
    known.decoded = isa::decode(target_, b.words.data(), std::min(usable, kMaxDwords));
    // More words may still be on their way.
    const bool cut = known.decoded.status == isa::DecodeStatus::Truncated;
    if (cut && (!b.fault || usable < b.count)) return nullptr;
  }
  // A copy: another wave's instruction may replace the entry.
  b.decoded = known.decoded;
  b.has_decoded = true;
  return &b.decoded;
}

const isa::Decoded* Fetch::known_head(unsigned wave) const {
  const Buffer& b = buffers_[wave];
  if (b.has_decoded) return &b.decoded;
  const Known& known = known_[(b.pc / 4) % kKnown];
  const bool there = b.active && known.pc == b.pc &&
                     known.decoded.status != isa::DecodeStatus::Illegal &&
                     known.decoded.status != isa::DecodeStatus::Truncated;
  return there ? &known.decoded : nullptr;
}

void Fetch::advance(unsigned wave, unsigned dwords) {
  Buffer& b = buffers_[wave];
  assert(dwords <= b.count);
  b.count = static_cast<uint8_t>(b.count - dwords);
  std::memmove(b.words.data(), b.words.data() + dwords, 4u * b.count);
  b.pc += 4u * dwords;
  b.has_decoded = false;
}

bool Fetch::wants(const Buffer& b) const {
  return b.active && !b.outstanding && !b.fault && kBufferDwords - b.count >= kRefillDwords;
}

void Fetch::take(Cycle now) {
  while (const memory::MemResp* response = port_->response.front(now)) {
    assert(response->id - oldest_id_ < flights_.size());
    Flight& flight = flights_[response->id - oldest_id_];
    flight.done = true;
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
    }
    port_->response.drop(now);
  }
  size_t finished = 0;
  while (finished < flights_.size() && flights_[finished].done) ++finished;
  flights_.erase(flights_.begin(), flights_.begin() + static_cast<std::ptrdiff_t>(finished));
  oldest_id_ += finished;
}

void Fetch::send(Cycle now) {
  if (!port_->request.can_push(now)) return;
  // The emptiest buffer first, then the oldest wave.
  const Buffer* best = nullptr;
  for (const unsigned wave : active_) {
    const Buffer& b = buffers_[wave];
    if (!wants(b) || b.fresh_at > now) continue;
    if (best == nullptr || b.count < best->count || (b.count == best->count && b.age < best->age)) {
      best = &b;
    }
  }
  if (best != nullptr) request(static_cast<unsigned>(best - buffers_.data()), now);
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
  flights_.push_back(flight);
  memory::MemReq r;
  r.id = next_id_++;
  r.cu = cu_;
  r.wave = static_cast<uint16_t>(wave);
  r.time = now + 1;
  r.sequence = (*sequence_)++;
  r.op = memory::MemOp::Read;
  r.address = t.pa - inside;
  r.byte_mask = base::low_mask(4u * flight.dwords) << inside;
  port_->request.push(std::move(r), now + 1);
  b.outstanding = true;
}

Cycle Fetch::next_event() const {
  Cycle next = port_->response.next_event();
  for (const unsigned wave : active_) {
    const Buffer& b = buffers_[wave];
    if (wants(b)) next = std::min(next, b.fresh_at);
  }
  return next;
}

}  // namespace cuvette::compute_unit
