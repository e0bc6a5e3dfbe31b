// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/signal.h"

#include <fmt/format.h>

namespace cuvette::hsa {
namespace {

base::Error failure_to(const char* action, uint64_t handle, const AccessResult& result) {
  return base::Error(fmt::format("{} signal {:#x}: {}", action, handle, result.str()));
}

base::Result<Signal> make(DeviceMemory& memory, const AmdSignal& contents) {
  DeviceMemory::Options options;
  options.alignment = kSignalAlignment;
  options.name = "a signal";
  options.type = page_type(Grain::Fine);
  auto handle = memory.allocate(sizeof(AmdSignal), options);
  if (!handle) return handle.error();
  if (auto r = memory.write_value(*handle, contents); !r) return failure_to("create", *handle, r);
  return Signal(memory, *handle);
}

}  // namespace

base::Result<Signal> Signal::create(DeviceMemory& memory, int64_t value) {
  AmdSignal contents;
  contents.kind = static_cast<int64_t>(SignalKind::User);
  contents.value = value;
  return make(memory, contents);
}

base::Result<Signal> Signal::create_doorbell(DeviceMemory& memory, uint64_t register_address,
                                             uint64_t queue_ptr) {
  AmdSignal contents;
  contents.kind = static_cast<int64_t>(SignalKind::Doorbell);
  contents.hardware_doorbell_ptr = register_address;
  contents.queue_ptr = queue_ptr;
  return make(memory, contents);
}

base::Result<AmdSignal> Signal::contents() const {
  AmdSignal out;
  if (handle_ % kSignalAlignment != 0) {
    return base::Error(fmt::format("signal handle {:#x}, expected 64-byte alignment", handle_));
  }
  if (auto r = memory_->read_value(handle_, &out); !r) return failure_to("read", handle_, r);
  return out;
}

base::Status Signal::need_user(const char* operation) const {
  auto now = contents();
  if (!now) return now.error();
  if (now->kind == static_cast<int64_t>(SignalKind::User)) return {};
  return base::Error(fmt::format("{} of signal {:#x}, whose kind is {}, expected a user signal",
                                 operation, handle_, now->kind));
}

base::Result<int64_t> Signal::load() const {
  if (auto status = need_user("load"); !status) return status.error();
  uint64_t value = 0;
  if (auto r = memory_->load_acquire(value_address(), 8, &value); !r)
    return failure_to("load", handle_, r);
  return static_cast<int64_t>(value);
}

base::Status Signal::store(int64_t value) {
  auto now = contents();
  if (!now) return now.error();
  uint64_t address = 0;
  switch (static_cast<SignalKind>(now->kind)) {
    case SignalKind::User:
      address = value_address();
      break;
    case SignalKind::Doorbell:
      address = now->hardware_doorbell_ptr;
      break;
    default:
      return base::Error(
          fmt::format("store to signal {:#x}, whose kind is {}, expected a user or doorbell signal",
                      handle_, now->kind));
  }
  if (auto r = memory_->store_release(address, 8, static_cast<uint64_t>(value)); !r) {
    return failure_to("store to", handle_, r);
  }
  return {};
}

base::Result<int64_t> Signal::update(AtomicOp op, int64_t operand, int64_t compare) {
  if (auto status = need_user("update"); !status) return status.error();
  uint64_t old = 0;
  if (auto r = memory_->atomic(value_address(), 8, op, static_cast<uint64_t>(operand),
                               static_cast<uint64_t>(compare), &old);
      !r) {
    return failure_to("update", handle_, r);
  }
  return static_cast<int64_t>(old);
}

base::Status Signal::set_event(uint64_t mailbox, uint32_t event_id) {
  if (auto r = memory_->write_value(handle_ + offsetof(AmdSignal, event_id), event_id); !r) {
    return failure_to("set event of", handle_, r);
  }
  if (auto r = memory_->write_value(handle_ + offsetof(AmdSignal, event_mailbox_ptr), mailbox);
      !r) {
    return failure_to("set event of", handle_, r);
  }
  return {};
}

base::Status Signal::set_timestamps(uint64_t start, uint64_t end) {
  const uint64_t both[2] = {start, end};
  if (auto r = memory_->write_value(handle_ + offsetof(AmdSignal, start_ts), both); !r) {
    return failure_to("set timestamps of", handle_, r);
  }
  return {};
}

base::Result<Signal::Event> Signal::notify() {
  auto now = contents();
  if (!now) return now.error();
  Event event;
  if (now->event_mailbox_ptr == 0) return event;
  if (auto r = memory_->store_release(now->event_mailbox_ptr, 8, now->event_id); !r) {
    return failure_to("mailbox of", handle_, r);
  }
  event.raised = true;
  event.event_id = now->event_id;
  event.message = static_cast<uint8_t>(now->event_id & 0xff);
  return event;
}

}  // namespace cuvette::hsa
