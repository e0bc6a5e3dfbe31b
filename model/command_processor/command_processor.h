// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cache/cache.h"
#include "hsa/address_space.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "memory/mem_req.h"
#include "spi/spi.h"

/// Contract of the command_processor block (docs/command_processor.md): reads AQL packets of mapped
/// queues, dispatches them, orders caches by the packets' fences, completes signals.
namespace cuvette::command_processor {

/// A write to the doorbell aperture: which doorbell, and the value written.
struct Doorbell {
  uint32_t index = 0;
  uint64_t value = 0;
};

/// Raised towards the host: completion signal events (source 0), queue errors (source: the queue
/// error bits), S_SENDMSG of a wave (kWaveMessage and its SIMM16; queue: the compute unit; context:
/// M0).
inline constexpr uint32_t kWaveMessage = 0x10000;
struct Interrupt {
  uint32_t source = 0;
  uint32_t queue = 0;
  uint64_t context = 0;
};

/// A user-mode queue made known to the processor (what CP_HQD_* registers hold).
struct QueueBinding {
  uint64_t queue_address = 0;  ///< amd_queue_t
  uint32_t doorbell = 0;
  uint8_t vmid = 0;
  uint8_t priority = 0;
};

/// Ordering: packets of one queue start in order; the barrier bit and fences as AQL says. A packet
/// is taken while its header is valid, whatever the doorbell's value; the doorbell only wakes.
/// Lockstep classes: memory writes (headers, read index, signals), dispatches, fences `exact` per
/// queue; interleaving of queues `ordered-by-dut`; time `time`.
class CommandProcessor : public machine::Core {
 public:
  machine::Channel<Doorbell> doorbell{64};
  machine::Channel<Interrupt> interrupt{64};

  /// Memory goes through `memory` (an L2 port). Fences ask the first-level caches through `near`
  /// and the L2 through `far`, one port each; agent scope ends at the L2, system scope behind it.
  virtual void connect(spi::Spi& spi, cache::Cache::Port& memory,
                       const std::vector<cache::Cache::Port*>& near,
                       const std::vector<cache::Cache::Port*>& far) = 0;
  /// The queue number. The first look at the queue is at `when`, later than every tick so far.
  virtual uint32_t bind(const QueueBinding& queue, machine::Cycle when) = 0;
  /// No packet is taken any more; those under way complete, then the queue is forgotten.
  virtual void unbind(uint32_t queue) = 0;

  struct Counters {
    uint64_t packets = 0, dispatches = 0, barriers = 0, errors = 0;
  };
  virtual Counters counters() const = 0;
};

struct Config {
  isa::Target target = isa::Target::Gfx908;
  uint32_t packet_cycles = 1;  ///< to digest a packet once its bytes are here
  uint32_t poll_cycles = 1;    ///< between two looks at the signals of a barrier packet
  const hsa::AddressSpace* address_space = nullptr;  ///< outlives the block
  unsigned queues = 8;
};
using Registry = machine::Registry<CommandProcessor, Config>;

}  // namespace cuvette::command_processor
