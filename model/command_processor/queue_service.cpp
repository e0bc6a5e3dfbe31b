// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "command_processor/queue_service.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "command_processor/make_dispatch.h"
#include "command_processor/packet_check.h"
#include "command_processor/pm4.h"

namespace cuvette::command_processor {

using Stage = CommandProcessor::Stage;

namespace {

constexpr uint64_t kReadIndexOffset = offsetof(hsa::AmdQueue, read_dispatch_id);
constexpr uint64_t kReadIndexDistance =
    offsetof(hsa::AmdQueue, read_dispatch_id_field_base_byte_offset) - kReadIndexOffset;
constexpr uint64_t kPacketDwords = hsa::kPacketBytes / 4;

}  // namespace

/// Finds the amd_queue_t and the ring. A queue made known by registers alone has its amd_queue_t
/// around the place where its read index goes: the field behind the index says how far before it
/// the object starts (Compute ABI, read_dispatch_id_field_base_byte_offset).
Task QueueService::open(QueueRun& q, PacketContext& outcome) {
  QueueBinding& b = q.binding;
  if (b.queue_address == 0) {
    uint32_t distance = 0;
    const uint64_t field = b.read_report + kReadIndexDistance;
    if (!co_await me_.read(b.vmid, field, &distance, sizeof distance)) {
      outcome.fault(field);
      co_return;
    }
    b.queue_address = b.read_report - distance;
  }
  if (!co_await me_.read(b.vmid, b.queue_address, &q.queue, sizeof q.queue)) {
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
Task QueueService::serve(QueueRun& q) {
  const uint8_t vmid = q.binding.vmid;
  PacketContext t;
  co_await open(q, t);
  if (t.error == 0) co_await restore(q, t);
  while (t.error == 0 && !q.failed) {
    co_await AwaitWake(q);
    notices_.reach(q, q.read_index, Stage::Awake);
    while (!q.unbound) {
      const uint64_t index = q.read_index;
      const uint64_t address =
          q.queue.hsa_queue.base_address + (index % q.queue.hsa_queue.size) * hsa::kPacketBytes;
      if (!co_await me_.read(vmid, address, &t.packet, sizeof t.packet)) {
        t.fault(address);
        break;
      }
      t.header = hsa::decode_header(t.packet.header);
      if (t.header.type == hsa::PacketType::Invalid) break;
      ++me_.counters().packets;
      notices_.reach(q, index, Stage::Fetched);
      look_at_properties(q);
      const uint32_t cycles = me_.config().packet_cycles;
      me_.count_decoding(cycles);
      if (cycles > 1) co_await me_.delay(cycles);
      notices_.reach(q, index, Stage::Decoded);
      if (t.header.barrier) co_await AwaitDone(q);
      if (q.failed || q.unbound) break;
      co_await packets_.prepare(q, t);
      if (t.error != 0 || !t.ready) break;
      notices_.reach(q, index, Stage::Ready);
      if (t.header.acquire != hsa::FenceScope::None) co_await acquire(t);
      if (t.error != 0) break;
      notices_.reach(q, index, Stage::Acquired);
      // The slot goes back to the producer with its header; the read index follows at completion,
      // because waves read their packet while they run.
      uint16_t invalid = hsa::kInvalidHeader;
      const bool given_back = co_await me_.write(vmid, address, &invalid, sizeof invalid);
      if (!given_back) {
        t.fault(address);
        break;
      }
      ++q.read_index;
      co_await start(q, t, address);
    }
  }
  if (t.error != 0) co_await notices_.fail(q, t.error, t.error_address);
}

/// Acquire fence: nothing older than what other agents wrote may answer from a cache.
Task QueueService::acquire(PacketContext& t) {
  const bool system = t.header.acquire == hsa::FenceScope::System;
  FenceFault bad;
  co_await me_.fence(memory::MemOp::Writeback, Level::Near, bad);
  if (system) co_await me_.fence(memory::MemOp::Writeback, Level::Far, bad);
  co_await me_.fence(memory::MemOp::Invalidate, Level::Near, bad);
  if (system) co_await me_.fence(memory::MemOp::Invalidate, Level::Far, bad);
  if (bad.any) t.fault(bad.address);
}

/// To the spi, to the host, or at once to its completion.
Task QueueService::start(QueueRun& q, PacketContext& t, uint64_t address) {
  const uint64_t index = q.read_index - 1;
  auto launched = queues_.in_flight();
  launched->index = index;
  launched->packet = t.packet;
  if (t.kind == PacketContext::Kind::Dispatch) {
    ++me_.counters().dispatches;
    const spi::Dispatch d = packets_.dispatch_of(q, t, address, index);
    launched->id = d.id;
    co_await me_.launch(d);
  } else if (t.kind == PacketContext::Kind::Agent) {
    launched->id = me_.next_dispatch();
    agent_dispatch_.push(agent_dispatch_of(t.packet, launched->id, q.number, q.binding.vmid),
                         me_.now() + 1);
  } else {
    launched->waits = false;
  }
  launched->start = me_.now();
  notices_.reach(q, index, Stage::Started);
  InFlight& entry = queues_.launch(q, std::move(launched));
  entry.task = packets_.complete(q, entry);
  entry.task.start();
}

/// Dispatches whose waves were saved start before any packet of the ring.
Task QueueService::restore(QueueRun& q, PacketContext& t) {
  std::vector<SavedDispatch> dispatches;
  co_await context_.load(q, t, dispatches);
  if (dispatches.empty()) co_return;
  for (const SavedDispatch& s : dispatches) {
    if (t.error == 0) co_await restore_dispatch(q, t, s);
  }
  q.restoring = false;
  notices_.tell(q, QueueState::Active);
}

/// The packet is in the ring as long as it is not complete, but for its header.
Task QueueService::restore_dispatch(QueueRun& q, PacketContext& t, const SavedDispatch& saved) {
  const uint64_t address =
      q.queue.hsa_queue.base_address + saved.index % q.queue.hsa_queue.size * hsa::kPacketBytes;
  if (!co_await me_.read(q.binding.vmid, address, &t.packet, sizeof t.packet)) {
    t.fault(address);
    co_return;
  }
  std::memcpy(static_cast<void*>(&t.packet), &saved.head, sizeof saved.head);
  t.header = hsa::decode_header(t.packet.header);
  if (t.header.type != hsa::PacketType::KernelDispatch) {
    t.error = hsa::kQueueErrorPacket;
    co_return;
  }
  co_await packets_.prepare(q, t);
  if (!t.ready) t.error = hsa::kQueueErrorScratch;  // and it had scratch memory before
  if (t.error != 0) co_return;
  spi::Dispatch d = packets_.dispatch_of(q, t, address, saved.index);
  d.save_area = q.binding.save_area;
  d.next_group = saved.next_group;
  for (spi::SavedGroup g : saved.groups) {
    g.dispatch = d.id;
    me_.spi().restore.push(g, me_.now() + 1);
  }
  auto launched = queues_.in_flight();
  launched->index = saved.index;
  launched->packet = t.packet;
  launched->id = d.id;
  co_await me_.launch(d);
  launched->start = me_.now();
  InFlight& entry = queues_.launch(q, std::move(launched));
  entry.task = packets_.complete(q, entry);
  entry.task.start();
}

/// The properties of a queue, which a host may change at any time, are read beside what else goes
/// on; nobody waits for them.
void QueueService::look_at_properties(QueueRun& q) {
  constexpr size_t kProperties = offsetof(hsa::AmdQueue, queue_properties);
  Operation* op = me_.begin();
  op->properties_of = q.number;
  me_.start_read(*op, q.binding.vmid, q.binding.queue_address + kProperties, &op->value,
                 sizeof op->value);
}

/// The queue goes away: what runs completes, or is cancelled, or saved, then its state is in its
/// memory queue descriptor.
Task QueueService::leave(QueueRun& q) {
  while (!q.quiet()) {
    for (auto& entry : q.in_flight) {
      if (!q.reset || entry->id == 0 || entry->cancelled) continue;
      entry->cancelled = true;
      me_.spi().cancel.push(spi::Cancel{entry->id}, me_.now() + 1);
    }
    // A drain that becomes a reset, and what was on its way to the spi, are seen a look later.
    if (q.reset) {
      co_await me_.delay(me_.config().poll_cycles);
    } else if (q.save) {
      if (ContextSave::may_ask(q)) context_.ask(q);
      co_await AwaitWhen(q, [&q] { return q.reset || q.quiet() || ContextSave::may_ask(q); });
    } else {
      co_await AwaitQuiet(q);
    }
  }
  co_await context_.store(q);
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
      co_await me_.write(0, mqd + uint64_t{4} * pm4::kMqdWritePointer, &filled, sizeof filled);
    } else {
      co_await me_.write(0, mqd + uint64_t{4} * pm4::kMqdReadIndex, &index, sizeof index);
    }
    co_await me_.write(0, mqd + uint64_t{4} * pm4::kMqdReadPointer, &pointer, sizeof pointer);
    if (q.binding.save_area != 0) {
      co_await me_.write(0, mqd + uint64_t{4} * pm4::kMqdStackOffset, &q.stack_offset, 4);
      co_await me_.write(0, mqd + uint64_t{4} * pm4::kMqdStateOffset, &q.save_end, 4);
    }
    co_await me_.write(0, mqd + uint64_t{4} * pm4::kMqdActive, &inactive, sizeof inactive);
  }
  notices_.tell(q, QueueState::Inactive);
}

}  // namespace cuvette::command_processor
