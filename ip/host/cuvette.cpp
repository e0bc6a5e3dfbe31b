// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cuvette.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "base/file.h"
#include "host/port.h"
#include "hsa/kernarg.h"
#include "hsa/launch_limits.h"

using cuvette::host::Call;
using cuvette::host::CallKind;
using cuvette::host::CallStatus;
using cuvette::host::Port;
namespace host = cuvette::host;

struct cuvette_object {
  cuvette_machine* machine = nullptr;
  std::shared_ptr<const cuvette::hsa::LoadedCode> code;
};

struct cuvette_machine {
  cuvette_options options{};
  std::unique_ptr<Port> port;
  uint64_t shared_aperture = 0, private_aperture = 0;
  std::mutex objects_mutex;
  std::vector<std::unique_ptr<cuvette_object>> objects;
};

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

thread_local std::string last_error;

int fail(CallStatus status, const std::string& text) {
  last_error = text;
  return static_cast<int>(status);
}

int wrong_argument(const std::string& text) {
  return fail(CallStatus::Argument, text);
}

/// Exceptions end here: nothing of C++ reaches the caller.
template <class F>
int guarded(F f) {
  try {
    return f();
  } catch (const std::exception& e) {
    return fail(CallStatus::Internal, e.what());
  }
}

int make_call(cuvette_machine* machine, Call& call) {
  return guarded([&] {
    if (machine == nullptr) return wrong_argument("the machine is null");
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

int wait(cuvette_machine* machine, host::WaitKind kind, uint64_t cycles) {
  Call call;
  call.kind = CallKind::Wait;
  call.option = static_cast<uint32_t>(kind);
  call.count = cycles;
  return make_call(machine, call);
}

/// share/cuvette/config of the tree this library lies in.
std::string own_machine_dir() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&own_machine_dir), &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  std::error_code ignored;
  auto place = std::filesystem::weakly_canonical(info.dli_fname, ignored).parent_path();
  for (; place.has_relative_path(); place = place.parent_path()) {  // lib, or lib/<triplet>
    const auto found = place / "share/cuvette/config";
    if (std::filesystem::is_directory(found, ignored)) return found.string();
  }
  return {};
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
  if (auto own = own_machine_dir(); !own.empty()) places.push_back(std::move(own));
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
  p.watchdog_cycles = o.watchdog_cycles;
  p.watchdog_seconds = o.watchdog_seconds;
  const auto description = cuvette::machine::parse_description(*text, *path);
  if (!description) return fail(CallStatus::Description, description.error().str());
  auto machine = std::make_unique<cuvette_machine>();
  machine->options = o;
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

/// `text` with its end cut off where there is no room.
void put(char* to, size_t bytes, const std::string& text) {
  if (to == nullptr || bytes == 0) return;
  const size_t count = std::min(text.size(), bytes - 1);
  std::memcpy(to, text.data(), count);
  to[count] = 0;
}

cuvette_hang_queue queue_of(const cuvette::command_processor::QueueReport& q) {
  cuvette_hang_queue out{};
  out.queue = q.queue;
  out.doorbell = q.doorbell;
  out.vmid = q.vmid;
  out.state = static_cast<uint32_t>(q.state);
  out.queue_address = q.queue_address;
  out.next_packet = q.next_packet;
  out.under_way = static_cast<uint32_t>(q.packets.size());
  out.barrier_bit = q.waits_for_earlier ? 1 : 0;
  if (!q.polls.empty()) {
    out.wait_address = q.polls.front().address;
    out.wait_value = q.polls.front().value;
  }
  if (!q.packets.empty()) {
    out.packet = q.packets.front().index;
    out.kernel_object = q.packets.front().kernel_object;
    out.completion_signal = q.packets.front().completion_signal;
  }
  return out;
}

cuvette_hang_wave wave_of(const host::HangWave& w) {
  cuvette_hang_wave out{};
  out.wave = w.wave;
  out.queue = w.queue;
  out.compute_unit = w.compute_unit;
  out.simd = w.simd;
  out.slot = w.slot;
  out.packet = w.packet;
  out.pc = w.pc;
  out.vm_count = w.vm;
  out.lgkm_count = w.lgkm;
  out.exp_count = w.exp;
  out.at_barrier = w.at_barrier ? 1 : 0;
  out.halted = w.halted ? 1 : 0;
  put(out.kernel, sizeof out.kernel, w.kernel);
  put(out.instruction, sizeof out.instruction, w.instruction);
  put(out.waits_for, sizeof out.waits_for, w.waits_for);
  return out;
}

/// Into an array of a caller whose elements may be shorter than ours.
template <class Theirs, class Ours, class F>
void fill(Theirs* to, size_t size, size_t room, const std::vector<Ours>& from, F convert) {
  for (size_t i = 0; i < std::min(room, from.size()); ++i) {
    const auto element = convert(from[i]);
    std::memcpy(reinterpret_cast<char*>(to) + i * size, &element, size);
  }
}

int hang_report(cuvette_machine* machine, cuvette_hang* out) {
  if (out == nullptr || out->size != sizeof *out) {
    return wrong_argument("no place for the report, or one of another version of this interface");
  }
  const bool good_queues = out->queues == nullptr ||
                           (out->queue_size != 0 && out->queue_size <= sizeof(cuvette_hang_queue));
  const bool good_waves =
      out->waves == nullptr || (out->wave_size != 0 && out->wave_size <= sizeof(cuvette_hang_wave));
  if (!good_queues || !good_waves) return wrong_argument("queue_size or wave_size is not set");
  Call call;
  call.kind = CallKind::Hang;
  const int status = make_call(machine, call);
  if (status != CUVETTE_OK) return status;
  const host::HangReport& r = *call.hang;
  put(out->text, out->text_bytes, host::text_of(r));
  if (out->queues != nullptr) {
    fill(out->queues, out->queue_size, out->queue_room, r.queues, queue_of);
  }
  if (out->waves != nullptr) fill(out->waves, out->wave_size, out->wave_room, r.waves, wave_of);
  out->queue_count = r.queues.size();
  out->wave_count = r.waves.size();
  return CUVETTE_OK;
}

int find_kernel(cuvette_object* object, const char* name, cuvette_kernel* out) {
  if (object == nullptr) return wrong_argument("the object is null");
  if (out == nullptr || out->size != sizeof *out) {
    return wrong_argument("no place for the kernel, or one of another version of this interface");
  }
  const auto found = object->code->find(name == nullptr ? "" : name);
  if (!found) return wrong_argument(found.error().what);
  const cuvette::hsa::KernelInfo& k = **found;
  cuvette_kernel kernel{};
  kernel.size = sizeof kernel;
  kernel.object = object;
  kernel.kernel_object = k.descriptor;
  kernel.kernarg_bytes = k.kernarg_bytes;
  kernel.kernarg_alignment = std::max<uint32_t>(k.kernarg_alignment, 16);
  kernel.group_bytes = k.group_bytes;
  kernel.private_bytes = k.private_bytes;
  kernel.dynamic_stack = k.dynamic_stack ? 1 : 0;
  kernel.arguments = static_cast<uint32_t>(cuvette::hsa::explicit_args(k).size());
  kernel.index = static_cast<uint32_t>(&k - object->code->kernels.data());
  *out = kernel;
  return CUVETTE_OK;
}

int kernarg(const cuvette_kernel* kernel, const cuvette_launch* launch,
            const cuvette_argument* arguments, size_t count, void* segment, size_t bytes) {
  if (kernel == nullptr || kernel->size != sizeof *kernel || kernel->object == nullptr ||
      kernel->index >= kernel->object->code->kernels.size()) {
    return wrong_argument("the kernel is not one of cuvette_find_kernel");
  }
  if (launch == nullptr || launch->size != sizeof *launch || launch->dimensions < 1 ||
      launch->dimensions > 3 || (launch->hidden == nullptr && launch->hidden_count != 0)) {
    return wrong_argument("the launch is missing, of another version, or without dimensions");
  }
  if (arguments == nullptr && count != 0) return wrong_argument("the arguments are null");
  const cuvette_machine& machine = *kernel->object->machine;
  const cuvette::hsa::KernelInfo& k = kernel->object->code->kernels[kernel->index];
  if (segment == nullptr && k.kernarg_bytes != 0) return wrong_argument("no place for the segment");
  if (bytes < k.kernarg_bytes) {
    return wrong_argument("room for " + std::to_string(bytes) + " bytes, kernel '" + k.name +
                          "' has a kernarg segment of " + std::to_string(k.kernarg_bytes));
  }
  cuvette::hsa::LaunchSize size;
  cuvette::hsa::HiddenValues hidden;
  for (unsigned d = 0; d < 3; ++d) {
    if (launch->grid[d] == 0 || launch->workgroup[d] == 0 || launch->workgroup[d] > 0xffff)
      return wrong_argument("a size of the grid or the work-group is 0 or too large");
    size.grid[d] = hidden.grid[d] = launch->grid[d];
    hidden.workgroup[d] = launch->workgroup[d];
    size.workgroup[d] = static_cast<uint16_t>(launch->workgroup[d]);
    hidden.global_offset[d] = launch->global_offset[d];
  }
  size.dimensions = hidden.dimensions = launch->dimensions;
  size.dynamic_group_bytes = hidden.dynamic_lds_bytes = launch->dynamic_group_bytes;
  const std::string broken = cuvette::hsa::broken_limit(k.limits, size);
  if (!broken.empty()) return wrong_argument("kernel '" + k.name + "': " + broken);
  hidden.queue_ptr = launch->queue;
  hidden.private_base_hi = static_cast<uint32_t>(machine.private_aperture >> 32);
  hidden.shared_base_hi = static_cast<uint32_t>(machine.shared_aperture >> 32);
  std::vector<std::vector<uint8_t>> values;
  for (size_t i = 0; i < count; ++i) {
    if (arguments[i].data == nullptr) return wrong_argument("an argument is null");
    const auto* first = static_cast<const uint8_t*>(arguments[i].data);
    values.emplace_back(first, first + arguments[i].bytes);
  }
  std::map<std::string, uint64_t> overrides;
  for (size_t i = 0; i < launch->hidden_count; ++i) {
    if (launch->hidden[i].name == nullptr) return wrong_argument("a hidden argument has no name");
    overrides[launch->hidden[i].name] = launch->hidden[i].value;
  }
  const auto filled = cuvette::hsa::fill_kernarg(k, values, hidden, overrides);
  if (!filled) return wrong_argument(filled.error().what);
  if (!filled->empty()) std::memcpy(segment, filled->data(), filled->size());
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
                                       "CUVETTE_ERROR_WATCHDOG"};
  return status >= 0 && status < static_cast<int>(std::size(kNames)) ? kNames[status] : "unknown";
}

int cuvette_open(const cuvette_options* options, cuvette_machine** machine) {
  return guarded([&] { return open(options, machine); });
}

int cuvette_close(cuvette_machine* machine) {
  return guarded([&] {
    if (machine == nullptr) return int{CUVETTE_OK};
    if (machine->port->in_own_thread()) {
      return fail(CallStatus::Call, "not inside a callback");
    }
    const auto failure = machine->port->close();
    delete machine;
    if (failure.status == CallStatus::Ok) return int{CUVETTE_OK};
    return fail(failure.status, failure.text);
  });
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
  return make_call(machine, call);
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

int cuvette_hang_report(cuvette_machine* machine, cuvette_hang* report) {
  return guarded([&] { return hang_report(machine, report); });
}

int cuvette_load(cuvette_machine* machine, const void* elf, size_t bytes, cuvette_object** object) {
  if (object == nullptr) return wrong_argument("no place for the object");
  *object = nullptr;
  if (elf == nullptr || bytes == 0) return wrong_argument("the code object is missing");
  if (bytes > host::kMostAccessBytes) return wrong_argument("a code object of more than 1 GiB");
  return guarded([&] {
    Call call;
    call.kind = CallKind::Load;
    const auto* first = static_cast<const uint8_t*>(elf);
    call.data.assign(first, first + bytes);
    const int status = make_call(machine, call);
    if (status != CUVETTE_OK) return status;
    auto made = std::make_unique<cuvette_object>();
    made->machine = machine;
    made->code = call.code;
    const std::lock_guard lock(machine->objects_mutex);
    *object = machine->objects.emplace_back(std::move(made)).get();
    return int{CUVETTE_OK};
  });
}

int cuvette_unload(cuvette_object* object) {
  if (object == nullptr) return wrong_argument("the object is null");
  return guarded([&] {
    cuvette_machine& machine = *object->machine;
    Call call;
    call.kind = CallKind::Unload;
    call.address = object->code->block;
    const int status = make_call(&machine, call);
    if (status != CUVETTE_OK) return status;
    const std::lock_guard lock(machine.objects_mutex);
    std::erase_if(machine.objects, [object](const auto& o) { return o.get() == object; });
    return int{CUVETTE_OK};
  });
}

int cuvette_find_kernel(cuvette_object* object, const char* name, cuvette_kernel* kernel) {
  return guarded([&] { return find_kernel(object, name, kernel); });
}

int cuvette_find_symbol(cuvette_object* object, const char* name, uint64_t* address,
                        uint64_t* bytes) {
  if (object == nullptr || name == nullptr || address == nullptr)
    return wrong_argument("the object, the name or the place for the address is null");
  return guarded([&] {
    for (const auto& symbol : object->code->symbols) {
      if (symbol.name != name) continue;
      *address = symbol.address;
      if (bytes != nullptr) *bytes = symbol.bytes;
      return int{CUVETTE_OK};
    }
    return wrong_argument(std::string("no variable or function is named '") + name +
                          "' in the code object");
  });
}

int cuvette_kernarg(const cuvette_kernel* kernel, const cuvette_launch* launch,
                    const cuvette_argument* arguments, size_t count, void* segment, size_t bytes) {
  return guarded([&] { return kernarg(kernel, launch, arguments, count, segment, bytes); });
}

int cuvette_take_reports(cuvette_machine* machine, char* text, size_t bytes) {
  if (text == nullptr || bytes == 0) return wrong_argument("no place for the text");
  Call call;
  call.kind = CallKind::Reports;
  const int status = make_call(machine, call);
  const size_t count = status == CUVETTE_OK ? std::min(call.text.size(), bytes - 1) : 0;
  std::memcpy(text, call.text.data(), count);
  text[count] = 0;
  return status;
}

}  // extern "C"
