// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/atomic_op.h"
#include "lds/lds_messages.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "wave/memory_op.h"

/// Contract of the lds block (docs/lds.md): the 64 KiB local data share of one compute unit, 32
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

  struct Counters {
    uint64_t requests = 0, conflict_cycles = 0, atomics = 0;
  };
  virtual Counters counters() const = 0;
};

struct Config {
  uint32_t latency_cycles = 1;  ///< unloaded, without conflict
  uint32_t lanes_per_cycle = 32;
  uint32_t compute_unit = 0;  ///< which instance of the machine it is, for reports
  uint64_t seed = 1;          ///< initial state of RTL registers (check builds)
};
using Registry = machine::Registry<Lds, Config>;

}  // namespace cuvette::lds
