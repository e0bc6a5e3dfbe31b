// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hsa/address_space.h"
#include "machine/core.h"
#include "sdma/decode.h"
#include "sdma/memory_port.h"
#include "sdma/transfer_job.h"

/// Contract of the SDMA engines (docs/reference/sdma.md).
namespace cuvette::sdma {

/// Times of an engine. All zero: everything takes no time, and a wait looks again in every cycle.
struct Timing {
  uint32_t packet_cycles = 0;    ///< to digest a packet once its bytes are here
  uint32_t latency_cycles = 0;   ///< from a request to memory to its data
  uint32_t bytes_per_cycle = 0;  ///< of a copy or a fill; 0: no time
};

/// A ring buffer of packets, as a driver makes it known.
struct Ring {
  uint64_t base = 0;         ///< virtual address, a multiple of 4
  uint64_t bytes = 0;        ///< a power of two, at least 64
  uint8_t vmid = 0;          ///< address space of the ring and of what its packets name
  uint64_t read_report = 0;  ///< virtual address for copies of the read pointer, 8 bytes; 0: none
  uint32_t doorbell = kNoDoorbell;                     ///< number of the doorbell that rings it
  bool aql = false;                                    ///< AQL packets, which are refused
  static constexpr uint32_t kNoDoorbell = 0xffffffff;  ///< no doorbell rings it
};

/// Interrupt of an engine for the host.
struct Interrupt {
  enum class Kind : uint8_t {
    Trap,   ///< a TRAP packet; context: its int_context
    Fault,  ///< the ring stopped by a memory fault; context: the virtual address
    Error,  ///< the ring stopped by a packet; context: its place, bytes since the ring began
  } kind = Kind::Trap;
  unsigned engine = 0;   ///< index in the machine
  uint32_t ring = 0;     ///< its number
  uint8_t vmid = 0;      ///< of the packet
  uint64_t context = 0;  ///< by kind
};

/// State of a ring, for reports. Pointers are bytes since the ring began.
struct RingReport {
  uint32_t ring = 0;
  unsigned engine = 0;
  uint32_t doorbell = 0;
  uint64_t read = 0, write = 0;  ///< read pointer, write pointer
  /// Asleep: by sleep(). Failed: stopped for good.
  enum class State : uint8_t { Idle, Running, Waiting, Asleep, Failed } state = State::Idle;
  /// Condition that it waits for, or the reason why it failed.
  std::string why;
};

/// Counts since construction.
struct Counters {
  /// `packets`: retired, calls of indirect buffers included; `bytes_written`: by fills and data of
  /// packets, fences not; `atomics`: completed; `polls`: looks of waits.
  uint64_t packets = 0, bytes_copied = 0, bytes_written = 0, atomics = 0, polls = 0, traps = 0,
           errors = 0;
};

struct RingState;

/// A system DMA engine: takes packets of its rings, one ring after the other, and carries them out
/// in memory. A ring keeps the engine while a packet moves data; one that waits for a value lets
/// the others go on. Packets of one ring start in order, each after the one before has completed.
/// The read pointer is published after every packet.
///
/// A packet that cannot be carried out stops its ring: a line of take_errors() with engine, ring,
/// place and packet, and an interrupt. Nothing of the ring is executed any more.
class Engine final : public machine::Core {
 public:
  /// Options of one engine.
  struct Config {
    unsigned index = 0;  ///< in the machine
    Timing timing;
    const hsa::AddressSpace* space = nullptr;  ///< outlives the engine
  };
  explicit Engine(const Config& config);
  ~Engine() override;

  /// Before anything else; outlives the engine.
  void connect(MemoryPort& memory) { memory_ = &memory; }
  /// Value of a register by its byte offset, for POLL_REGMEM; nothing: there is none. Without a
  /// handler there is none at all.
  using ReadRegister = std::function<std::optional<uint32_t>(machine::Cycle, uint64_t offset)>;
  void on_read_register(ReadRegister handler) { read_register_ = std::move(handler); }
  /// Called inside tick().
  using OnInterrupt = std::function<void(machine::Cycle, const Interrupt&)>;
  void on_interrupt(OnInterrupt handler) { on_interrupt_ = std::move(handler); }

  /// `number` belongs to no other ring of the engine; `ring` has been checked by check().
  void bind(uint32_t number, const Ring& ring);
  /// At once: what is under way ends between two pieces.
  void unbind(uint32_t number);
  /// The write pointer, in bytes since the ring began. One that no driver can mean, behind what is
  /// done or further ahead than the ring is long, stops the ring.
  void ring(uint32_t number, uint64_t write);
  /// Stops a ring between two packets, or lets it go on. Nothing for a number that no ring has.
  void sleep(uint32_t number, bool asleep);
  /// Another place (virtual address) and size in bytes; false while a packet is under way, when
  /// check() refuses them, or when no ring has the number.
  bool move(uint32_t number, uint64_t base, uint64_t bytes);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  /// True if a ring can go on with more than a wait.
  bool works() const;

  size_t rings() const { return rings_.size(); }
  /// State of a ring; Idle for a number that none has.
  RingReport report(uint32_t number) const;
  /// Since the last call, a line each.
  std::vector<std::string> take_errors();
  const Counters& counters() const { return counters_; }

 private:
  friend class Execution;
  RingState* choose(machine::Cycle now);
  bool can_go_on(const RingState& ring) const;
  void sweep();

  Config config_;
  MemoryPort* memory_ = nullptr;
  ReadRegister read_register_;
  OnInterrupt on_interrupt_;
  std::map<uint32_t, std::unique_ptr<RingState>> rings_;  // by number
  uint32_t turn_ = 0;                                     // the ring that had it last
  machine::Cycle busy_until_ = 0;
  machine::Cycle last_tick_ = 0;
  bool ticking_ = false;
  uint64_t clock_offset_ = 0;  // of TIMESTAMP_GET: added to the cycle
  std::vector<std::string> errors_;
  Counters counters_;
};

/// Errors: what a ring cannot be.
base::Status check(const Ring& ring);

}  // namespace cuvette::sdma
