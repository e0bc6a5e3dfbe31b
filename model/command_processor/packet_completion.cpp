// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Completion of packets: the second half of PacketProcessor.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "command_processor/packet_processor.h"
#include "hsa/signal.h"

namespace cuvette::command_processor {

using Stage = CommandProcessor::Stage;

Task PacketProcessor::complete(QueueRun& q, InFlight& launched) {
  const hsa::PacketHeader header = hsa::decode_header(launched.packet.header);
  if (launched.waits) {
    launched.waiting = me_.begin();
    me_.hold(*launched.waiting);
    co_await Await(launched.waiting);
  }
  notices_.reach(q, launched.index, Stage::Ended);
  if (header.type == hsa::PacketType::VendorSpecific && !q.reset) {
    co_await run_buffers(q, launched);
  }
  if (q.reset) {
    // Ended, not completed: nobody is told.
  } else if (launched.done.error) {
    // The queue stops; the completion signal stays as it is (HSAIL PRM 12.2, Compute ABI).
    co_await notices_.fail(q, launched.done.error_code, launched.done.error_address);
  } else if (launched.done.saved) {
    context_.take_saved(q, launched);
  } else {
    co_await signal_completion(q, launched);
  }
  context_.forget(launched.id);
  launched.finished = true;
  launched.id = 0;  // tick() removes the entry and wakes who waits for an empty queue
}

/// PM4 buffers of a vendor packet, if it has some, and the grids that they start.
Task PacketProcessor::run_buffers(QueueRun& q, InFlight& launched) {
  hsa::VendorPacket vendor;
  std::memcpy(static_cast<void*>(&vendor), &launched.packet, sizeof vendor);
  if (vendor.format != hsa::kVendorPm4Ib) co_return;
  Pm4Run run;
  hsa::Pm4IbPacket p;
  std::memcpy(static_cast<void*>(&p), &launched.packet, sizeof p);
  run.index = launched.index;
  run.jump = {p.jump[1], p.jump[2], p.jump[3]};
  co_await pm4_.run(q, run);
  const auto is_own = [index = run.index](const auto& e) {
    return e->grid && e->index == index && !e->finished;
  };
  co_await AwaitWhen(
      q, [&q, is_own] { return std::none_of(q.in_flight.begin(), q.in_flight.end(), is_own); });
  launched.done.error = run.error != 0;
  launched.done.error_code = run.error;
  launched.done.error_address = run.error_address;
}

Task PacketProcessor::signal_completion(QueueRun& q, const InFlight& launched) {
  const uint8_t vmid = q.binding.vmid;
  const hsa::PacketHeader header = hsa::decode_header(launched.packet.header);
  const machine::Cycle end = me_.now();
  // Level by level: what the first one writes back has to pass the second.
  if (header.release != hsa::FenceScope::None) {
    FenceFault bad;
    co_await me_.fence(memory::MemOp::Writeback, Level::Near, bad);
    if (header.release == hsa::FenceScope::System) {
      co_await me_.fence(memory::MemOp::Writeback, Level::Far, bad);
    }
    if (bad.any) {
      co_await notices_.fail(q, hsa::kQueueErrorMemoryFault, bad.address);
      co_return;
    }
  }
  notices_.reach(q, launched.index, Stage::Released);
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
  if (!co_await me_.write(vmid, q.binding.read_report, &published, sizeof published)) {
    co_await notices_.fail(q, hsa::kQueueErrorMemoryFault, q.binding.read_report);
    co_return;
  }
  notices_.tell(q, QueueState::Active);
  const uint64_t signal = launched.packet.completion_signal;
  if (signal == 0) co_return;
  hsa::AmdSignal contents;
  if (!co_await me_.read(vmid, signal, &contents, sizeof contents)) {
    co_await notices_.fail(q, hsa::kQueueErrorMemoryFault, signal);
    co_return;
  }
  if ((q.queue.queue_properties & hsa::kQueueEnableProfiling) != 0) {
    const uint64_t times[2] = {launched.start, end};
    const uint64_t stamps = signal + offsetof(hsa::AmdSignal, start_ts);
    if (!co_await me_.write(vmid, stamps, times, sizeof times)) {
      co_await notices_.fail(q, hsa::kQueueErrorMemoryFault, stamps);
      co_return;
    }
  }
  if (!co_await me_.fetch_sub(vmid, signal + hsa::kSignalValueOffset, 1u)) {
    co_await notices_.fail(q, hsa::kQueueErrorMemoryFault, signal + hsa::kSignalValueOffset);
    co_return;
  }
  notices_.reach(q, launched.index, Stage::Signaled);
  if (contents.event_mailbox_ptr != 0) {
    const uint64_t event = contents.event_id;
    if (!co_await me_.write(vmid, contents.event_mailbox_ptr, &event, sizeof event)) {
      co_await notices_.fail(q, hsa::kQueueErrorMemoryFault, contents.event_mailbox_ptr);
      co_return;
    }
    notices_.raise(q, 0, contents.event_id);
    notices_.reach(q, launched.index, Stage::Raised);
  }
}

}  // namespace cuvette::command_processor
