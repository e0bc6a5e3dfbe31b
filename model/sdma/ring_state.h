// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "sdma/engine.h"

namespace cuvette::sdma {

/// A wait for memory or a register to compare, or of an atomic to match. `left`: looks, none when
/// it looks for ever.
struct WaitJob {
  enum class What : uint8_t { Memory, Register, Atomic } what = What::Memory;
  uint64_t address = 0;  ///< virtual; Register: byte offset
  /// Compare function, 1 to 6; `last & mask` is compared with `value`.
  uint32_t function = 0, value = 0, mask = 0;
  uint32_t interval = 1;  ///< cycles between two looks at least
  std::optional<uint32_t> left;
  uint64_t last = 0;  // value seen last
};

/// An indirect buffer that a ring executes.
struct IndirectBuffer {
  uint64_t base = 0;            ///< virtual address
  uint32_t dwords = 0, at = 0;  ///< size; dwords that are done
  uint8_t vmid = 0;
};

/// State of a ring.
struct RingState {
  uint32_t number = 0;
  Ring ring;
  uint64_t read = 0, write = 0;  // bytes since it began
  bool asleep = false, failed = false, leaving = false;
  bool cold = true;         // the next fetch takes latency_cycles
  bool incomplete = false;  // the packet at `read` is not all there
  std::optional<IndirectBuffer> indirect;

  /// Step of the packet under way.
  enum class Phase : uint8_t { Fetch, Execute, Retire } phase = Phase::Fetch;
  bool identified = false;  // `packet` is what the words are
  Packet packet = Packet::Nop;
  /// Fixed dwords of the packet.
  std::array<uint32_t, kMostDwords> words{};
  uint64_t dwords = 0;  // of the packet
  uint64_t skip = 0;    // dwords behind it that are left out
  std::variant<std::monostate, CopyJob, FillJob, WriteJob, CountJob, WaitJob> job;
  bool begun = false;      // the job has moved something
  machine::Cycle due = 0;  ///< no step before
  std::string why;         // it failed

  uint8_t vmid() const { return indirect ? indirect->vmid : ring.vmid; }
  bool waits() const { return phase == Phase::Execute && std::holds_alternative<WaitJob>(job); }
  bool under_way() const { return phase != Phase::Fetch || indirect.has_value(); }
};

}  // namespace cuvette::sdma
