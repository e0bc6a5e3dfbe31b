// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "machine/core.h"
#include "memory/memory_messages.h"

namespace cuvette::compute_unit {

/// Memory as a loosely timed compute unit reaches it: at once, in host memory where that is
/// granted, else by requests. Physical addresses.
class DirectMemory {
 public:
  virtual ~DirectMemory() = default;

  /// A piece that is contiguous in the host: addresses from `first` to `last`.
  struct Region {
    uint64_t first = 1, last = 0;  ///< physical, both ends included
    uint8_t* host = nullptr;       ///< of `first`; null: nothing is granted
    machine::Cycle latency = 0;    ///< time of an access, as the target gives it
  };
  /// Region granted around `address` for reading or for writing.
  virtual Region region(uint64_t address, bool write) = 0;
  /// True if regions may be used for atomic operations, too, as atomics of the host.
  virtual bool grants_atomics() const { return false; }
  /// Grows when regions are taken back: none from before may be used then.
  virtual uint64_t generation() const = 0;

  /// Read, Write, Atomic or AtomicReturn, carried out before it returns; MemReq::time is when it is
  /// sent, MemResp::time when the answer is there. Time may pass, and messages may come meanwhile.
  virtual void request(const memory::MemReq& request, memory::MemResp& response) = 0;
  /// Reads without time, for debuggers and reports. False when not all bytes are there.
  virtual bool peek(uint64_t address, void* out, unsigned bytes) = 0;
};

}  // namespace cuvette::compute_unit
