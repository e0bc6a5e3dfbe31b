// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "command_processor/micro_engine.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/bits.h"

namespace cuvette::command_processor {

using machine::Cycle;
using memory::kBlockBytes;
using memory::MemOp;
using memory::MemReq;

namespace {
constexpr uint16_t kCommandProcessor = 0xffff;  // MemReq::cu
}

void MicroEngine::connect(spi::Spi& spi, cache::Cache::Port& memory,
                          const std::vector<cache::Cache::Port*>& near,
                          const std::vector<cache::Cache::Port*>& far) {
  spi_ = &spi;
  memory_ = &memory;
  near_ = near;
  far_ = far;
}

Cycle MicroEngine::next_event() const {
  Cycle next = memory_->response.next_event();
  for (const auto* ports : {&near_, &far_}) {
    for (const auto* port : *ports) next = std::min(next, port->response.next_event());
  }
  if (!timers_.empty()) next = std::min(next, timers_.front().first);
  if (!launches_.empty()) next = std::min(next, now_ + 1);
  return next;
}

void MicroEngine::take_responses() {
  if (memory_->response.front(now_) != nullptr) take(*memory_);
  for (const auto* ports : {&near_, &far_}) {
    for (auto* port : *ports) take(*port);
  }
}

void MicroEngine::take(cache::Cache::Port& port) {
  while (port.response.front(now_) != nullptr) {
    const memory::MemResp& r = *port.response.front(now_);
    assert(next_id_ - r.id <= parts_.size());
    Part& of_id = parts_[parts_.size() - (next_id_ - r.id)];
    const Part part = of_id;
    assert(part.operation != nullptr);
    of_id.operation = nullptr;
    const auto open = std::find_if(parts_.begin(), parts_.end(),
                                   [](const Part& p) { return p.operation != nullptr; });
    parts_.erase(parts_.begin(), open);
    if (r.status == memory::MemStatus::Fault) {
      part.operation->faulted = true;
      FenceFault* fence = part.operation->fence;
      if (fence != nullptr && !fence->any) {
        *fence = {true, r.address};
      }
    }
    if (part.out != nullptr) std::memcpy(part.out, r.data.data() + part.offset, part.bytes);
    finish_part(*part.operation);
    port.response.drop(now_);
  }
}

void MicroEngine::take_timers() {
  while (!timers_.empty() && timers_.front().first <= now_) {
    finish_part(*timers_.front().second);
    timers_.erase(timers_.begin());
  }
}

bool MicroEngine::send_launches() {
  if (launches_.empty()) return false;
  while (!launches_.empty() && spi_->dispatch.can_push(now_)) {
    const auto& [dispatch, operation] = *launches_.front(0);
    spi_->dispatch.push(dispatch, now_ + 1);
    finish_part(*operation);
    launches_.drop(0);
  }
  return true;
}

MicroEngine::Operation* MicroEngine::take_ready() {
  if (ready_.empty()) return nullptr;
  Operation* op = ready_.front();
  ready_.pop_front();
  return op;
}

MicroEngine::Operation* MicroEngine::begin() {
  if (free_operations_.empty()) {
    operations_.push_back(std::make_unique<Operation>());
    return operations_.back().get();
  }
  Operation* op = free_operations_.back();
  free_operations_.pop_back();
  *op = {};
  return op;
}

void MicroEngine::finish_part(Operation& op) {
  if (--op.left == 0) ready_.push_back(&op);
}

/// `request` has the operation and, of an atomic, the operands; the rest is made here. `in`: the
/// bytes of a write.
void MicroEngine::transfer(Operation& op, uint8_t vmid, uint64_t va, unsigned bytes,
                           MemReq& request, const void* in, uint8_t* out) {
  const auto access = request.op == MemOp::Read ? hsa::Access::Read : hsa::Access::Write;
  const bool atomic = request.op == MemOp::Atomic;
  request.cu = kCommandProcessor;
  request.time = now_ + 1;
  request.scope = memory::Scope::System;
  request.mtype = memory::Mtype::Uncached;  // shared with the host
  hold(op);                                 // until every part is out
  for (unsigned done = 0; done < bytes;) {
    const auto t = config_.address_space->translate(vmid, va + done, access);
    const unsigned offset = static_cast<unsigned>(t.pa % kBlockBytes);
    const unsigned count = std::min(bytes - done, kBlockBytes - offset);
    if (!t.ok()) {
      op.faulted = true;
      break;
    }
    request.id = next_id_++;
    request.sequence = sequence_++;
    request.address = atomic ? t.pa : t.pa - offset;
    request.byte_mask = base::low_mask(count) << offset;
    if (request.op == MemOp::Write) {
      if (done != 0) request.data.fill(0);
      std::memcpy(request.data.data() + offset, static_cast<const uint8_t*>(in) + done, count);
    }
    parts_.push_back({&op, out == nullptr ? nullptr : out + done, offset, count});
    hold(op);
    memory_->request.push(request, now_ + 1);
    done += count;
  }
  finish_part(op);
}

void MicroEngine::start_read(Operation& op, uint8_t vmid, uint64_t va, void* out, unsigned bytes) {
  MemReq r;
  r.op = MemOp::Read;
  transfer(op, vmid, va, bytes, r, nullptr, static_cast<uint8_t*>(out));
}

MicroEngine::Await MicroEngine::read(uint8_t vmid, uint64_t va, void* out, unsigned bytes) {
  Operation* op = begin();
  start_read(*op, vmid, va, out, bytes);
  return Await(op);
}

MicroEngine::Await MicroEngine::write(uint8_t vmid, uint64_t va, const void* data, unsigned bytes) {
  assert(bytes <= kBlockBytes);
  Operation* op = begin();
  MemReq r;
  r.op = MemOp::Write;
  transfer(*op, vmid, va, bytes, r, data, nullptr);
  return Await(op);
}

MicroEngine::Await MicroEngine::fetch_sub(uint8_t vmid, uint64_t va, uint64_t amount) {
  Operation* op = begin();
  MemReq r;
  r.op = MemOp::Atomic;
  r.atomic = base::AtomicOp::Sub;
  r.atomic_bytes = 8;
  std::memcpy(r.data.data(), &amount, sizeof amount);
  transfer(*op, vmid, va, 8, r, nullptr, nullptr);
  return Await(op);
}

MicroEngine::Await MicroEngine::fence(MemOp what, Level level, FenceFault& fault) {
  const auto& caches = level == Level::Near ? near_ : far_;
  if (caches.empty()) return Await(nullptr);  // engine lt
  Operation* op = begin();
  op->fence = &fault;
  hold(*op);
  for (auto* port : caches) {
    MemReq r;
    r.id = next_id_++;
    r.cu = kCommandProcessor;
    r.sequence = sequence_++;
    r.time = now_ + 1;
    r.op = what;
    parts_.push_back({op, nullptr, 0, 0});
    hold(*op);
    port->request.push(r, now_ + 1);
  }
  finish_part(*op);
  return Await(op);
}

MicroEngine::Await MicroEngine::delay(uint32_t cycles) {
  Operation* op = begin();
  start_timer(now_ + std::max(cycles, 1u), *op);
  return Await(op);
}

/// Operations that end at the same time do so in the order of their start.
void MicroEngine::start_timer(Cycle end, Operation& op) {
  hold(op);
  const auto behind = std::upper_bound(timers_.begin(), timers_.end(), end,
                                       [](Cycle c, const auto& timer) { return c < timer.first; });
  timers_.emplace(behind, end, &op);
}

MicroEngine::Await MicroEngine::launch(const spi::Dispatch& dispatch) {
  Operation* op = begin();
  hold(*op);
  launches_.push(std::pair(dispatch, op), 0);
  return Await(op);
}

MicroEngine::Await MicroEngine::read_register(uint32_t queue, uint32_t bank, uint32_t offset,
                                              uint32_t* value) {
  Operation* op = begin();
  ask_register(*op, {0, queue, bank, offset, false, 0}, value);
  return Await(op);
}

MicroEngine::Await MicroEngine::write_register(uint32_t queue, uint32_t bank, uint32_t offset,
                                               uint32_t value, uint64_t packet) {
  Operation* op = begin();
  ask_register(*op, {0, queue, bank, offset, true, value}, nullptr, packet);
  return Await(op);
}

void MicroEngine::ask_register(Operation& op, const RegisterAccess& access, uint32_t* out,
                               uint64_t packet) {
  RegisterAccess a = access;
  a.id = next_access_++;
  register_parts_[a.id] = {&op, out, packet};
  hold(op);
  registers_.push(a, now_ + 1);
}

std::optional<uint64_t> MicroEngine::packet_of(uint32_t access) const {
  const auto found = register_parts_.find(access);
  if (found == register_parts_.end()) return std::nullopt;
  return found->second.packet;
}

void MicroEngine::take_register(const RegisterDone& done) {
  const auto found = register_parts_.find(done.id);
  assert(found != register_parts_.end());
  const RegisterPart part = found->second;
  register_parts_.erase(found);
  if (done.error) part.operation->faulted = true;
  if (part.out != nullptr) *part.out = done.value;
  finish_part(*part.operation);
}

Task Firmware::read_in_turn(uint8_t vmid, uint64_t va, void* out, size_t bytes,
                            std::optional<uint64_t>& fault) {
  for (size_t done = 0; done < bytes; done += kBlockBytes) {
    const auto part = static_cast<unsigned>(std::min<size_t>(bytes - done, kBlockBytes));
    if (!co_await me_.read(vmid, va + done, static_cast<uint8_t*>(out) + done, part)) {
      fault = va + done;
      co_return;
    }
  }
}

}  // namespace cuvette::command_processor
