// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>

#include "command_processor/packet_check.h"
#include "hsa/signal.h"
#include "ip/command_processor/command_processor_checker.h"

// Writes and atomics of a command processor: headers, read indices, completion signals, and the
// fences that have to lie before them.
namespace cuvette::ip {

using memory::MemReq;

namespace {

constexpr uint64_t kValue = offsetof(hsa::AmdSignal, value);

bool has_work(hsa::PacketType type) {
  return type == hsa::PacketType::KernelDispatch || type == hsa::PacketType::AgentDispatch ||
         type == hsa::PacketType::VendorSpecific;
}
/// Runs PM4, whose end nobody sees.
bool runs_pm4(const hsa::KernelDispatchPacket& packet) {
  hsa::VendorPacket vendor;
  std::memcpy(static_cast<void*>(&vendor), &packet, sizeof vendor);
  return vendor.format == hsa::kVendorPm4Ib;
}

}  // namespace

/// Caches between memory and the kernels have nothing older than the packet.
bool CommandProcessorChecker::acquired(const Packet& p) const {
  if (p.header.acquire == hsa::FenceScope::None) return true;
  const auto fresh = [&p](const Fence& f) {
    return f.asked_back > p.fetched && f.written_back > f.asked_back && f.asked > f.written_back &&
           f.invalidated > f.asked;
  };
  const bool system = p.header.acquire == hsa::FenceScope::System;
  return std::all_of(near_.begin(), near_.end(), fresh) &&
         (!system || std::all_of(far_.begin(), far_.end(), fresh));
}

bool CommandProcessorChecker::released(const Packet& p) const {
  if (p.header.release == hsa::FenceScope::None) return true;
  const auto fresh = [&p](const Fence& f) {
    return f.asked_back > p.complete && f.written_back > f.asked_back;
  };
  if (!std::all_of(near_.begin(), near_.end(), fresh)) return false;
  if (p.header.release != hsa::FenceScope::System) return true;
  Event last = 0;
  for (const Fence& f : near_) last = std::max(last, f.written_back);
  return std::all_of(far_.begin(), far_.end(),
                     [&](const Fence& f) { return fresh(f) && f.asked_back > last; });
}

/// Bytes that a queue may write beside headers, read index and completion signals: time stamps,
/// mailboxes, its inactive signal, its memory queue descriptor.
bool CommandProcessorChecker::is_written_freely(Queue& q, uint64_t pa) {
  const auto in = [&](uint64_t va, uint64_t bytes, uint32_t vmid) {
    const auto first = va == 0 ? std::nullopt : translations_.physical(vmid, va);
    return first && pa >= *first && pa < *first + bytes;
  };
  const uint32_t vmid = q.binding.vmid;
  const auto signal = [&](uint64_t handle) {
    hsa::AmdSignal s;
    if (handle == 0 || !image_.look(translations_, vmid, handle, &s, sizeof s)) return false;
    return in(handle + offsetof(hsa::AmdSignal, start_ts), 16, vmid) ||
           in(s.event_mailbox_ptr, 8, vmid);
  };
  for (auto it = q.mailboxes.begin(); it != q.mailboxes.end(); ++it) {
    if (!in(*it, 8, vmid)) continue;
    q.mailboxes.erase(it);
    return true;
  }
  if (const auto o = object(q)) {
    const uint64_t inactive = o->queue_inactive_signal;
    if (inactive != 0 && (in(inactive + kValue, 8, vmid) || signal(inactive))) return true;
  }
  if (in(q.binding.mqd_address, command_processor::kControlStack, 0)) return q.leaves;
  return std::any_of(q.packets.begin(), q.packets.end(), [&](const Packet& p) {
    return p.complete != kNotYet && signal(p.bytes.completion_signal);
  });
}

CommandProcessorChecker::Finding CommandProcessorChecker::check_write(const MemReq& r) {
  const auto first = static_cast<unsigned>(std::countr_zero(r.byte_mask));
  const uint64_t pa = r.address + first;
  for (auto& [number, q] : queues_) {
    if (q.free || !q.opened) continue;
    const auto header = physical(q, slot(q, q.next));
    if (header == pa) {
      uint16_t value = 0;
      std::memcpy(&value, r.data.data() + first, 2);
      if (r.byte_mask >> first != 3 || hsa::decode_header(value).type != hsa::PacketType::Invalid) {
        return Violation{"header", packet_text(number, q.next) +
                                       ": its slot is given back by an invalid header, 2 bytes"};
      }
      return take_packet(number, q);
    }
    if (physical(q, q.binding.read_report) == pa) return publish(q, r);
    if (is_written_freely(q, pa)) return std::nullopt;
  }
  if (any_free_) return std::nullopt;
  return Violation{"write", fmt::format("physical address {:#x}, where no queue has anything to "
                                        "write now",
                                        pa)};
}

/// The header of the next packet is given back.
CommandProcessorChecker::Finding CommandProcessorChecker::take_packet(uint32_t number, Queue& q) {
  const std::string name = packet_text(number, q.next);
  ++checked_;
  if (!q.fetched) return Violation{"header", name + " is given back and was not valid when read"};
  if (q.failed) return Violation{"failed", name + " is taken from a queue that has stopped"};
  Packet p = *q.fetched;
  if (!image_.look(translations_, q.binding.vmid, slot(q, p.index), &p.bytes, sizeof p.bytes)) {
    return Violation{"header", name + " is given back before its fields were read"};
  }
  p.header = hsa::decode_header(p.bytes.header);
  const auto is_open = [](const Packet& e) { return e.complete == kNotYet; };
  if (p.header.barrier && std::any_of(q.packets.begin(), q.packets.end(), is_open)) {
    return Violation{"barrier bit", name + " is taken while earlier packets are under way"};
  }
  if (!acquired(p)) {
    return Violation{"acquire", name +
                                    ": not every cache of its acquire fence was written back and "
                                    "then invalidated since the packet was read"};
  }
  if (p.header.type == hsa::PacketType::BarrierAnd || p.header.type == hsa::PacketType::BarrierOr) {
    hsa::BarrierPacket barrier;
    std::memcpy(static_cast<void*>(&barrier), &p.bytes, sizeof barrier);
    unsigned open = 0, met = 0;
    for (const uint64_t signal : barrier.dep_signal) {
      if (signal == 0) continue;
      int64_t value = 1;
      const bool known =
          image_.look(translations_, q.binding.vmid, signal + kValue, &value, sizeof value);
      known&& value == 0 ? ++met : ++open;
    }
    const bool all = p.header.type == hsa::PacketType::BarrierAnd;
    if (all ? open != 0 : met == 0 && open != 0) {
      return Violation{"barrier packet", name + " is over, and its signals were not 0 when read"};
    }
    ++counters_.barriers;
  }
  const bool bad = command_processor::check_packet(p.bytes) != 0;
  if (bad) return Violation{"packet", name + " is malformed, and is taken"};
  p.taken = event();
  if (!has_work(p.header.type) || p.header.type == hsa::PacketType::VendorSpecific) {
    p.complete = p.taken;
    if (runs_pm4(p.bytes) && p.header.type == hsa::PacketType::VendorSpecific) any_free_ = true;
  }
  ++counters_.packets;
  q.packets.push_back(p);
  // The slot is the producer's again: what is read from now on is another packet.
  if (const auto pa = physical(q, slot(q, q.next))) image_.forget(*pa, hsa::kPacketBytes);
  q.fetched.reset();
  ++q.next;
  look_at_next(q);
  return std::nullopt;
}

/// The read index covers packets that are complete, without a gap.
CommandProcessorChecker::Finding CommandProcessorChecker::publish(Queue& q, const MemReq& r) {
  ++checked_;
  const auto first = static_cast<unsigned>(std::countr_zero(r.byte_mask));
  uint64_t value = 0;
  std::memcpy(&value, r.data.data() + first, 8);
  if (r.byte_mask >> first != 0xff || value < q.published || value > q.next) {
    return Violation{"read index", fmt::format("{} behind {}, of a queue whose next packet is {}",
                                               value, q.published, q.next)};
  }
  for (Packet& p : q.packets) {
    const bool covered = p.index < value;
    if (covered && (p.complete == kNotYet || p.failed)) {
      return Violation{"read index",
                       fmt::format("{}, and packet {} is not complete", value, p.index)};
    }
    if (p.complete == kNotYet || p.published != kNotYet) continue;
    if (covered && !released(p)) {
      return Violation{"release", fmt::format("read index {}, and not every cache of the release "
                                              "fence of packet {} was written back since its end",
                                              value, p.index)};
    }
    if (covered || released(p)) p.published = event();
  }
  q.published = value;
  settle(q);
  return std::nullopt;
}

/// Forgets packets that have nothing left to do.
void CommandProcessorChecker::settle(Queue& q) {
  while (!q.packets.empty()) {
    const Packet& p = q.packets.front();
    const bool over = p.published != kNotYet && p.index < q.published &&
                      (p.bytes.completion_signal == 0 || p.signaled);
    if (!over && !(p.failed && q.failed)) return;
    q.packets.pop_front();
  }
}

CommandProcessorChecker::Finding CommandProcessorChecker::check_atomic(const MemReq& r) {
  ++checked_;
  int64_t amount = 0;
  std::memcpy(&amount, r.data.data(), 8);
  const bool decrement = r.atomic_bytes == 8 && ((r.atomic == base::AtomicOp::Sub && amount == 1) ||
                                                 (r.atomic == base::AtomicOp::Add && amount == -1));
  for (auto& [number, q] : queues_) {
    if (q.free) continue;
    for (Packet& p : q.packets) {
      const uint64_t signal = p.bytes.completion_signal;
      if (signal == 0 || p.signaled || physical(q, signal + kValue) != r.address) continue;
      if (p.complete == kNotYet || p.failed) continue;
      const std::string name = packet_text(number, p.index);
      if (!decrement) return Violation{"signal", name + ": its signal is decremented by 1"};
      if (!released(p)) {
        return Violation{"release", name +
                                        ": signaled before every cache of its release fence was "
                                        "written back since its end"};
      }
      if (p.published == kNotYet) {
        return Violation{"write order", name + ": signaled before the read index was written"};
      }
      p.signaled = true;
      hsa::AmdSignal contents;
      if (image_.look(translations_, q.binding.vmid, signal, &contents, sizeof contents) &&
          contents.event_mailbox_ptr != 0) {
        q.mailboxes.push_back(contents.event_mailbox_ptr);
      }
      settle(q);
      return std::nullopt;
    }
  }
  if (any_free_) return std::nullopt;
  return Violation{"signal",
                   fmt::format("an atomic at physical address {:#x}, which is no completion "
                               "signal of a packet that is complete",
                               r.address)};
}

}  // namespace cuvette::ip
