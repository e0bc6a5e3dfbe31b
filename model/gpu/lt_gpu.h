// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/simple_target_socket.h>

#include "base/result.h"
#include "base/stop_point.h"
#include "command_processor/command_processor.h"
#include "gpu/external_memory.h"
#include "gpu/host_interface.h"
#include "hsa/memory.h"
#include "machine/gpu_config.h"

namespace cuvette::gpu {

class VmContexts;
struct Registries;

/// The GPU as a SystemC module, loosely timed (engine lt, engines.md): the cores of engine ca
/// without its caches, each in a shell with an SC_THREAD and a quantum keeper.
///
/// Doorbells, registers, interrupts, queues and memory are those of Gpu. Blocks run ahead by at
/// most TLM's global quantum, which belongs to the testbench. An access to the own memory takes as
/// long as a hit in the description's L2 would, one to external memory as long as its target says.
/// The blocks are the modules of lt_blocks.h.
class LtGpu : public sc_core::sc_module, public HostInterface {
 public:
  /// Options of a GPU beside its description.
  struct Options {
    bool poison = false;          ///< registers start with a pattern
    bool allow_fallback = false;  ///< our blocks answer what a chosen one does not implement
    TransferOptions external;     ///< access to external memory
    /// Binds the socket of a block of that name to the own memory, which something may stand in
    /// front of; called while the GPU is made. Null: the memory itself.
    using BindMemory =
        std::function<void(const std::string& block, tlm::tlm_base_initiator_socket_b<64>& from,
                           tlm::tlm_base_target_socket_b<64>& memory)>;
    BindMemory bind_memory;
    /// Pauses the simulation between two ticks of any block. Outlives the GPU. Null: nobody does.
    base::StopPoint* stop = nullptr;
  };
  /// Errors: parts of the description do not exist. `registries`, `backing` and `space`
  /// outlive the GPU. Only during elaboration.
  static base::Result<std::unique_ptr<LtGpu>> create(
      const char* name, const machine::GpuConfig& description, const Registries& registries,
      hsa::Backing& backing, const hsa::AddressSpace& space, const Options& options);
  /// The same with memory outside, behind `memory`, which must be bound.
  static base::Result<std::unique_ptr<LtGpu>> create(const char* name,
                                                     const machine::GpuConfig& description,
                                                     const Registries& registries,
                                                     const hsa::AddressSpace& space,
                                                     const Options& options);
  ~LtGpu() override;

  tlm::tlm_target_socket<64> doorbells;  ///< as Gpu's
  /// The register aperture.
  tlm_utils::simple_target_socket_optional<LtGpu, 32> registers;
  tlm::tlm_analysis_port<command_processor::Interrupt> interrupts;  ///< may stay unbound
  MemorySocket memory;

  uint32_t bind_queue(const command_processor::QueueBinding& queue) override;
  void unbind_queue(uint32_t queue) override;
  void dequeue(uint32_t queue, bool reset) override;
  bool reset() override;
  bool watch_packets(command_processor::CommandProcessor::OnStage observer) override;
  void on_agent_dispatch(AgentHandler handler) override;

  /// Whole cycles of simulated time; blocks may be ahead of it by a quantum.
  machine::Cycle cycle() const override;
  sc_core::sc_time time_of(machine::Cycle cycle) const override;
  bool idle() const override;

  std::vector<std::string> wave_report() const override;
  std::vector<command_processor::QueueReport> queue_report() const override;
  std::vector<std::string> take_wave_errors() override;
  std::vector<std::string> take_errors() override;
  const std::vector<uint64_t>& fault_addresses() const override;
  std::vector<std::string> take_register_reports() override;

  void invalidate_dmi() override;
  ExternalMemoryCounters external_memory() const override;

  unsigned compute_units() const override;
  const compute_unit::ComputeUnit& compute_unit(unsigned index) const override;
  compute_unit::ComputeUnit& compute_unit(unsigned index) override;
  spi::Spi& spi() override;
  gds::Gds& gds() override;
  sdma::Engines& sdma() override;
  const command_processor::CommandProcessor& processor() const override;

 private:
  struct Cores;
  struct Impl;
  LtGpu(const sc_core::sc_module_name& name, const machine::GpuConfig& description, Cores cores,
        hsa::Backing* backing, std::unique_ptr<VmContexts> contexts, const Options& options);
  void end_of_elaboration() override;
  static base::Result<std::unique_ptr<LtGpu>> build(
      const char* name, const machine::GpuConfig& description, const Registries& registries,
      hsa::Backing* backing, const hsa::AddressSpace& space, const Options& options);

  void access_registers(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
  unsigned look_at_registers(tlm::tlm_generic_payload& trans);

  std::unique_ptr<Impl> impl_;
};

}  // namespace cuvette::gpu
