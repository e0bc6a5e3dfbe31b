// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <tlm>
#include <utility>

#include "command_processor/command_processor.h"
#include "gpu/external_memory.h"
#include "gpu/mmio_registers.h"
#include "hsa/address_space.h"
#include "hsa/backing.h"

namespace cuvette::gpu {

/// The registers' side of a GPU's sockets: accesses of the register aperture, and the interrupt
/// handler, which writes its ring before the host gets the interrupt. Spawns its process: construct
/// it inside a module.
class RegisterPort {
 public:
  /// Bytes at a physical address, not across a multiple of 64; may wait. False: no memory there.
  using WriteMemory = std::function<bool(uint64_t pa, const void* data, unsigned bytes)>;
  RegisterPort(const sc_core::sc_time& period, uint32_t link_cycles, MmioRegisters& front,
               const hsa::AddressSpace& space, WriteMemory write,
               tlm::tlm_analysis_port<command_processor::Interrupt>& interrupts);

  /// At the time of the call, in the order of calls. Reads take the way there and back, writes are
  /// posted.
  void b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& trans);
  /// An interrupt leaves the chip now.
  void interrupt(machine::Cycle now, const command_processor::Interrupt& interrupt);
  /// The interrupt ring has room, perhaps.
  void ring_moved() {
    if (!waiting_.empty()) wake_.notify(sc_core::SC_ZERO_TIME);
  }
  /// True when entries are on their way to memory. Entries that wait for the host to read do not
  /// count.
  bool busy() const { return !waiting_.empty() && !front_.ring_slot().full; }

 private:
  void run();
  bool store(uint64_t address, const void* data, unsigned bytes);

  sc_core::sc_time period_;
  uint32_t link_cycles_;
  MmioRegisters& front_;
  const hsa::AddressSpace& space_;
  WriteMemory write_;
  tlm::tlm_analysis_port<command_processor::Interrupt>& interrupts_;
  std::deque<std::pair<MmioRegisters::RingEntry, command_processor::Interrupt>> waiting_;
  sc_core::sc_event wake_;
};

/// Reads physical memory for page tables, in no time: the backing, or external memory by
/// transport_dbg.
VmContexts::Read read_memory(hsa::Backing* backing, MemorySocket& socket);

/// Write into the GPU's own memory, or through the socket when there is none.
RegisterPort::WriteMemory write_memory(hsa::Backing* backing, MemorySocket& socket,
                                       const TransferOptions& options);

}  // namespace cuvette::gpu
