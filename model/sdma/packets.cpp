// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Execution of each packet (docs/reference/sdma.md).
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hsa/packet_compare.h"
#include "sdma/execution.h"

namespace cuvette::sdma {

using base::AtomicOp;
using machine::Cycle;
using Phase = RingState::Phase;

namespace {

constexpr uint32_t kForEver = 0xfff;  // retries of POLL_REGMEM
constexpr uint64_t kIndirectAlignment = 32;
constexpr unsigned kElementMost = 4;  // log2 of 16 bytes

/// The operations of the texture cache (public driver headers, enum TC_OP of gfx9): 7 for swap on;
/// 0x20: 64 bits, 0x40: nothing is returned, which is all the same here.
std::optional<std::pair<AtomicOp, unsigned>> operation_of(uint32_t code) {
  const unsigned bytes = (code & 0x20) != 0 ? 8 : 4;
  switch (code & 0x1f) {
    case 0x07:
      return std::pair(AtomicOp::Swap, bytes);
    case 0x08:
      return std::pair(AtomicOp::CmpSwap, bytes);
    case 0x0f:
      return std::pair(AtomicOp::Add, bytes);
    case 0x10:
      return std::pair(AtomicOp::Sub, bytes);
    case 0x11:
      return std::pair(AtomicOp::SMin, bytes);
    case 0x12:
      return std::pair(AtomicOp::UMin, bytes);
    case 0x13:
      return std::pair(AtomicOp::SMax, bytes);
    case 0x14:
      return std::pair(AtomicOp::UMax, bytes);
    case 0x15:
      return std::pair(AtomicOp::And, bytes);
    case 0x16:
      return std::pair(AtomicOp::Or, bytes);
    case 0x17:
      return std::pair(AtomicOp::Xor, bytes);
    case 0x18:
      return std::pair(AtomicOp::Inc, bytes);
    case 0x19:
      return std::pair(AtomicOp::Dec, bytes);
    default:
      return std::nullopt;
  }
}

bool overlap(uint64_t a, uint64_t b, uint64_t bytes) {
  return (a > b ? a - b : b - a) < bytes;
}

}  // namespace

Cycle Execution::start() {
  switch (ring_.packet) {
    case Packet::CopyLinear:
    case Packet::CopyBroadcastLinear:
      return start_copy();
    case Packet::CopyLinearSubwin:
      return start_subwindow();
    case Packet::ConstantFill:
      return start_fill();
    case Packet::WriteUntiled:
      return start_write();
    case Packet::WriteIncr:
      return start_count();
    case Packet::Indirect:
      return start_indirect();
    case Packet::Fence:
      return start_fence();
    case Packet::CondExe:
      return start_condition();
    case Packet::PollRegmem:
      return start_poll();
    case Packet::Atomic:
      return start_atomic();
    case Packet::TimestampSet:
    case Packet::TimestampGet:
    case Packet::TimestampGetGlobal:
      return start_timestamp();
    case Packet::Trap:
      return start_trap();
    case Packet::Nop:
    case Packet::HdpFlush:  // what the host has written is in memory
      ring_.phase = Phase::Retire;
      return 0;
    default:
      fail("the packet is not executed");  // check() has refused it before
      return 0;
  }
}

Cycle Execution::start_copy() {
  namespace one = packet::copy_linear;
  namespace two = packet::copy_broadcast_linear;
  CopyJob job;
  job.src = address(one::src_addr_31_0, one::src_addr_63_32);
  job.dst = address(one::dst_addr_31_0, one::dst_addr_63_32);
  job.row_bytes = uint64_t{one::count.get(ring_.words.data())} + 1;
  if (ring_.packet == Packet::CopyBroadcastLinear) {
    job.has_second = true;
    job.second_dst = address(two::dst2_addr_31_0, two::dst2_addr_63_32);
    if (overlap(job.src, job.dst, job.row_bytes) ||
        overlap(job.src, job.second_dst, job.row_bytes) ||
        overlap(job.dst, job.second_dst, job.row_bytes)) {
      fail(fmt::format("{} bytes at {:#x}, {:#x} and {:#x} overlap", job.row_bytes, job.src,
                       job.dst, job.second_dst));
      return 0;
    }
  }
  ring_.job = job;
  return 0;
}

Cycle Execution::start_subwindow() {
  namespace p = packet::copy_linear_subwin;
  const uint32_t* const w = ring_.words.data();
  const uint32_t element = p::elementsize.get(w);
  if (element > kElementMost) {
    fail(fmt::format("expected an elementsize of at most {}, found {}", kElementMost, element));
    return 0;
  }
  const auto bytes = [&](Field f) { return uint64_t{f.get(w)} << element; };
  const auto pitch = [&](Field f) { return (uint64_t{f.get(w)} + 1) << element; };
  CopyJob job;
  job.src_pitch = pitch(p::src_pitch);
  job.dst_pitch = pitch(p::dst_pitch);
  job.src_slice_pitch = pitch(p::src_slice_pitch);
  job.dst_slice_pitch = pitch(p::dst_slice_pitch);
  job.src = address(p::src_addr_31_0, p::src_addr_63_32) + bytes(p::src_x) +
            p::src_y.get(w) * job.src_pitch + p::src_z.get(w) * job.src_slice_pitch;
  job.dst = address(p::dst_addr_31_0, p::dst_addr_63_32) + bytes(p::dst_x) +
            p::dst_y.get(w) * job.dst_pitch + p::dst_z.get(w) * job.dst_slice_pitch;
  job.row_bytes = pitch(p::rect_x);
  job.rows = uint64_t{p::rect_y.get(w)} + 1;
  job.slices = uint64_t{p::rect_z.get(w)} + 1;
  ring_.job = job;
  return 0;
}

/// The count is in bytes less one; its part of an element is not looked at.
Cycle Execution::start_fill() {
  namespace p = packet::constant_fill;
  const uint32_t* const w = ring_.words.data();
  const uint32_t size = p::fillsize.get(w);
  if (size > 2) {
    fail(fmt::format("expected a fillsize of 0, 1 or 2, found {}", size));
    return 0;
  }
  FillJob job;
  job.element = 1u << size;
  job.dst = address(p::dst_addr_31_0, p::dst_addr_63_32);
  job.pattern = p::src_data_31_0.get(w);
  job.left = uint64_t{p::count.get(w) | (job.element - 1)} + 1;
  if (aligned(job.dst, job.element)) ring_.job = job;
  return 0;
}

Cycle Execution::start_write() {
  namespace p = packet::write_untiled;
  WriteJob job;
  job.dst = address(p::dst_addr_31_0, p::dst_addr_63_32);
  job.at = fixed_dwords(Packet::WriteUntiled);
  job.left = ring_.dwords - job.at;
  if (aligned(job.dst, sizeof(uint32_t))) ring_.job = job;
  return 0;
}

Cycle Execution::start_count() {
  namespace p = packet::write_incr;
  CountJob job;
  job.dst = address(p::dst_addr_31_0, p::dst_addr_63_32);
  job.mask = address(p::mask_dw0, p::mask_dw1);
  job.value = address(p::init_dw0, p::init_dw1);
  job.increment = address(p::incr_dw0, p::incr_dw1);
  job.left = uint64_t{p::count.get(ring_.words.data())} + 1;
  if (aligned(job.dst, sizeof(uint64_t))) ring_.job = job;
  return 0;
}

/// Its packets come before the one behind it; it is over when they are.
Cycle Execution::start_indirect() {
  namespace p = packet::indirect;
  if (ring_.indirect) {
    fail("an indirect buffer calls another one");
    return 0;
  }
  IndirectBuffer b;
  b.base = address(p::ib_base_31_0, p::ib_base_63_32);
  b.dwords = p::ib_size.get(ring_.words.data());
  const auto vmid = static_cast<uint8_t>(p::vmid.get(ring_.words.data()));
  // Rings of VMID 0, those of the driver, choose; the others have their own.
  if (ring_.ring.vmid != 0 && vmid != 0 && vmid != ring_.ring.vmid) {
    fail(fmt::format("expected the VMID of the ring, {}, or 0, found {}", ring_.ring.vmid, vmid));
    return 0;
  }
  b.vmid = ring_.ring.vmid != 0 ? ring_.ring.vmid : vmid;
  if (!aligned(b.base, kIndirectAlignment)) return 0;
  if (b.dwords == 0) {
    ring_.phase = Phase::Retire;
    return 0;
  }
  ++engine_.counters_.packets;
  ring_.indirect = b;
  ring_.cold = true;
  ring_.phase = Phase::Fetch;
  return 0;
}

Cycle Execution::start_fence() {
  namespace p = packet::fence;
  const uint64_t to = address(p::addr_31_0, p::addr_63_32);
  const uint32_t data = p::data.get(ring_.words.data());
  if (!aligned(to, sizeof data) || !write(to, &data, sizeof data)) return 0;
  ring_.phase = Phase::Retire;
  return 0;
}

Cycle Execution::start_condition() {
  namespace p = packet::cond_exe;
  const uint64_t from = address(p::addr_31_0, p::addr_63_32);
  uint32_t value = 0;
  if (!aligned(from, sizeof value) || !read(from, &value, sizeof value)) return 0;
  if (value != p::reference.get(ring_.words.data())) {
    ring_.skip = p::exec_count.get(ring_.words.data());
    if (const uint64_t there = dwords_there() - ring_.dwords; ring_.skip > there) {
      if (ring_.indirect) {
        fail(fmt::format("{} dwords are to be left out, {} are there", ring_.skip, there));
      } else {
        ring_.incomplete = true;  // they come by the next doorbell
        ring_.phase = Phase::Fetch;
      }
      return 0;
    }
  }
  ring_.phase = Phase::Retire;
  return engine_.config_.timing.latency_cycles;
}

Cycle Execution::start_poll() {
  namespace p = packet::poll_regmem;
  const uint32_t* const w = ring_.words.data();
  WaitJob job;
  job.function = p::func.get(w);
  if (job.function > 6) {
    fail(fmt::format("expected a func of 0 to 6, found {}", job.function));
    return 0;
  }
  if (job.function == 0) {  // always: nothing to look at
    ring_.phase = Phase::Retire;
    return 0;
  }
  job.what = p::mem_poll.get(w) != 0 ? WaitJob::What::Memory : WaitJob::What::Register;
  job.address = address(p::addr_31_0, p::addr_63_32);
  job.value = p::value.get(w);
  job.mask = p::mask.get(w);
  job.interval = std::max(1u, p::interval.get(w));
  if (const uint32_t retries = p::retry_count.get(w); retries != kForEver) job.left = retries;
  if (aligned(job.address, sizeof(uint32_t))) ring_.job = job;
  return 0;
}

Cycle Execution::start_atomic() {
  namespace p = packet::atomic;
  const uint32_t* const w = ring_.words.data();
  const auto operation = operation_of(p::atomic_op.get(w));
  if (!operation) {
    fail(fmt::format("atomic_op {:#x} is no integer operation on memory", p::atomic_op.get(w)));
    return 0;
  }
  const auto [op, bytes] = *operation;
  const bool loops = p::loop.get(w) != 0;
  if (loops && op != AtomicOp::CmpSwap) {
    fail(fmt::format("expected loop 0 with atomic_op {:#x}: only a compare and swap can match",
                     p::atomic_op.get(w)));
    return 0;
  }
  const uint64_t at = address(p::addr_31_0, p::addr_63_32);
  if (!aligned(at, bytes)) return 0;
  if (loops) {
    WaitJob job;
    job.what = WaitJob::What::Atomic;
    job.address = at;
    job.interval = std::max(1u, p::loop_interval.get(w));
    ring_.job = job;
    return 0;
  }
  uint64_t old = 0;
  if (!atomic(at, bytes, op, address(p::src_data_31_0, p::src_data_63_32),
              address(p::cmp_data_31_0, p::cmp_data_63_32), old)) {
    return 0;
  }
  ++engine_.counters_.atomics;
  ring_.phase = Phase::Retire;
  return 0;
}

/// Another look of a wait. Other rings may have the engine until the next one.
Cycle Execution::look() {
  namespace p = packet::atomic;
  WaitJob& job = std::get<WaitJob>(ring_.job);
  ++engine_.counters_.polls;
  bool matches = false;
  if (job.what == WaitJob::What::Atomic) {
    const unsigned bytes = operation_of(p::atomic_op.get(ring_.words.data()))->second;
    const uint64_t compare =
        address(p::cmp_data_31_0, p::cmp_data_63_32) & (bytes == 8 ? ~uint64_t{0} : 0xffffffff);
    if (!atomic(job.address, bytes, AtomicOp::CmpSwap, address(p::src_data_31_0, p::src_data_63_32),
                compare, job.last)) {
      return 0;
    }
    matches = job.last == compare;
    if (matches) ++engine_.counters_.atomics;
  } else {
    uint32_t value = 0;
    if (job.what == WaitJob::What::Memory) {
      if (!read(job.address, &value, sizeof value)) return 0;
    } else {
      const auto found = engine_.read_register_ ? engine_.read_register_(now_, job.address)
                                                : std::optional<uint32_t>();
      if (!found) {
        fail(fmt::format("no register at byte {:#x}", job.address));
        return 0;
      }
      value = *found;
    }
    job.last = value;
    matches = hsa::packet_compare(job.function, value & job.mask, job.value);
  }
  const Cycle latency = engine_.config_.timing.latency_cycles;
  if (matches) {
    ring_.phase = Phase::Retire;
    ring_.due = now_ + latency;
    return 0;
  }
  if (job.left && (*job.left)-- == 0) {
    fail(fmt::format("the value at {:#x} is {:#x} after the last look", job.address, job.last));
    return 0;
  }
  ring_.due = now_ + std::max<Cycle>(job.interval, latency);
  return 0;
}

/// Cycles of the machine's clock, as everywhere.
Cycle Execution::start_timestamp() {
  namespace set = packet::timestamp_set;
  namespace get = packet::timestamp_get;
  if (ring_.packet == Packet::TimestampSet) {
    engine_.clock_offset_ = address(set::init_data_31_0, set::init_data_63_32) - now_;
  } else {
    const bool global = ring_.packet == Packet::TimestampGetGlobal;
    const uint64_t time = now_ + (global ? 0 : engine_.clock_offset_);
    if (!write(address(get::write_addr_31_3, get::write_addr_63_32), &time, sizeof time)) return 0;
  }
  ring_.phase = Phase::Retire;
  return 0;
}

Cycle Execution::start_trap() {
  ++engine_.counters_.traps;
  ring_.phase = Phase::Retire;
  if (!engine_.on_interrupt_) return 0;
  engine_.on_interrupt_(now_, {Interrupt::Kind::Trap, engine_.config_.index, ring_.number,
                               ring_.vmid(), packet::trap::int_context.get(ring_.words.data())});
  return 0;
}

}  // namespace cuvette::sdma
