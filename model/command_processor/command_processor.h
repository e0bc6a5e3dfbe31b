// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "command_processor/command_processor_messages.h"
#include "hsa/address_space.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "memory/memory_messages.h"
#include "spi/spi.h"

/// Contract of the command_processor block (command_processor.md): reads AQL packets of mapped
/// queues, dispatches them, orders caches by the packets' fences, completes signals.
namespace cuvette::command_processor {

inline constexpr bool is_no_queue(uint32_t number) {
  return number >= kNoQueue;
}
inline constexpr uint32_t no_queue(unsigned slot, unsigned vmid) {
  return kNoQueue | vmid << 8 | slot;
}

/// State of a queue and the condition it waits for: printed by hang reports.
struct QueueReport {
  static constexpr uint32_t kNoDoorbell = 0xffffffff;
  uint32_t queue = 0;     ///< number, as bind() gave it
  uint32_t doorbell = 0;  ///< index, or kNoDoorbell
  uint8_t vmid = 0;
  bool pm4 = false;            ///< a ring of PM4 packets instead of AQL
  uint64_t queue_address = 0;  ///< amd_queue_t; 0: none
  uint64_t next_packet = 0;    ///< to be taken; of a ring of PM4 packets: dwords
  enum class State : uint8_t {
    Idle,     ///< no valid packet, nothing under way
    Running,  ///< packets are under way
    Waiting,  ///< the next packet waits for `polls`, or for earlier ones
    Failed,   ///< stopped by an error
    Leaving,  ///< is being taken away
  } state = State::Idle;
  /// Values in memory (registers: by offset) that the next packet waits for, as last seen.
  struct Poll {
    uint64_t address = 0;  ///< of the signal, or of the value
    int64_t value = 0;     ///< its present value
    /// `address` is a signal, or the offset of a register.
    bool is_signal = false, is_register = false;
  };
  std::vector<Poll> polls;
  bool waits_for_earlier = false;  ///< the barrier bit of the next packet
  /// Started and not complete.
  struct Packet {
    uint64_t index = 0;              ///< number in the queue
    uint32_t dispatch = 0;           ///< spi::Dispatch::id; 0: no waves of its own
    bool agent = false;              ///< an agent dispatch: the host has not answered
    uint64_t kernel_object = 0;      ///< address of the descriptor; 0: none
    uint64_t completion_signal = 0;  ///< address; 0: none
  };
  std::vector<Packet> packets;  ///< under way, the oldest first
};

/// Ordering: packets of one queue start in order; the barrier bit and fences as AQL says. A packet
/// is taken while its header is valid, whatever the doorbell's value; the doorbell only wakes.
/// Lockstep classes: memory writes (headers, read index, signals), dispatches, fences `exact` per
/// queue; interleaving of queues `ordered-by-dut`; time `time`.
class CommandProcessor : public machine::Core {
 public:
  machine::Channel<Doorbell> doorbell{64};
  machine::Channel<Dequeue> dequeue{machine::kUnbounded};           ///< bound by the queues
  machine::Channel<Interrupt> interrupt{64};                        ///< to the host
  machine::Channel<QueueStatus> queue_status{machine::kUnbounded};  ///< reports on queues
  /// Agent dispatch packets for the host, which answers on agent_done.
  machine::Channel<AgentDispatch> agent_dispatch{machine::kUnbounded};
  machine::Channel<AgentDone> agent_done{machine::kUnbounded};
  /// Register accesses of packets; answered on register_done.
  machine::Channel<RegisterAccess> register_access{machine::kUnbounded};
  machine::Channel<RegisterDone> register_done{machine::kUnbounded};
  /// Grids from the COMPUTE_* registers.
  machine::Channel<RegisterLaunch> register_launch{machine::kUnbounded};

  /// Memory goes through `memory` (an L2 port). Fences ask the first-level caches through `near`
  /// and the L2 through `far`, one port each; agent scope ends at the L2, system scope behind it.
  virtual void connect(spi::Spi& spi, cache::Cache::Port& memory,
                       const std::vector<cache::Cache::Port*>& near,
                       const std::vector<cache::Cache::Port*>& far) = 0;
  /// The queue number. The first look at the queue is at `when`, later than every tick so far.
  virtual uint32_t bind(const QueueBinding& queue, machine::Cycle when) = 0;
  /// At once and without an answer: no packet is taken any more; those under way complete, then the
  /// queue is forgotten.
  virtual void unbind(uint32_t queue) = 0;

  /// Counters since construction, for statistics.
  struct Counters {
    /// Packets taken; kernel dispatches, barriers, and refused packets.
    uint64_t packets = 0, dispatches = 0, barriers = 0, errors = 0;
  };
  virtual Counters counters() const = 0;
  /// Counts for hardware counters, in cycles up to the time of the call.
  struct Detail {
    uint64_t busy_cycles = 0;    ///< with a queue that works or waits, and does not sleep
    uint64_t memory_cycles = 0;  ///< with a request to memory or a fence under way
    uint64_t decode_cycles = 0;  ///< to digest packets, summed
  };
  /// Details; nothing when the implementation does not keep them.
  virtual std::optional<Detail> detail(machine::Cycle /*now*/) const { return std::nullopt; }
  /// Queues that are known, by number. Nothing when the implementation keeps no such view.
  virtual std::vector<QueueReport> queues() const { return {}; }

  /// Messages for the host, which has to do something about them; each is given once. Empty when
  /// the implementation has no words.
  virtual std::vector<std::string> take_reports() { return {}; }

  /// Steps of a packet, each reported when it is done.
  enum class Stage : uint8_t {
    Awake,     ///< the doorbell is heard; `packet` is the next one
    Fetched,   ///< the bytes are here and the header says valid
    Decoded,   ///< digested
    Ready,     ///< its turn by the barrier bit, checked, kernel descriptor read, signals waited for
    Acquired,  ///< acquire fence
    Started,   ///< the slot is given back; to the spi, or to the agent that serves it
    Ended,     ///< its waves have
    Released,  ///< release fence
    Signaled,  ///< read index published, completion signal decremented
    Raised,    ///< interrupt of the signal's event
  };
  /// Called at every step when set; false when the implementation has no such observer.
  using OnStage =
      std::function<void(machine::Cycle now, uint32_t queue, uint64_t packet, Stage stage)>;
  virtual bool on_stage(OnStage) { return false; }
};

/// Configuration from the machine description.
struct Config {
  isa::Target target = isa::Target::Gfx908;
  uint32_t packet_cycles = 1;  ///< to digest a packet once its bytes are here
  uint32_t poll_cycles = 1;    ///< between two looks at the signals of a barrier packet
  const hsa::AddressSpace* address_space = nullptr;  ///< outlives the block
  uint32_t group_bytes = 65536;                      ///< largest group segment of a work-group
};
using Registry = machine::Registry<CommandProcessor, Config>;

}  // namespace cuvette::command_processor
