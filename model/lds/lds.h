// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/atomic_op.h"
#include "lds/lds_messages.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "wave/memory_op.h"

/// Contract of the lds block (lds.md): the 64 KiB local data share of one compute unit, 32
/// banks of 4 bytes, with its atomic units.
namespace cuvette::lds {

/// Ordering: one domain; requests act in arrival order, lanes of a request in ascending order
/// (decides conflicting stores and atomics). Lockstep classes: data, out_of_range `exact`; time
/// `time`, with bank-conflict cycles `exact` for our RTL.
class Lds : public machine::Core {
 public:
  machine::Channel<Request> request{4};
  machine::Channel<Response> response{4};

  /// Bytes without time: launch (poison), debugger, tests.
  virtual void peek(uint32_t address, uint8_t* bytes, uint32_t count) const = 0;
  virtual void poke(uint32_t address, const uint8_t* bytes, uint32_t count) = 0;

  /// Counters since construction, for statistics.
  struct Counters {
    /// `conflict_cycles`: those beyond the cycles of requests without conflicts.
    uint64_t requests = 0, conflict_cycles = 0, atomics = 0;
  };
  virtual Counters counters() const = 0;
  /// Counts for hardware counters beyond Counters.
  struct Detail {
    uint64_t busy_cycles = 0;           ///< of the banks
    uint64_t atomic_return_cycles = 0;  ///< those of atomics that return a value
    /// Part of Counters::conflict_cycles in which atomics on one address wait for each other.
    uint64_t address_conflict_cycles = 0;
    uint64_t violations = 0;  ///< lanes outside of the work-group's part
  };
  /// Details; nothing when the implementation does not keep them.
  virtual std::optional<Detail> detail() const { return std::nullopt; }
};

/// Configuration from the machine description.
struct Config {
  uint32_t latency_cycles = 1;    ///< unloaded, without conflict
  uint32_t lanes_per_cycle = 32;  ///< lanes that are served together
  uint32_t compute_unit = 0;      ///< instance of the machine, for reports
  uint64_t seed = 1;              ///< initial state of RTL registers (check builds)
};
using Registry = machine::Registry<Lds, Config>;

}  // namespace cuvette::lds
