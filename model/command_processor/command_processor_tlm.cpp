// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "command_processor/command_processor_tlm.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/bits.h"
#include "command_processor/firmware.h"
#include "hsa/queue_error.h"

namespace cuvette::command_processor {

using machine::Cycle;
using memory::kBlockBytes;
using memory::MemOp;
using memory::MemReq;

namespace {
constexpr uint16_t kCommandProcessor = 0xffff;  // MemReq::cu
}

CommandProcessorTlm::CommandProcessorTlm(const Config& config) : config_(config) {}
CommandProcessorTlm::~CommandProcessorTlm() = default;

void CommandProcessorTlm::connect(spi::Spi& spi, cache::Cache::Port& memory,
                                  const std::vector<cache::Cache::Port*>& near,
                                  const std::vector<cache::Cache::Port*>& far) {
  spi_ = &spi;
  memory_ = &memory;
  near_ = near;
  far_ = far;
}

uint32_t CommandProcessorTlm::bind(const QueueBinding& binding, Cycle when) {
  auto state = std::make_unique<QueueRun>();
  state->number = next_queue_++;
  state->binding = binding;
  QueueRun& q = *state;
  queues_[q.number] = std::move(state);
  q.write_pointer = binding.write_pointer;
  q.stack_offset = binding.stack_offset;
  q.save_begin = q.save_end = binding.save_begin;
  q.task = binding.pm4 ? serve_pm4(q) : serve(q);
  // The first step happens in tick(), when the core knows its time.
  Operation* op = begin();
  op->left = 1;
  op->waiter = nullptr;
  start_timer(when, *op);
  start_.emplace_back(op, q.number);
  return q.number;
}

void CommandProcessorTlm::unbind(uint32_t queue) {
  const auto found = queues_.find(queue);
  if (found == queues_.end()) return;
  unbind(*found->second);
  forget_unbound();
}

void CommandProcessorTlm::unbind(QueueRun& q) {
  q.stop_turns = true;
  if (!q.unbound) ++unbound_;
  q.unbound = true;
}

/// A queue's coroutines may be resumed by what they wait for, so they go only when they sleep or
/// have ended.
void CommandProcessorTlm::forget_unbound() {
  for (auto it = queues_.begin(); it != queues_.end();) {
    const QueueRun& q = *it->second;
    const bool gone = q.leaving ? q.leave_task.done() : q.unbound;
    if (!gone || !q.quiet()) {
      ++it;
      continue;
    }
    if (q.unbound) --unbound_;
    it = queues_.erase(it);
  }
}

Cycle CommandProcessorTlm::next_event() const {
  Cycle next = std::min(doorbell.next_event(), dequeue.next_event());
  next = std::min(next, std::min(agent_done.next_event(), register_done.next_event()));
  next = std::min(next, std::min(register_launch.next_event(), memory_->response.next_event()));
  for (const auto* ports : {&near_, &far_}) {
    for (const auto* port : *ports) next = std::min(next, port->response.next_event());
  }
  next = std::min(next, std::min(spi_->saved.next_event(), spi_->dispatch_done.next_event()));
  if (!timers_.empty()) next = std::min(next, timers_.front().first);
  if (!launches_.empty() || !raised_.empty()) next = std::min(next, now_ + 1);
  return next;
}

void CommandProcessorTlm::tick(Cycle now) {
  now_ = now;
  while (doorbell.front(now) != nullptr) {
    const Doorbell ring = doorbell.pop(now);
    for (auto& [number, q] : queues_) {
      if (q->binding.doorbell != ring.index) continue;
      if (ring.poll) {
        q->poll = true;
      } else {
        q->write_pointer = ring.value;
      }
      q->rung = true;
      if (!q->sleeper) continue;
      resumed_ = true;
      std::exchange(q->sleeper, nullptr).resume();
    }
  }
  if (dequeue.front(now) != nullptr) take_dequeues();
  if (std::min(register_launch.next_event(), register_done.next_event()) <= now) take_registers();
  const auto take = [&](cache::Cache::Port& port) {
    while (port.response.front(now) != nullptr) {
      const memory::MemResp& r = *port.response.front(now);
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
      finish_part(part.operation);
      port.response.drop(now);
    }
  };
  if (memory_->response.front(now) != nullptr) take(*memory_);
  for (const auto* ports : {&near_, &far_}) {
    for (auto* port : *ports) take(*port);
  }
  while (spi_->saved.front(now) != nullptr) {
    const spi::SavedGroup group = spi_->saved.pop(now);
    saved_groups_[group.dispatch].push_back(group);
  }
  while (spi_->dispatch_done.front(now) != nullptr) take_done(spi_->dispatch_done.pop(now));
  while (agent_done.front(now) != nullptr) {
    const AgentDone answer = agent_done.pop(now);
    spi::DispatchDone done;
    done.id = answer.id;
    done.error = answer.error;
    done.error_code = hsa::kQueueErrorPacket;
    take_done(done);
  }
  while (!timers_.empty() && timers_.front().first <= now) {
    finish_part(timers_.front().second);
    timers_.erase(timers_.begin());
  }
  resumed_ = true;  // what has arrived may be what a coroutine waits for
  run_ready();
  if (!launches_.empty()) {
    while (!launches_.empty() && spi_->dispatch.can_push(now)) {
      const auto& [dispatch, operation] = *launches_.front(0);
      spi_->dispatch.push(dispatch, now + 1);
      finish_part(operation);
      launches_.drop(0);
    }
    run_ready();
  }
  if (unbound_ != 0) let_leave();
  if (!raised_.empty()) send_interrupts();
  if (unbound_ != 0) forget_unbound();
}

void CommandProcessorTlm::take_done(const spi::DispatchDone& done) {
  for (auto& [number, q] : queues_) {
    for (auto& entry : q->in_flight) {
      if (entry->id != done.id) continue;
      entry->done = done;
      if (entry->waiting != nullptr) finish_part(std::exchange(entry->waiting, nullptr));
    }
  }
}

void CommandProcessorTlm::take_dequeues() {
  while (dequeue.front(now_) != nullptr) {
    const Dequeue request = dequeue.pop(now_);
    const auto found = queues_.find(request.queue);
    if (found == queues_.end()) continue;
    QueueRun& q = *found->second;
    q.reset = q.reset || request.reset;
    q.save = q.save || request.save;
    if (q.leaving) {  // a drain that becomes a reset, or saves, looks again
      if ((q.reset || request.save) && q.leaver) std::exchange(q.leaver, nullptr).resume();
      continue;
    }
    unbind(q);
    q.leaving = true;
    q.leave_task = leave(q);
    q.leave_task.start();
  }
}

void CommandProcessorTlm::let_leave() {
  for (auto& [number, q] : queues_) {
    if (q->leaver && q->quiet()) std::exchange(q->leaver, nullptr).resume();
  }
}

/// As many as the channel has room for: the others wait here, in order, and none is lost.
void CommandProcessorTlm::send_interrupts() {
  while (!raised_.empty() && interrupt.can_push(now_)) {
    interrupt.push(raised_.front(), now_ + 1);
    raised_.pop_front();
  }
}

/// Resumes what has nothing left to wait for, in the order in which it became ready.
void CommandProcessorTlm::run_ready() {
  do {
    while (!ready_.empty()) {
      Operation* op = ready_.front();
      ready_.pop_front();
      resumed_ = true;
      const auto waiter = op->waiter;
      const auto started =
          std::find_if(start_.begin(), start_.end(), [&](const auto& s) { return s.first == op; });
      if (started != start_.end()) {
        const uint32_t number = started->second;
        start_.erase(started);
        if (const auto q = queues_.find(number); q != queues_.end()) {
          if (q->second->binding.fresh) forget_schedule();
          q->second->task.start();
        }
      } else if (waiter) {
        waiter.resume();  // reads op->faulted before the operation goes
      }
      free_operations_.push_back(op);
    }
  } while (settle());
}

/// After coroutines have run: what is over goes, and one that waited for that is resumed. False
/// when there was none.
bool CommandProcessorTlm::settle() {
  if (!std::exchange(resumed_, false)) return false;
  for (auto& [number, q] : queues_) {
    auto& entries = q->in_flight;
    for (auto it = entries.begin(); it != entries.end();) {
      if (!(*it)->finished || !(*it)->task.done()) {
        ++it;
        continue;
      }
      spare_in_flight_.push_back(std::move(*it));
      it = entries.erase(it);
    }
    for (auto it = q->watchers.begin(); it != q->watchers.end(); ++it) {
      if (!it->first()) continue;
      const auto waiter = it->second;
      q->watchers.erase(it);
      resumed_ = true;
      waiter.resume();
      return true;
    }
    if (q->in_flight.empty() && q->drainer) {
      resumed_ = true;
      std::exchange(q->drainer, nullptr).resume();
      return true;
    }
  }
  return false;
}

/// For a packet that is launched now.
std::unique_ptr<CommandProcessorTlm::InFlight> CommandProcessorTlm::in_flight() {
  if (spare_in_flight_.empty()) return std::make_unique<InFlight>();
  std::unique_ptr<InFlight> entry = std::move(spare_in_flight_.back());
  spare_in_flight_.pop_back();
  *entry = {};
  return entry;
}

CommandProcessorTlm::Operation* CommandProcessorTlm::begin() {
  if (free_operations_.empty()) {
    operations_.push_back(std::make_unique<Operation>());
    return operations_.back().get();
  }
  Operation* op = free_operations_.back();
  free_operations_.pop_back();
  *op = {};
  return op;
}

void CommandProcessorTlm::finish_part(Operation* op) {
  if (--op->left == 0) ready_.push_back(op);
}

/// `request` has the operation and, of an atomic, the operands; the rest is made here. `in`: what a
/// write writes.
void CommandProcessorTlm::transfer(Operation& op, uint8_t vmid, uint64_t va, unsigned bytes,
                                   MemReq& request, const void* in, uint8_t* out) {
  const auto access = request.op == MemOp::Read ? hsa::Access::Read : hsa::Access::Write;
  const bool atomic = request.op == MemOp::Atomic;
  request.cu = kCommandProcessor;
  request.time = now_ + 1;
  request.scope = memory::Scope::System;
  request.mtype = memory::Mtype::Uncached;  // shared with the host
  ++op.left;                                // held until every part is out
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
    ++op.left;
    memory_->request.push(request, now_ + 1);
    done += count;
  }
  finish_part(&op);
}

CommandProcessorTlm::Await CommandProcessorTlm::read(uint8_t vmid, uint64_t va, uint8_t* out,
                                                     unsigned bytes) {
  Operation* op = begin();
  MemReq r;
  r.op = MemOp::Read;
  transfer(*op, vmid, va, bytes, r, nullptr, out);
  return Await(op);
}

CommandProcessorTlm::Await CommandProcessorTlm::write(uint8_t vmid, uint64_t va, const void* data,
                                                      unsigned bytes) {
  assert(bytes <= kBlockBytes);
  Operation* op = begin();
  MemReq r;
  r.op = MemOp::Write;
  transfer(*op, vmid, va, bytes, r, data, nullptr);
  return Await(op);
}

CommandProcessorTlm::Await CommandProcessorTlm::fetch_sub(uint8_t vmid, uint64_t va,
                                                          uint64_t amount) {
  Operation* op = begin();
  MemReq r;
  r.op = MemOp::Atomic;
  r.atomic = base::AtomicOp::Sub;
  r.atomic_bytes = 8;
  std::memcpy(r.data.data(), &amount, sizeof amount);
  transfer(*op, vmid, va, 8, r, nullptr, nullptr);
  return Await(op);
}

CommandProcessorTlm::Await CommandProcessorTlm::fence(
    MemOp what, const std::vector<cache::Cache::Port*>& caches, FenceFault& fault) {
  if (caches.empty()) return Await(nullptr);  // engine lt
  Operation* op = begin();
  op->fence = &fault;
  ++op->left;
  for (auto* port : caches) {
    MemReq r;
    r.id = next_id_++;
    r.cu = kCommandProcessor;
    r.sequence = sequence_++;
    r.time = now_ + 1;
    r.op = what;
    parts_.push_back({op, nullptr, 0, 0});
    ++op->left;
    port->request.push(r, now_ + 1);
  }
  finish_part(op);
  return Await(op);
}

CommandProcessorTlm::Await CommandProcessorTlm::delay(uint32_t cycles) {
  Operation* op = begin();
  op->left = 1;
  start_timer(now_ + std::max(cycles, 1u), *op);
  return Await(op);
}

/// Operations that end at the same time do so in the order of their start.
void CommandProcessorTlm::start_timer(Cycle end, Operation& op) {
  const auto behind = std::upper_bound(timers_.begin(), timers_.end(), end,
                                       [](Cycle c, const auto& timer) { return c < timer.first; });
  timers_.emplace(behind, end, &op);
}

CommandProcessorTlm::Await CommandProcessorTlm::launch(const spi::Dispatch& dispatch) {
  Operation* op = begin();
  op->left = 1;
  launches_.push(std::pair(dispatch, op), 0);
  return Await(op);
}

CommandProcessorTlm::Await CommandProcessorTlm::read_register(QueueRun& queue, uint32_t bank,
                                                              uint32_t offset, uint32_t* value) {
  Operation* op = begin();
  ask_register(*op, {0, queue.number, bank, offset, false, 0}, value, 0);
  return Await(op);
}

/// `index`: of the packet whose grid it starts.
CommandProcessorTlm::Await CommandProcessorTlm::write_register(QueueRun& queue, uint32_t bank,
                                                               uint32_t offset, uint32_t value,
                                                               uint64_t index) {
  Operation* op = begin();
  ask_register(*op, {0, queue.number, bank, offset, true, value}, nullptr, index);
  return Await(op);
}

void CommandProcessorTlm::ask_register(Operation& op, const RegisterAccess& access, uint32_t* out,
                                       uint64_t index) {
  RegisterAccess a = access;
  a.id = next_access_++;
  register_parts_[a.id] = {&op, out, index};
  ++op.left;
  register_access.push(a, now_ + 1);
}

/// Grids before the answer to the write that started them.
void CommandProcessorTlm::take_registers() {
  while (register_launch.front(now_) != nullptr) take_launch(register_launch.pop(now_));
  while (register_done.front(now_) != nullptr) {
    const RegisterDone done = register_done.pop(now_);
    const auto found = register_parts_.find(done.id);
    assert(found != register_parts_.end());
    const RegisterPart part = found->second;
    register_parts_.erase(found);
    if (done.error) part.operation->faulted = true;
    if (part.out != nullptr) *part.out = done.value;
    finish_part(part.operation);
  }
}

void CommandProcessorTlm::raise(QueueRun& queue, uint32_t source, uint64_t context) {
  raised_.push_back({source, queue.number, context});
}

void CommandProcessorTlm::reach(const QueueRun& queue, uint64_t packet, Stage stage) const {
  if (on_stage_) on_stage_(now_, queue.number, packet, stage);
}

void CommandProcessorTlm::tell(const QueueRun& queue, QueueState state, uint32_t error,
                               uint64_t address) {
  queue_status.push(QueueStatus{queue.number, state, queue.published, error, address,
                                queue.stack_offset, queue.save_end},
                    now_ + 1);
}

void register_tlm(Registry& registry) {
  registry.add("tlm",
               [](const Config& config) { return std::make_unique<CommandProcessorTlm>(config); });
}

}  // namespace cuvette::command_processor
