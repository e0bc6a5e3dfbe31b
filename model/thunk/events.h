// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "hsakmt.h"

namespace cuvette::thunk {

/// Event objects of a process, like those of the kernel driver: signalled by the host or by an
/// interrupt of the device, waited for without using the processor. A signal wakes everybody who
/// waits for the event, and is there for the next wait too, with which an event that resets itself
/// does so: a wait may end early, none misses a signal. Thread-safe.
class EventTable {
 public:
  /// As many as a page of mailboxes of the driver has.
  static constexpr uint32_t kMost = 4096;

  /// Value of a mailbox that nothing was stored to.
  static constexpr uint64_t kEmpty = ~uint64_t{0};
  /// `mailboxes`: kMost quadwords that the device may write to.
  explicit EventTable(uint64_t* mailboxes);

  /// Null when there are kMost already.
  HsaEvent* create(const HsaEventDescriptor& descriptor, bool manual_reset, bool signaled);
  /// Wakes the waiters. False: no such event.
  bool destroy(HsaEvent* event);
  bool is_live(const HsaEvent* event);
  void set(HsaEvent* event, bool signaled);
  /// Number of threads that wait for it.
  size_t waiters(const HsaEvent* event);

  /// SUCCESS, WAIT_TIMEOUT, WAIT_FAILURE (an event is or becomes destroyed). `milliseconds`:
  /// HSA_EVENTTIMEOUT_INFINITE waits for ever.
  HSAKMT_STATUS wait(HsaEvent* const* events, uint32_t count, bool all, uint32_t milliseconds);

  /// By id, from an interrupt. Without an id (0), or with one that nobody has: every event whose
  /// mailbox was stored to, as the kernel driver has it.
  void raise(uint32_t id);
  /// All events about memory, with what they say of it.
  void raise_memory_fault(const HsaMemoryAccessFault& fault);
  /// All events about hardware exceptions: an engine has stopped a queue.
  void raise_hardware_exception();
  /// True if there is an event about memory.
  bool has_memory_events();

 private:
  struct Event;
  /// Waiter of an event.
  struct Watch {
    Event* event = nullptr;  // null: destroyed
    bool woken = false;
  };
  struct Event {
    HsaEvent shown{};
    bool manual = false, signaled = false;
    std::vector<Watch*> watches;
    HsaMemoryAccessFault fault{};
    bool has_fault = false;
  };
  Event* find(const HsaEvent* event);
  void signal(Event& event);
  void raise(Event& event);

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t* mailboxes_;
  std::map<uint32_t, std::unique_ptr<Event>> events_;  // by id, from 1 on
  std::unordered_map<const HsaEvent*, Event*> by_handle_;
  uint32_t last_id_ = 0;
};

}  // namespace cuvette::thunk
