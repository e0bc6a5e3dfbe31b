// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// What the packet processor does with a queue, as its firmware would say it.
#include "command_processor/firmware.h"

#include <cstddef>
#include <cstring>

#include "base/bits.h"
#include "hsa/kernel_descriptor.h"
#include "hsa/queue_error.h"
#include "hsa/signal.h"

namespace cuvette::command_processor {
namespace {

constexpr uint64_t kReadIndexOffset = offsetof(hsa::AmdQueue, read_dispatch_id);
constexpr uint64_t kInactiveSignalOffset = offsetof(hsa::AmdQueue, queue_inactive_signal);
constexpr uint64_t kSignalValueOffset = offsetof(hsa::AmdSignal, value);

/// Queue error bits of a packet that no machine could run; 0 for a good one.
uint32_t check(const hsa::KernelDispatchPacket& p) {
  const unsigned dimensions = hsa::dimensions(p);
  const uint64_t items = uint64_t{p.workgroup_size_x} * p.workgroup_size_y * p.workgroup_size_z;
  if (dimensions == 0 || dimensions > 3) return hsa::kQueueErrorDispatch;
  if (items == 0 || p.grid_size_x == 0 || p.grid_size_y == 0 || p.grid_size_z == 0) {
    return hsa::kQueueErrorDispatch;
  }
  if (items > 1024) return hsa::kQueueErrorWorkgroupSize;
  if (p.group_segment_size > 65536) return hsa::kQueueErrorGroupMemory;
  if (p.kernel_object == 0 || p.kernel_object % 64 != 0) return hsa::kQueueErrorCode;
  return 0;
}

spi::Dispatch dispatch_of(const hsa::KernelDispatchPacket& p, const hsa::KernelDescriptor& kd,
                          const hsa::AmdQueue& queue, const QueueBinding& binding,
                          uint64_t packet_address, uint64_t index) {
  spi::Dispatch d;
  d.vmid = binding.vmid;
  d.queue_priority = binding.priority;
  d.packet_address = packet_address;
  d.dispatch_index = index;
  d.queue_address = binding.queue_address;
  d.kernel_object = p.kernel_object;
  d.entry = p.kernel_object + static_cast<uint64_t>(kd.kernel_code_entry_byte_offset);
  d.kernarg = p.kernarg_address;
  d.grid = {p.grid_size_x, p.grid_size_y, p.grid_size_z};
  d.workgroup = {p.workgroup_size_x, p.workgroup_size_y, p.workgroup_size_z};
  d.group_bytes = p.group_segment_size;
  d.private_bytes = p.private_segment_size;
  d.rsrc1 = kd.compute_pgm_rsrc1;
  d.rsrc2 = kd.compute_pgm_rsrc2;
  d.rsrc3 = kd.compute_pgm_rsrc3;
  d.properties = kd.kernel_code_properties;
  std::memcpy(d.scratch_descriptor.data(), queue.scratch_resource_descriptor,
              sizeof queue.scratch_resource_descriptor);
  d.scratch_base = queue.scratch_backing_memory_location;
  d.scratch_bytes_per_wave = base::align_up(base::align_up(p.private_segment_size, 4) * 64, 1024);
  return d;
}

}  // namespace

/// The life of a queue: sleep until rung, take packets while their header says valid.
Task CommandProcessorTlm::serve(QueueState& q) {
  const uint8_t vmid = q.binding.vmid;
  uint32_t error = 0;
  if (!co_await read(vmid, q.binding.queue_address, reinterpret_cast<uint8_t*>(&q.queue),
                     sizeof q.queue)) {
    error = hsa::kQueueErrorMemoryFault;
  }
  q.read_index = q.published = q.queue.read_dispatch_id;
  while (error == 0 && !q.failed) {
    co_await AwaitWake(q);
    while (!q.unbound) {
      const uint64_t index = q.read_index;
      const uint64_t address =
          q.queue.hsa_queue.base_address + index % q.queue.hsa_queue.size * hsa::kPacketBytes;
      hsa::KernelDispatchPacket packet;
      if (!co_await read(vmid, address, reinterpret_cast<uint8_t*>(&packet), sizeof packet)) {
        error = hsa::kQueueErrorMemoryFault;
        break;
      }
      const hsa::PacketHeader header = hsa::decode_header(packet.header);
      if (header.type == hsa::PacketType::Invalid) break;
      ++counters_.packets;
      if (config_.packet_cycles > 1) co_await delay(config_.packet_cycles);
      if (header.barrier) co_await AwaitDone(q);
      if (q.failed) break;

      const bool barrier_packet =
          header.type == hsa::PacketType::BarrierAnd || header.type == hsa::PacketType::BarrierOr;
      hsa::KernelDescriptor descriptor;
      if (barrier_packet) {
        ++counters_.barriers;
        hsa::BarrierPacket barrier;
        std::memcpy(static_cast<void*>(&barrier), &packet, sizeof barrier);
        const bool all = header.type == hsa::PacketType::BarrierAnd;
        for (bool satisfied = false; !satisfied && error == 0;) {
          unsigned open = 0;
          unsigned met = 0;
          for (const uint64_t signal : barrier.dep_signal) {
            if (signal == 0) continue;
            int64_t value = 0;
            if (!co_await read(vmid, signal + kSignalValueOffset,
                               reinterpret_cast<uint8_t*>(&value), sizeof value)) {
              error = hsa::kQueueErrorMemoryFault;
            }
            value == 0 ? ++met : ++open;
          }
          satisfied = all ? open == 0 : met != 0 || open == 0;
          if (!satisfied) co_await delay(config_.poll_cycles);
        }
      } else if (header.type == hsa::PacketType::KernelDispatch) {
        error = check(packet);
        if (error == 0 &&
            !co_await read(vmid, packet.kernel_object, reinterpret_cast<uint8_t*>(&descriptor),
                           sizeof descriptor)) {
          error = hsa::kQueueErrorCode;
        }
      } else {
        error = hsa::kQueueErrorPacket;  // agent dispatch and vendor packets have no handler here
      }
      if (error != 0) break;
      // Acquire: what other agents wrote must be seen, so nothing older may answer from a cache.
      if (header.acquire != hsa::FenceScope::None) {
        const bool system = header.acquire == hsa::FenceScope::System;
        co_await fence(memory::MemOp::Writeback, near_);
        if (system) co_await fence(memory::MemOp::Writeback, far_);
        co_await fence(memory::MemOp::Invalidate, near_);
        if (system) co_await fence(memory::MemOp::Invalidate, far_);
      }
      // The slot goes back to the producer with its header; the read index follows at completion,
      // because waves read their packet while they run.
      const uint16_t invalid = hsa::kInvalidHeader;
      co_await write(vmid, address, &invalid, sizeof invalid);
      ++q.read_index;

      auto launched = std::make_unique<InFlight>();
      launched->index = index;
      launched->packet = packet;
      if (barrier_packet) {
        launched->finished = true;
      } else {
        ++counters_.dispatches;
        spi::Dispatch d = dispatch_of(packet, descriptor, q.queue, q.binding, address, index);
        d.id = launched->id = next_dispatch_++;
        co_await launch(d);
      }
      InFlight& entry = *launched;
      q.in_flight.push_back(std::move(launched));
      entry.task = complete(q, entry);
      entry.task.start();
    }
  }
  if (error != 0 && !q.failed) {
    q.failed = true;
    ++counters_.errors;
    const int64_t code = error;
    uint64_t signal = 0;
    std::memcpy(&signal, reinterpret_cast<const uint8_t*>(&q.queue) + kInactiveSignalOffset,
                sizeof signal);
    if (signal != 0) co_await write(vmid, signal + kSignalValueOffset, &code, sizeof code);
    raise(q, error, 0);
  }
}

/// From launch to completion of one packet: release, signal, read index.
Task CommandProcessorTlm::complete(QueueState& q, InFlight& launched) {
  const uint8_t vmid = q.binding.vmid;
  if (!launched.finished) {
    launched.waiting = begin();
    launched.waiting->left = 1;
    co_await Await(launched.waiting);
  }
  if (launched.done.error) {
    // The queue stops; the completion signal stays as it is (HSAIL PRM 12.2, Compute ABI).
    if (!q.failed) {
      q.failed = true;
      ++counters_.errors;
      const int64_t code = launched.done.error_code;
      const uint64_t signal = q.queue.queue_inactive_signal;
      if (signal != 0) co_await write(vmid, signal + kSignalValueOffset, &code, sizeof code);
      raise(q, launched.done.error_code, launched.done.error_address);
    }
  } else {
    const hsa::PacketHeader header = hsa::decode_header(launched.packet.header);
    // Level by level: what the first one writes back has to pass the second.
    if (header.release != hsa::FenceScope::None) {
      co_await fence(memory::MemOp::Writeback, near_);
      if (header.release == hsa::FenceScope::System) {
        co_await fence(memory::MemOp::Writeback, far_);
      }
    }
    // Publish the read index over all packets that are complete without a gap.
    q.completed[launched.index] = true;
    while (!q.completed.empty() && q.completed.begin()->first == q.published) {
      q.completed.erase(q.completed.begin());
      ++q.published;
    }
    const uint64_t published = q.published;
    co_await write(vmid, q.binding.queue_address + kReadIndexOffset, &published, sizeof published);
    if (const uint64_t signal = launched.packet.completion_signal; signal != 0) {
      hsa::AmdSignal contents;
      co_await read(vmid, signal, reinterpret_cast<uint8_t*>(&contents), sizeof contents);
      co_await fetch_sub(vmid, signal + kSignalValueOffset, 1);
      if (contents.event_mailbox_ptr != 0) {
        const uint64_t event = contents.event_id;
        co_await write(vmid, contents.event_mailbox_ptr, &event, sizeof event);
        raise(q, 0, contents.event_id);
      }
    }
  }
  launched.finished = true;
  launched.id = 0;  // tick() removes the entry and wakes who waits for an empty queue
}

}  // namespace cuvette::command_processor
