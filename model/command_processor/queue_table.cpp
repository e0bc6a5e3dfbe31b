// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "command_processor/queue_table.h"

#include <utility>

namespace cuvette::command_processor {

QueueRun* QueueTable::find(uint32_t number) const {
  const auto found = queues_.find(number);
  return found == queues_.end() ? nullptr : found->second.get();
}

QueueRun& QueueTable::add() {
  auto& queue = queues_[next_queue_];
  queue = std::make_unique<QueueRun>();
  queue->number = next_queue_++;
  return *queue;
}

QueueRun& QueueTable::add_hidden(uint32_t number, uint8_t vmid) {
  auto& queue = queues_[number];
  queue = std::make_unique<QueueRun>();
  queue->number = number;
  queue->binding.doorbell = ~0u;  // beyond every doorbell
  queue->binding.pm4 = true;
  queue->binding.vmid = vmid;
  return *queue;
}

void QueueTable::unbind(QueueRun& q) {
  q.stop_turns = true;
  if (!q.unbound) ++unbound_;
  q.unbound = true;
}

/// A queue's coroutines may be resumed by what they wait for, so they go only when they sleep or
/// have ended.
void QueueTable::forget_unbound() {
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

void QueueTable::let_leave() {
  for (auto& [number, q] : queues_) {
    if (q->leaver && q->quiet()) std::exchange(q->leaver, nullptr).resume();
  }
}

std::unique_ptr<InFlight> QueueTable::in_flight() {
  if (spare_.empty()) return std::make_unique<InFlight>();
  std::unique_ptr<InFlight> entry = std::move(spare_.back());
  spare_.pop_back();
  *entry = {};
  return entry;
}

InFlight& QueueTable::launch(QueueRun& q, std::unique_ptr<InFlight> entry) {
  q.in_flight.push_back(std::move(entry));
  return *q.in_flight.back();
}

bool QueueTable::settle() {
  for (auto& [number, q] : queues_) {
    auto& entries = q->in_flight;
    for (auto it = entries.begin(); it != entries.end();) {
      if (!(*it)->finished || !(*it)->task.done()) {
        ++it;
        continue;
      }
      spare_.push_back(std::move(*it));
      it = entries.erase(it);
    }
    for (auto it = q->watchers.begin(); it != q->watchers.end(); ++it) {
      if (!it->first()) continue;
      const auto waiter = it->second;
      q->watchers.erase(it);
      waiter.resume();
      return true;
    }
    if (q->in_flight.empty() && q->drainer) {
      std::exchange(q->drainer, nullptr).resume();
      return true;
    }
  }
  return false;
}

}  // namespace cuvette::command_processor
