// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// What the packet processor does with a queue, as its firmware would say it.
#include "command_processor/firmware.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "command_processor/packet_check.h"
#include "command_processor/pm4.h"
#include "hsa/signal.h"

namespace cuvette::command_processor {
namespace {

constexpr uint64_t kReadIndexOffset = offsetof(hsa::AmdQueue, read_dispatch_id);
constexpr uint64_t kReadIndexDistance =
    offsetof(hsa::AmdQueue, read_dispatch_id_field_base_byte_offset) - kReadIndexOffset;
constexpr uint64_t kSignalValueOffset = offsetof(hsa::AmdSignal, value);

constexpr uint64_t kPacketDwords = hsa::kPacketBytes / 4;

constexpr uint32_t kTrapPresent = 1u << 6;  // COMPUTE_PGM_RSRC2.TRAP_PRESENT

spi::Dispatch make_dispatch(const hsa::KernelDispatchPacket& p, const hsa::KernelDescriptor& kd,
                            const Preload& preload, const hsa::AmdQueue& queue,
                            const QueueBinding& binding, uint64_t packet_address, uint64_t index) {
  spi::Dispatch d;
  d.vmid = binding.vmid;
  d.queue_priority = binding.priority;
  d.packet_address = packet_address;
  d.dispatch_index = index;
  d.queue_address = binding.queue_address;
  d.kernel_object = p.kernel_object;
  d.entry = p.kernel_object + static_cast<uint64_t>(kd.kernel_code_entry_byte_offset);
  // Behind the loads for packet processors that do not preload.
  if (preload.count() != 0) d.entry += hsa::kPreloadEntryOffset;
  d.kernarg = p.kernarg_address;
  d.grid = {p.grid_size_x, p.grid_size_y, p.grid_size_z};
  d.workgroup = {p.workgroup_size_x, p.workgroup_size_y, p.workgroup_size_z};
  d.group_bytes = p.group_segment_size;
  d.private_bytes = p.private_segment_size;
  d.rsrc1 = kd.compute_pgm_rsrc1;
  d.rsrc2 = kd.compute_pgm_rsrc2;
  // Objects have it 0: whether a trap ends the wave is not theirs to say (LLVM AMDGPUUsage,
  // compute_pgm_rsrc2).
  d.rsrc2 |= kTrapPresent;
  d.tba = binding.trap_handler;
  d.tma = binding.trap_memory;
  d.rsrc3 = kd.compute_pgm_rsrc3;
  d.properties = kd.kernel_code_properties | uint32_t{preload.word} << 16;
  d.user_data = preload.dwords;
  std::memcpy(d.scratch_descriptor.data(), queue.scratch_resource_descriptor,
              sizeof queue.scratch_resource_descriptor);
  d.scratch_base = queue.scratch_backing_memory_location;
  // All waves of the queue have places of one size.
  const ScratchRing ring = scratch_ring(queue);
  if (p.private_segment_size != 0) {
    d.scratch_bytes_per_wave = ring.bytes_per_wave;
    d.scratch_waves = ring.waves;
  }
  d.cu_mask = binding.cu_mask;
  return d;
}

AgentDispatch agent_dispatch_of(const hsa::KernelDispatchPacket& packet, uint32_t id,
                                uint32_t queue, uint8_t vmid) {
  hsa::AgentDispatchPacket p;
  std::memcpy(static_cast<void*>(&p), &packet, sizeof p);
  AgentDispatch d;
  d.id = id;
  d.queue = queue;
  d.type = p.type;
  d.vmid = vmid;
  d.return_address = p.return_address;
  std::memcpy(d.arg.data(), p.arg, sizeof p.arg);
  return d;
}

}  // namespace

spi::Dispatch CommandProcessorTlm::dispatch_of(const QueueRun& q, const Taken& t, uint64_t address,
                                               uint64_t index) {
  spi::Dispatch d =
      make_dispatch(t.packet, t.kernel, t.preload, q.queue, q.binding, address, index);
  d.id = next_dispatch_++;
  return d;
}

/// Finds the amd_queue_t and the ring. A queue made known by registers alone has its amd_queue_t
/// around the place where its read index goes: the field behind the index says how far before it
/// the object starts (Compute ABI, read_dispatch_id_field_base_byte_offset).
Task CommandProcessorTlm::open(QueueRun& q, Taken& outcome) {
  QueueBinding& b = q.binding;
  if (b.queue_address == 0) {
    uint32_t distance = 0;
    const uint64_t field = b.read_report + kReadIndexDistance;
    if (!co_await read(b.vmid, field, reinterpret_cast<uint8_t*>(&distance), sizeof distance)) {
      outcome.fault(field);
      co_return;
    }
    b.queue_address = b.read_report - distance;
  }
  if (!co_await read(b.vmid, b.queue_address, reinterpret_cast<uint8_t*>(&q.queue),
                     sizeof q.queue)) {
    outcome.fault(b.queue_address);
    co_return;
  }
  if (b.ring_address != 0) {
    q.queue.hsa_queue.base_address = b.ring_address;
    q.queue.hsa_queue.size = b.ring_packets;
  }
  if (q.queue.hsa_queue.size == 0) {
    outcome.error = hsa::kQueueErrorPacket;
    co_return;
  }
  if (b.read_report == 0) b.read_report = b.queue_address + kReadIndexOffset;
  q.read_index = q.published = q.queue.read_dispatch_id;
}

/// The life of a queue: sleep until rung, take packets while their header says valid.
Task CommandProcessorTlm::serve(QueueRun& q) {
  const uint8_t vmid = q.binding.vmid;
  Taken t;
  co_await open(q, t);
  if (t.error == 0) co_await restore(q, t);
  while (t.error == 0 && !q.failed) {
    co_await AwaitWake(q);
    reach(q, q.read_index, Stage::Awake);
    while (!q.unbound) {
      const uint64_t index = q.read_index;
      const uint64_t address =
          q.queue.hsa_queue.base_address + (index % q.queue.hsa_queue.size) * hsa::kPacketBytes;
      if (!co_await read(vmid, address, reinterpret_cast<uint8_t*>(&t.packet), sizeof t.packet)) {
        t.fault(address);
        break;
      }
      t.header = hsa::decode_header(t.packet.header);
      if (t.header.type == hsa::PacketType::Invalid) break;
      ++counters_.packets;
      reach(q, index, Stage::Fetched);
      if (config_.packet_cycles > 1) co_await delay(config_.packet_cycles);
      reach(q, index, Stage::Decoded);
      if (t.header.barrier) co_await AwaitDone(q);
      if (q.failed || q.unbound) break;
      co_await prepare(q, t);
      if (t.error != 0 || !t.ready) break;
      reach(q, index, Stage::Prepared);
      // Acquire: what other agents wrote must be seen, so nothing older may answer from a cache.
      if (t.header.acquire != hsa::FenceScope::None) {
        const bool system = t.header.acquire == hsa::FenceScope::System;
        FenceFault bad;
        co_await fence(memory::MemOp::Writeback, near_, bad);
        if (system) co_await fence(memory::MemOp::Writeback, far_, bad);
        co_await fence(memory::MemOp::Invalidate, near_, bad);
        if (system) co_await fence(memory::MemOp::Invalidate, far_, bad);
        if (bad.any) {
          t.fault(bad.address);
          break;
        }
      }
      reach(q, index, Stage::Acquired);
      // The slot goes back to the producer with its header; the read index follows at completion,
      // because waves read their packet while they run.
      uint16_t invalid = hsa::kInvalidHeader;
      const bool given_back = co_await write(vmid, address, &invalid, sizeof invalid);
      if (!given_back) {
        t.fault(address);
        break;
      }
      ++q.read_index;

      auto launched = in_flight();
      launched->index = index;
      launched->packet = t.packet;
      if (t.kind == Taken::Kind::Dispatch) {
        ++counters_.dispatches;
        const spi::Dispatch d = dispatch_of(q, t, address, index);
        launched->id = d.id;
        co_await launch(d);
      } else if (t.kind == Taken::Kind::Agent) {
        launched->id = next_dispatch_++;
        agent_dispatch.push(agent_dispatch_of(t.packet, launched->id, q.number, vmid), now_ + 1);
      } else {
        launched->waits = false;
      }
      launched->start = now_;
      reach(q, index, Stage::Started);
      InFlight& entry = *launched;
      q.in_flight.push_back(std::move(launched));
      entry.task = complete(q, entry);
      entry.task.start();
    }
  }
  if (t.error != 0) co_await fail(q, t.error, t.error_address);
}

/// A queue stops once: its inactive signal gets the error bits, the host an interrupt.
Task CommandProcessorTlm::fail(QueueRun& q, uint32_t error, uint64_t address) {
  if (q.failed || q.reset) co_return;
  q.failed = true;
  ++counters_.errors;
  const int64_t code = error;
  const uint64_t signal = q.queue.queue_inactive_signal;
  if (signal != 0) {
    co_await write(q.binding.vmid, signal + kSignalValueOffset, &code, sizeof code);
  }
  raise(q, error, address);
  tell(q, QueueState::Failed, error, address);
}

/// From launch to completion of one packet: PM4 buffers, release, signal, read index.
Task CommandProcessorTlm::complete(QueueRun& q, InFlight& launched) {
  const hsa::PacketHeader header = hsa::decode_header(launched.packet.header);
  if (launched.waits) {
    launched.waiting = begin();
    launched.waiting->left = 1;
    co_await Await(launched.waiting);
  }
  reach(q, launched.index, Stage::Ended);
  if (header.type == hsa::PacketType::VendorSpecific && !q.reset) {
    hsa::VendorPacket vendor;
    std::memcpy(static_cast<void*>(&vendor), &launched.packet, sizeof vendor);
    if (vendor.format == hsa::kVendorPm4Ib) {
      Pm4Run run;
      hsa::Pm4IbPacket p;
      std::memcpy(static_cast<void*>(&p), &launched.packet, sizeof p);
      run.index = launched.index;
      run.jump = {p.jump[1], p.jump[2], p.jump[3]};
      co_await run_pm4(q, run);
      const auto is_own = [index = run.index](const auto& e) {
        return e->grid && e->index == index && !e->finished;
      };
      co_await AwaitWhen(
          q, [&q, is_own] { return std::none_of(q.in_flight.begin(), q.in_flight.end(), is_own); });
      launched.done.error = run.error != 0;
      launched.done.error_code = run.error;
      launched.done.error_address = run.error_address;
    }
  }
  if (q.reset) {
    // Ended, not completed: nobody is told.
  } else if (launched.done.error) {
    // The queue stops; the completion signal stays as it is (HSAIL PRM 12.2, Compute ABI).
    co_await fail(q, launched.done.error_code, launched.done.error_address);
  } else if (launched.done.saved) {
    take_saved(q, launched);
  } else {
    co_await signal_completion(q, launched);
  }
  saved_groups_.erase(launched.id);
  launched.finished = true;
  launched.id = 0;  // tick() removes the entry and wakes who waits for an empty queue
}

Task CommandProcessorTlm::signal_completion(QueueRun& q, const InFlight& launched) {
  const uint8_t vmid = q.binding.vmid;
  const hsa::PacketHeader header = hsa::decode_header(launched.packet.header);
  const machine::Cycle end = now_;
  // Level by level: what the first one writes back has to pass the second.
  if (header.release != hsa::FenceScope::None) {
    FenceFault bad;
    co_await fence(memory::MemOp::Writeback, near_, bad);
    if (header.release == hsa::FenceScope::System) {
      co_await fence(memory::MemOp::Writeback, far_, bad);
    }
    if (bad.any) {
      co_await fail(q, hsa::kQueueErrorMemoryFault, bad.address);
      co_return;
    }
  }
  reach(q, launched.index, Stage::Released);
  // Publish the read index over all packets that are complete without a gap.
  if (launched.index == q.published) {
    ++q.published;
    for (; !q.completed.empty() && *q.completed.begin() == q.published; ++q.published) {
      q.completed.erase(q.completed.begin());
    }
  } else {
    q.completed.insert(launched.index);
  }
  const uint64_t published = q.published;
  if (!co_await write(vmid, q.binding.read_report, &published, sizeof published)) {
    co_await fail(q, hsa::kQueueErrorMemoryFault, q.binding.read_report);
    co_return;
  }
  tell(q, QueueState::Active);
  const uint64_t signal = launched.packet.completion_signal;
  if (signal == 0) co_return;
  hsa::AmdSignal contents;
  if (!co_await read(vmid, signal, reinterpret_cast<uint8_t*>(&contents), sizeof contents)) {
    co_await fail(q, hsa::kQueueErrorMemoryFault, signal);
    co_return;
  }
  if ((q.queue.queue_properties & hsa::kQueueEnableProfiling) != 0) {
    const uint64_t times[2] = {launched.start, end};
    const uint64_t stamps = signal + offsetof(hsa::AmdSignal, start_ts);
    if (!co_await write(vmid, stamps, times, sizeof times)) {
      co_await fail(q, hsa::kQueueErrorMemoryFault, stamps);
      co_return;
    }
  }
  if (!co_await fetch_sub(vmid, signal + kSignalValueOffset, 1u)) {
    co_await fail(q, hsa::kQueueErrorMemoryFault, signal + kSignalValueOffset);
    co_return;
  }
  reach(q, launched.index, Stage::Signaled);
  if (contents.event_mailbox_ptr != 0) {
    const uint64_t event = contents.event_id;
    if (!co_await write(vmid, contents.event_mailbox_ptr, &event, sizeof event)) {
      co_await fail(q, hsa::kQueueErrorMemoryFault, contents.event_mailbox_ptr);
      co_return;
    }
    raise(q, 0, contents.event_id);
    reach(q, launched.index, Stage::Raised);
  }
}

/// The queue goes away: what runs completes, or is cancelled, or saved, then its state is in its
/// memory queue descriptor.
Task CommandProcessorTlm::leave(QueueRun& q) {
  while (!q.quiet()) {
    for (auto& entry : q.in_flight) {
      if (!q.reset || entry->id == 0 || entry->cancelled) continue;
      entry->cancelled = true;
      spi_->cancel.push(spi::Cancel{entry->id}, now_ + 1);
    }
    // A drain that becomes a reset, and what was on its way to the spi, are seen a look later.
    if (q.reset) {
      co_await delay(config_.poll_cycles);
    } else if (q.save) {
      if (may_ask_save(q)) ask_save(q);
      co_await AwaitWhen(q, [&q] { return q.reset || q.quiet() || may_ask_save(q); });
    } else {
      co_await AwaitQuiet(q);
    }
  }
  co_await store_saved(q);
  // Without a stack nobody can tell what the area holds.
  if (q.stack_offset == q.binding.stack_bytes) q.save_end = q.save_begin;
  if (const uint64_t mqd = q.binding.mqd_address; mqd != 0) {
    const uint64_t index = q.published;
    const auto pointer = static_cast<uint32_t>(
        q.binding.pm4 ? index % (q.binding.ring_packets * kPacketDwords) : index * kPacketDwords);
    const uint32_t inactive = 0;
    // The kernel's address space (CP_MQD_CONTROL.VMID).
    if (q.binding.pm4) {
      const uint64_t filled = q.write_pointer;
      co_await write(0, mqd + uint64_t{4} * pm4::kMqdWritePointer, &filled, sizeof filled);
    } else {
      co_await write(0, mqd + uint64_t{4} * pm4::kMqdReadIndex, &index, sizeof index);
    }
    co_await write(0, mqd + uint64_t{4} * pm4::kMqdReadPointer, &pointer, sizeof pointer);
    if (q.binding.save_area != 0) {
      co_await write(0, mqd + uint64_t{4} * pm4::kMqdStackOffset, &q.stack_offset, 4);
      co_await write(0, mqd + uint64_t{4} * pm4::kMqdStateOffset, &q.save_end, 4);
    }
    co_await write(0, mqd + uint64_t{4} * pm4::kMqdActive, &inactive, sizeof inactive);
  }
  tell(q, QueueState::Inactive);
}

}  // namespace cuvette::command_processor
