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
#include "thunk/device.h"
#include "thunk/events.h"
#include "thunk/memory_map.h"
#include "thunk/settings.h"
#include "thunk/simulation.h"
#include "thunk/topology.h"

namespace cuvette::thunk {

/// The driver of a process and its devices: what stands behind the functions of the thunk. It is
/// made by the first hsaKmtOpenKFD and never destroyed, because other libraries may call until the
/// process ends; its thread runs while it is open. Devices count from 0, their nodes from
/// kFirstDevice.
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

  /// On a device, at a border of the simulation; false when there is none any more.
  bool with_device(unsigned device, const std::function<void(Engine&, Device&)>& function);
  /// TBA and TMA of queues of the device that are made from now on.
  void set_trap_handler(unsigned device, uint64_t handler, uint64_t memory);
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
  void* own_page(uint64_t bytes, bool executable, const std::vector<HSAuint32>& nodes);
  base::Result<EngineList> make_devices();
  bool poll(EngineList& engines);
  void hear(const Device& device, const command_processor::Interrupt& interrupt);
  void raise_fault(HSAuint32 node, uint64_t address);
  static void hear_sdma_errors(Engine& engine, Device& device);
  void tell(EngineList& engines, int signal);

  Settings settings_;
  machine::GpuConfig description_;
  std::optional<Topology> topology_;
  std::shared_mutex map_mutex_;
  MemoryMap map_;
  std::mutex arena_mutex_;
  AddressArena arena_;
  std::unique_ptr<EventTable> events_;
  std::vector<std::unique_ptr<Device>> devices_;
  Simulation simulation_;
  bool told_ = false;
  int process_ = 0;  // id of the one that made it
  unsigned opens_ = 0;
};

}  // namespace cuvette::thunk
