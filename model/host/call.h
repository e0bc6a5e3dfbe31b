// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/machine.h"

namespace cuvette::host {

/// Kind of a host's call to a machine; the letters are those of the host-event log
/// (docs/reference/c_interface.md).
enum class CallKind : char {
  RegisterRead = 'r',
  RegisterWrite = 'w',
  Doorbell = 'd',
  Allocate = 'a',
  Free = 'f',
  MemoryRead = 'R',
  MemoryWrite = 'W',
  Atomic = 'x',
  Wait = 't',
  Load = 'L',
  Unload = 'U',
  Cycle = 'c',     ///< not logged
  Reports = 'o',   ///< not logged
  Hang = 'h',      ///< not logged
  Inspect = 'q',   ///< not logged
  Counters = 'n',  ///< not logged
  Named = 'N',     ///< not logged: performance counters by name
  Mark = 'k',      ///< not logged: counters by name count from here on
  Attach = 'm',    ///< refused with a log, as is Retirements
  Retirements = 'i'
};

/// The numbers of cuvette_status.
enum class CallStatus : uint8_t {
  Ok = 0,
  Argument = 1,
  Description = 2,
  Once = 3,
  Access = 4,
  Memory = 5,
  Timeout = 6,
  Call = 7,
  File = 8,
  Internal = 9,
  Cancelled = 10,
  Watchdog = 11
};
inline constexpr auto kLastStatus = CallStatus::Watchdog;
/// Status of a wait that a stop has ended.
constexpr CallStatus status_of(StopReason reason) {
  return reason == StopReason::Cancel ? CallStatus::Cancelled : CallStatus::Watchdog;
}

/// End that a wait has: after `count` cycles, with an idle machine, or with the next interrupt.
enum class WaitKind : uint32_t { Advance = 0, Idle = 1, Interrupt = 2 };
/// The longest wait, in cycles: SystemC's clock has an end.
inline constexpr uint64_t kMostCycles = 1'000'000'000'000'000;
inline constexpr uint64_t kMostAccessBytes = uint64_t{1} << 30;  ///< of one MemoryRead

/// Properties of memory, for Call::option of Allocate and Attach.
enum AllocateFlag : uint32_t {
  kReadOnly = 1,  ///< not writable by the GPU
  kExecutable = 2,
  kWithin4Gib = 4,  ///< does not cross a multiple of 4 GiB
  kBelow4Gib = 8,   ///< addresses below 4 GiB
  kFineGrained = 16,
  kUncached = 32,
  kAllFlags = 63
};
/// Operations of CallKind::Atomic, by number.
inline constexpr uint32_t kAtomicOperations = 7;

/// One call with its answer. The kind decides which fields count.
struct Call {
  CallKind kind = CallKind::Cycle;
  uint64_t address = 0;       ///< register offset, doorbell, memory address; alignment of Allocate;
                              ///< block of Unload
  uint64_t value = 0;         ///< written, or the operand
  uint64_t compare = 0;       ///< Atomic: compared value
  uint64_t count = 0;         ///< bytes; cycles of Wait, its limit for the others than Advance
  uint32_t option = 0;        ///< AllocateFlag bits, operation of Atomic, WaitKind
  std::vector<uint8_t> data;  ///< of MemoryWrite and Load; result of MemoryRead and Inspect

  CallStatus status = CallStatus::Ok;
  uint64_t result = 0;  ///< read, old, address; of MemoryRead the FNV-1a of its bytes
  std::string text;     ///< reason why status is not Ok; reports
  std::shared_ptr<const hsa::LoadedCode> code;  ///< result of Load
  std::shared_ptr<const HangReport> hang;       ///< result of Hang

  void* host = nullptr;                           ///< memory of Attach
  uint32_t compute_unit = 0, simd = 0, slot = 0;  ///< of Inspect: register `address`, `count` lanes
  Machine::OnRetire on_retire;                    ///< of Retirements; empty: nobody
  Machine::Work work;                             ///< result of Counters, and
  std::vector<gpu::BlockCounters> counters;  ///< result of Counters, since the machine was made
  std::vector<std::string> names;            ///< of Named; none: all of the target
  /// Value of a performance counter.
  struct NamedCounter {
    std::string name;
    std::optional<double> value;  ///< nothing: `missing` says why
    std::string missing;
  };
  std::vector<NamedCounter> named;  ///< result of Named, in the order of `names`
};

/// Carries out everything but Wait, at the machine's present time. Errors are in `status` and
/// `text`.
void perform(Machine& machine, Call& call);

/// FNV-1a, 64 bits.
class Fingerprint {
 public:
  void add(const void* data, size_t bytes);
  void add(uint64_t value) { add(&value, sizeof value); }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};
/// Hash of everything in device memory that is not 0.
uint64_t fingerprint(hsa::DeviceMemory& memory);

}  // namespace cuvette::host
