// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "thunk/driver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "gpu/sdma_module.h"
#include "hsa/queue.h"
#include "hsa/queue_error.h"
#include "thunk/process_end.h"
#include "thunk/run_report.h"

namespace cuvette::thunk {
namespace {

std::atomic<Driver*> the_driver{nullptr};
std::mutex open_mutex;
std::atomic<bool> is_open{false};

constexpr uint32_t kInterruptMessage = 1;       // MSG_INTERRUPT
constexpr uint32_t kEventOfMessage = 0xffffff;  // M0 of it

base::Result<machine::GpuConfig> load(const std::string& name) {
  auto path = machine::find_description(name, {});
  if (!path) return path.error();
  return machine::load_description(*path);
}

}  // namespace

Driver* Driver::instance() {
  return the_driver.load();
}

HSAKMT_STATUS Driver::check_open() {
  const Driver* driver = the_driver.load();
  if (!is_open.load() || driver == nullptr || driver->process_ != getpid()) {
    return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  }
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Driver::open() {
  const std::lock_guard lock(open_mutex);
  if (Driver* driver = the_driver.load(); driver != nullptr) {
    // A child of fork() has the driver's memory and not its thread.
    if (driver->process_ != getpid()) return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    if (driver->opens_++ != 0) return HSAKMT_STATUS_KERNEL_ALREADY_OPENED;
    driver->simulation_.resume();
    is_open = true;
    return HSAKMT_STATUS_SUCCESS;
  }
  base::Status made;
  auto* driver = new Driver;
  if (auto settings = settings_from_environment(); settings) {
    made = driver->make(*settings);
  } else {
    made = settings.error();
  }
  if (!made.ok()) {
    std::fprintf(stderr, "cuvette: %s\n", made.error().str().c_str());
    delete driver;
    return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  }
  driver->process_ = getpid();
  driver->opens_ = 1;
  the_driver = driver;
  is_open = true;
  announce(driver->settings_);
  report_at_end();
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Driver::close() {
  const std::lock_guard lock(open_mutex);
  if (opens_ == 0) return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  if (--opens_ != 0) return HSAKMT_STATUS_SUCCESS;
  is_open = false;
  simulation_.stop();
  return HSAKMT_STATUS_SUCCESS;
}

base::Status Driver::make(const Settings& settings) {
  settings_ = settings;
  auto description = load(settings.engine.config);
  if (!description) return description.error();
  description_ = *description;
  auto topology = Topology::create(description_, settings.devices);
  if (!topology) return topology.error();
  topology_ = std::move(*topology);
  if (auto s = reserve_pages(); !s.ok()) return s;
  simulation_.on_end([this](EngineList& engines, int signal) { tell(engines, signal); });
  return simulation_.start([this] { return make_devices(); },
                           [this](EngineList& engines) { return poll(engines); });
}

base::Result<EngineList> Driver::make_devices() {
  auto engines = make_engines(settings_, description_, map_);
  if (!engines) return engines;
  for (size_t i = 0; i < devices_.size(); ++i) {
    Device& device = *devices_[i];
    Engine& engine = *(*engines)[i];
    engine.on_interrupt(
        [this, &device](const command_processor::Interrupt& what) { hear(device, what); });
    engine.watch_packets([&device](machine::Cycle now, uint32_t queue, uint64_t packet,
                                   command_processor::CommandProcessor::Stage stage) {
      device.recorder.step(now, queue, packet, stage);
    });
    engine.name_kernels([&device](uint64_t entry) { return device.recorder.name_at(entry); });
  }
  return engines;
}

/// Between two slices. A difference in lockstep ends the program: its kernel will never complete.
bool Driver::poll(EngineList& engines) {
  if (std::ranges::any_of(engines, [](const auto& engine) { return engine->broken_off(); })) {
    tell(engines, 0);
    _exit(1);
  }
  bool busy = false;
  for (size_t i = 0; i < devices_.size(); ++i) {
    Device& device = *devices_[i];
    Engine& engine = *engines[i];
    const bool rang = device.queues.poll(engine);
    hear_sdma_errors(engine, device);
    busy = busy || rang || device.recorder.busy() || engine.sdma().works();
  }
  return busy;
}

/// Memory of the driver that devices see: mailboxes of events, doorbells, trap handlers.
base::Status Driver::reserve_pages() {
  const base::Error no_room("the host has no memory for the driver");
  const std::vector<HSAuint32> nodes = topology().devices();
  auto* mailboxes =
      static_cast<uint64_t*>(own_page(EventTable::kMost * sizeof(uint64_t), false, nodes));
  if (mailboxes == nullptr) return no_room;
  events_ = std::make_unique<EventTable>(mailboxes);
  constexpr uint64_t kDoorbellBytes = spi::kDoorbells * sizeof(uint64_t);
  for (const HSAuint32 node : nodes) {
    DevicePages pages;
    pages.doorbells = static_cast<uint64_t*>(own_page(kDoorbellBytes, false, {node}));
    pages.pointers = static_cast<uint64_t*>(own_page(2 * kDoorbellBytes, false, {node}));
    pages.trap = own_page(kPageBytes, true, {node});
    if (pages.doorbells == nullptr || pages.pointers == nullptr || pages.trap == nullptr) {
      return no_room;
    }
    devices_.push_back(std::make_unique<Device>(node, pages));
  }
  return {};
}

void* Driver::own_page(uint64_t bytes, bool executable, const std::vector<HSAuint32>& nodes) {
  void* page = arena_.take(bytes, page_ceil(bytes));
  if (page == nullptr) return nullptr;
  Buffer b;
  b.kind = Buffer::Kind::Driver;
  b.address = reinterpret_cast<uint64_t>(page);
  b.bytes = page_ceil(bytes);
  b.flags.ui32.ExecuteAccess = executable;
  b.mapped_nodes = nodes;
  map_.add(b);
  return page;
}

void Driver::change(bool removes, const std::function<void(MemoryMap&)>& function) {
  const auto apply = [&] {
    const std::unique_lock lock(map_mutex_);
    function(map_);
  };
  const bool done = simulation_.perform([&](EngineList& engines) {
    for (auto& engine : engines) {
      if (removes) engine->before_unmap();
    }
    apply();
  });
  if (!done) apply();  // nothing runs
}

bool Driver::with_device(unsigned device, const std::function<void(Engine&, Device&)>& function) {
  return simulation_.perform(
      [&](EngineList& engines) { function(*engines[device], *devices_[device]); });
}

void Driver::set_trap_handler(unsigned device, uint64_t handler, uint64_t memory) {
  const auto apply = [&] { devices_[device]->trap_entry.set_second_level(handler, memory); };
  if (!simulation_.perform([&](EngineList&) { apply(); })) apply();
}

void Driver::set_code_objects(const void* r_debug) {
  const auto apply = [&] {
    for (auto& device : devices_) device->recorder.names().list(r_debug);
  };
  if (!simulation_.perform([&](EngineList&) { apply(); })) apply();
}

/// Handler of interrupts of a device, as in the kernel driver.
void Driver::hear(const Device& device, const command_processor::Interrupt& i) {
  namespace cp = command_processor;
  if (i.source == 0 || i.source == gpu::kSdmaTrap) {  // the event of a signal, of a packet
    events_->raise(static_cast<uint32_t>(i.context));
  } else if (i.source == cp::kWaveMessage + kInterruptMessage) {
    events_->raise(static_cast<uint32_t>(i.context) & kEventOfMessage);
  } else if (i.source == hsa::kQueueErrorMemoryFault || i.source == gpu::kSdmaFault) {
    raise_fault(device.node, i.context);
  } else if (i.source == gpu::kSdmaError) {
    events_->raise_hardware_exception();
  }
}

/// Errors of a copy engine are reported at once: its queue will never get on.
void Driver::hear_sdma_errors(Engine& engine, Device& device) {
  for (auto& line : engine.sdma().take_errors()) {
    std::fprintf(stderr, "cuvette: %s\n", line.c_str());
    device.sdma_errors.push_back(std::move(line));
  }
}

void Driver::raise_fault(HSAuint32 node, uint64_t address) {
  HsaMemoryAccessFault fault{};
  fault.NodeId = node;
  fault.VirtualAddress = page_floor(address);
  const auto seen = map_.translate(node, address, hsa::Access::None);
  if (seen.bytes == 0) {
    fault.Failure.NotPresent = 1;
  } else if (map_.translate(node, address, hsa::Access::Write).ok()) {
    fault.Failure.NoExecute = 1;
  } else {
    fault.Failure.ReadOnly = 1;
  }
  fault.Flags = HSA_EVENTID_MEMORY_FATAL_PROCESS;
  events_->raise_memory_fault(fault);
}

/// `signal`: the one that ends the process; 0: none.
void Driver::tell(EngineList& engines, int signal) {
  if (told_) return;
  told_ = true;
  std::vector<DeviceRun> runs;
  for (size_t i = 0; i < devices_.size(); ++i) {
    Device& device = *devices_[i];
    Engine& engine = *engines[i];
    DeviceRun run{engine, device.recorder, topology().pci_address(device.node)};
    run.failures = engine.take_errors();
    hear_sdma_errors(engine, device);
    for (auto& line : device.sdma_errors) run.failures.push_back(std::move(line));
    if (signal != 0) {
      const bool works = !engine.idle();
      if (works) run.failures.push_back("the process ended with work under way");
      run.end = fmt::format("  {:<14} by signal {}\n{}", "ended", signal,
                            works ? engine.hang_report() : "");
    }
    runs.push_back(std::move(run));
  }
  publish(make_report(std::move(runs), description_, settings_), settings_);
}

void Driver::finish() {
  if (process_ != getpid()) return;
  simulation_.resume();
  simulation_.perform([this](EngineList& engines) { tell(engines, 0); });
  simulation_.stop();
}

void Driver::finish_by_signal(int signal) {
  if (process_ != getpid() || !simulation_.runs()) return;
  simulation_.end_by_signal(signal);
}

}  // namespace cuvette::thunk
