// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/atomic_op.h"
#include "isa/target.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "spi/wave_launch.h"
#include "wave/memory_op.h"

/// Contract of the gds block (docs/gds.md): the global data share, global wave sync and the ordered
/// counters that all compute units of a GPU share.
namespace cuvette::gds {

/// One DS instruction of a wave with the GDS bit.
struct Request {
  uint32_t id = 0;        ///< unique among those of the compute unit under way
  uint64_t wave = 0;      ///< spi::WaveLaunch::id
  uint32_t dispatch = 0;  ///< of the wave
  bool withdraw = false;  ///< no instruction: what the wave waits for is answered at once
  wave::SyncOp sync = wave::SyncOp::None;
  // With `sync`.
  uint8_t resource = 0;   ///< of 64, or the ordered counter, of 4
  uint32_t value = 0;     ///< of the GWS instruction; lanes an ordered count adds
  bool releases = false;  ///< ordered count: later waves may go on
  // Without.
  wave::MemoryKind kind = wave::MemoryKind::Load;
  base::AtomicOp atomic = base::AtomicOp::Swap;
  bool flush_in = false, flush_out = false;  ///< float atomics obey MODE (decisions.md D8)
  bool operand_in_gds = false;  ///< SRC2 forms: an atomic's operand is at offset[1], not in `data`
  uint8_t accesses = 1;         ///< 2 for the two-address forms
  uint8_t bytes = 4;            ///< per access: 1, 2, 4, 8, 12, 16
  std::array<uint64_t, 2> exec{};  ///< lanes that take part, per access; the others give 0
  std::array<std::array<uint32_t, wave::kLanes>, 2> offset{};  ///< byte offsets in the GDS
  /// Access i of two has its dwords from [i * ceil(bytes / 4)] on; Response alike.
  std::array<std::array<uint32_t, wave::kLanes>, 4> data{};
  std::array<std::array<uint32_t, wave::kLanes>, 2> compare{};
};

/// The data of a request has left the registers: what lowers EXP_CNT.
struct Taken {
  uint32_t id = 0;
};

/// The instruction is done: what lowers LGKM_CNT.
struct Response {
  uint32_t id = 0;
  std::array<std::array<uint32_t, wave::kLanes>, 4> data{};  ///< ordered count: data[0][0]
};

/// One compute unit's way to the block. Without depth limits: bounded by LGKM_CNT of its waves.
struct Port {
  machine::Channel<Request> request{machine::kUnbounded};
  machine::Channel<Taken> taken{machine::kUnbounded};
  machine::Channel<Response> response{machine::kUnbounded};
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

  struct Counters {
    uint64_t requests = 0;     ///< taken, withdrawals apart
    uint64_t atomics = 0;      ///< lanes
    uint64_t syncs = 0;        ///< of `requests`, GWS and ordered counts
    uint64_t waits = 0;        ///< of `syncs`, those that were not answered at once
    uint64_t busy_cycles = 0;  ///< data were on their way in
  };
  virtual Counters counters() const = 0;
};

struct Config {
  isa::Target target = isa::Target::Gfx908;  ///< says how large the GDS is (wave::gds_bytes)
  unsigned compute_units = 1;
  uint32_t latency_cycles = 1;  ///< from taken to answered, when nothing has to be waited for
  uint32_t bytes_per_cycle = 128;
};
using Registry = machine::Registry<Gds, Config>;

}  // namespace cuvette::gds
