// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "command_processor/register_grids.h"

#include <utility>

#include "command_processor/pm4.h"
#include "hsa/queue_error.h"

namespace cuvette::command_processor {

using memory::MemOp;
using pm4::address_of;

namespace {
constexpr uint32_t kScratchEnable = 1;  // COMPUTE_PGM_RSRC2.SCRATCH_EN
}

Task RegisterGrids::set_sh_reg(QueueRun& q, Pm4Run& run) {
  co_await set_registers(q, run, pm4::kShRegisters, pm4::kShRegistersEnd);
}

Task RegisterGrids::set_uconfig_reg(QueueRun& q, Pm4Run& run) {
  co_await set_registers(q, run, pm4::kUconfigRegisters, pm4::kUconfigRegistersEnd);
}

/// Body: first register of the window in dwords, values. All of them are on their way at once.
Task RegisterGrids::set_registers(QueueRun& q, Pm4Run& run, uint32_t first, uint32_t end) {
  const uint32_t from = first + (run.body[0] & 0xffff);
  const auto count = static_cast<uint32_t>(run.body.size() - 1);
  bool good = from + count <= end;
  if (good) {
    Operation* op = me_.begin();
    me_.hold(*op);
    for (uint32_t i = 0; i < count; ++i) {
      me_.ask_register(*op, {0, q.number, q.binding.bank, (from + i) * 4, true, run.body[1 + i]},
                       nullptr, run.index);
    }
    me_.finish_part(*op);
    good = co_await Await(op);
  }
  if (!good) run.error = hsa::kQueueErrorVendorPacket;
}

/// Body: work-groups in three dimensions, COMPUTE_DISPATCH_INITIATOR.
Task RegisterGrids::dispatch_direct(QueueRun& q, Pm4Run& run) {
  co_await start_grid(q, run, {run.body[0], run.body[1], run.body[2]}, run.body[3]);
}

/// Body: address of the three numbers, COMPUTE_DISPATCH_INITIATOR.
Task RegisterGrids::dispatch_indirect(QueueRun& q, Pm4Run& run) {
  const uint64_t address = address_of(run.body[0], run.body[1], 4);
  std::array<uint32_t, 3> groups{};
  if (!co_await me_.read(q.binding.vmid, address, groups.data(), sizeof groups)) {
    run.fault(address);
    co_return;
  }
  co_await start_grid(q, run, groups, run.body[2]);
}

/// The registers start the grid: the last write is the initiator's.
Task RegisterGrids::start_grid(QueueRun& q, Pm4Run& run, std::array<uint32_t, 3> groups,
                               uint32_t initiator) {
  Operation* op = me_.begin();
  me_.hold(*op);
  for (uint32_t i = 0; i < 3; ++i) {
    me_.ask_register(*op, {0, q.number, q.binding.bank, (pm4::kDimX + i) * 4, true, groups[i]},
                     nullptr, run.index);
  }
  me_.ask_register(*op, {0, q.number, q.binding.bank, pm4::kDispatchInitiator * 4, true, initiator},
                   nullptr, run.index);
  me_.finish_part(*op);
  if (!co_await Await(op)) run.error = hsa::kQueueErrorVendorPacket;
}

/// A grid becomes something its queue has under way. One of a slot without a queue belongs to a
/// queue that nobody else sees.
void RegisterGrids::take_launch(const RegisterLaunch& grid) {
  const uint8_t vmid = grid.dispatch.vmid;
  QueueRun* queue = queues_.find(grid.queue);
  if (queue == nullptr) {  // none, or one that is gone meanwhile
    const uint32_t number = is_no_queue(grid.queue) ? grid.queue : no_queue(0, vmid);
    queue = queues_.find(number);
    if (queue == nullptr) queue = &queues_.add_hidden(number, vmid);
  }
  QueueRun& q = *queue;
  auto launched = queues_.in_flight();
  launched->grid = true;
  if (q.binding.pm4) {
    launched->index = q.sequence++;
  } else {
    launched->index = me_.packet_of(grid.id).value_or(q.read_index);
  }
  InFlight& entry = queues_.launch(q, std::move(launched));
  entry.task = run_grid(q, entry, grid);
  entry.task.start();
}

/// A hidden queue does not stop: every grid tells its own error.
Task RegisterGrids::fail_grid(QueueRun& q, uint32_t error, uint64_t address) {
  if (is_no_queue(q.number)) q.failed = false;
  co_await notices_.fail(q, error, address);
}

Task RegisterGrids::run_grid(QueueRun& q, InFlight& entry, RegisterLaunch grid) {
  ++me_.counters().dispatches;
  if (grid.invalidate) {
    FenceFault bad;
    co_await me_.fence(MemOp::Writeback, Level::Near, bad);
    co_await me_.fence(MemOp::Invalidate, Level::Near, bad);
    if (bad.any) {
      co_await fail_grid(q, hsa::kQueueErrorMemoryFault, bad.address);
      entry.finished = true;
      co_return;
    }
  }
  spi::Dispatch d = grid.dispatch;
  // Its waves use scratch memory and nobody has said where: they would read zeros.
  if ((d.rsrc2 & kScratchEnable) != 0 && d.scratch_bytes_per_wave == 0) {
    co_await fail_grid(q, hsa::kQueueErrorScratch, d.entry);
    entry.finished = true;
    co_return;
  }
  d.id = me_.next_dispatch();
  d.dispatch_index = entry.index;
  co_await me_.launch(d);
  entry.id = d.id;
  entry.waiting = me_.begin();
  me_.hold(*entry.waiting);
  co_await Await(entry.waiting);
  entry.id = 0;
  if (entry.done.error) {
    co_await fail_grid(q, entry.done.error_code, entry.done.error_address);
  }
  entry.finished = true;
}

}  // namespace cuvette::command_processor
