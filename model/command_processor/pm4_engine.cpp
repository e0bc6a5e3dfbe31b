// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "command_processor/pm4_engine.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "hsa/packet_compare.h"
#include "hsa/queue_error.h"

namespace cuvette::command_processor {

using memory::MemOp;
using pm4::address_of;

namespace {

/// A second level is called by INDIRECT_BUFFER inside a buffer; there is no third.
constexpr size_t kMaxNesting = 2;

/// Something started before packet `index` is not complete.
bool older(const QueueRun& q, uint64_t index) {
  return std::any_of(q.in_flight.begin(), q.in_flight.end(), [index](const auto& e) {
    return !e->finished && (e->index < index || (e->grid && e->index == index));
  });
}

}  // namespace

const Pm4Engine::Row Pm4Engine::kRows[] = {
    {pm4::Opcode::DispatchDirect, 4, 4, grids<&RegisterGrids::dispatch_direct>, Row::Who::Bank},
    {pm4::Opcode::DispatchIndirect, 3, 3, grids<&RegisterGrids::dispatch_indirect>, Row::Who::Bank},
    {pm4::Opcode::CondExec, 4, 4, own<&Pm4Engine::cond_exec>},
    {pm4::Opcode::WriteData, 4, 0x4000, own<&Pm4Engine::write_data>},
    {pm4::Opcode::WaitRegMem, 6, 6, own<&Pm4Engine::wait_reg_mem>},
    {pm4::Opcode::IndirectBuffer, 3, 3, own<&Pm4Engine::indirect_buffer>},
    {pm4::Opcode::CopyData, 5, 5, own<&Pm4Engine::copy_data>},
    {pm4::Opcode::EventWrite, 1, 1, own<&Pm4Engine::event_write>},
    {pm4::Opcode::ReleaseMem, 7, 7, own<&Pm4Engine::release_mem>},
    {pm4::Opcode::AcquireMem, 6, 6, own<&Pm4Engine::acquire_mem>},
    {pm4::Opcode::SetShReg, 2, 0x4000, grids<&RegisterGrids::set_sh_reg>, Row::Who::Bank},
    {pm4::Opcode::SetUconfigReg, 2, 0x4000, grids<&RegisterGrids::set_uconfig_reg>, Row::Who::Bank},
    {pm4::Opcode::InvalidateTlbs, 1, 1, scheduler<&QueueScheduler::invalidate_tlbs>,
     Row::Who::Kernel},
    {pm4::Opcode::SetResources, 7, 7, scheduler<&QueueScheduler::set_resources>, Row::Who::Kernel},
    {pm4::Opcode::MapQueues, 6, 0x4000, scheduler<&QueueScheduler::map_queues>, Row::Who::Kernel},
    {pm4::Opcode::UnmapQueues, 5, 5, scheduler<&QueueScheduler::unmap_queues>, Row::Who::Kernel},
    {pm4::Opcode::RunList, 3, 3, scheduler<&QueueScheduler::run_list>, Row::Who::Kernel},
    {pm4::Opcode::QueryStatus, 6, 6, scheduler<&QueueScheduler::query_status>, Row::Who::Kernel},
};

Task Pm4Engine::run(QueueRun& q, Pm4Run& run) {
  run.body = {run.jump[0], run.jump[1], run.jump[2]};
  co_await indirect_buffer(q, run);
  co_await run_buffers(q, run);
}

Task Pm4Engine::run_buffers(QueueRun& q, Pm4Run& run) {
  while (run.error == 0 && !run.given_up && !run.buffers.empty()) {
    run.given_up = q.reset;  // buffers may go round in circles
    if (run.given_up) break;
    Pm4Buffer& buffer = run.buffers.back();
    const size_t skipped = std::min(run.skip, buffer.words.size() - buffer.at);
    run.skip = 0;
    buffer.at += skipped;
    if (buffer.at == buffer.words.size()) {
      run.buffers.pop_back();
      continue;
    }
    const uint32_t head = buffer.words[buffer.at++];
    const unsigned body = pm4::body_behind(head);
    if (body == pm4::kNoPacket || body > buffer.words.size() - buffer.at) {
      run.error = hsa::kQueueErrorVendorPacket;
      break;
    }
    const auto first = buffer.words.begin() + static_cast<ptrdiff_t>(buffer.at);
    run.body.assign(first, first + body);
    buffer.at += body;
    co_await run_packet(q, run, head);
  }
}

Task Pm4Engine::run_packet(QueueRun& q, Pm4Run& run, uint32_t head) {
  if (head == pm4::kFiller || pm4::opcode_of(head) == pm4::Opcode::Nop) co_return;
  if (run.ring) run.index = q.sequence;  // everything started so far is older
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [head](const Row& candidate) {
    return candidate.opcode == pm4::opcode_of(head);
  });
  const auto size = run.body.size();
  if (row == std::end(kRows) || size < row->least || size > row->most ||
      (row->who == Row::Who::Bank && q.binding.bank == 0) ||
      (row->who == Row::Who::Kernel && !q.binding.kernel_queue)) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  co_await row->run(*this, q, run);
}

/// Body: address, size and flags. Reads the whole buffer.
Task Pm4Engine::indirect_buffer(QueueRun& q, Pm4Run& run) {
  const uint64_t address = address_of(run.body[0], run.body[1], 4);
  const uint32_t control = run.body[2];
  if ((control & pm4::kIbChain) != 0 && !run.buffers.empty()) run.buffers.pop_back();
  if ((control & pm4::kIbValid) == 0 || run.buffers.size() == kMaxNesting) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  Pm4Buffer next;
  next.words.resize(control & pm4::kIbSize);
  std::optional<uint64_t> fault;
  co_await read_in_turn(q.binding.vmid, address, next.words.data(), 4 * next.words.size(), fault);
  if (fault) {
    run.fault(*fault);
    co_return;
  }
  run.buffers.push_back(std::move(next));
}

/// Body: control, address, data. Destinations: registers (0), memory (2, 5).
Task Pm4Engine::write_data(QueueRun& q, Pm4Run& run) {
  const unsigned destination = run.body[0] >> 8 & 0xf;
  const bool fixed = (run.body[0] >> 16 & 1) != 0;
  const bool registers = destination == 0 && q.binding.bank != 0;
  if (!registers && destination != 2 && destination != 5) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  uint64_t address = registers ? (run.body[1] & pm4::kRegisterAddress) * 4
                               : address_of(run.body[1], run.body[2], 4);
  for (size_t i = 3; i < run.body.size(); ++i) {
    const uint32_t word = run.body[i];
    if (registers) {
      if (!co_await me_.write_register(q.number, q.binding.bank, static_cast<uint32_t>(address),
                                       word, run.index)) {
        run.error = hsa::kQueueErrorVendorPacket;
        co_return;
      }
    } else if (!co_await me_.write(q.binding.vmid, address, &word, sizeof word)) {
      run.fault(address);
      co_return;
    }
    if (!fixed) address += 4;
  }
}

/// Body: control, address, reference, mask, interval. Operation 0 and 3 wait for memory or a
/// register; 1 writes the reference to one register and waits for another.
Task Pm4Engine::wait_reg_mem(QueueRun& q, Pm4Run& run) {
  const unsigned function = run.body[0] & 7;
  const unsigned space = run.body[0] >> 4 & 3;
  const unsigned operation = run.body[0] >> 6 & 3;
  const bool registers = space == 0 && operation < 2 && q.binding.bank != 0;
  if (function == 7 || (!registers && (space != 1 || operation == 1 || operation == 2))) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  const auto offset = [&](size_t word) { return (run.body[word] & pm4::kRegisterAddress) * 4; };
  if (operation == 1 &&
      !co_await me_.write_register(q.number, q.binding.bank, offset(1), run.body[3], run.index)) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  const uint64_t address = address_of(run.body[1], run.body[2], 4);
  for (;;) {
    uint32_t value = 0;
    if (registers) {
      if (!co_await me_.read_register(q.number, q.binding.bank, offset(operation == 1 ? 2 : 1),
                                      &value)) {
        run.error = hsa::kQueueErrorVendorPacket;
        co_return;
      }
    } else if (!co_await me_.read(q.binding.vmid, address, &value, 4)) {
      run.fault(address);
      co_return;
    }
    q.polls.clear();
    if (hsa::packet_compare(function, value & run.body[4], run.body[3])) co_return;
    // A ring stays before the packet; what a buffer has done cannot be done again.
    run.given_up = q.reset || (q.unbound && run.ring && run.buffers.empty());
    if (run.given_up) co_return;
    q.polls.push_back(
        {registers ? offset(operation == 1 ? 2 : 1) : address, value, false, registers});
    co_await me_.delay(me_.config().poll_cycles);
  }
}

/// Body: control, source, destination. Sources: register (0), memory (1, 2), immediate (5), clock
/// (9, 10); destinations: register (0), memory (2, 5).
Task Pm4Engine::copy_data(QueueRun& q, Pm4Run& run) {
  const unsigned source = run.body[0] & 0xf;
  const unsigned destination = run.body[0] >> 8 & 0xf;
  const unsigned bytes = (run.body[0] >> 16 & 1) != 0 ? 8 : 4;
  const uint64_t from = address_of(run.body[1], run.body[2], bytes);
  const uint64_t to = address_of(run.body[3], run.body[4], bytes);
  uint32_t words[2] = {run.body[1], run.body[2]};
  const bool memory_source = source == 1 || source == 2;
  const bool known = memory_source || source == 5 || source == 9 || source == 10;
  const bool register_used = source == 0 || destination == 0;
  if (!(known || source == 0) || (destination != 0 && destination != 2 && destination != 5) ||
      (register_used && q.binding.bank == 0)) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  const auto offset = [](uint32_t word, unsigned i) {
    return ((word & pm4::kRegisterAddress) + i) * 4;
  };
  bool good = true;
  if (memory_source) {
    if (!co_await me_.read(q.binding.vmid, from, words, bytes)) {
      run.fault(from);
      co_return;
    }
  } else if (source == 0) {
    for (unsigned i = 0; i < bytes / 4 && good; ++i) {
      good =
          co_await me_.read_register(q.number, q.binding.bank, offset(run.body[1], i), &words[i]);
    }
  } else if (source != 5) {
    words[0] = static_cast<uint32_t>(me_.now());
    words[1] = static_cast<uint32_t>(me_.now() >> 32);
  }
  if (destination != 0) {
    if (good && !co_await me_.write(q.binding.vmid, to, words, bytes)) run.fault(to);
  } else {
    for (unsigned i = 0; i < bytes / 4 && good; ++i) {
      good = co_await me_.write_register(q.number, q.binding.bank, offset(run.body[3], i), words[i],
                                         run.index);
    }
  }
  if (!good) run.error = hsa::kQueueErrorVendorPacket;
}

/// Body: cache actions, size, base, interval. The range is not looked at: everything is in it. One
/// kind of first-level cache stands for all of them.
Task Pm4Engine::acquire_mem(QueueRun&, Pm4Run& run) {
  using namespace pm4;
  const uint32_t actions = run.body[0];
  const bool near_invalidate =
      (actions & (kAcquireVectorL1 | kAcquireScalar | kAcquireInstruction)) != 0;
  const bool far_invalidate = (actions & kAcquireL2Invalidate) != 0;
  FenceFault bad;
  // Dirty data are never lost: an invalidation writes back first.
  if (near_invalidate || (actions & kAcquireScalarWriteback) != 0) {
    co_await me_.fence(MemOp::Writeback, Level::Near, bad);
  }
  if (far_invalidate || (actions & kAcquireL2Writeback) != 0) {
    co_await me_.fence(MemOp::Writeback, Level::Far, bad);
  }
  if (near_invalidate) co_await me_.fence(MemOp::Invalidate, Level::Near, bad);
  if (far_invalidate) co_await me_.fence(MemOp::Invalidate, Level::Far, bad);
  if (bad.any) run.fault(bad.address);
}

/// Body: event and cache actions, selectors, address, data, interrupt context. A ring goes on at
/// once, and what the packet asks for happens at its time; a vendor packet's buffer waits for it.
Task Pm4Engine::release_mem(QueueRun& q, Pm4Run& run) {
  const unsigned data = run.body[1] >> 29;
  const unsigned notice = run.body[1] >> 24 & 7;
  if (data > 4 || notice > 4 || (run.body[1] >> 16 & 3) > 1) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  if (!run.ring) {
    co_await end_of_pipe(q, run);
    co_return;
  }
  auto launched = queues_.in_flight();
  launched->index = q.sequence++;
  InFlight& entry = queues_.launch(q, std::move(launched));
  entry.task = release_later(q, entry, run.body);
  entry.task.start();
}

Task Pm4Engine::release_later(QueueRun& q, InFlight& entry, std::vector<uint32_t> body) {
  Pm4Run run;
  run.index = entry.index;
  run.body = std::move(body);
  co_await end_of_pipe(q, run);
  if (run.error != 0) co_await notices_.fail(q, run.error, run.error_address);
  entry.finished = true;
}

/// RELEASE_MEM when everything that the queue started earlier is complete.
Task Pm4Engine::end_of_pipe(QueueRun& q, Pm4Run& run) {
  using namespace pm4;
  const uint32_t actions = run.body[0];
  const unsigned data = run.body[1] >> 29;
  const unsigned notice = run.body[1] >> 24 & 7;
  const unsigned bytes = data == 1u ? 4 : 8;
  const uint64_t address = address_of(run.body[2], run.body[3], bytes);
  if (data > 4 || notice > 4 || (run.body[1] >> 16 & 3) > 1) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  co_await AwaitWhen(q, [&q, index = run.index] { return !older(q, index); });
  if (q.reset || (q.failed && q.binding.pm4)) co_return;  // not after a grid that failed
  const bool far_invalidate = (actions & kReleaseL2Invalidate) != 0;
  FenceFault bad;
  co_await me_.fence(MemOp::Writeback, Level::Near, bad);
  if (far_invalidate || (actions & kReleaseL2Writeback) != 0) {
    co_await me_.fence(MemOp::Writeback, Level::Far, bad);
  }
  if ((actions & kReleaseVectorL1) != 0) co_await me_.fence(MemOp::Invalidate, Level::Near, bad);
  if (far_invalidate) co_await me_.fence(MemOp::Invalidate, Level::Far, bad);
  if (bad.any) {
    run.fault(bad.address);
    co_return;
  }
  const uint64_t value = data >= 3 ? me_.now() : uint64_t{run.body[5]} << 32 | run.body[4];
  if (data != 0 && !co_await me_.write(q.binding.vmid, address, &value, bytes)) {
    run.fault(address);
    co_return;
  }
  if (notice == 1 || notice == 2 || notice == 4) notices_.raise(q, 0, run.body[6]);
}

/// Body: event type and class. Caches are flushed, or what was started is waited for; events for
/// counters and traces have nothing to say here.
Task Pm4Engine::event_write(QueueRun& q, Pm4Run& run) {
  const auto event = static_cast<pm4::Event>(run.body[0] & 0x3f);
  FenceFault bad;
  switch (event) {
    case pm4::Event::CsPartialFlush:
      co_await AwaitWhen(q, [&q, index = run.index] { return !older(q, index); });
      break;
    case pm4::Event::CacheFlush:
    case pm4::Event::CacheFlushAndInvalidate:
      co_await me_.fence(MemOp::Writeback, Level::Near, bad);
      co_await me_.fence(MemOp::Writeback, Level::Far, bad);
      if (event == pm4::Event::CacheFlushAndInvalidate) {
        co_await me_.fence(MemOp::Invalidate, Level::Near, bad);
        co_await me_.fence(MemOp::Invalidate, Level::Far, bad);
      }
      if (bad.any) run.fault(bad.address);
      break;
  }
}

/// Body: address of a dword, cache policy, count: zero there leaves out so many dwords.
Task Pm4Engine::cond_exec(QueueRun& q, Pm4Run& run) {
  const uint64_t address = address_of(run.body[0], run.body[1], 4);
  uint32_t flag = 0;
  if (!co_await me_.read(q.binding.vmid, address, &flag, sizeof flag)) {
    run.fault(address);
  } else if (flag == 0) {
    run.skip = run.body[3] & 0x3fff;
  }
}

}  // namespace cuvette::command_processor
