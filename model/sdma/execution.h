// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sdma/ring_state.h"

namespace cuvette::sdma {

/// One step of one ring: a packet is taken, moves a piece, or is over.
class Execution {
 public:
  Execution(Engine& engine, RingState& ring, machine::Cycle now)
      : engine_(engine), ring_(ring), now_(now) {}

  /// Does one step; the cycles for which the engine is busy with it.
  machine::Cycle step();
  /// The ring stops for good: error line and interrupt, with `why`.
  void fail(const std::string& why);

 private:
  machine::Cycle fetch();
  machine::Cycle start();
  machine::Cycle move();
  machine::Cycle look();
  void retire();
  /// Dwords of the packet, `from` its start, out of the ring or the indirect buffer.
  bool load(uint64_t from, uint64_t dwords, uint32_t* out);
  uint64_t dwords_there() const;

  machine::Cycle start_copy();
  machine::Cycle start_subwindow();
  machine::Cycle start_fill();
  machine::Cycle start_write();
  machine::Cycle start_count();
  machine::Cycle start_indirect();
  machine::Cycle start_fence();
  machine::Cycle start_condition();
  machine::Cycle start_poll();
  machine::Cycle start_atomic();
  machine::Cycle start_timestamp();
  machine::Cycle start_trap();

  bool piece(CopyJob& job, uint32_t& bytes, bool& over);
  bool piece(FillJob& job, uint32_t& bytes, bool& over);
  bool piece(WriteJob& job, uint32_t& bytes, bool& over);
  bool piece(CountJob& job, uint32_t& bytes, bool& over);

  // By virtual addresses of the packet; false: the ring has failed.
  bool read(uint64_t va, void* out, uint64_t bytes) { return access(va, out, nullptr, bytes); }
  bool write(uint64_t va, const void* data, uint64_t bytes) {
    return access(va, nullptr, data, bytes);
  }
  bool access(uint64_t va, void* out, const void* data, uint64_t bytes);
  bool atomic(uint64_t va, unsigned bytes, base::AtomicOp op, uint64_t data, uint64_t compare,
              uint64_t& old);
  bool aligned(uint64_t va, unsigned bytes);
  void fault(uint64_t va, hsa::Fault why, const char* access);
  void stop(Interrupt::Kind kind, uint64_t context, const std::string& why);
  uint64_t address(Field low, Field high) const;
  machine::Cycle data_cycles(uint64_t bytes) const;

  Engine& engine_;
  RingState& ring_;
  machine::Cycle now_;
};

}  // namespace cuvette::sdma
