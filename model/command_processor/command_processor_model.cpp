// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "command_processor/command_processor_model.h"

#include <algorithm>
#include <memory>

#include "hsa/queue_error.h"

namespace cuvette::command_processor {

using machine::Cycle;

CommandProcessorModel::CommandProcessorModel(const Config& config)
    : me_(config, register_access),
      notices_(me_, *this),
      grids_(me_, queues_, notices_),
      scheduler_(me_, notices_),
      pm4_(me_, queues_, notices_, grids_, scheduler_),
      ring_(me_, notices_, pm4_),
      context_(me_, notices_),
      packets_(me_, notices_, context_, pm4_),
      service_(me_, queues_, notices_, context_, packets_, agent_dispatch) {}

uint32_t CommandProcessorModel::bind(const QueueBinding& binding, Cycle when) {
  QueueRun& q = queues_.add();
  q.binding = binding;
  q.write_pointer = binding.write_pointer;
  q.stack_offset = binding.stack_offset;
  q.save_begin = q.save_end = binding.save_begin;
  q.task = binding.pm4 ? ring_.serve(q) : service_.serve(q);
  // The first step happens in tick(), when the core knows its time.
  MicroEngine::Operation* op = me_.begin();
  op->starts = q.number;
  me_.start_timer(when, *op);
  return q.number;
}

void CommandProcessorModel::unbind(uint32_t queue) {
  QueueRun* q = queues_.find(queue);
  if (q == nullptr) return;
  queues_.unbind(*q);
  queues_.forget_unbound();
}

Cycle CommandProcessorModel::next_event() const {
  Cycle next = std::min(doorbell.next_event(), dequeue.next_event());
  next = std::min(next, std::min(agent_done.next_event(), register_done.next_event()));
  next = std::min(next, std::min(register_launch.next_event(), me_.next_event()));
  next =
      std::min(next, std::min(me_.spi().saved.next_event(), me_.spi().dispatch_done.next_event()));
  if (notices_.waits()) next = std::min(next, me_.now() + 1);
  return next;
}

void CommandProcessorModel::tick(Cycle now) {
  me_.begin_cycle(now);
  take_doorbells();
  take_dequeues();
  take_registers();
  me_.take_responses();
  take_from_spi();
  take_agents();
  me_.take_timers();
  resumed_ = true;  // what has arrived may be what a coroutine waits for
  run_ready();
  if (me_.send_launches()) run_ready();
  if (queues_.has_unbound()) queues_.let_leave();
  notices_.send_interrupts();
  if (queues_.has_unbound()) queues_.forget_unbound();
  working_.set(std::any_of(queues_.begin(), queues_.end(),
                           [](const auto& entry) { return !entry.second->quiet(); }),
               now);
  in_memory_.set(me_.in_memory(), now);
}

void CommandProcessorModel::take_doorbells() {
  while (doorbell.front(me_.now()) != nullptr) {
    const Doorbell ring = doorbell.pop(me_.now());
    for (const auto& [number, q] : queues_) {
      if (q->binding.doorbell != ring.index) continue;
      if (ring.poll) {
        q->poll = true;
      } else {
        q->write_pointer = ring.value;
      }
      q->rung = true;
      if (q->sleeper) std::exchange(q->sleeper, nullptr).resume();
    }
  }
}

void CommandProcessorModel::take_dequeues() {
  while (dequeue.front(me_.now()) != nullptr) {
    const Dequeue request = dequeue.pop(me_.now());
    QueueRun* queue = queues_.find(request.queue);
    if (queue == nullptr) continue;
    QueueRun& q = *queue;
    q.reset = q.reset || request.reset;
    q.save = q.save || request.save;
    if (q.leaving) {  // a drain that becomes a reset, or saves, looks again
      if ((q.reset || request.save) && q.leaver) std::exchange(q.leaver, nullptr).resume();
      continue;
    }
    queues_.unbind(q);
    q.leaving = true;
    q.leave_task = service_.leave(q);
    q.leave_task.start();
  }
}

/// Grids before the answer to the write that started them.
void CommandProcessorModel::take_registers() {
  while (register_launch.front(me_.now()) != nullptr) {
    grids_.take_launch(register_launch.pop(me_.now()));
  }
  while (register_done.front(me_.now()) != nullptr) {
    me_.take_register(register_done.pop(me_.now()));
  }
}

void CommandProcessorModel::take_from_spi() {
  spi::Spi& spi = me_.spi();
  while (spi.saved.front(me_.now()) != nullptr) context_.take(spi.saved.pop(me_.now()));
  while (spi.dispatch_done.front(me_.now()) != nullptr) {
    take_done(spi.dispatch_done.pop(me_.now()));
  }
}

void CommandProcessorModel::take_agents() {
  while (agent_done.front(me_.now()) != nullptr) {
    const AgentDone answer = agent_done.pop(me_.now());
    spi::DispatchDone done;
    done.id = answer.id;
    done.error = answer.error;
    done.error_code = hsa::kQueueErrorPacket;
    take_done(done);
  }
}

void CommandProcessorModel::take_done(const spi::DispatchDone& done) {
  for (const auto& [number, q] : queues_) {
    for (auto& entry : q->in_flight) {
      if (entry->id != done.id) continue;
      entry->done = done;
      if (entry->waiting != nullptr) me_.finish_part(*std::exchange(entry->waiting, nullptr));
    }
  }
}

/// Of an operation that no coroutine awaits.
void CommandProcessorModel::take_end(MicroEngine::Operation& op) {
  if (op.starts) {
    QueueRun* q = queues_.find(*op.starts);
    if (q == nullptr) return;
    if (q->binding.fresh) scheduler_.forget();
    q->task.start();
  } else if (op.properties_of && !op.faulted) {
    QueueRun* q = queues_.find(*op.properties_of);
    if (q != nullptr) q->queue.queue_properties = op.value;
  }
}

/// Resumes what has nothing left to wait for, in the order in which it became ready.
void CommandProcessorModel::run_ready() {
  do {
    while (MicroEngine::Operation* op = me_.take_ready()) {
      resumed_ = true;
      if (op->waiter) {
        op->waiter.resume();  // reads op->faulted before the operation goes
      } else {
        take_end(*op);
      }
      me_.free(*op);
    }
  } while (settle());
}

/// After coroutines have run. False: nothing was resumed.
bool CommandProcessorModel::settle() {
  if (resumed_) resumed_ = queues_.settle();
  return resumed_;
}

void register_tlm(Registry& registry) {
  registry.add(
      "tlm", [](const Config& config) { return std::make_unique<CommandProcessorModel>(config); });
}

}  // namespace cuvette::command_processor
