// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/result.h"
#include "hsakmt.h"
#include "machine/gpu_config.h"
#include "thunk/events.h"
#include "thunk/memory_map.h"
#include "thunk/queues.h"
#include "thunk/recorder.h"
#include "thunk/settings.h"
#include "thunk/simulation.h"
#include "thunk/topology.h"
#include "thunk/trap_entry.h"

namespace cuvette::thunk {

/// The driver of a process with one device: what stands behind the functions of the thunk. It is
/// made by the first hsaKmtOpenKFD and never destroyed, because other libraries may call until the
/// process ends; its thread runs while it is open.
class Driver {
 public:
  /// Null before the first open.
  static Driver* instance();
  /// Makes or reopens the driver. Errors are printed on standard error.
  static HSAKMT_STATUS open();
  /// SUCCESS while it is open in this process; otherwise what every function answers.
  static HSAKMT_STATUS check_open();
  HSAKMT_STATUS close();

  const Topology& topology() const { return *topology_; }
  EventTable& events() { return *events_; }
  Simulation& simulation() { return simulation_; }
  const machine::GpuConfig& description() const { return description_; }

  /// Looks at the map; any thread.
  template <class Function>
  auto look(Function&& function) {
    const std::shared_lock lock(map_mutex_);
    return function(map_);
  }
  /// Changes the map at a border of the simulation. `removes`: ranges go.
  void change(bool removes, const std::function<void(MemoryMap&)>& function);
  AddressArena& arena() { return arena_; }
  std::mutex& arena_mutex() { return arena_mutex_; }

  /// At a border of the simulation; false when there is none any more.
  bool with_queues(const std::function<void(Engine&, QueueTable&)>& function);
  /// TBA and TMA of queues that are made from now on.
  void set_trap_handler(uint64_t handler, uint64_t memory);
  const TrapEntry& trap_entry() const { return *trap_entry_; }
  /// The runtime's list of code objects.
  void set_code_objects(const void* r_debug);

  /// Ends the thread and tells what was run. At the end of the process, and of the last close.
  void finish();
  /// From a signal handler: the report is written soon, by the thread of the simulation.
  void finish_by_signal(int signal);
  bool has_finished() const {
    return process_ != getpid() || !simulation_.runs() || simulation_.has_ended();
  }

 private:
  Driver() = default;
  base::Status make(const Settings& settings);
  base::Status reserve_pages();
  void* own_page(uint64_t bytes, bool executable);
  void hear(const command_processor::Interrupt& interrupt);
  void raise_fault(uint64_t address);
  void check_lockstep(Engine& engine);
  void hear_sdma_errors(Engine& engine);
  void tell(Engine& engine, const std::string& end);

  Settings settings_;
  machine::GpuConfig description_;
  std::optional<Topology> topology_;
  std::shared_mutex map_mutex_;
  MemoryMap map_;
  std::mutex arena_mutex_;
  AddressArena arena_;
  std::unique_ptr<EventTable> events_;
  std::unique_ptr<TrapEntry> trap_entry_;
  Recorder recorder_;
  std::unique_ptr<QueueTable> queues_;
  Simulation simulation_;
  std::vector<std::string> sdma_errors_;
  bool told_ = false;
  int process_ = 0;  // id of the one that made it
  unsigned opens_ = 0;
};

}  // namespace cuvette::thunk
