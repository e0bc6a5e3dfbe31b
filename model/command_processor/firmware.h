// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <list>
#include <memory>

#include "command_processor/command_processor_tlm.h"
#include "hsa/packet.h"
#include "hsa/queue.h"

namespace cuvette::command_processor {

/// Something under way in memory, the caches, the spi or time. Resumes its coroutine when nothing
/// is left.
struct CommandProcessorTlm::Operation {
  unsigned left = 0;
  bool faulted = false;
  std::coroutine_handle<> waiter;
};

/// Result of awaiting: false after a fault.
class CommandProcessorTlm::Await {
 public:
  explicit Await(Operation* op) : op_(op) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { op_->waiter = waiter; }
  bool await_resume() const noexcept { return !op_->faulted; }

 private:
  Operation* op_;
};

/// A dispatch between its launch and its completion.
struct CommandProcessorTlm::InFlight {
  uint64_t index = 0;  // packet number
  uint32_t id = 0;     // spi::Dispatch::id
  hsa::KernelDispatchPacket packet;
  bool finished = false;
  spi::DispatchDone done;
  Operation* waiting = nullptr;  // complete() before DispatchDone came
  Task task;
};

struct CommandProcessorTlm::QueueState {
  uint32_t number = 0;
  QueueBinding binding;
  hsa::AmdQueue queue;      // as read when the queue was bound
  uint64_t read_index = 0;  // next packet to take
  uint64_t published = 0;   // read index in memory: every earlier packet is complete
  bool rung = true;         // look once after binding
  bool failed = false;
  bool unbound = false;
  std::coroutine_handle<> sleeper;  // waits for a doorbell
  std::coroutine_handle<> drainer;  // waits until nothing is in flight
  std::list<std::unique_ptr<InFlight>> in_flight;
  std::map<uint64_t, bool> completed;  // packet numbers done out of order
  Task task;
};

/// Suspends until the queue's doorbell rings; not at all when it already has.
class CommandProcessorTlm::AwaitWake {
 public:
  explicit AwaitWake(QueueState& queue) : queue_(queue) {}
  bool await_ready() noexcept { return queue_.rung; }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { queue_.sleeper = waiter; }
  void await_resume() noexcept { queue_.rung = false; }

 private:
  QueueState& queue_;
};

/// Suspends until no dispatch of the queue is in flight (the barrier bit).
class CommandProcessorTlm::AwaitDone {
 public:
  explicit AwaitDone(QueueState& queue) : queue_(queue) {}
  bool await_ready() const noexcept { return queue_.in_flight.empty(); }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { queue_.drainer = waiter; }
  void await_resume() const noexcept {}

 private:
  QueueState& queue_;
};

}  // namespace cuvette::command_processor
