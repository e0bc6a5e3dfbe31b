// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <coroutine>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "command_processor/command_processor.h"
#include "command_processor/make_dispatch.h"
#include "command_processor/micro_engine.h"
#include "hsa/dispatch.h"
#include "hsa/kernel_descriptor.h"
#include "hsa/packet.h"
#include "hsa/queue.h"
#include "hsa/queue_error.h"

namespace cuvette::command_processor {

/// A packet between its launch and its completion.
struct InFlight {
  uint64_t index = 0;  // packet number
  uint32_t id = 0;     // spi::Dispatch::id, AgentDispatch::id
  hsa::KernelDispatchPacket packet;
  bool finished = false;
  bool waits = true;       // complete() begins by waiting for DispatchDone or AgentDone
  bool grid = false;       // of a packet with the same number, by registers
  bool cancelled = false;  // the spi has been told
  bool asked = false;      // and to save it
  machine::Cycle start = 0;
  spi::DispatchDone done;
  MicroEngine::Operation* waiting = nullptr;  // complete() before DispatchDone came
  Task task;
};

/// A dispatch whose waves were saved, as the control stack has it.
struct SavedDispatch {
  uint64_t index = 0;       // packet number
  uint32_t head = 0;        // first dword of the packet, which the ring does not have any more
  uint64_t next_group = 0;  // work-groups before it have started
  std::vector<spi::SavedGroup> groups;
};

/// The last RUN_LIST of a kernel queue.
struct RunList {
  struct Process {
    std::vector<uint32_t> body;               // MAP_PROCESS
    std::vector<std::vector<uint32_t>> maps;  // bodies of its MAP_QUEUES
    size_t slots_wanted = 0;                  // any that are free
    bool mapped = false;
  };
  std::vector<Process> processes;
  size_t next = 0;       // process whose turn it is
  bool chained = false;  // there may be more than there is room for
};

/// A queue, and what runs on it.
struct QueueRun {
  uint32_t number = 0;
  QueueBinding binding;
  hsa::AmdQueue queue;                   // as read when the queue was bound
  uint64_t read_index = 0;               // next packet to take
  uint64_t published = 0;                // read index in memory: every earlier packet is complete
  std::vector<QueueReport::Poll> polls;  // conditions that the packet at hand waits for
  bool rung = true;                      // look once after binding
  bool failed = false;
  bool unbound = false;
  bool leaving = false;       // somebody waits for it to be gone
  bool reset = false;         // running work ends without a trace
  bool save = false;          // running waves are saved where that can be
  bool restoring = false;     // saved waves have not started yet
  uint32_t stack_offset = 0;  // of the control stack
  uint32_t save_begin = 0;    // of the save area with nothing in it
  uint32_t save_end = 0;      // end of what is in it
  std::vector<SavedDispatch> saved;
  bool poll = false;                // the write pointer in memory has to be looked at
  uint64_t write_pointer = 0;       // of a ring of PM4 packets, dwords
  uint64_t sequence = 0;            // launches of a ring of PM4 packets so far
  std::coroutine_handle<> sleeper;  // waits for a doorbell
  std::coroutine_handle<> drainer;  // waits until nothing is in flight
  std::coroutine_handle<> leaver;   // waits until it sleeps or has ended with nothing in flight
  // Coroutines that wait for something of this queue that a tick may bring.
  std::list<std::pair<std::function<bool()>, std::coroutine_handle<>>> watchers;
  std::vector<std::unique_ptr<InFlight>> in_flight;
  std::set<uint64_t> completed;  // packet numbers done out of order
  RunList list;                  // of a kernel queue
  bool turning = false;          // its processes take turns
  bool stop_turns = false;       // and are to end that
  bool list_moves = false;       // queues are being mapped or taken away
  Task task, leave_task, turns_task;

  bool quiet() const { return (sleeper || task.done()) && in_flight.empty() && !turning; }
};

/// A packet on its way from the ring to its launch.
struct PacketContext {
  hsa::KernelDispatchPacket packet;
  hsa::PacketHeader header;
  hsa::KernelDescriptor kernel;
  Preload preload;
  enum class Kind : uint8_t { Dispatch, Barrier, Agent, Pm4 } kind = Kind::Barrier;
  bool ready = true;  // false: a barrier that was given up because the queue goes away
  uint32_t error = 0;
  uint64_t error_address = 0;

  void fault(uint64_t address) {
    error = hsa::kQueueErrorMemoryFault;
    error_address = address;
  }
};

/// Indirect buffer, read whole.
struct Pm4Buffer {
  std::vector<uint32_t> words;
  size_t at = 0;
};
/// PM4 packets under way: of a vendor packet, or of a ring.
struct Pm4Run {
  uint64_t index = 0;              // of the packet
  bool ring = false;               // packets come from the queue's ring
  bool given_up = false;           // by a packet that waits, because the queue goes away
  size_t skip = 0;                 // dwords that COND_EXEC leaves out
  std::array<uint32_t, 3> jump{};  // INDIRECT_BUFFER without its header
  std::vector<Pm4Buffer> buffers;  // the innermost last
  std::vector<uint32_t> body;      // of the packet being run
  uint32_t error = 0;
  uint64_t error_address = 0;

  void fault(uint64_t address) {
    error = hsa::kQueueErrorMemoryFault;
    error_address = address;
  }
};

/// Suspends until the queue's doorbell rings; not at all when it already has.
class AwaitWake {
 public:
  explicit AwaitWake(QueueRun& queue) : queue_(queue) {}
  bool await_ready() noexcept { return queue_.rung; }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { queue_.sleeper = waiter; }
  void await_resume() noexcept { queue_.rung = false; }

 private:
  QueueRun& queue_;
};

/// Suspends until no dispatch of the queue is in flight (the barrier bit).
class AwaitDone {
 public:
  explicit AwaitDone(QueueRun& queue) : queue_(queue) {}
  bool await_ready() const noexcept { return queue_.in_flight.empty(); }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { queue_.drainer = waiter; }
  void await_resume() const noexcept {}

 private:
  QueueRun& queue_;
};

/// Suspends until `condition`, which only things that belong to the queue may change.
class AwaitWhen {
 public:
  AwaitWhen(QueueRun& queue, std::function<bool()> condition)
      : queue_(queue), condition_(std::move(condition)) {}
  bool await_ready() const { return condition_(); }
  void await_suspend(std::coroutine_handle<> waiter) {
    queue_.watchers.emplace_back(std::move(condition_), waiter);
  }
  void await_resume() const noexcept {}

 private:
  QueueRun& queue_;
  std::function<bool()> condition_;
};

/// Suspends until the queue does nothing and has nothing in flight.
class AwaitQuiet {
 public:
  explicit AwaitQuiet(QueueRun& queue) : queue_(queue) {}
  bool await_ready() const noexcept { return queue_.quiet(); }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { queue_.leaver = waiter; }
  void await_resume() const noexcept {}

 private:
  QueueRun& queue_;
};

}  // namespace cuvette::command_processor
