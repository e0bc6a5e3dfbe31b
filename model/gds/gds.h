// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/atomic_op.h"
#include "gds/gds_messages.h"
#include "isa/target.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "spi/wave_launch.h"
#include "wave/memory_op.h"

/// Contract of the gds block (gds.md): the global data share, global wave sync and the ordered
/// counters that all compute units of a GPU share.
namespace cuvette::gds {

/// One compute unit's way to the block. Without depth limits: bounded by LGKM_CNT of its waves.
struct Port {
  machine::Channel<Request> request{machine::kUnbounded};    ///< to the gds
  machine::Channel<Taken> taken{machine::kUnbounded};        ///< a request has left the registers
  machine::Channel<Response> response{machine::kUnbounded};  ///< a request is done
};

/// Ordering: requests of a compute unit act in the order in which they arrive; between compute
/// units ordered-by-dut. A wave sends nothing behind a request with `sync` before its answer.
/// Lockstep classes: data `exact`; time `time`.
class Gds : public machine::Core {
 public:
  virtual unsigned compute_units() const = 0;
  virtual Port& compute_unit(unsigned index) = 0;
  /// Begin and end of waves, from the spi: the order of ordered counts.
  machine::Channel<spi::WaveOrder> waves{machine::kUnbounded};
  /// A message of `waves` may make next_event() earlier. False: it can wait for the next tick.
  virtual bool wants_waves() const { return true; }

  /// Bytes without time: debugger, tests.
  virtual uint32_t size() const = 0;
  virtual void peek(uint32_t address, uint8_t* bytes, uint32_t count) const = 0;
  virtual void poke(uint32_t address, const uint8_t* bytes, uint32_t count) = 0;

  /// Counters since construction, for statistics.
  struct Counters {
    uint64_t requests = 0;     ///< taken, withdrawals apart
    uint64_t atomics = 0;      ///< lanes
    uint64_t syncs = 0;        ///< of `requests`, GWS and ordered counts
    uint64_t waits = 0;        ///< of `syncs`, those that were not answered at once
    uint64_t busy_cycles = 0;  ///< beats of requests, withdrawals apart
  };
  virtual Counters counters() const = 0;
};

/// Configuration from the machine description.
struct Config {
  isa::Target target = isa::Target::Gfx908;  ///< says how large the GDS is (wave::gds_bytes)
  unsigned compute_units = 1;                ///< each with a port
  uint32_t latency_cycles = 1;     ///< from its start to the answer, when nothing is waited for
  uint32_t bytes_per_cycle = 128;  ///< of the banks of the memory, 4 each
  uint32_t shader_engines = 1;     ///< each tells of a wave a cycle
  uint64_t seed = 1;               ///< of uninitialised state in RTL; no meaning for the model
};
using Registry = machine::Registry<Gds, Config>;

}  // namespace cuvette::gds
