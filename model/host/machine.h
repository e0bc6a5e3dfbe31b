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

#include "base/result.h"
#include "base/stop_point.h"
#include "command_processor/command_processor.h"
#include "counters/sample.h"
#include "gpu/block_counters.h"
#include "host/hang.h"
#include "host/host_blocks.h"
#include "hsa/code_object.h"
#include "hsa/memory.h"
#include "hsa/target.h"
#include "machine/gpu_config.h"
#include "sdma/engines.h"
#include "wave/retire_record.h"

/// A GPU as a driver sees it, the same for every engine: registers, doorbells, memory, interrupts,
/// time (ip/host/cuvette.h, docs/reference/c_interface.md).
namespace cuvette::host {

/// Reason why a machine was made to stand still; the numbers are those of the host-event log.
enum class StopReason : uint32_t {
  Cancel = 1,   ///< the host asked
  Cycles = 2,   ///< nothing got on for so many cycles, golden: instructions
  Seconds = 3,  ///< for so long
};

/// Options of a machine beside its description.
struct MachineOptions {
  std::string engine = "lt";          ///< golden, lt or ca
  machine::Cycle quantum = 0;         ///< lt: TLM's global quantum; 0: as it is
  bool poison = false;                ///< unnamed registers start with a pattern instead of zero
  uint64_t watchdog = 4'000'000'000;  ///< golden: instructions of one dispatch
  /// Point at which run_to() can be made to return early; outlives the machine. Null: none.
  base::StopPoint* stop = nullptr;
  /// golden: a dispatch asks for StopReason::Cycles after so many instructions; 0: never.
  uint64_t stop_after = 0;
  /// Memory from outside instead of the machine's own: its bytes, and where they are seen. Then
  /// allocate() and load() are refused, and golden's waves have the scratch memory of their queues.
  struct Memory {
    std::unique_ptr<hsa::Backing> backing;
    std::unique_ptr<hsa::AddressSpace> space;
  };
  std::function<Memory()> memory;
};

/// One engine. All calls come from one thread, which is the only one that ever touches SystemC.
/// Throws when the simulation itself breaks off; nothing may be called then but the destructor.
class Machine {
 public:
  virtual ~Machine() = default;

  /// Whole cycles of simulated time.
  virtual machine::Cycle now() const = 0;
  /// Everything before `end` happens; then now() is `end`, or earlier when the stop point has been
  /// met.
  virtual void run_to(machine::Cycle end) = 0;
  /// True when nothing happens before the host does something.
  virtual bool idle() const = 0;

  /// Accesses by byte offset and by the number of a doorbell, at the present time. Errors: the
  /// access was refused.
  virtual base::Status read_register(uint32_t offset, uint32_t& value) = 0;
  virtual base::Status write_register(uint32_t offset, uint32_t value) = 0;
  virtual base::Status ring(uint32_t doorbell, uint64_t value) = 0;

  /// Makes a queue known without registers, as firmware does it for a driver; its number, as in
  /// interrupts.
  virtual uint32_t bind(const command_processor::QueueBinding& queue) = 0;
  /// Takes a queue away. With `reset` what it has under way is cancelled, otherwise that completes
  /// first. Queues of hang_report() say when it is gone.
  virtual void unbind(uint32_t queue, bool reset) = 0;
  /// Calls the observer at every step of every packet from now on.
  virtual void watch_packets(command_processor::CommandProcessor::OnStage observer) = 0;
  /// Work that waves have executed since the machine was made.
  struct Work {
    uint64_t waves = 0;                          ///< that have begun
    std::map<const isa::Row*, uint64_t> by_row;  ///< instructions
  };
  virtual Work work() const = 0;
  /// The blocks that the engine has, now.
  virtual std::vector<gpu::BlockCounters> block_counters() = 0;
  /// Sample for performance counters, since the machine was made or mark_counters() was
  /// called last. Nothing on an engine without time.
  virtual std::optional<counters::Sample> counter_sample() { return std::nullopt; }
  /// Begins the interval of counter_sample() anew.
  virtual void mark_counters() {}
  /// Calls the observer for every instruction that a wave retires, inside run_to(), from now on;
  /// empty: none. Costs time if set. Only while there are no waves.
  using OnRetire = std::function<void(const wave::RetireRecord&)>;
  virtual void on_retire(OnRetire observer) = 0;

  /// Called inside run_to(), at `at`.
  using OnInterrupt =
      std::function<void(machine::Cycle at, const command_processor::Interrupt& interrupt)>;
  virtual void on_interrupt(OnInterrupt handler) = 0;
  /// Serves an agent dispatch packet inside run_to(), at `at`, and may use memory(); true when it
  /// has done so.
  using OnAgent =
      std::function<bool(machine::Cycle at, const command_processor::AgentDispatch& packet)>;
  virtual void on_agent_dispatch(OnAgent handler) = 0;

  /// The SDMA engines. Rings are bound and rung between two steps of time.
  virtual sdma::Engines& sdma() = 0;

  /// Before a range of memory() goes.
  virtual void before_free() {}
  /// Waves that ended by an error since the last call.
  virtual std::vector<std::string> take_wave_errors() = 0;
  /// The same, and what packets and registers complained about.
  virtual std::vector<std::string> take_reports() = 0;
  /// Waits of all queues, packets and waves, now.
  HangReport hang_report();
  /// Value that a debugger reads of the wave at a place (ComputeUnit::inspect); nothing: no such
  /// place.
  virtual std::optional<uint32_t> inspect(uint32_t compute_unit, uint32_t simd, uint32_t slot,
                                          uint32_t index, unsigned lane) const = 0;
  /// Grows whenever something gets on: packets, waves that begin.
  virtual uint64_t progress() const = 0;

  /// Device memory as the host accesses it, without time.
  hsa::DeviceMemory& memory() { return memory_; }
  /// As DeviceMemory's, up to the capacity of the description's memory.
  base::Result<uint64_t> allocate(uint64_t bytes, const hsa::DeviceMemory::Options& options);
  /// Error: the start of no block of allocate() or attach().
  base::Status free(uint64_t address);
  /// Memory of the host in place (HostBlocks::add), which free() takes away. It counts as memory of
  /// the description's. Error: external memory, too.
  base::Result<uint64_t> attach(void* host, uint64_t bytes,
                                const hsa::DeviceMemory::Options& options);

  /// A code object for the machine's target, relocated and with its variables, in memory of its
  /// own. Errors: those of hsa::load_code_object().
  base::Result<std::shared_ptr<const hsa::LoadedCode>> load(const std::vector<uint8_t>& bytes);
  /// By LoadedCode::block. Error: no code is loaded there.
  base::Status unload(uint64_t block);

  /// First flat addresses of LDS and of scratch: what hidden arguments tell.
  uint64_t shared_aperture() const { return shared_aperture_; }
  uint64_t private_aperture() const { return private_aperture_; }

 protected:
  Machine(const machine::GpuConfig& description, const MachineOptions& options);
  /// Queues and waves; what is only known by name is filled in by hang_report().
  virtual void look(HangReport& report) = 0;

  hsa::DeviceMemory memory_;

 private:
  const hsa::LoadedCode* code_at(uint64_t address) const;
  HostBlocks host_blocks_;

  hsa::TargetId target_;
  uint64_t shared_aperture_, private_aperture_;
  uint64_t left_;
  std::map<uint64_t, uint64_t> sizes_;                                // of blocks, by address
  std::map<uint64_t, std::shared_ptr<const hsa::LoadedCode>> codes_;  // by block
  unsigned loads_ = 0;
};

/// Checks, before a machine of any engine is made, that a description allows it. Errors have the
/// place in its file.
base::Status check_machine(const machine::GpuConfig& description);

/// Errors: an unknown engine, a description that chooses blocks of others, or does not hold. lt and
/// ca: one at a time in a process, until end_systemc_simulation().
base::Result<std::unique_ptr<Machine>> make_machine(const machine::GpuConfig& description,
                                                    const MachineOptions& options);
/// lt and ca.
bool is_systemc(const std::string& engine);
/// Ends the simulation that a machine of engine lt or ca was part of, which is destroyed by then;
/// the next one starts at time 0. In the thread of the simulation.
void end_systemc_simulation();

base::Result<std::unique_ptr<Machine>> make_systemc_machine(const machine::GpuConfig& description,
                                                            const MachineOptions& options);
base::Result<std::unique_ptr<Machine>> make_golden_machine(const machine::GpuConfig& description,
                                                           const MachineOptions& options);

}  // namespace cuvette::host
