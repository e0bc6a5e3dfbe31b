// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cuvette.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <pthread.h>

#include "base/file.h"
#include "cuvette_registers.h"
#include "handle.h"
#include "machine/settings.h"

using cuvette::host::Call;
using cuvette::host::CallKind;
using cuvette::host::CallStatus;
using cuvette::host::Port;
namespace host = cuvette::host;

namespace cuvette::c_interface {

thread_local std::string last_error;

int fail(int status, const std::string& text) {
  last_error = text;
  return status;
}

int fail(CallStatus status, const std::string& text) {
  return fail(static_cast<int>(status), text);
}

int wrong_argument(const std::string& text) {
  return fail(CallStatus::Argument, text);
}

uint32_t generation() {
  static std::atomic<uint32_t> forks{0};
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  static_cast<void>(registered);
  return forks;
}

int make_call(cuvette_machine* machine, Call& call) {
  return guarded([&] {
    if (machine == nullptr) return wrong_argument("the machine is null");
    if (machine->generation != generation()) {
      return fail(CallStatus::Call,
                  "the machine is one of the process that this one has forked from");
    }
    machine->port->call(call);
    if (call.status == CallStatus::Ok) return int{CUVETTE_OK};
    switch (call.status) {
      case CallStatus::Timeout:
        return fail(call.status, "what was waited for has not come");
      case CallStatus::Cancelled:
        return fail(call.status, "cancelled: the machine stands still, the next wait goes on");
      case CallStatus::Watchdog:
        return fail(call.status,
                    "watchdog: no packet, wave or interrupt has come for as long as the options "
                    "say; cuvette_hang_report tells who waits for what");
      default:
        return fail(call.status, call.text);
    }
  });
}

/// `text` with its end cut off where there is no room.
void put(char* to, size_t bytes, const std::string& text) {
  if (to == nullptr || bytes == 0) return;
  const size_t count = std::min(text.size(), bytes - 1);
  std::memcpy(to, text.data(), count);
  to[count] = 0;
}

}  // namespace cuvette::c_interface

using namespace cuvette::c_interface;

namespace {

constexpr uint32_t kDefaultQuantum = 1000;
constexpr double kMostSeconds = 1e9;

constexpr bool same(CallStatus ours, cuvette_status theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}
static_assert(same(CallStatus::Ok, CUVETTE_OK) &&
              same(CallStatus::Argument, CUVETTE_ERROR_ARGUMENT) &&
              same(CallStatus::Description, CUVETTE_ERROR_DESCRIPTION) &&
              same(CallStatus::Once, CUVETTE_ERROR_ONCE) &&
              same(CallStatus::Access, CUVETTE_ERROR_ACCESS) &&
              same(CallStatus::Memory, CUVETTE_ERROR_MEMORY) &&
              same(CallStatus::Timeout, CUVETTE_ERROR_TIMEOUT) &&
              same(CallStatus::Call, CUVETTE_ERROR_CALL) &&
              same(CallStatus::File, CUVETTE_ERROR_FILE) &&
              same(CallStatus::Internal, CUVETTE_ERROR_INTERNAL) &&
              same(CallStatus::Cancelled, CUVETTE_ERROR_CANCELLED) &&
              same(CallStatus::Watchdog, CUVETTE_ERROR_WATCHDOG));
using State = cuvette::command_processor::QueueReport::State;
static_assert(static_cast<uint32_t>(State::Idle) == CUVETTE_QUEUE_IDLE &&
              static_cast<uint32_t>(State::Running) == CUVETTE_QUEUE_RUNNING &&
              static_cast<uint32_t>(State::Waiting) == CUVETTE_QUEUE_WAITING &&
              static_cast<uint32_t>(State::Failed) == CUVETTE_QUEUE_FAILED &&
              static_cast<uint32_t>(State::Leaving) == CUVETTE_QUEUE_LEAVING &&
              host::HangWave::kNone == CUVETTE_NONE);

int wait(cuvette_machine* machine, host::WaitKind kind, uint64_t cycles) {
  Call call;
  call.kind = CallKind::Wait;
  call.option = static_cast<uint32_t>(kind);
  call.count = cycles;
  return make_call(machine, call);
}

void tell(cuvette_machine& machine, const host::InterruptEvent& event) {
  if (machine.options.on_interrupt == nullptr) return;
  cuvette_interrupt i{};
  i.size = sizeof i;
  i.cycle = event.left;
  i.source = event.what.source;
  i.queue = event.what.queue;
  i.context = event.what.context;
  machine.options.on_interrupt(machine.options.context, &machine, &i);
}

bool serve(cuvette_machine& machine, const host::AgentEvent& event) {
  if (machine.options.on_agent_dispatch == nullptr) return false;
  cuvette_agent_dispatch p{};
  p.size = sizeof p;
  p.cycle = event.at;
  p.queue = event.packet.queue;
  p.type = event.packet.type;
  p.return_address = event.packet.return_address;
  std::copy(event.packet.arg.begin(), event.packet.arg.end(), p.arg);
  return machine.options.on_agent_dispatch(machine.options.context, &machine, &p) != 0;
}

int open(const cuvette_options* given, cuvette_machine** out) {
  if (out == nullptr) return wrong_argument("no place for the machine");
  *out = nullptr;
  cuvette_options o{};
  if (given == nullptr || given->size < offsetof(cuvette_options, machine) ||
      given->size > sizeof o) {
    return wrong_argument("the options are missing, or of a newer version of this interface");
  }
  std::memcpy(static_cast<void*>(&o), given, given->size);
  if (o.engine == nullptr || *o.engine == 0) {
    return wrong_argument("the options name no engine, expected golden, lt or ca");
  }
  if (!(o.watchdog_seconds >= 0 && o.watchdog_seconds <= kMostSeconds)) {
    return wrong_argument("watchdog_seconds, expected 0 to 1e9");
  }
  const std::string engine = o.engine;
  if (engine != "golden" && !host::is_systemc(engine)) {
    return wrong_argument("engine '" + engine + "', expected golden, lt or ca");
  }
  std::vector<std::string> places;
  if (o.machine_dir != nullptr) places.emplace_back(o.machine_dir);
  const std::string name = o.machine == nullptr ? "mi100" : o.machine;
  const auto path = cuvette::machine::find_description(name, places);
  if (!path) return fail(CallStatus::Description, path.error().str());
  const auto text = cuvette::base::read_text(*path);
  if (!text) return fail(CallStatus::Description, text.error().str());

  host::PortOptions p;
  p.quantum = o.quantum == 0 ? kDefaultQuantum : o.quantum;
  p.machine.engine = engine;
  p.machine.quantum = p.quantum;
  p.machine.poison = o.poison != 0;
  p.description_name = *path;
  p.description_text = *text;
  if (o.log != nullptr) p.log = o.log;
  if (o.setting_count != 0 && o.settings == nullptr) return wrong_argument("the settings are null");
  for (size_t i = 0; i < o.setting_count; ++i) {
    if (o.settings[i] == nullptr) return wrong_argument("a setting is null");
    p.settings.emplace_back(o.settings[i]);
  }
  if (o.log != nullptr && !p.settings.empty()) {
    return wrong_argument("settings and a host-event log, which has the description as it is");
  }
  p.watchdog_cycles = o.watchdog_cycles;
  p.watchdog_seconds = o.watchdog_seconds;
  const auto description = cuvette::machine::parse_description(*text, *path, p.settings);
  if (!description) return fail(CallStatus::Description, description.error().str());
  auto machine = std::make_unique<cuvette_machine>();
  machine->options = o;
  machine->options.settings = nullptr;  // the caller's
  machine->options.setting_count = 0;
  machine->target = description->target;
  machine->quantum = p.quantum;
  machine->shared_aperture = description->shared_aperture;
  machine->private_aperture = description->private_aperture;
  Port::Failure failure;
  machine->port = Port::open(
      p, [m = machine.get()](const host::InterruptEvent& e) { tell(*m, e); },
      [m = machine.get()](const host::AgentEvent& e) { return serve(*m, e); }, failure);
  if (machine->port == nullptr) return fail(failure.status, failure.text);
  *out = machine.release();
  return CUVETTE_OK;
}

}  // namespace

extern "C" {

uint32_t cuvette_version(void) {
  return CUVETTE_API_VERSION;
}

const char* cuvette_error_text(void) {
  return last_error.c_str();
}

const char* cuvette_status_name(int status) {
  static const char* const kNames[] = {"CUVETTE_OK",
                                       "CUVETTE_ERROR_ARGUMENT",
                                       "CUVETTE_ERROR_DESCRIPTION",
                                       "CUVETTE_ERROR_ONCE",
                                       "CUVETTE_ERROR_ACCESS",
                                       "CUVETTE_ERROR_MEMORY",
                                       "CUVETTE_ERROR_TIMEOUT",
                                       "CUVETTE_ERROR_CALL",
                                       "CUVETTE_ERROR_FILE",
                                       "CUVETTE_ERROR_INTERNAL",
                                       "CUVETTE_ERROR_CANCELLED",
                                       "CUVETTE_ERROR_WATCHDOG",
                                       "CUVETTE_ERROR_KERNEL"};
  return status >= 0 && status < static_cast<int>(std::size(kNames)) ? kNames[status] : "unknown";
}

int cuvette_open(const cuvette_options* options, cuvette_machine** machine) {
  return guarded([&] { return open(options, machine); });
}

int cuvette_close(cuvette_machine* machine) {
  return guarded([&] {
    // A child has none of the threads that would have to end.
    if (machine == nullptr || machine->generation != generation()) return int{CUVETTE_OK};
    if (machine->port->in_own_thread()) {
      return fail(CallStatus::Call, "not inside a callback");
    }
    machine->clock.reset();
    const auto failure = machine->port->close();
    delete machine;
    if (failure.status == CallStatus::Ok) return int{CUVETTE_OK};
    return fail(failure.status, failure.text);
  });
}

int cuvette_target(cuvette_machine* machine, char* text, size_t bytes) {
  if (machine == nullptr) return wrong_argument("the machine is null");
  if (text == nullptr || bytes == 0) return wrong_argument("no place for the text");
  put(text, bytes, machine->target);
  return CUVETTE_OK;
}

int cuvette_register_read(cuvette_machine* machine, uint32_t offset, uint32_t* value) {
  if (value == nullptr) return wrong_argument("no place for the value");
  Call call;
  call.kind = CallKind::RegisterRead;
  call.address = offset;
  const int status = make_call(machine, call);
  *value = static_cast<uint32_t>(call.result);
  return status;
}

int cuvette_register_write(cuvette_machine* machine, uint32_t offset, uint32_t value) {
  Call call;
  call.kind = CallKind::RegisterWrite;
  call.address = offset;
  call.value = value;
  const int status = make_call(machine, call);
  const bool resets = offset == CUVETTE_REG_GRBM_SOFT_RESET && value != 0;
  if (status == CUVETTE_OK && resets) machine->launches.lose_slot();
  return status;
}

int cuvette_doorbell(cuvette_machine* machine, uint32_t index, uint64_t value) {
  Call call;
  call.kind = CallKind::Doorbell;
  call.address = index;
  call.value = value;
  return make_call(machine, call);
}

int cuvette_memory_allocate(cuvette_machine* machine, uint64_t bytes, uint64_t alignment,
                            uint32_t flags, uint64_t* address) {
  if (address == nullptr) return wrong_argument("no place for the address");
  Call call;
  call.kind = CallKind::Allocate;
  call.address = alignment;
  call.count = bytes;
  call.option = flags;
  const int status = make_call(machine, call);
  *address = call.result;
  return status;
}

int cuvette_memory_free(cuvette_machine* machine, uint64_t address) {
  Call call;
  call.kind = CallKind::Free;
  call.address = address;
  return make_call(machine, call);
}

int cuvette_memory_read(cuvette_machine* machine, uint64_t address, void* data, size_t bytes) {
  if (data == nullptr && bytes != 0) return wrong_argument("no place for the bytes");
  Call call;
  call.kind = CallKind::MemoryRead;
  call.address = address;
  call.count = bytes;
  const int status = make_call(machine, call);
  if (status == CUVETTE_OK && bytes != 0) std::memcpy(data, call.data.data(), bytes);
  return status;
}

int cuvette_memory_write(cuvette_machine* machine, uint64_t address, const void* data,
                         size_t bytes) {
  if (data == nullptr && bytes != 0) return wrong_argument("the bytes are null");
  if (bytes > host::kMostAccessBytes) return wrong_argument("more than 1 GiB at once");
  return guarded([&] {
    Call call;
    call.kind = CallKind::MemoryWrite;
    call.address = address;
    const auto* first = static_cast<const uint8_t*>(data);
    call.data.assign(first, first + bytes);
    return make_call(machine, call);
  });
}

int cuvette_memory_atomic(cuvette_machine* machine, uint32_t operation, uint32_t bytes,
                          uint64_t address, uint64_t operand, uint64_t compare, uint64_t* old) {
  Call call;
  call.kind = CallKind::Atomic;
  call.option = operation;
  call.count = bytes;
  call.address = address;
  call.value = operand;
  call.compare = compare;
  const int status = make_call(machine, call);
  if (old != nullptr) *old = call.result;
  return status;
}

int cuvette_cycle(cuvette_machine* machine, uint64_t* cycle) {
  if (cycle == nullptr) return wrong_argument("no place for the cycle");
  Call call;
  call.kind = CallKind::Cycle;
  const int status = make_call(machine, call);
  *cycle = call.result;
  return status;
}

int cuvette_advance(cuvette_machine* machine, uint64_t cycles) {
  return wait(machine, host::WaitKind::Advance, cycles);
}

int cuvette_run_until_idle(cuvette_machine* machine, uint64_t most_cycles) {
  return wait(machine, host::WaitKind::Idle, most_cycles);
}

int cuvette_wait_interrupt(cuvette_machine* machine, uint64_t most_cycles) {
  return wait(machine, host::WaitKind::Interrupt, most_cycles);
}

int cuvette_cancel(cuvette_machine* machine) {
  if (machine == nullptr) return CUVETTE_ERROR_ARGUMENT;  // words are not for signal handlers
  machine->port->cancel();
  return CUVETTE_OK;
}

int cuvette_take_reports(cuvette_machine* machine, char* text, size_t bytes) {
  if (text == nullptr || bytes == 0) return wrong_argument("no place for the text");
  Call call;
  call.kind = CallKind::Reports;
  const int status = make_call(machine, call);
  std::string all;
  if (status == CUVETTE_OK) all = machine->launches.take_earlier_reports() + call.text;
  put(text, bytes, all);
  return status;
}

}  // extern "C"
