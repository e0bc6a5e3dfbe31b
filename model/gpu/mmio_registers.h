// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "command_processor/command_processor.h"
#include "gpu/vm_contexts.h"
#include "machine/gpu_config.h"
#include "registers/register_file.h"
#include "spi/wave_launch.h"

namespace cuvette::gpu {

/// Semantics of the registers of a GPU (registers.md): queue slots and their queues, doorbells,
/// interrupts, faults, resets, status. Plain C++: the owner of the sockets gives the cycle of every
/// access, and messages of the command processor with their time.
class MmioRegisters {
 public:
  /// Services that an engine gives its registers, at the cycle of the access.
  struct Machine {
    std::function<uint32_t(const command_processor::QueueBinding&)> bind;
    std::function<void(const command_processor::Dequeue&)> dequeue;
    std::function<void(const command_processor::Doorbell&)> ring;
    /// Sends an interrupt, not before the simulation's time.
    std::function<void(machine::Cycle, const command_processor::Interrupt&)> interrupt;
    std::function<bool()> busy;
    std::function<void()> ring_moved;  ///< the host has read interrupts, or set the ring up
    std::function<void(const command_processor::RegisterLaunch&)> launch;
    /// To the waves of one compute unit, and what a debugger reads of one of them.
    std::function<void(unsigned unit, const spi::WaveCommand&)> command;
    std::function<std::optional<uint32_t>(unsigned unit, unsigned simd, unsigned slot,
                                          uint32_t index, unsigned lane)>
        inspect;
    bool saves_waves = true;  ///< there are waves that trap handlers can save
  };
  /// `contexts`: what everybody translates with; the registers say how. It outlives the front.
  MmioRegisters(const machine::GpuConfig& description, VmContexts& contexts, Machine machine);

  using Status = registers::RegisterFile::Status;
  Status read(machine::Cycle now, uint32_t offset, unsigned bytes, uint32_t& value);
  Status write(machine::Cycle now, uint32_t offset, unsigned bytes, uint32_t value);
  /// Value that a packet of an SDMA engine polls: nothing where no register is.
  std::optional<uint32_t> look(machine::Cycle now, uint64_t offset);
  registers::RegisterFile& file() { return file_; }

  /// An access of a packet: as the host's, in the banks it names.
  command_processor::RegisterDone packet_access(machine::Cycle now,
                                                const command_processor::RegisterAccess& access);

  /// A write to the doorbell aperture.
  void doorbell(machine::Cycle now, const command_processor::Doorbell& doorbell);
  /// The doorbells of queues in slots as the host knows them.
  void name_doorbells(std::vector<command_processor::QueueReport>& queues) const;
  /// Has effect on what is read at `time` and later. No access will come from before `now`.
  void status(machine::Cycle time, const command_processor::QueueStatus& status,
              machine::Cycle now = 0);
  /// Statuses that no access has seen yet: of each queue one that it could see now, and those of
  /// the cycles by which the engine is ahead of the host.
  size_t pending_statuses() const { return coming_.size(); }
  /// Queues that are bound without registers: interrupts name their VMID, doorbells are theirs.
  void bound(uint32_t queue, const command_processor::QueueBinding& binding);
  void unbound(uint32_t queue) { bindings_.erase(queue); }

  /// Takes every queue away, with what it runs cancelled, as a dequeue with reset does. False when
  /// there was none.
  bool cancel(machine::Cycle now);
  /// Every register has its reset value, and the blocks behind act by it; while nothing is under
  /// way.
  void reset(machine::Cycle now);

  /// An interrupt leaves the chip: a fault is latched, and it goes one of these ways.
  enum class Route : uint8_t {
    Direct,  ///< to the host: the ring is off, or it is a message that no ring takes
    Ring,    ///< `entry` into the ring, then to the host
    Masked,  ///< nowhere: its pipe's enable is off
  };
  using RingEntry = std::array<uint32_t, 8>;
  Route route(machine::Cycle now, const command_processor::Interrupt& interrupt, RingEntry& entry);

  /// Place of the next entry of the interrupt ring.
  struct RingSlot {
    uint64_t address = 0;  ///< virtual, of VMID 0
    bool full = false;     ///< wait until the host has read, nothing may be overwritten
  };
  RingSlot ring_slot() const;
  /// The entry is in memory. The result: where a copy of the write pointer goes, 0: nowhere.
  uint64_t ring_advance();
  uint32_t ring_write_pointer() const;
  bool ring_interrupts() const;  ///< interrupts for entries are enabled

  void report(const std::string& text);
  /// Refused accesses, and what was asked for and is not modelled; equal lines once.
  std::vector<std::string> take_reports();

 private:
  struct Bound;
  struct Slot {
    std::optional<uint32_t> queue;  // of the command processor
    bool halting = false;           // leaves because its micro engine stops, and comes back
    uint32_t pm4_dwords = 0;        // of a ring of PM4 packets; 0: AQL
    bool saves = false;             // its binding has a save area
  };
  static constexpr unsigned kSlots = registers::RegisterFile::kSlots;

  void hook_queues();
  void hook_status();
  void hook_compute();
  void hook_debug();
  void hook_memory();
  void hook_interrupts();
  void advance(machine::Cycle now);
  void apply(const command_processor::QueueStatus& status);
  void forget_overtaken(uint32_t queue, machine::Cycle now);
  void activate(unsigned slot);
  command_processor::QueueBinding describe(unsigned slot) const;
  /// Reason why its waves cannot be saved; empty when they can.
  std::string why_not_saved(unsigned slot) const;
  void describe_save(unsigned slot, command_processor::QueueBinding& binding) const;
  void describe_pm4(unsigned slot, command_processor::QueueBinding& binding) const;
  void enable_units();
  spi::CuMask cu_mask(unsigned slot) const;
  bool is_pm4(unsigned slot) const;
  uint32_t ring_size(unsigned slot) const;
  bool is_kernel_queue(unsigned slot) const;
  void write_pointer_moved(unsigned slot);
  void start_grid(unsigned slot, uint32_t initiator);
  void command_waves(uint32_t word);
  std::vector<unsigned> selected_units() const;
  uint32_t inspect_wave();
  void check_shader_memory(unsigned slot, uint8_t vmid);
  void request_dequeue(unsigned slot, uint32_t request);
  void halt(uint32_t before, uint32_t after);
  void set_facts();
  void soft_reset();
  bool halted(unsigned slot) const;
  bool in_doorbell_range(uint32_t dword) const;
  static std::string place(unsigned slot);
  void not_modelled(unsigned slot, const std::string& what);
  void set_context(unsigned vmid);
  void clear_fault();
  uint32_t fault_word(uint8_t vmid, uint64_t address) const;
  bool latch_fault(uint8_t vmid, uint64_t address);
  Bound binding_of(uint32_t queue) const;
  bool is_bound_doorbell(uint32_t index) const;
  std::optional<unsigned> slot_of(uint32_t queue) const;
  uint64_t address(registers::Reg low, registers::Reg high, unsigned slot) const;
  RingEntry entry_of(machine::Cycle now, const command_processor::Interrupt& interrupt) const;
  bool masked(const command_processor::Interrupt& interrupt) const;
  uint32_t ring_bytes() const;

  registers::RegisterFile file_;
  VmContexts& contexts_;
  Machine machine_;
  unsigned units_per_engine_ = 1;
  uint32_t clock_mhz_;
  uint32_t shader_bases_;  // SH_MEM_BASES of every VMID, by the machine description
  machine::Cycle now_ = 0;
  uint32_t access_ = 0;    // of a packet, while it is made
  bool unified_ = false;   // AccVGPRs are behind the VGPRs, as COMPUTE_PGM_RSRC3 says
  bool attached_ = false;  // a debugger, as the compute units know it
  unsigned units_ = 1;
  std::array<Slot, kSlots> slots_;
  std::map<uint32_t, unsigned> slot_of_queue_;
  std::set<uint32_t> lost_;      // queues that a reset took away; their packets reach no register
  bool fresh_scheduler_ = true;  // no kernel queue since the last reset
  struct Bound {
    uint8_t vmid = 0;
    uint32_t doorbell = 0;
    std::optional<unsigned> slot;  // it was made known by; stays when the queue is gone
  };
  std::map<uint32_t, Bound> bindings_;  // every queue, by number
  std::multimap<machine::Cycle, command_processor::QueueStatus> coming_;
  std::vector<std::string> reports_;
};

}  // namespace cuvette::gpu
