// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/simple_target_socket.h>

#include "base/result.h"
#include "base/stop_point.h"
#include "command_processor/command_processor.h"
#include "compute_unit/compute_unit.h"
#include "gpu/front.h"
#include "gpu/outside_memory.h"
#include "hsa/memory.h"
#include "machine/description.h"

namespace cuvette::gpu {

class VmContexts;
struct Registries;

/// The GPU as a SystemC module, loosely timed (engine lt, docs/engines.md): the cores of engine ca
/// without its caches, each in a shell with an SC_THREAD and a quantum keeper.
///
/// Doorbells, registers, interrupts, queues and memory are those of Gpu. How far a block runs ahead
/// is TLM's global quantum, which belongs to the testbench. An access to the own memory takes as
/// long as a hit in the description's L2 would, one to outside memory as long as its target says.
/// The blocks are the modules of lt_blocks.h.
class LtGpu : public sc_core::sc_module {
 public:
  struct Options {
    bool poison = false;          ///< registers start with a pattern
    bool allow_fallback = false;  ///< our blocks answer what a chosen one does not implement
    TransferOptions outside;      ///< how outside memory is accessed
    /// Pauses the simulation between two ticks of any block. Outlives the GPU. Null: nobody does.
    base::StopPoint* stop = nullptr;
  };
  /// Errors: what the description asks for does not exist. `registries`, `backing` and `space`
  /// outlive the GPU. Only during elaboration.
  static base::Result<std::unique_ptr<LtGpu>> create(
      const char* name, const machine::Description& description, const Registries& registries,
      hsa::Backing& backing, const hsa::AddressSpace& space, const Options& options);
  /// The same with memory outside, behind `memory`, which must be bound.
  static base::Result<std::unique_ptr<LtGpu>> create(const char* name,
                                                     const machine::Description& description,
                                                     const Registries& registries,
                                                     const hsa::AddressSpace& space,
                                                     const Options& options);
  ~LtGpu() override;

  tlm::tlm_target_socket<64> doorbells;
  tlm_utils::simple_target_socket_optional<LtGpu, 32> registers;
  tlm::tlm_analysis_port<command_processor::Interrupt> interrupts;
  MemorySocket memory;

  /// As in Gpu.
  uint32_t bind_queue(const command_processor::QueueBinding& queue);
  void unbind_queue(uint32_t queue);
  void on_agent_dispatch(AgentHandler handler);
  std::vector<std::string> take_register_reports();

  /// Whole cycles of simulated time; blocks may be ahead of it by a quantum.
  machine::Cycle cycle() const;
  sc_core::sc_time time_of(machine::Cycle cycle) const;
  bool idle() const;
  std::vector<std::string> wave_report() const;
  /// Queues, what they do and wait for; none when the command processor does not tell.
  std::vector<command_processor::QueueReport> queue_report() const;
  std::vector<std::string> take_errors();
  const std::vector<uint64_t>& fault_addresses() const;
  unsigned compute_units() const;
  const compute_unit::ComputeUnit& compute_unit(unsigned index) const;
  compute_unit::ComputeUnit& compute_unit(unsigned index);
  spi::Spi& spi();
  gds::Gds& gds();
  const command_processor::CommandProcessor& processor() const;

  /// Of outside memory; zeros without.
  OutsideCounters outside() const;

  /// Call before a range of the own memory's backing is removed.
  void invalidate_dmi();

 private:
  struct Cores;
  struct Impl;
  LtGpu(const sc_core::sc_module_name& name, const machine::Description& description, Cores cores,
        hsa::Backing* backing, std::unique_ptr<VmContexts> contexts, const Options& options);
  void end_of_elaboration() override;
  static base::Result<std::unique_ptr<LtGpu>> build(
      const char* name, const machine::Description& description, const Registries& registries,
      hsa::Backing* backing, const hsa::AddressSpace& space, const Options& options);

  void access_registers(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
  unsigned look_at_registers(tlm::tlm_generic_payload& trans);

  std::unique_ptr<Impl> impl_;
};

}  // namespace cuvette::gpu
