// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "thunk/driver.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include "gpu/sdma_module.h"
#include "hsa/queue.h"
#include "hsa/queue_error.h"
#include "thunk/process_end.h"
#include "thunk/run_report.h"

namespace cuvette::thunk {
namespace {

namespace fs = std::filesystem;

std::atomic<Driver*> the_driver{nullptr};
std::mutex open_mutex;
std::atomic<bool> is_open{false};

constexpr uint32_t kInterruptMessage = 1;       // MSG_INTERRUPT
constexpr uint32_t kEventOfMessage = 0xffffff;  // M0 of it

/// Folders of machine descriptions for a library in PREFIX/libexec/cuvette/rocm.
std::vector<std::string> description_folders() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&description_folders), &info) == 0) return {};
  std::error_code failed;
  const fs::path here = fs::canonical(info.dli_fname, failed);
  if (failed) return {};
  const fs::path prefix = here.parent_path().parent_path().parent_path().parent_path();
  return {(prefix / "share/cuvette/config").string()};
}

base::Result<machine::GpuConfig> load(const std::string& name) {
  auto path = machine::find_description(name, description_folders());
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
  auto topology = Topology::create(description_);
  if (!topology) return topology.error();
  topology_ = std::move(*topology);
  if (auto s = reserve_pages(); !s.ok()) return s;
  simulation_.on_end([this](Engine& engine, int signal) {
    tell(engine, fmt::format("  {:<14} by signal {}\n{}", "ended", signal,
                             engine.idle() ? "" : engine.hang_report()));
  });
  return simulation_.start(
      [this]() -> base::Result<std::unique_ptr<Engine>> {
        auto engine = make_engine(settings_, description_, map_);
        if (!engine) return engine;
        (*engine)->on_interrupt([this](const command_processor::Interrupt& i) { hear(i); });
        (*engine)->watch_packets([this](machine::Cycle now, uint32_t queue, uint64_t packet,
                                        command_processor::CommandProcessor::Stage stage) {
          recorder_.step(now, queue, packet, stage);
        });
        (*engine)->name_kernels([this](uint64_t entry) { return recorder_.name_at(entry); });
        return engine;
      },
      [this](Engine& engine) {
        check_lockstep(engine);
        const bool rang = queues_->poll(engine);
        hear_sdma_errors(engine);
        return rang || recorder_.busy() || engine.sdma().works();
      });
}

/// Memory of the driver that the device sees: mailboxes of events, doorbells, the trap handler.
base::Status Driver::reserve_pages() {
  auto* mailboxes = static_cast<uint64_t*>(own_page(EventTable::kMost * sizeof(uint64_t), false));
  auto* doorbells = static_cast<uint64_t*>(own_page(spi::kDoorbells * sizeof(uint64_t), false));
  auto* pointers = static_cast<uint64_t*>(own_page(spi::kDoorbells * 2 * sizeof(uint64_t), false));
  void* trap = own_page(kPageBytes, true);
  if (mailboxes == nullptr || doorbells == nullptr || pointers == nullptr || trap == nullptr) {
    return base::Error("the host has no memory for the driver");
  }
  events_ = std::make_unique<EventTable>(mailboxes);
  queues_ = std::make_unique<QueueTable>(doorbells, pointers, recorder_);
  trap_entry_ = std::make_unique<TrapEntry>(trap);
  return {};
}

void* Driver::own_page(uint64_t bytes, bool executable) {
  void* page = arena_.take(bytes, page_ceil(bytes));
  if (page == nullptr) return nullptr;
  Buffer b;
  b.kind = Buffer::Kind::Driver;
  b.address = reinterpret_cast<uint64_t>(page);
  b.bytes = page_ceil(bytes);
  b.flags.ui32.ExecuteAccess = executable;
  b.mapped_nodes = {kDeviceNode};
  map_.add(b);
  return page;
}

void Driver::change(bool removes, const std::function<void(MemoryMap&)>& function) {
  const auto apply = [&] {
    const std::unique_lock lock(map_mutex_);
    function(map_);
  };
  const bool done = simulation_.perform([&](Engine& engine) {
    if (removes) engine.before_unmap();
    apply();
  });
  if (!done) apply();  // nothing runs
}

bool Driver::with_queues(const std::function<void(Engine&, QueueTable&)>& function) {
  return simulation_.perform([&](Engine& engine) { function(engine, *queues_); });
}

void Driver::set_trap_handler(uint64_t handler, uint64_t memory) {
  const auto apply = [&] { trap_entry_->set_second_level(handler, memory); };
  if (!simulation_.perform([&](Engine&) { apply(); })) apply();
}

void Driver::set_code_objects(const void* r_debug) {
  const auto apply = [&] { recorder_.names().list(r_debug); };
  if (!simulation_.perform([&](Engine&) { apply(); })) apply();
}

/// Handler of interrupts of the device, as in the kernel driver.
void Driver::hear(const command_processor::Interrupt& i) {
  namespace cp = command_processor;
  if (i.source == 0 || i.source == gpu::kSdmaTrap) {  // the event of a signal, of a packet
    events_->raise(static_cast<uint32_t>(i.context));
  } else if (i.source == cp::kWaveMessage + kInterruptMessage) {
    events_->raise(static_cast<uint32_t>(i.context) & kEventOfMessage);
  } else if (i.source == hsa::kQueueErrorMemoryFault || i.source == gpu::kSdmaFault) {
    raise_fault(i.context);
  } else if (i.source == gpu::kSdmaError) {
    events_->raise_hardware_exception();
  }
}

/// Errors of a copy engine are reported at once: its queue will never get on.
void Driver::hear_sdma_errors(Engine& engine) {
  for (auto& line : engine.sdma().take_errors()) {
    std::fprintf(stderr, "cuvette: %s\n", line.c_str());
    sdma_errors_.push_back(std::move(line));
  }
}

void Driver::raise_fault(uint64_t address) {
  HsaMemoryAccessFault fault{};
  fault.NodeId = kDeviceNode;
  fault.VirtualAddress = page_floor(address);
  const auto seen = map_.translate(address, hsa::Access::None);
  if (seen.bytes == 0) {
    fault.Failure.NotPresent = 1;
  } else if (map_.translate(address, hsa::Access::Write).ok()) {
    fault.Failure.NoExecute = 1;
  } else {
    fault.Failure.ReadOnly = 1;
  }
  fault.Flags = HSA_EVENTID_MEMORY_FATAL_PROCESS;
  events_->raise_memory_fault(fault);
}

/// A difference ends the program: its kernel will never complete.
void Driver::check_lockstep(Engine& engine) {
  if (!engine.broken_off()) return;
  tell(engine, "");
  _exit(1);
}

void Driver::tell(Engine& engine, const std::string& end) {
  if (told_) return;
  told_ = true;
  auto failures = engine.take_errors();
  hear_sdma_errors(engine);
  for (auto& line : sdma_errors_) failures.push_back(std::move(line));
  if (!end.empty() && !engine.idle()) failures.push_back("the process ended with work under way");
  publish(make_report(engine, recorder_, description_, settings_, std::move(failures), end),
          settings_);
}

void Driver::finish() {
  if (process_ != getpid()) return;
  simulation_.resume();
  simulation_.perform([this](Engine& engine) { tell(engine, ""); });
  simulation_.stop();
}

void Driver::finish_by_signal(int signal) {
  if (process_ != getpid() || !simulation_.runs()) return;
  simulation_.end_by_signal(signal);
}

}  // namespace cuvette::thunk
