// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "command_processor/command_processor.h"
#include "machine/gpu_config.h"
#include "run/engine.h"
#include "sdma/engines.h"
#include "thunk/memory_map.h"
#include "thunk/settings.h"

namespace cuvette::thunk {

/// A device as its driver has it, whatever engine is behind. All calls come from the thread that
/// made it.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual machine::Cycle cycle() const = 0;
  virtual bool idle() const = 0;
  /// Runs for about `cycles`, or until nothing is left to happen.
  virtual void run(machine::Cycle cycles) = 0;
  /// An idle device's clock goes on.
  virtual void pass(machine::Cycle cycles) = 0;
  /// Broken off by lockstep: nothing runs any more.
  virtual bool broken_off() const { return false; }

  virtual uint32_t bind(const command_processor::QueueBinding& queue) = 0;
  /// With `reset` what is under way is cancelled. Queues of queues() say when it is gone.
  virtual void unbind(uint32_t queue, bool reset) = 0;
  virtual std::vector<command_processor::QueueReport> queues() = 0;
  virtual base::Status ring(uint32_t doorbell, uint64_t value) = 0;

  /// Called inside run().
  using OnInterrupt = std::function<void(const command_processor::Interrupt&)>;
  virtual void on_interrupt(OnInterrupt handler) = 0;
  virtual void watch_packets(command_processor::CommandProcessor::OnStage observer) = 0;
  /// Source of kernels' names by their first instruction, for a trace.
  virtual void name_kernels(std::function<std::string(uint64_t entry)>) {}

  /// The SDMA engines, beside which the rest of the device runs in run().
  virtual sdma::Engines& sdma() = 0;

  /// Before ranges of memory go.
  virtual void before_unmap() {}
  /// Waves that ended by an error since the last call.
  virtual std::vector<std::string> take_errors() = 0;
  /// Waits of queues, packets and waves, a line each.
  virtual std::string hang_report() = 0;

  /// Reports the work executed so far, its exactness, and the items that lockstep compared.
  virtual void describe(run::EngineReport& report) = 0;
  /// After the last dispatch: what can only be said of all of them, files asked for.
  virtual void conclude(run::EngineReport& report) = 0;
  /// Counters of every block, where there are any.
  virtual std::vector<run::BlockCounters> block_counters() { return {}; }
};

/// The devices of a process, in the order of their nodes.
using EngineList = std::vector<std::unique_ptr<Engine>>;

/// As many devices as the settings say, of nodes from kFirstDevice on, with the engine that they
/// choose. `map` outlives them. Errors: what the description or the settings ask for does not exist
/// or is not part of this build; a second list with SystemC.
base::Result<EngineList> make_engines(const Settings& settings,
                                      const machine::GpuConfig& description, const MemoryMap& map);

/// A file of one of several devices: its number in front of the ending, "a.device0.json". The name
/// itself when there is one device, or no name.
std::string file_of_device(const std::string& path, unsigned device, unsigned devices);

}  // namespace cuvette::thunk
