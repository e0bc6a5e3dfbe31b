// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "command_processor/command_processor.h"
#include "compute_unit/compute_unit.h"
#include "gpu/external_memory.h"
#include "hsa/memory.h"
#include "isa/row.h"
#include "isa/target.h"
#include "machine/gpu_config.h"
#include "run/engine.h"
#include "sdma/engines.h"

namespace cuvette::run {

/// Binds a GPU's socket for external memory.
using AttachMemory = std::function<void(gpu::MemorySocket&)>;
/// Adds external memory to the summary.
void tell_external(const gpu::ExternalMemoryCounters& counters, EngineReport& report);

/// `cycles` after `now`, at most the end of time: a watchdog may be any number.
constexpr machine::Cycle end_after(machine::Cycle now, machine::Cycle cycles) {
  return cycles > machine::kNever - now ? machine::kNever : now + cycles;
}

/// Interface of an engine with time (lt, ca) to a host: a GPU in a simulation of its own.
class TimedGpu {
 public:
  virtual ~TimedGpu() = default;

  using OnInterrupt = std::function<void(const command_processor::Interrupt&)>;
  /// Called while the simulation runs; pause() may be called inside.
  virtual void on_interrupt(OnInterrupt handler) = 0;
  /// Makes a queue known, and gives its number for unbind().
  virtual uint32_t bind(const command_processor::QueueBinding& queue) = 0;
  /// Takes a queue away by its number; packets under way complete.
  virtual void unbind(uint32_t queue) = 0;
  /// unbind() with an end that queue_report() shows; with `reset` what is under way is cancelled.
  virtual void dequeue(uint32_t queue, bool /*reset*/) { unbind(queue); }
  /// Bound queues with their packets and what they wait for; empty when this GPU cannot tell.
  virtual std::vector<command_processor::QueueReport> queue_report() const { return {}; }
  /// Writes a packet index to a doorbell. Error: the GPU refuses it.
  virtual base::Status ring(uint32_t doorbell, uint64_t value) = 0;

  /// Runs until pause(), until nothing is left to happen, or for `cycles`.
  virtual void simulate(machine::Cycle cycles) = 0;
  /// Ends simulate() as soon as it can; callable from inside the simulation.
  virtual void pause() = 0;
  /// An idle machine's clock goes on by `cycles`.
  virtual void pass(machine::Cycle /*cycles*/) {}
  /// Broken off for good, by lockstep: simulate() does nothing any more.
  virtual bool broken_off() const { return false; }
  virtual machine::Cycle cycle() const = 0;  ///< of simulated time
  /// True when no event is left in the simulation.
  virtual bool starved() const = 0;

  /// The SDMA engines; null when this GPU has none to show.
  virtual sdma::Engines* sdma() { return nullptr; }

  /// Before a range of the memory is removed.
  virtual void before_unmap() {}
  /// Resident waves and what they wait for, a line each.
  virtual std::vector<std::string> wave_report() const = 0;
  /// The same of each compute unit, as data.
  virtual std::vector<std::vector<compute_unit::WaveReport>> resident_waves() const { return {}; }
  /// Errors of waves and packets since the last call, in words.
  virtual std::vector<std::string> take_errors() = 0;
  /// Errors of waves alone, without those of packets.
  virtual std::vector<std::string> take_wave_errors() { return take_errors(); }
  /// Addresses of the memory faults among the errors taken last.
  virtual std::vector<uint64_t> fault_addresses() const { return {}; }
  /// After an end before the release of the dispatch: memory shows what has completed, and the
  /// report says what had not.
  virtual void settle(EngineReport&) {}

  /// Reports every retirement from now on; false when this GPU cannot.
  virtual bool observe(const compute_unit::ComputeUnit::Observer&) { return false; }

  /// Reports launches, issues and ends of waves from now on; false when this GPU cannot.
  using OnActivity =
      std::function<void(unsigned compute_unit, const compute_unit::Activity& activity)>;
  virtual bool watch(const OnActivity&) { return false; }
  /// Reports every cycle of a wave's residency from now on; false when this GPU cannot.
  virtual bool watch_residency(const compute_unit::ComputeUnit::ResidencyWatcher&) { return false; }
  /// Tells those until now of waves that are still there.
  virtual void tell_residents(const compute_unit::ComputeUnit::ResidencyWatcher&) const {}
  /// Reports accesses of caches ("vector_l1", 0) and dispatches from now on, where there are any.
  using OnCacheEvent = std::function<void(const cache::Cache::Event& event)>;
  using WatchCache = std::function<OnCacheEvent(const std::string& block, unsigned index)>;
  virtual void watch_caches(const WatchCache&) {}
  virtual void watch_dispatches(const spi::Spi::OnDispatch&) {}
  virtual void watch_memory(const memory::Memory::OnRequest&) {}
  /// Reports the steps of packets from now on; false when this GPU cannot.
  virtual bool watch_packets(const command_processor::CommandProcessor::OnStage&) { return false; }
  /// Counters of every block instance since construction, always in the same order.
  virtual std::vector<BlockCounters> block_counters() { return {}; }
  /// Sample for hardware counters, since construction. `description`: the GPU's own;
  /// `like`: an earlier sample, or null.
  virtual counters::Sample counter_sample(const machine::GpuConfig& /*description*/,
                                          const counters::Sample* /*like*/) {
    return {};
  }

  /// Adds what only this GPU can say (lockstep) to a report, after a run.
  virtual void describe(EngineReport&) const {}
  /// The same after the last of several runs, of all of them together.
  virtual void conclude(EngineReport&) const {}
  /// Files that only this GPU can write (waveforms), after the last run.
  virtual void write_files(EngineReport&) const {}

  /// Executed waves and instructions of all compute units.
  struct Counts {
    uint64_t waves = 0, fallbacks = 0;
    std::map<const isa::Row*, uint64_t> fallbacks_by_row;
    std::map<const isa::Row*, uint64_t> by_row;  ///< instructions

    void add(const compute_unit::ComputeUnit::Counters& counters);
  };
  /// Since construction.
  virtual Counts counts() const = 0;
};

/// An engine around a TimedGpu: memory, a queue, packets, scratch, completion. `make` is called
/// once, with the memory that the GPU is to use.
using MakeTimedGpu =
    std::function<base::Result<std::unique_ptr<TimedGpu>>(hsa::DeviceMemory& memory)>;
base::Result<std::unique_ptr<Engine>> make_timed_engine(const EngineOptions& options,
                                                        const machine::GpuConfig& description,
                                                        const MakeTimedGpu& make);

}  // namespace cuvette::run
