// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// PM4 packets that set registers, and the grids that come from them.
#include <utility>

#include "command_processor/firmware.h"
#include "command_processor/pm4.h"
#include "hsa/queue_error.h"

namespace cuvette::command_processor {

using memory::MemOp;
using pm4::address_of;

namespace {
constexpr uint32_t kScratchEnable = 1;  // COMPUTE_PGM_RSRC2.SCRATCH_EN
}

Task CommandProcessorTlm::pm4_set_sh_reg(QueueRun& q, Pm4Run& run) {
  co_await set_registers(q, run, pm4::kShRegisters, pm4::kShRegistersEnd);
}

Task CommandProcessorTlm::pm4_set_uconfig_reg(QueueRun& q, Pm4Run& run) {
  co_await set_registers(q, run, pm4::kUconfigRegisters, pm4::kUconfigRegistersEnd);
}

/// Body: first register of the window in dwords, values. All of them are on their way at once.
Task CommandProcessorTlm::set_registers(QueueRun& q, Pm4Run& run, uint32_t first, uint32_t end) {
  const uint32_t from = first + (run.body[0] & 0xffff);
  const auto count = static_cast<uint32_t>(run.body.size() - 1);
  bool good = from + count <= end;
  if (good) {
    Operation* op = begin();
    ++op->left;
    for (uint32_t i = 0; i < count; ++i) {
      ask_register(*op, {0, q.number, q.binding.bank, (from + i) * 4, true, run.body[1 + i]},
                   nullptr, run.index);
    }
    finish_part(op);
    good = co_await Await(op);
  }
  if (!good) run.error = hsa::kQueueErrorVendorPacket;
}

/// Body: work-groups in three dimensions, COMPUTE_DISPATCH_INITIATOR.
Task CommandProcessorTlm::pm4_dispatch_direct(QueueRun& q, Pm4Run& run) {
  co_await start_grid(q, run, {run.body[0], run.body[1], run.body[2]}, run.body[3]);
}

/// Body: address of the three numbers, COMPUTE_DISPATCH_INITIATOR.
Task CommandProcessorTlm::pm4_dispatch_indirect(QueueRun& q, Pm4Run& run) {
  const uint64_t address = address_of(run.body[0], run.body[1], 4);
  std::array<uint32_t, 3> groups{};
  if (!co_await read(q.binding.vmid, address, reinterpret_cast<uint8_t*>(groups.data()),
                     sizeof groups)) {
    run.fault(address);
    co_return;
  }
  co_await start_grid(q, run, groups, run.body[2]);
}

/// The registers start the grid: the last write is the initiator's.
Task CommandProcessorTlm::start_grid(QueueRun& q, Pm4Run& run, std::array<uint32_t, 3> groups,
                                     uint32_t initiator) {
  Operation* op = begin();
  ++op->left;
  for (uint32_t i = 0; i < 3; ++i) {
    ask_register(*op, {0, q.number, q.binding.bank, (pm4::kDimX + i) * 4, true, groups[i]}, nullptr,
                 run.index);
  }
  ask_register(*op, {0, q.number, q.binding.bank, pm4::kDispatchInitiator * 4, true, initiator},
               nullptr, run.index);
  finish_part(op);
  if (!co_await Await(op)) run.error = hsa::kQueueErrorVendorPacket;
}

/// A grid becomes something its queue has under way. One of a slot without a queue belongs to a
/// queue that nobody else sees.
void CommandProcessorTlm::take_launch(const RegisterLaunch& grid) {
  // Its own, or one that is gone meanwhile.
  uint32_t number = grid.queue;
  if (queues_.count(number) == 0 && !is_no_queue(number)) number = no_queue(0, grid.dispatch.vmid);
  auto found = queues_.find(number);
  if (found == queues_.end()) {
    auto none = std::make_unique<QueueRun>();
    none->number = number;
    none->binding.doorbell = ~0u;  // beyond every doorbell
    none->binding.pm4 = true;
    none->binding.vmid = grid.dispatch.vmid;
    found = queues_.emplace(number, std::move(none)).first;
  }
  QueueRun& q = *found->second;
  const auto asked = register_parts_.find(grid.id);
  auto launched = in_flight();
  launched->grid = true;
  if (q.binding.pm4) {
    launched->index = q.sequence++;
  } else {
    launched->index = asked != register_parts_.end() ? asked->second.index : q.read_index;
  }
  InFlight& entry = *launched;
  q.in_flight.push_back(std::move(launched));
  entry.task = run_grid(q, entry, grid);
  entry.task.start();
}

Task CommandProcessorTlm::run_grid(QueueRun& q, InFlight& entry, RegisterLaunch grid) {
  ++counters_.dispatches;
  if (grid.invalidate) {
    FenceFault bad;
    co_await fence(MemOp::Writeback, near_, bad);
    co_await fence(MemOp::Invalidate, near_, bad);
    if (bad.any) {
      if (is_no_queue(q.number)) q.failed = false;  // as below
      co_await fail(q, hsa::kQueueErrorMemoryFault, bad.address);
      entry.finished = true;
      co_return;
    }
  }
  spi::Dispatch d = grid.dispatch;
  // Its waves use scratch memory and nobody has said where: they would read zeros.
  if ((d.rsrc2 & kScratchEnable) != 0 && d.scratch_bytes_per_wave == 0) {
    if (is_no_queue(q.number)) q.failed = false;  // as below
    co_await fail(q, hsa::kQueueErrorScratch, d.entry);
    entry.finished = true;
    co_return;
  }
  d.id = next_dispatch_++;
  d.dispatch_index = entry.index;
  co_await launch(d);
  entry.id = d.id;
  entry.waiting = begin();
  entry.waiting->left = 1;
  co_await Await(entry.waiting);
  entry.id = 0;
  if (entry.done.error) {
    if (is_no_queue(q.number))
      q.failed = false;  // it does not stop: every grid tells its own error
    co_await fail(q, entry.done.error_code, entry.done.error_address);
  }
  entry.finished = true;
}

}  // namespace cuvette::command_processor
