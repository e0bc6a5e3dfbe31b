// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/command_processor/command_processor_checker.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"
#include "command_processor/packet_check.h"
#include "crossbar/crossbar.h"
#include "hsa/queue_error.h"
#include "memory/serve.h"

namespace cuvette::ip {

using command_processor::AgentDispatch;
using command_processor::AgentDone;
using command_processor::Dequeue;
using command_processor::QueueBinding;
using command_processor::QueueNumber;
using command_processor::QueueState;
using command_processor::QueueStatus;
using command_processor::RegisterAccess;
using command_processor::RegisterDone;
using command_processor::RegisterLaunch;
using machine::Cycle;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;

namespace {

/// Channels of the contract by number.
enum Channel : unsigned {
  kMemoryRequest = 12,
  kMemoryResponse,
  kNearRequest = 16,
  kNearResponse,
  kFarRequest,
  kFarResponse
};
constexpr uint16_t kCommandProcessor = 0xffff;  // MemReq::cu
constexpr uint64_t kReadIndex = offsetof(hsa::AmdQueue, read_dispatch_id);
constexpr uint64_t kDistance =
    offsetof(hsa::AmdQueue, read_dispatch_id_field_base_byte_offset) - kReadIndex;

}  // namespace

std::string CommandProcessorChecker::packet_text(uint32_t queue, uint64_t index) {
  return fmt::format("packet {} of queue {}", index, queue);
}

CommandProcessorChecker::CommandProcessorChecker(const command_processor::Config& config,
                                                 unsigned near, unsigned far)
    : config_(config), near_(near), far_(far) {}

std::optional<hsa::AmdQueue> CommandProcessorChecker::object(const Queue& q) const {
  hsa::AmdQueue object;
  if (!image_.look(translations_, q.binding.vmid, q.binding.queue_address, &object,
                   sizeof object)) {
    return std::nullopt;
  }
  return object;
}

/// Places that the binding leaves to the amd_queue_t, once the device has read that.
bool CommandProcessorChecker::open(Queue& q) {
  if (q.opened || q.free) return q.opened;
  QueueBinding& b = q.binding;
  if (b.queue_address == 0) {
    uint32_t distance = 0;
    if (!image_.look(translations_, b.vmid, b.read_report + kDistance, &distance, 4)) return false;
    b.queue_address = b.read_report - distance;
  }
  const auto o = object(q);
  if (!o) return false;
  if (b.ring_address == 0) {
    b.ring_address = o->hsa_queue.base_address;
    b.ring_packets = o->hsa_queue.size;
  }
  if (b.read_report == 0) b.read_report = b.queue_address + kReadIndex;
  q.next = q.published = o->read_dispatch_id;
  q.opened = true;
  return true;
}

uint64_t CommandProcessorChecker::slot(const Queue& q, uint64_t index) const {
  const uint64_t packets = std::max(1u, q.binding.ring_packets);
  return q.binding.ring_address + index % packets * hsa::kPacketBytes;
}

/// Looks at the next packet: it counts as fetched once it has been seen with a valid header.
void CommandProcessorChecker::look_at_next(Queue& q) {
  if (q.fetched || q.failed || !open(q)) return;
  uint16_t header = hsa::kInvalidHeader;
  if (!image_.look(translations_, q.binding.vmid, slot(q, q.next), &header, sizeof header)) return;
  if (hsa::decode_header(header).type == hsa::PacketType::Invalid) return;
  Packet packet;
  packet.index = q.next;
  packet.header = hsa::decode_header(header);
  packet.fetched = event();
  q.fetched = packet;
}

CommandProcessorChecker::Finding CommandProcessorChecker::taken(unsigned, unsigned,
                                                                const QueueBinding& binding,
                                                                Cycle) {
  Queue& q = queues_[next_number_];
  q.binding = binding;
  const bool restores = binding.stack_offset != binding.stack_bytes;
  q.free = binding.pm4 || binding.kernel_queue || restores;
  any_free_ = any_free_ || q.free;
  to_bind_.push_back(next_number_++);
  return std::nullopt;
}

CommandProcessorChecker::Finding CommandProcessorChecker::taken(unsigned, unsigned,
                                                                const QueueNumber& unbind, Cycle) {
  if (const auto found = queues_.find(unbind.number); found != queues_.end()) {
    found->second.leaves = true;
    settle(found->second);
    if (found->second.packets.empty()) queues_.erase(found);
  }
  return std::nullopt;
}

CommandProcessorChecker::Finding CommandProcessorChecker::taken(unsigned, unsigned,
                                                                const Dequeue& dequeue, Cycle) {
  if (const auto found = queues_.find(dequeue.queue); found != queues_.end()) {
    found->second.leaves = true;
    if (dequeue.reset || dequeue.save) found->second.free = any_free_ = true;
  }
  return std::nullopt;
}

CommandProcessorChecker::Packet* CommandProcessorChecker::find_dispatch(uint32_t id,
                                                                        Queue** queue) {
  for (auto& [number, q] : queues_) {
    for (Packet& p : q.packets) {
      if (p.id != id || !p.started || p.complete != kNotYet) continue;
      if (queue != nullptr) *queue = &q;
      return &p;
    }
  }
  return nullptr;
}

CommandProcessorChecker::Finding CommandProcessorChecker::taken(unsigned, unsigned,
                                                                const spi::DispatchDone& done,
                                                                Cycle) {
  grids_.erase(done.id);
  Queue* q = nullptr;
  Packet* p = find_dispatch(done.id, &q);
  if (p == nullptr) return std::nullopt;
  p->complete = event();
  p->failed = done.error;
  if (done.error && q->error == 0) q->error = done.error_code;
  if (done.saved) q->free = any_free_ = true;
  return std::nullopt;
}

CommandProcessorChecker::Finding CommandProcessorChecker::taken(unsigned, unsigned,
                                                                const AgentDone& done, Cycle) {
  agents_.erase(done.id);
  Queue* q = nullptr;
  Packet* p = find_dispatch(done.id, &q);
  if (p == nullptr) return std::nullopt;
  p->complete = event();
  p->failed = done.error;
  if (done.error && q->error == 0) q->error = hsa::kQueueErrorPacket;
  return std::nullopt;
}

CommandProcessorChecker::Finding CommandProcessorChecker::taken(unsigned, unsigned,
                                                                const RegisterDone& done, Cycle) {
  accesses_.erase(done.id);
  return std::nullopt;
}

CommandProcessorChecker::Finding CommandProcessorChecker::taken(unsigned, unsigned,
                                                                const RegisterLaunch& launch,
                                                                Cycle) {
  launches_.push_back(launch);
  return std::nullopt;
}

CommandProcessorChecker::Finding CommandProcessorChecker::taken(unsigned, unsigned,
                                                                const memory::TranslateResponse& a,
                                                                Cycle) {
  const auto found = translating_.find(a.id);
  if (found == translating_.end()) return Violation{"answer", "answers nothing"};
  translations_.add(found->second, a);
  translating_.erase(found);
  return std::nullopt;
}

CommandProcessorChecker::Finding CommandProcessorChecker::taken(unsigned channel, unsigned port,
                                                                const MemResp& answer, Cycle) {
  if (channel != kMemoryResponse) {
    const unsigned at =
        channel == kNearResponse ? port : static_cast<unsigned>(near_.size()) + port;
    const auto found = fencing_.find({at, answer.id});
    if (found == fencing_.end()) return Violation{"answer", "answers nothing"};
    Fence& fence = channel == kNearResponse ? near_[port] : far_[port];
    const auto [op, asked] = found->second;
    (op == MemOp::Writeback ? fence.written_back : fence.invalidated) = event();
    (op == MemOp::Writeback ? fence.asked_back : fence.asked) = asked;
    fencing_.erase(found);
    return std::nullopt;
  }
  const auto found = asked_.find(answer.id);
  if (found == asked_.end()) return Violation{"answer", "answers nothing"};
  const MemReq request = found->second;
  asked_.erase(found);
  if (request.op == MemOp::Read && answer.status == memory::MemStatus::Ok) {
    image_.add(request.address, request.byte_mask, answer.data.data());
    for (auto& [number, q] : queues_) look_at_next(q);
  }
  return std::nullopt;
}

CommandProcessorChecker::Finding CommandProcessorChecker::given(unsigned, unsigned,
                                                                QueueNumber& bound, Cycle) {
  if (to_bind_.empty()) return Violation{"bound", "a number, and no queue waits for one"};
  const uint32_t wanted = to_bind_.front();
  to_bind_.pop_front();
  if (bound.number == wanted) return std::nullopt;
  return Violation{"bound", fmt::format("queue number {}, expected {}", bound.number, wanted)};
}

CommandProcessorChecker::Finding CommandProcessorChecker::given(unsigned, unsigned,
                                                                memory::TranslateRequest& request,
                                                                Cycle) {
  if (translating_.emplace(request.id, request).second) return std::nullopt;
  return Violation{"id", fmt::format("translation {} is under way already", request.id)};
}

CommandProcessorChecker::Finding CommandProcessorChecker::given(unsigned channel, unsigned port,
                                                                MemReq& request, Cycle now) {
  request.time = now;
  request.sequence = sequence_++;
  if (request.cu != kCommandProcessor) {
    return Violation{"request", fmt::format("'cu' is {:#x}, expected 0xffff", request.cu)};
  }
  if (channel != kMemoryRequest) {
    const bool near = channel == kNearRequest;
    if (request.op != MemOp::Writeback && request.op != MemOp::Invalidate) {
      return Violation{"request", "caches are written back or invalidated here, nothing else"};
    }
    const unsigned at = near ? port : static_cast<unsigned>(near_.size()) + port;
    if (fencing_.emplace(std::pair(at, request.id), std::pair(request.op, event())).second) {
      return std::nullopt;
    }
    return Violation{"id", fmt::format("request {} is under way already", request.id)};
  }
  if (auto wrong = check_form(request)) return wrong;
  constexpr unsigned kIdBits = 64 - crossbar::kSourceBits;
  if (request.id >> kIdBits != 0) {
    return Violation{"id", fmt::format("request {:#x}, expected an id less than 2^{}: the crossbar "
                                       "has the bits above",
                                       request.id, kIdBits)};
  }
  if (!asked_.emplace(request.id, request).second) {
    return Violation{"id", fmt::format("request {} is under way already", request.id)};
  }
  if (request.op == MemOp::Write) return check_write(request);
  return is_atomic(request.op) ? check_atomic(request) : Finding();
}

CommandProcessorChecker::Finding CommandProcessorChecker::check_form(const MemReq& r) const {
  if (r.scope != memory::Scope::System || r.mtype != memory::Mtype::Uncached) {
    return Violation{"request",
                     "scope and MTYPE are not those of memory that the host shares: "
                     "System, Uncached"};
  }
  const uint64_t operand = base::low_mask(r.atomic_bytes) << r.address % memory::kBlockBytes;
  const uint64_t mask = is_atomic(r.op) ? operand : r.byte_mask;
  const bool aligned = is_atomic(r.op) ? r.atomic_bytes != 0 && r.address % r.atomic_bytes == 0
                                       : r.address % memory::kBlockBytes == 0;
  if (!aligned || mask == 0) {
    return Violation{
        "request", fmt::format("address {:#x} is not aligned, or no byte is asked for", r.address)};
  }
  const bool writes = r.op != MemOp::Read;
  const bool reads = r.op != MemOp::Write;
  for (uint64_t left = mask; left != 0; left &= left - 1) {
    const uint64_t pa =
        memory::block_address(r.address) + static_cast<unsigned>(std::countr_zero(left));
    const bool good = (!reads || translations_.permits(pa, hsa::Access::Read)) &&
                      (!writes || translations_.permits(pa, hsa::Access::Write));
    if (!good) {
      return Violation{"translation", fmt::format("physical byte {:#x}, which no translation has "
                                                  "given for that",
                                                  pa)};
    }
  }
  return std::nullopt;
}

CommandProcessorChecker::Finding CommandProcessorChecker::given(unsigned, unsigned,
                                                                spi::Dispatch& dispatch, Cycle) {
  if (find_dispatch(dispatch.id) != nullptr || grids_.count(dispatch.id) != 0) {
    return Violation{"id", fmt::format("dispatch {} is under way already", dispatch.id)};
  }
  ++counters_.dispatches;
  if (dispatch.from_registers) {
    for (auto it = launches_.begin(); it != launches_.end(); ++it) {
      spi::Dispatch wanted = it->dispatch;
      wanted.id = dispatch.id;
      contract::Comparison comparison;
      contract::Message<spi::Dispatch>::compare(wanted, dispatch, comparison);
      if (!comparison.differences().empty()) continue;
      checked_ += comparison.compared();
      grids_[dispatch.id] = it->queue;
      launches_.erase(it);
      return std::nullopt;
    }
    return Violation{"registers", "a grid from registers that nobody has launched"};
  }
  for (auto& [number, q] : queues_) {
    if (q.binding.vmid != dispatch.vmid || q.binding.queue_address != dispatch.queue_address) {
      continue;
    }
    return check_dispatch(number, q, dispatch);
  }
  return Violation{"queue",
                   fmt::format("a dispatch of no queue that is bound (amd_queue_t at {:#x})",
                               dispatch.queue_address)};
}

CommandProcessorChecker::Finding CommandProcessorChecker::check_dispatch(uint32_t number, Queue& q,
                                                                         spi::Dispatch& d) {
  if (q.free) return std::nullopt;
  const auto next = std::find_if(q.packets.begin(), q.packets.end(), [](const Packet& p) {
    return !p.started && p.header.type == hsa::PacketType::KernelDispatch;
  });
  if (next == q.packets.end()) {
    return Violation{"header",
                     fmt::format("a dispatch of queue {}, and no packet was taken for it", number)};
  }
  const std::string name = packet_text(number, next->index);
  hsa::KernelDescriptor kernel;
  const uint32_t vmid = q.binding.vmid;
  const auto o = object(q);
  if (!o || !image_.look(translations_, vmid, next->bytes.kernel_object, &kernel, sizeof kernel)) {
    return Violation{"fields", name + ": dispatched, and its kernel descriptor was not read"};
  }
  command_processor::Preload preload;
  if (!command_processor::is_kernel_code(kernel)) {
    preload.word = kernel.kernarg_preload;
    const auto bytes =
        static_cast<unsigned>(4 * std::min<size_t>(preload.count(), preload.dwords.size()));
    if (bytes != 0 &&
        !image_.look(translations_, vmid, next->bytes.kernarg_address + preload.offset(),
                     preload.dwords.data(), bytes)) {
      return Violation{"fields", name + ": dispatched, and its kernel arguments were not read"};
    }
  }
  const uint32_t error =
      command_processor::check_dispatch(next->bytes, config_) |
      command_processor::check_kernel(kernel, next->bytes.kernel_object, config_.target);
  if (error != 0) {
    return Violation{"packet", fmt::format("{} has error {:#x}, and is dispatched", name, error)};
  }
  spi::Dispatch wanted = command_processor::make_dispatch(
      next->bytes, kernel, preload, *o, q.binding, slot(q, next->index), next->index);
  wanted.id = d.id;
  contract::Comparison comparison;
  contract::Message<spi::Dispatch>::compare(wanted, d, comparison);
  if (!comparison.differences().empty()) {
    const auto& first = comparison.differences().front();
    return Violation{"fields", fmt::format("{}: field {}: expected {}, found {}", name,
                                           first.field->name, first.expected, first.actual)};
  }
  checked_ += comparison.compared();
  next->started = true;
  next->id = d.id;
  return std::nullopt;
}

CommandProcessorChecker::Finding CommandProcessorChecker::given(unsigned, unsigned,
                                                                AgentDispatch& a, Cycle) {
  const auto found = queues_.find(a.queue);
  if (found == queues_.end()) return Violation{"queue", "an agent dispatch of no queue"};
  Queue& q = found->second;
  if (!agents_.emplace(a.id, a.queue).second) {
    return Violation{"id", fmt::format("agent dispatch {} is under way already", a.id)};
  }
  if (q.free) return std::nullopt;
  const auto next = std::find_if(q.packets.begin(), q.packets.end(), [](const Packet& p) {
    return !p.started && p.header.type == hsa::PacketType::AgentDispatch;
  });
  if (next == q.packets.end()) {
    return Violation{"header", "an agent dispatch, and no packet was taken for it"};
  }
  const AgentDispatch wanted =
      command_processor::agent_dispatch_of(next->bytes, a.id, a.queue, q.binding.vmid);
  contract::Comparison comparison;
  contract::Message<AgentDispatch>::compare(wanted, a, comparison);
  if (!comparison.differences().empty()) {
    const auto& first = comparison.differences().front();
    return Violation{"fields", fmt::format("{}: field {}: expected {}, found {}",
                                           packet_text(a.queue, next->index), first.field->name,
                                           first.expected, first.actual)};
  }
  checked_ += comparison.compared();
  next->started = true;
  next->id = a.id;
  return std::nullopt;
}

CommandProcessorChecker::Finding CommandProcessorChecker::given(unsigned, unsigned,
                                                                RegisterAccess& access, Cycle) {
  if (queues_.count(access.queue) == 0) {
    return Violation{"queue",
                     fmt::format("a register access of queue {}, which is none", access.queue)};
  }
  if (accesses_.emplace(access.id, access.queue).second) return std::nullopt;
  return Violation{"id", fmt::format("register access {} is under way already", access.id)};
}

CommandProcessorChecker::Finding CommandProcessorChecker::given(unsigned, unsigned,
                                                                command_processor::Interrupt& i,
                                                                Cycle) {
  const auto found = queues_.find(i.queue);
  if (found == queues_.end() && !command_processor::is_no_queue(i.queue)) {
    return Violation{"interrupt", fmt::format("of queue {}, which is none", i.queue)};
  }
  return std::nullopt;
}

CommandProcessorChecker::Finding CommandProcessorChecker::given(unsigned, unsigned,
                                                                QueueStatus& status, Cycle) {
  const auto found = queues_.find(status.queue);
  if (found == queues_.end()) {
    return Violation{"status", fmt::format("of queue {}, which is none", status.queue)};
  }
  Queue& q = found->second;
  ++checked_;
  if (status.state == QueueState::Failed) {
    if (!q.free && q.error != 0 && status.error != q.error) {
      return Violation{"error", fmt::format("queue {} stops by {:#x}, expected {:#x}", status.queue,
                                            status.error, q.error)};
    }
    q.failed = true;
    ++counters_.errors;
    settle(q);
  } else if (status.state == QueueState::Inactive) {
    const auto runs = [](const Packet& p) { return p.complete == kNotYet; };
    if (!q.free && (!q.leaves || std::any_of(q.packets.begin(), q.packets.end(), runs))) {
      return Violation{"status", fmt::format("queue {} is gone: nobody has taken it away, or its "
                                             "packets are under way",
                                             status.queue)};
    }
    queues_.erase(found);
  } else if (!q.free && status.read_index != q.published) {
    return Violation{
        "status", fmt::format("read index {}, and {} was written", status.read_index, q.published)};
  }
  return std::nullopt;
}

CommandProcessorChecker::Finding CommandProcessorChecker::given(unsigned, unsigned,
                                                                spi::Cancel& cancel, Cycle) {
  if (find_dispatch(cancel.dispatch) != nullptr || grids_.count(cancel.dispatch) != 0 ||
      any_free_) {
    return std::nullopt;
  }
  return Violation{"cancel", fmt::format("dispatch {} is not under way", cancel.dispatch)};
}

CommandProcessorChecker::Finding CommandProcessorChecker::given(unsigned, unsigned, spi::Save& save,
                                                                Cycle) {
  if (find_dispatch(save.dispatch) != nullptr || any_free_) return std::nullopt;
  return Violation{"cancel", fmt::format("dispatch {} is not under way", save.dispatch)};
}

CommandProcessorChecker::Finding CommandProcessorChecker::given(unsigned, unsigned,
                                                                spi::SavedGroup&, Cycle) {
  if (any_free_) return std::nullopt;
  return Violation{"restore", "a work-group goes on, and none has been saved"};
}

/// A packet that is over and that nobody has been told of, while nothing is under way.
std::string CommandProcessorChecker::owed() const {
  if (!asked_.empty() || !fencing_.empty() || !translating_.empty()) return {};
  if (!to_bind_.empty()) return fmt::format("the number of queue {}", to_bind_.front());
  for (const auto& [number, q] : queues_) {
    if (q.free || q.failed) continue;
    for (const Packet& p : q.packets) {
      if (p.taken != kNotYet && !p.started && p.complete == kNotYet) {
        return packet_text(number, p.index) + " is taken and not dispatched";
      }
      if (p.complete != kNotYet && !p.failed && p.published == kNotYet) {
        return packet_text(number, p.index) + " is complete, and the read index not written";
      }
      if (p.published != kNotYet && p.bytes.completion_signal != 0 && !p.signaled) {
        return packet_text(number, p.index) + " is complete, and its signal not decremented";
      }
    }
  }
  return {};
}

std::vector<command_processor::QueueReport> CommandProcessorChecker::queues() const {
  std::vector<command_processor::QueueReport> all;
  for (const auto& [number, q] : queues_) {
    command_processor::QueueReport report;
    report.queue = number;
    report.doorbell = q.binding.doorbell;
    report.vmid = q.binding.vmid;
    report.pm4 = q.binding.pm4;
    report.queue_address = q.binding.queue_address;
    report.next_packet = q.next;
    using State = command_processor::QueueReport::State;
    report.state = q.failed             ? State::Failed
                   : q.leaves           ? State::Leaving
                   : !q.packets.empty() ? State::Running
                                        : State::Idle;
    for (const Packet& p : q.packets) {
      report.packets.push_back({p.index, p.id, p.header.type == hsa::PacketType::AgentDispatch,
                                p.bytes.kernel_object, p.bytes.completion_signal});
    }
    all.push_back(std::move(report));
  }
  return all;
}

}  // namespace cuvette::ip
