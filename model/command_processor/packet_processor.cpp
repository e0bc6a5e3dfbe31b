// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "command_processor/packet_processor.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "command_processor/packet_check.h"
#include "hsa/signal.h"

namespace cuvette::command_processor {
namespace {

template <class Packet>
Packet as(const hsa::KernelDispatchPacket& packet) {
  Packet p;
  static_assert(sizeof p == sizeof packet);
  std::memcpy(static_cast<void*>(&p), &packet, sizeof p);
  return p;
}

bool holds(hsa::Condition condition, int64_t value, int64_t reference) {
  switch (condition) {
    case hsa::Condition::Equal:
      return value == reference;
    case hsa::Condition::NotEqual:
      return value != reference;
    case hsa::Condition::Less:
      return value < reference;
    case hsa::Condition::GreaterEqual:
      return value >= reference;
  }
  return false;
}

}  // namespace

spi::Dispatch PacketProcessor::dispatch_of(const QueueRun& q, const PacketContext& t,
                                           uint64_t address, uint64_t index) {
  spi::Dispatch d =
      make_dispatch(t.packet, t.kernel, t.preload, q.queue, q.binding, address, index);
  d.id = me_.next_dispatch();
  return d;
}

Task PacketProcessor::prepare(QueueRun& q, PacketContext& t) {
  t.error = check_packet(t.packet);
  if (t.error != 0) co_return;
  t.kind = PacketContext::Kind::Barrier;
  switch (t.header.type) {
    case hsa::PacketType::BarrierAnd:
    case hsa::PacketType::BarrierOr:
      ++me_.counters().barriers;
      co_await wait_barrier(q, t);
      break;
    case hsa::PacketType::KernelDispatch:
      t.kind = PacketContext::Kind::Dispatch;
      t.error = check_dispatch(t.packet, me_.config());
      if (t.error != 0) co_return;
      if (!co_await me_.read(q.binding.vmid, t.packet.kernel_object, &t.kernel, sizeof t.kernel)) {
        t.error = hsa::kQueueErrorCode;
        t.error_address = t.packet.kernel_object;
        co_return;
      }
      t.error = check_kernel(t.kernel, t.packet.kernel_object, me_.config().target);
      if (t.error == 0) co_await read_preload(q, t);
      if (t.error == 0) co_await find_scratch(q, t);
      break;
    case hsa::PacketType::AgentDispatch:
      t.kind = PacketContext::Kind::Agent;
      break;
    case hsa::PacketType::VendorSpecific: {
      const auto vendor = as<hsa::VendorPacket>(t.packet);
      t.error = check_vendor(vendor);
      if (t.error != 0) co_return;
      if (vendor.format == hsa::kVendorBarrierValue) {
        ++me_.counters().barriers;
        co_await wait_value(q, t);
      } else {
        t.kind = PacketContext::Kind::Pm4;
      }
      break;
    }
    case hsa::PacketType::Invalid:
      break;  // never taken
  }
}

/// Reads the part of the kernel's arguments that its descriptor wants in user SGPRs.
Task PacketProcessor::read_preload(QueueRun& q, PacketContext& t) {
  t.preload = {};
  if (is_kernel_code(t.kernel)) co_return;  // has other properties there
  t.preload.word = t.kernel.kernarg_preload;
  const auto bytes =
      static_cast<unsigned>(4 * std::min<size_t>(t.preload.count(), t.preload.dwords.size()));
  if (bytes == 0) co_return;
  const uint64_t address = t.packet.kernarg_address + t.preload.offset();
  if (!co_await me_.read(q.binding.vmid, address, t.preload.dwords.data(), bytes)) {
    t.fault(address);
  }
}

/// Looks again before it asks: the object may have changed since the queue was bound.
Task PacketProcessor::find_scratch(QueueRun& q, PacketContext& t) {
  while (t.error == 0 && t.ready && !has_scratch(t.packet, q.queue)) {
    constexpr size_t kFirst = offsetof(hsa::AmdQueue, compute_tmpring_size);
    constexpr size_t kEnd = offsetof(hsa::AmdQueue, queue_properties);
    if (!co_await me_.read(q.binding.vmid, q.binding.queue_address + kFirst,
                           reinterpret_cast<uint8_t*>(&q.queue) + kFirst, kEnd - kFirst)) {
      t.fault(q.binding.queue_address + kFirst);
      co_return;
    }
    if (!has_scratch(t.packet, q.queue)) co_await wait_scratch(q, t);
  }
}

/// The queue is inactive until the host has provided scratch memory and takes the error back from
/// the inactive signal; then the packet is looked at once more, as the public runtime has it (its
/// handler of dynamic scratch).
Task PacketProcessor::wait_scratch(QueueRun& q, PacketContext& t) {
  const uint64_t signal = q.queue.queue_inactive_signal;
  if (signal == 0) {  // nobody to ask
    t.error = hsa::kQueueErrorScratch;
    co_return;
  }
  const uint64_t address = signal + hsa::kSignalValueOffset;
  int64_t value = hsa::kQueueErrorScratch;
  bool told = false;
  co_await notices_.tell_inactive(q, value, told);
  if (!told) {
    t.fault(address);
    co_return;
  }
  notices_.report(scratch_text(q.number, q.read_index, t.packet, q.queue));
  notices_.raise(q, hsa::kQueueErrorScratch, t.packet.private_segment_size);
  while ((value & int64_t{hsa::kQueueErrorScratch}) != 0) {
    co_await me_.delay(me_.config().poll_cycles);
    t.ready = !q.unbound;
    if (!t.ready) co_return;
    if (!co_await me_.read(q.binding.vmid, address, &value, sizeof value)) {
      t.fault(address);
      co_return;
    }
  }
}

Task PacketProcessor::wait_barrier(QueueRun& q, PacketContext& t) {
  const auto barrier = as<hsa::BarrierPacket>(t.packet);
  const bool all = t.header.type == hsa::PacketType::BarrierAnd;
  for (bool satisfied = false; !satisfied && t.error == 0;) {
    unsigned open = 0;
    unsigned met = 0;
    std::vector<QueueReport::Poll> seen;  // those of the last look stay until this one is over
    for (const uint64_t signal : barrier.dep_signal) {
      if (signal == 0) continue;
      int64_t value = 0;
      if (!co_await me_.read(q.binding.vmid, signal + hsa::kSignalValueOffset, &value,
                             sizeof value)) {
        t.fault(signal + hsa::kSignalValueOffset);
      }
      value == 0 ? ++met : ++open;
      if (value != 0) seen.push_back({signal, value, true, false});
    }
    q.polls = std::move(seen);
    satisfied = all ? open == 0 : met != 0 || open == 0;
    if (!satisfied) {
      t.ready = !q.unbound;
      if (!t.ready) break;
      co_await me_.delay(me_.config().poll_cycles);
    }
  }
  q.polls.clear();
}

Task PacketProcessor::wait_value(QueueRun& q, PacketContext& t) {
  const auto barrier = as<hsa::BarrierValuePacket>(t.packet);
  if (barrier.signal == 0) co_return;
  const uint64_t address = barrier.signal + hsa::kSignalValueOffset;
  for (;;) {
    int64_t value = 0;
    if (!co_await me_.read(q.binding.vmid, address, &value, sizeof value)) {
      t.fault(address);
      co_return;
    }
    const auto condition = static_cast<hsa::Condition>(barrier.condition);
    q.polls.clear();
    if (holds(condition, value & barrier.mask, barrier.value)) co_return;
    t.ready = !q.unbound;
    if (!t.ready) co_return;
    q.polls.push_back({barrier.signal, value, true, false});
    co_await me_.delay(me_.config().poll_cycles);
  }
}

}  // namespace cuvette::command_processor
