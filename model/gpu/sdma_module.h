// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>

#include "command_processor/command_processor.h"
#include "gpu/lt_memory.h"
#include "machine/gpu_config.h"
#include "sdma/engines.h"

namespace cuvette::gpu {

/// Interrupt::source of an SDMA engine (queue: engine << 24, VMID << 16, low bits of the ring's
/// number). Context: of a trap its int_context, of a fault the address, of an error the place in
/// the ring.
inline constexpr uint32_t kSdmaTrap = 0x20010;
inline constexpr uint32_t kSdmaFault = 0x20011;
inline constexpr uint32_t kSdmaError = 0x20012;
command_processor::Interrupt interrupt_of(const sdma::Interrupt& interrupt);

/// An SDMA engine as a SystemC module: one SC_THREAD that ticks the core at its cycles, without
/// running ahead, and a memory socket. The delay that the target adds passes before the next
/// step.
class SdmaModule final : public sc_core::sc_module, public sdma::MemoryPort {
 public:
  /// `core` outlives the module.
  SdmaModule(const sc_core::sc_module_name& name, sdma::Engine& core,
             const sc_core::sc_time& period);

  tlm_utils::simple_initiator_socket<SdmaModule, 64> memory;  ///< physical addresses

  /// The core may have something to do earlier than it has said.
  void wake() { wake_.notify(sc_core::SC_ZERO_TIME); }
  bool idle() const { return !working_ && core_.next_event() == machine::kNever; }

 private:
  void run();
  bool transport(tlm::tlm_command command, uint64_t pa, uint8_t* data, unsigned bytes);
  bool read(uint64_t pa, void* out, unsigned bytes) override;
  bool write(uint64_t pa, const void* data, unsigned bytes) override;
  bool atomic(uint64_t pa, unsigned bytes, base::AtomicOp op, uint64_t data, uint64_t compare,
              uint64_t& old) override;

  sdma::Engine& core_;
  sc_core::sc_time period_;
  sc_core::sc_event wake_;
  sc_core::sc_time delay_;  // that targets have added in this tick
  machine::Cycle next_tick_ = 0;
  bool working_ = false;
};

/// The SDMA engines of a GPU with their modules. Their memory sockets are bound by use() or by the
/// owner.
class SdmaBlock {
 public:
  /// Inside the construction of the module around. `space` outlives the block.
  SdmaBlock(const machine::GpuConfig& description, const hsa::AddressSpace& space,
            const sc_core::sc_time& period);

  /// Accesses go to `backing`, without a time of its own, and stores into `doorbells` ring.
  void use(hsa::Backing& backing, const DoorbellAperture& doorbells, LtMemory::Ring ring);

  sdma::Engines& engines() { return engines_; }
  const sdma::Engines& engines() const { return engines_; }
  unsigned count() const { return static_cast<unsigned>(modules_.size()); }
  SdmaModule& module(unsigned index) { return *modules_[index]; }
  bool idle() const;

 private:
  sdma::Engines engines_;
  std::vector<std::unique_ptr<SdmaModule>> modules_;
  std::optional<LtMemory> memory_;
};

/// Configuration of the SDMA engines of a description; `timed`: with their times.
sdma::Engines::Config sdma_config(const machine::GpuConfig& description,
                                  const hsa::AddressSpace& space, bool timed);

}  // namespace cuvette::gpu
