// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
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
  uint64_t value = 0;  ///< of a ring of PM4 packets: its write pointer in dwords
  bool poll = false;   ///< the write pointer of a ring of PM4 packets is in memory
};

/// Raised towards the host: completion signal events (source 0), queue errors (source: the queue
/// error bits), S_SENDMSG of a wave (kWaveMessage and its SIMM16; queue: the compute unit; context:
/// M0).
inline constexpr uint32_t kWaveMessage = 0x10000;
/// Raised by the registers of a GPU (docs/registers.md): a doorbell that no queue has (queue: its
/// index; context: the value), and a queue that is gone from its slot.
inline constexpr uint32_t kUnmappedDoorbell = 0x20000;
inline constexpr uint32_t kDequeued = 0x20001;
/// QUERY_STATUS of the kernel queue (context: its context id).
inline constexpr uint32_t kQueryStatus = 0x20002;
struct Interrupt {
  uint32_t source = 0;
  uint32_t queue = 0;
  uint64_t context = 0;
};

/// A user-mode queue made known to the processor (what CP_HQD_* registers hold).
struct QueueBinding {
  uint64_t queue_address = 0;  ///< amd_queue_t; 0: the one that `read_report` lies in
  uint32_t doorbell = 0;
  uint8_t vmid = 0;
  uint8_t priority = 0;
  uint64_t ring_address = 0;  ///< packets; 0: as the amd_queue_t says, with their number
  uint32_t ring_packets = 0;  ///< a power of two
  uint64_t read_report = 0;   ///< where the read index goes; 0: into the amd_queue_t
  uint64_t mqd_address = 0;   ///< memory queue descriptor: state goes there at the end; 0: none
  uint64_t trap_handler = 0;  ///< TBA and TMA of the queue's VMID, byte addresses; 0: none
  uint64_t trap_memory = 0;
  bool pm4 = false;                      ///< the ring holds PM4 packets; there is no amd_queue_t
  bool kernel_queue = false;             ///< it may map and unmap queues
  bool fresh = false;                    ///< and the first one since a reset: it knows of none
  uint64_t read_pointer = 0;             ///< of a ring of PM4 packets, dwords: where to go on
  uint64_t write_pointer = 0;            ///< and how far it is filled
  uint64_t write_poll = 0;               ///< where the write pointer lies in memory; 0: nowhere
  spi::CuMask cu_mask = spi::kAllUnits;  ///< where work-groups of its AQL packets may be
  uint32_t bank = 0;          ///< registers of the queue: GRBM_GFX_CNTL of its slot; 0: none
  uint64_t save_area = 0;     ///< where trap handlers store waves; 0: it has none
  uint32_t save_begin = 0;    ///< bytes of it that are taken (CP_HQD_WG_STATE_OFFSET)
  uint32_t save_end = 0;      ///< its size
  uint32_t stack_bytes = 0;   ///< of the control stack, kControlStack behind `mqd_address`
  uint32_t stack_offset = 0;  ///< where it begins to be filled; `stack_bytes`: nothing is saved
};
/// The control stack lies a page behind the memory queue descriptor (public driver source, gfx9).
inline constexpr uint64_t kControlStack = 4096;

/// Takes a queue away: no packet is taken any more, those under way complete, its memory queue
/// descriptor is written, and QueueStatus says Inactive. A barrier packet that waits stays in the
/// ring.
struct Dequeue {
  uint32_t queue = 0;
  bool reset = false;  ///< waves end where they are, signals stay as they are
  bool save = false;   ///< trap handlers save the waves of its AQL packets, for the next binding
};

/// A register access of a packet or of the kernel queue. Answered by one RegisterDone, in order; a
/// RegisterLaunch that it causes comes first.
struct RegisterAccess {
  uint32_t id = 0;
  uint32_t queue = 0;
  uint32_t bank = 0;    ///< GRBM_GFX_CNTL of this access
  uint32_t offset = 0;  ///< bytes, in the aperture
  bool write = false;
  uint32_t value = 0;
};
struct RegisterDone {
  uint32_t id = 0;
  uint32_t value = 0;  ///< of a read
  bool error = false;  ///< refused
};

/// Numbers from here on are no queue's: a grid of the host's, from the registers of a slot without
/// a queue, has that slot in bits 7:0 and its VMID in bits 11:8.
inline constexpr uint32_t kNoQueue = 0xffff0000;
inline constexpr bool is_no_queue(uint32_t number) {
  return number >= kNoQueue;
}
inline constexpr uint32_t no_queue(unsigned slot, unsigned vmid) {
  return kNoQueue | vmid << 8 | slot;
}

/// COMPUTE_DISPATCH_INITIATOR was written: a grid from registers. It belongs to `queue`, or to
/// none.
struct RegisterLaunch {
  uint32_t id = 0;  ///< of the RegisterAccess that wrote it, 0: the host
  uint32_t queue = kNoQueue;
  bool invalidate = false;  ///< first-level caches first (SCALAR_L1_INV_VOL, VECTOR_L1_INV_VOL)
  spi::Dispatch dispatch;   ///< without its id
};

enum class QueueState : uint8_t {
  Active,    ///< the read index moved
  Failed,    ///< stopped by an error; still there
  Inactive,  ///< gone
};
struct QueueStatus {
  uint32_t queue = 0;
  QueueState state = QueueState::Active;
  uint64_t read_index = 0;     ///< packets before it are complete; PM4: dwords taken
  uint32_t error = 0;          ///< of Failed: queue error bits
  uint64_t error_address = 0;  ///< of a memory fault, 0: unknown
  uint32_t stack_offset = 0;   ///< as in QueueBinding
  uint32_t save_begin = 0;
};

/// An agent dispatch packet, for whoever serves them outside; answered by one AgentDone.
struct AgentDispatch {
  uint32_t id = 0;
  uint32_t queue = 0;
  uint16_t type = 0;  ///< function to call, chosen by producer and handler
  uint8_t vmid = 0;
  uint64_t return_address = 0;  ///< where the handler writes a result, 0: nowhere
  std::array<uint64_t, 4> arg{};
};
struct AgentDone {
  uint32_t id = 0;
  bool error = false;  ///< nobody serves this type: the queue stops as by a malformed packet
};

/// What a queue does and waits for: printed by hang reports.
struct QueueReport {
  static constexpr uint32_t kNoDoorbell = 0xffffffff;
  uint32_t queue = 0;
  uint32_t doorbell = 0;
  uint8_t vmid = 0;
  bool pm4 = false;
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
    int64_t value = 0;
    bool is_signal = false, is_register = false;
  };
  std::vector<Poll> polls;
  bool waits_for_earlier = false;  ///< the barrier bit of the next packet
  /// Started and not complete.
  struct Packet {
    uint64_t index = 0;
    uint32_t dispatch = 0;  ///< spi::Dispatch::id; 0: no waves of its own
    bool agent = false;     ///< an agent dispatch: the host has not answered
    uint64_t kernel_object = 0;
    uint64_t completion_signal = 0;
  };
  std::vector<Packet> packets;
};

/// Ordering: packets of one queue start in order; the barrier bit and fences as AQL says. A packet
/// is taken while its header is valid, whatever the doorbell's value; the doorbell only wakes.
/// Lockstep classes: memory writes (headers, read index, signals), dispatches, fences `exact` per
/// queue; interleaving of queues `ordered-by-dut`; time `time`.
class CommandProcessor : public machine::Core {
 public:
  machine::Channel<Doorbell> doorbell{64};
  machine::Channel<Dequeue> dequeue{machine::kUnbounded};  ///< bound by the queues
  machine::Channel<Interrupt> interrupt{64};
  machine::Channel<QueueStatus> queue_status{machine::kUnbounded};
  machine::Channel<AgentDispatch> agent_dispatch{machine::kUnbounded};
  machine::Channel<AgentDone> agent_done{machine::kUnbounded};
  machine::Channel<RegisterAccess> register_access{machine::kUnbounded};
  machine::Channel<RegisterDone> register_done{machine::kUnbounded};
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

  struct Counters {
    uint64_t packets = 0, dispatches = 0, barriers = 0, errors = 0;
  };
  virtual Counters counters() const = 0;
  /// Queues that are known, by number. Nothing when the implementation keeps no such view.
  virtual std::vector<QueueReport> queues() const { return {}; }

  /// What hosts have to do something about, in words; each is told once. Nothing when the
  /// implementation has no words.
  virtual std::vector<std::string> take_reports() { return {}; }

  /// Steps of a packet, each told when it is done.
  enum class Stage : uint8_t {
    Awake,     ///< the doorbell is heard; `packet` is the next one
    Fetched,   ///< the bytes are here and the header says valid
    Decoded,   ///< digested
    Prepared,  ///< its turn by the barrier bit, checked, kernel descriptor read, signals waited for
    Acquired,  ///< acquire fence
    Started,   ///< the slot is given back; to the spi, or to whoever serves it
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

struct Config {
  isa::Target target = isa::Target::Gfx908;
  uint32_t packet_cycles = 1;  ///< to digest a packet once its bytes are here
  uint32_t poll_cycles = 1;    ///< between two looks at the signals of a barrier packet
  const hsa::AddressSpace* address_space = nullptr;  ///< outlives the block
  uint32_t group_bytes = 65536;                      ///< largest group segment of a work-group
};
using Registry = machine::Registry<CommandProcessor, Config>;

}  // namespace cuvette::command_processor
