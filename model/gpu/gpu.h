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
#include "gpu/external_memory.h"
#include "gpu/host_interface.h"
#include "hsa/memory.h"
#include "machine/gpu_config.h"

namespace cuvette::gpu {

class Chip;
class VmContexts;
struct Registries;

/// The GPU as a SystemC module, cycle-approximate (engine ca, engines.md). Put any number of
/// them into a testbench; they share nothing.
///
///   doorbells   MMIO window: doorbell n is the 8 bytes at 8 n. Writes of 4 or 8 bytes ring it;
///               other accesses get an error response. transport_dbg reads the last value written.
///   memory      external memory, for a GPU created without a backing; unbound otherwise.
///   registers   the register aperture (registers.md): 4 bytes at multiples of 4. May stay
///               unbound.
///   interrupts  every command_processor::Interrupt, at its time; with the interrupt ring on, after
///               its entry is in memory. May stay unbound.
///
/// Memory is a Backing behind an AddressSpace, or a TLM-2.0 target behind the same, shared with the
/// host; host and GPU see each other's data through fences, signals and atomics, as AQL says.
/// Nothing runs and no simulation event exists while the GPU has nothing to do.
class Gpu : public sc_core::sc_module, public HostInterface {
 public:
  /// Options of a GPU beside its description.
  struct Options {
    unsigned order_seed = 0;      ///< permutes every order that must not matter (tests)
    bool never_skip = false;      ///< no idle cycle is skipped (tests)
    bool poison = false;          ///< registers start with a pattern
    bool allow_fallback = false;  ///< our blocks answer what a chosen one does not implement
    uint32_t lookahead = 0;       ///< instead of the description's (tests)
    unsigned threads = 1;         ///< of the host; nothing but the time it takes depends on it
    TransferOptions external;     ///< access to external memory
    /// Pauses the simulation between two quanta of domains. Outlives the GPU. Null: nobody does.
    base::StopPoint* stop = nullptr;
  };
  /// Errors: parts of the description do not exist or contradict each other. `registries`,
  /// `backing` and `space` outlive the GPU. Only during elaboration.
  static base::Result<std::unique_ptr<Gpu>> create(
      const char* name, const machine::GpuConfig& description, const Registries& registries,
      hsa::Backing& backing, const hsa::AddressSpace& space, const Options& options);
  /// The same with memory outside, behind `memory`, which must be bound (docs/reference/gpu.md).
  static base::Result<std::unique_ptr<Gpu>> create(const char* name,
                                                   const machine::GpuConfig& description,
                                                   const Registries& registries,
                                                   const hsa::AddressSpace& space,
                                                   const Options& options);
  ~Gpu() override;

  tlm_utils::simple_target_socket<Gpu, 64> doorbells;               ///< the doorbell aperture
  tlm_utils::simple_target_socket_optional<Gpu, 32> registers;      ///< the register aperture
  tlm::tlm_analysis_port<command_processor::Interrupt> interrupts;  ///< may stay unbound
  MemorySocket memory;

  uint32_t bind_queue(const command_processor::QueueBinding& queue) override;
  void unbind_queue(uint32_t queue) override;
  void dequeue(uint32_t queue, bool reset) override;
  bool reset() override;
  bool watch_packets(command_processor::CommandProcessor::OnStage observer) override;
  void on_agent_dispatch(AgentHandler handler) override;

  /// Cycles since time 0.
  machine::Cycle cycle() const override;
  sc_core::sc_time time_of(machine::Cycle cycle) const override;
  bool idle() const override;

  std::vector<std::string> wave_report() const override;
  std::vector<command_processor::QueueReport> queue_report() const override;
  std::vector<std::string> take_wave_errors() override;
  std::vector<std::string> take_errors() override;
  const std::vector<uint64_t>& fault_addresses() const override;
  std::vector<std::string> take_register_reports() override;

  /// Does nothing: this engine keeps no pointers into memory.
  void invalidate_dmi() override {}
  ExternalMemoryCounters external_memory() const override;

  unsigned compute_units() const override;
  const compute_unit::ComputeUnit& compute_unit(unsigned index) const override;
  compute_unit::ComputeUnit& compute_unit(unsigned index) override;
  spi::Spi& spi() override;
  gds::Gds& gds() override;
  sdma::Engines& sdma() override;
  const command_processor::CommandProcessor& processor() const override;

  /// Without time: memory gets what stores and atomics have left in the L2 and the scalar caches,
  /// as a release of system scope would bring it there. For those who look at memory after a run
  /// that ended any other way (engines.md). Nothing of the GPU changes. False when a cache
  /// cannot tell, or external memory does not take debug writes.
  bool settle();
  /// Stores, atomics and write-backs that have not completed, one line each.
  std::vector<std::string> in_flight() const;
  /// All the cores behind, for observers and tests.
  Chip& machine();

 private:
  struct Impl;
  Gpu(const sc_core::sc_module_name& name, const machine::GpuConfig& description,
      std::unique_ptr<Chip> chip, std::unique_ptr<ExternalMemory> external, hsa::Backing* backing,
      std::unique_ptr<VmContexts> contexts, const Options& options);
  void end_of_elaboration() override;
  static base::Result<std::unique_ptr<Gpu>> build(
      const char* name, const machine::GpuConfig& description, const Registries& registries,
      hsa::Backing* backing, const hsa::AddressSpace& space, const Options& options);
  void b_transport(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& trans);
  void access_registers(tlm::tlm_generic_payload& trans, sc_core::sc_time& delay);
  unsigned look_at_registers(tlm::tlm_generic_payload& trans);

  std::unique_ptr<Impl> impl_;
};

}  // namespace cuvette::gpu
