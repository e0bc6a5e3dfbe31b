// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "hsa/atomic.h"
#include "hsa/memory.h"

namespace cuvette::hsa {

enum class SignalKind : int64_t { Invalid = 0, User = 1, Doorbell = -1, LegacyDoorbell = -2 };

/// amd_signal_t (Compute ABI, "Signals"). A signal handle is its address; it is 64-byte aligned.
struct AmdSignal {
  int64_t kind = 0;
  union {
    int64_t value = 0;
    uint64_t legacy_hardware_doorbell_ptr;
    uint64_t hardware_doorbell_ptr;
  };
  uint64_t event_mailbox_ptr = 0;  ///< 0: nobody to interrupt
  uint32_t event_id = 0;
  uint32_t reserved1 = 0;
  uint64_t start_ts = 0;
  uint64_t end_ts = 0;
  uint64_t queue_ptr = 0;  ///< amd_queue_t of a doorbell, otherwise 0
  uint32_t reserved3[2] = {};
};
static_assert(sizeof(AmdSignal) == 64, "layout");
static_assert(offsetof(AmdSignal, value) == 8, "layout");
static_assert(offsetof(AmdSignal, event_id) == 24, "layout");
static_assert(offsetof(AmdSignal, queue_ptr) == 48, "layout");

constexpr uint64_t kSignalAlignment = 64;
/// Address of the value less that of the signal.
constexpr uint64_t kSignalValueOffset = offsetof(AmdSignal, value);

/// A signal in device memory. Cheap to copy; every operation is one access, faults come back as
/// Error.
class Signal {
 public:
  Signal(DeviceMemory& memory, uint64_t handle) : memory_(&memory), handle_(handle) {}

  /// A new user signal.
  static base::Result<Signal> create(DeviceMemory& memory, int64_t value);
  /// A new doorbell signal of the queue at `queue_ptr`, whose hardware register is at
  /// `register_address`.
  static base::Result<Signal> create_doorbell(DeviceMemory& memory, uint64_t register_address,
                                              uint64_t queue_ptr);

  uint64_t handle() const { return handle_; }
  uint64_t value_address() const { return handle_ + offsetof(AmdSignal, value); }

  base::Result<AmdSignal> contents() const;
  /// Acquire load of the value. Error on a doorbell: those are write-only.
  base::Result<int64_t> load() const;
  /// Release store of the value, without any event.
  base::Status store(int64_t value);
  /// An integer operation on the value; the result is the value before.
  base::Result<int64_t> update(AtomicOp op, int64_t operand, int64_t compare = 0);
  base::Status set_event(uint64_t mailbox, uint32_t event_id);
  base::Status set_timestamps(uint64_t start, uint64_t end);

  /// Notification that a change of a user signal owes to the host: store `event_id` into the
  /// mailbox, and the low byte for the interrupt message. Stores nothing and answers false when
  /// there is no mailbox.
  struct Event {
    bool raised = false;
    uint32_t event_id = 0;
    uint8_t message = 0;
  };
  base::Result<Event> notify();

 private:
  base::Status need_user(const char* operation) const;

  DeviceMemory* memory_;
  uint64_t handle_;
};

}  // namespace cuvette::hsa
