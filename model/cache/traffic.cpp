// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cache/traffic.h"

#include "memory/serve.h"

namespace cuvette::cache {

using machine::Cycle;
using memory::MemOp;
using memory::MemReq;

namespace {

/// A transfer is of 32 or of 64 bytes: halves of a block that an access touches.
unsigned sectors(uint64_t byte_mask) {
  return (static_cast<uint32_t>(byte_mask) != 0 ? 1u : 0u) + (byte_mask >> 32 != 0 ? 1u : 0u);
}

}  // namespace

void TrafficCounters::add(const MemReq& request, Cache::Traffic& to) {
  unsigned kind = 2;
  switch (request.op) {
    case MemOp::Read:
      ++to.reads;
      kind = 0;
      break;
    case MemOp::Write:
      ++to.writes;
      kind = 1;
      break;
    case MemOp::Atomic:
      ++to.atomics;
      break;
    case MemOp::AtomicReturn:
      ++to.atomics_return;
      break;
    default:
      return;
  }
  ++to.by_mtype[static_cast<unsigned>(request.mtype)][kind];
}

base::Occupancy* TrafficCounters::flights_of(MemOp op) {
  switch (op) {
    case MemOp::Read:
      return &reads_;
    case MemOp::Write:
      return &writes_;
    case MemOp::Atomic:
    case MemOp::AtomicReturn:
      return &atomics_;
    default:
      return nullptr;
  }
}

void TrafficCounters::stalled(const MemReq& request, uint64_t cycles) {
  if (request.op == MemOp::Read) {
    detail_.stall_read_cycles += cycles;
    return;
  }
  (is_atomic(request.op) ? detail_.stall_atomic_cycles : detail_.stall_write_cycles) += cycles;
  channel_of(request).write_stall_cycles += cycles;
}

void TrafficCounters::sent(const MemReq& down, Cycle now) {
  base::Occupancy* const flights = flights_of(down.op);
  if (flights == nullptr) return;
  flights->enter(now);
  add(down, detail_.down);
  const unsigned touched = sectors(down.byte_mask);
  Cache::Detail::Channel& channel = channel_of(down);
  const bool uncached = down.mtype == memory::Mtype::Uncached;
  if (down.op == MemOp::Read) {
    ++channel.reads;
    if (touched < 2) ++channel.short_reads;
    if (uncached) detail_.uncached_read_sectors += touched;
  } else {
    ++channel.writes;
    if (touched < 2) ++channel.short_writes;
    if (uncached && down.op == MemOp::Write) detail_.uncached_write_sectors += touched;
  }
}

Cache::Detail TrafficCounters::at(Cycle now) const {
  Cache::Detail d = detail_;
  d.busy_cycles = inside_.busy(now);
  d.request_time = inside_.item_time(now);
  d.read_time = reads_.item_time(now);
  d.write_time = writes_.item_time(now);
  d.atomic_time = atomics_.item_time(now);
  d.reads_under_way = reads_.level();
  d.writes_under_way = writes_.level();
  d.atomics_under_way = atomics_.level();
  return d;
}

}  // namespace cuvette::cache
