// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Indirect buffers of PM4 packets, run by the firmware for AMD's vendor packet.
#include "command_processor/pm4.h"

#include <algorithm>
#include <cstring>

#include "command_processor/firmware.h"
#include "hsa/queue_error.h"

namespace cuvette::command_processor {

using memory::MemOp;

namespace {

/// A second level is called by INDIRECT_BUFFER inside a buffer; there is no third.
constexpr size_t kMaxNesting = 2;

uint64_t address_of(uint32_t low, uint32_t high, uint32_t alignment) {
  return (uint64_t{high} << 32 | low) & ~uint64_t{alignment - 1};
}

/// WAIT_REG_MEM: 0 always, 1 <, 2 <=, 3 ==, 4 !=, 5 >=, 6 >.
bool compare(unsigned function, uint32_t value, uint32_t reference) {
  switch (function) {
    case 0:
      return true;
    case 1:
      return value < reference;
    case 2:
      return value <= reference;
    case 3:
      return value == reference;
    case 4:
      return value != reference;
    case 5:
      return value >= reference;
    default:
      return value > reference;
  }
}

}  // namespace

const CommandProcessorTlm::Pm4Row CommandProcessorTlm::kPm4Rows[] = {
    {pm4::Opcode::WriteData, 4, 0x4000, &CommandProcessorTlm::pm4_write_data},
    {pm4::Opcode::WaitRegMem, 6, 6, &CommandProcessorTlm::pm4_wait_reg_mem},
    {pm4::Opcode::IndirectBuffer, 3, 3, &CommandProcessorTlm::pm4_indirect_buffer},
    {pm4::Opcode::CopyData, 5, 5, &CommandProcessorTlm::pm4_copy_data},
    {pm4::Opcode::ReleaseMem, 7, 7, &CommandProcessorTlm::pm4_release_mem},
    {pm4::Opcode::AcquireMem, 6, 6, &CommandProcessorTlm::pm4_acquire_mem},
};

/// Runs buffers until none is left or `run.error` is set. What is malformed, or not known here, is
/// an error of the vendor packet; a memory access that faults is a memory fault.
Task CommandProcessorTlm::run_pm4(QueueRun& q, Pm4Run& run) {
  run.body = {run.jump[0], run.jump[1], run.jump[2]};
  co_await pm4_indirect_buffer(q, run);
  while (run.error == 0 && !run.buffers.empty()) {
    if (run.buffers.back().at == run.buffers.back().words.size()) {
      run.buffers.pop_back();
      continue;
    }
    Pm4Buffer& buffer = run.buffers.back();
    const uint32_t head = buffer.words[buffer.at++];
    if (head == pm4::kFiller) continue;
    const unsigned body = pm4::body_of(head);
    const bool nop = pm4::opcode_of(head) == pm4::Opcode::Nop;
    if (pm4::type_of(head) == 3 && nop && body == pm4::kNopAlone) continue;
    if (pm4::type_of(head) != 3 || body > buffer.words.size() - buffer.at) {
      run.error = hsa::kQueueErrorVendorPacket;
      break;
    }
    const auto first = buffer.words.begin() + static_cast<ptrdiff_t>(buffer.at);
    run.body.assign(first, first + body);
    buffer.at += body;
    if (nop) continue;
    const auto* row = std::find_if(
        std::begin(kPm4Rows), std::end(kPm4Rows),
        [head](const Pm4Row& candidate) { return candidate.opcode == pm4::opcode_of(head); });
    if (row == std::end(kPm4Rows) || body < row->least || body > row->most) {
      run.error = hsa::kQueueErrorVendorPacket;
      break;
    }
    co_await (this->*row->run)(q, run);
  }
}

/// Body: address, size and flags. Reads the whole buffer.
Task CommandProcessorTlm::pm4_indirect_buffer(QueueRun& q, Pm4Run& run) {
  const uint64_t address = address_of(run.body[0], run.body[1], 4);
  const uint32_t control = run.body[2];
  if ((control & pm4::kIbChain) != 0 && !run.buffers.empty()) run.buffers.pop_back();
  if ((control & pm4::kIbValid) == 0 || run.buffers.size() == kMaxNesting) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  Pm4Buffer next;
  next.words.resize(control & pm4::kIbSize);
  auto* bytes = reinterpret_cast<uint8_t*>(next.words.data());
  const size_t size = next.words.size() * 4;
  for (size_t done = 0; done < size; done += memory::kBlockBytes) {
    const auto part = static_cast<unsigned>(std::min<size_t>(size - done, memory::kBlockBytes));
    if (!co_await read(q.binding.vmid, address + done, bytes + done, part)) {
      run.fault(address + done);
      co_return;
    }
  }
  run.buffers.push_back(std::move(next));
}

/// Body: control, address, data. Destination 2 and 5: memory.
Task CommandProcessorTlm::pm4_write_data(QueueRun& q, Pm4Run& run) {
  const unsigned destination = run.body[0] >> 8 & 0xf;
  const bool fixed = (run.body[0] >> 16 & 1) != 0;
  uint64_t address = address_of(run.body[1], run.body[2], 4);
  if (destination != 2 && destination != 5) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  for (size_t i = 3; i < run.body.size(); ++i) {
    const uint32_t word = run.body[i];
    if (!co_await write(q.binding.vmid, address, &word, sizeof word)) {
      run.fault(address);
      co_return;
    }
    if (!fixed) address += 4;
  }
}

/// Body: control, address, reference, mask, interval. Memory only.
Task CommandProcessorTlm::pm4_wait_reg_mem(QueueRun& q, Pm4Run& run) {
  const unsigned function = run.body[0] & 7;
  const unsigned operation = run.body[0] >> 6 & 3;
  const uint64_t address = address_of(run.body[1], run.body[2], 4);
  if ((run.body[0] >> 4 & 3) != 1 || operation == 1 || operation == 2 || function == 7) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  for (;;) {
    uint32_t value = 0;
    if (!co_await read(q.binding.vmid, address, reinterpret_cast<uint8_t*>(&value), 4)) {
      run.fault(address);
      co_return;
    }
    if (compare(function, value & run.body[4], run.body[3])) co_return;
    co_await delay(config_.poll_cycles);
  }
}

/// Body: control, source, destination. Sources: memory (1, 2), immediate (5), clock (9, 10).
Task CommandProcessorTlm::pm4_copy_data(QueueRun& q, Pm4Run& run) {
  const unsigned source = run.body[0] & 0xf;
  const unsigned destination = run.body[0] >> 8 & 0xf;
  const unsigned bytes = (run.body[0] >> 16 & 1) != 0 ? 8 : 4;
  const uint64_t from = address_of(run.body[1], run.body[2], bytes);
  const uint64_t to = address_of(run.body[3], run.body[4], bytes);
  uint64_t value = 0;
  const bool memory_source = source == 1 || source == 2;
  if ((destination != 2 && destination != 5) ||
      !(memory_source || source == 5 || source == 9 || source == 10)) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  if (memory_source) {
    if (!co_await read(q.binding.vmid, from, reinterpret_cast<uint8_t*>(&value), bytes)) {
      run.fault(from);
      co_return;
    }
  } else {
    value = source == 5 ? uint64_t{run.body[2]} << 32 | run.body[1] : now_;
  }
  if (!co_await write(q.binding.vmid, to, &value, bytes)) run.fault(to);
}

/// Body: cache actions, size, base, interval. The range is not looked at: everything is in it. One
/// kind of first-level cache stands for all of them.
Task CommandProcessorTlm::pm4_acquire_mem(QueueRun&, Pm4Run& run) {
  using namespace pm4;
  const uint32_t actions = run.body[0];
  const bool near_invalidate =
      (actions & (kAcquireVectorL1 | kAcquireScalar | kAcquireInstruction)) != 0;
  const bool far_invalidate = (actions & kAcquireL2Invalidate) != 0;
  // What is dirty is never lost: an invalidation writes back first.
  if (near_invalidate || (actions & kAcquireScalarWriteback) != 0) {
    co_await fence(MemOp::Writeback, near_);
  }
  if (far_invalidate || (actions & kAcquireL2Writeback) != 0) {
    co_await fence(MemOp::Writeback, far_);
  }
  if (near_invalidate) co_await fence(MemOp::Invalidate, near_);
  if (far_invalidate) co_await fence(MemOp::Invalidate, far_);
}

/// Body: event and cache actions, selectors, address, data, interrupt context. At the end of what
/// the queue started earlier.
Task CommandProcessorTlm::pm4_release_mem(QueueRun& q, Pm4Run& run) {
  using namespace pm4;
  const uint32_t actions = run.body[0];
  const unsigned data = run.body[1] >> 29;
  const unsigned interrupt = run.body[1] >> 24 & 7;
  const unsigned bytes = data == 1 ? 4 : 8;
  const uint64_t address = address_of(run.body[2], run.body[3], bytes);
  if (data > 4 || interrupt > 4 || (run.body[1] >> 16 & 3) > 1) {
    run.error = hsa::kQueueErrorVendorPacket;
    co_return;
  }
  co_await AwaitEarlier(q, run.index);
  const bool far_invalidate = (actions & kReleaseL2Invalidate) != 0;
  co_await fence(MemOp::Writeback, near_);
  if (far_invalidate || (actions & kReleaseL2Writeback) != 0) {
    co_await fence(MemOp::Writeback, far_);
  }
  if ((actions & kReleaseVectorL1) != 0) co_await fence(MemOp::Invalidate, near_);
  if (far_invalidate) co_await fence(MemOp::Invalidate, far_);
  const uint64_t value = data >= 3 ? now_ : uint64_t{run.body[5]} << 32 | run.body[4];
  if (data != 0 && !co_await write(q.binding.vmid, address, &value, bytes)) {
    run.fault(address);
    co_return;
  }
  if (interrupt == 1 || interrupt == 2 || interrupt == 4) raise(q, 0, run.body[6]);
}

}  // namespace cuvette::command_processor
