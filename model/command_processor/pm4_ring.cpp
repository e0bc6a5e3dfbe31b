// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "command_processor/pm4_ring.h"

#include <algorithm>
#include <utility>

#include "hsa/queue_error.h"

namespace cuvette::command_processor {
namespace {

constexpr uint64_t ring_dwords(const QueueBinding& binding) {
  return uint64_t{binding.ring_packets} * (hsa::kPacketBytes / 4);
}

}  // namespace

/// Sleeps until the write pointer moves, takes packets up to it.
Task Pm4Ring::serve(QueueRun& q) {
  q.read_index = q.published = q.binding.read_pointer;
  Pm4Run run;
  run.ring = true;
  while (run.error == 0 && !q.failed) {
    co_await AwaitWake(q);
    if (std::exchange(q.poll, false) && q.binding.write_poll != 0) {
      uint64_t pointer = 0;
      if (co_await me_.read(q.binding.vmid, q.binding.write_poll, &pointer, sizeof pointer)) {
        q.write_pointer = pointer;
      } else {
        run.fault(q.binding.write_poll);
      }
    }
    run.given_up = false;
    uint64_t before = ~q.read_index;
    while (run.error == 0 && !run.given_up && !q.unbound && !q.failed && q.read_index != before) {
      before = q.read_index;
      co_await take_packet(q, run);
    }
  }
  if (run.error != 0) co_await notices_.fail(q, run.error, run.error_address);
}

/// One packet, if all of it is there.
Task Pm4Ring::take_packet(QueueRun& q, Pm4Run& run) {
  // The pointer may have moved while the packet before was run.
  const uint64_t filled = q.write_pointer > q.read_index ? q.write_pointer - q.read_index : 0;
  if (filled > ring_dwords(q.binding)) {  // more than the ring can hold
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  if (run.skip != 0) {
    const uint64_t skipped = std::min<uint64_t>(run.skip, filled);
    run.skip -= skipped;
    q.read_index += skipped;
    if (skipped != 0) co_await report_pointer(q, run);
    co_return;
  }
  if (filled == 0) co_return;
  bool good = true;
  uint32_t head = 0;
  co_await read_ring(q, q.read_index, &head, 1, good);
  const unsigned body = good ? pm4::body_behind(head) : 0;
  if (good && (body == pm4::kNoPacket || body >= ring_dwords(q.binding))) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  if (good && body >= filled) co_return;  // the rest follows with the write pointer
  run.body.assign(body, 0);
  if (good) co_await read_ring(q, q.read_index + 1, run.body.data(), body, good);
  if (!good) {
    run.fault(q.binding.ring_address);
    co_return;
  }
  ++me_.counters().packets;
  co_await pm4_.run_packet(q, run, head);
  co_await pm4_.run_buffers(q, run);
  if (run.given_up && q.reset) run.buffers.clear();
  if (run.error != 0 || run.given_up || q.failed) co_return;
  q.read_index += 1 + body;
  co_await report_pointer(q, run);
}

/// Around the end of the ring.
Task Pm4Ring::read_ring(QueueRun& q, uint64_t pointer, uint32_t* out, unsigned dwords, bool& good) {
  const uint64_t size = ring_dwords(q.binding);
  for (unsigned done = 0; done < dwords && good;) {
    const uint64_t at = (pointer + done) % size;
    const auto count = static_cast<unsigned>(
        std::min<uint64_t>({dwords - done, size - at, memory::kBlockBytes / 4}));
    good =
        co_await me_.read(q.binding.vmid, q.binding.ring_address + 4 * at, out + done, 4 * count);
    done += count;
  }
}

/// The place in the ring where the next packet starts, for the host.
Task Pm4Ring::report_pointer(QueueRun& q, Pm4Run& run) {
  q.published = q.read_index;
  const auto place = static_cast<uint32_t>(q.read_index % ring_dwords(q.binding));
  if (q.binding.read_report != 0 &&
      !co_await me_.write(q.binding.vmid, q.binding.read_report, &place, sizeof place)) {
    run.fault(q.binding.read_report);
    co_return;
  }
  notices_.tell(q, QueueState::Active);
}

}  // namespace cuvette::command_processor
