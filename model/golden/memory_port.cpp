// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/memory_port.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "wave/access_pieces.h"
#include "wave/atomic.h"
#include "wave/memory/lane_data.h"
#include "wave/memory/sampling.h"
#include "wave/memory/share_access.h"

namespace cuvette::golden {

using wave::MemoryKind;
using wave::MemoryOp;
using wave::MemoryReply;
using wave::MemorySpace;
using wave::memory::gather_lane;
using wave::memory::lane_compare;
using wave::memory::lane_operand;
using wave::memory::scatter_lane;

namespace {

constexpr size_t kGdsBytes = 65536;  // the largest of any target; address generation bounds it

/// Calls act(lane) for the set bits in ascending order.
template <class Act>
void for_lanes(uint64_t lanes, Act act) {
  for (; lanes != 0; lanes &= lanes - 1) act(static_cast<unsigned>(__builtin_ctzll(lanes)));
}

bool is_plain(const MemoryOp& op, unsigned lane) {
  const uint64_t special =
      op.swizzled | op.partial[0] | op.partial[1] | op.partial[2] | op.partial[3];
  return !base::bit(special, lane);
}

}  // namespace

void MemoryPort::see(hsa::DeviceMemory& memory, View* view) {
  if (view == nullptr && view_ == nullptr && memory_ == &memory) return;
  memory_ = view != nullptr ? &view->memory() : &memory;
  view_ = view;
  forget_spans();
  generation_ = memory_->space().generation();
}

void MemoryPort::watch(AccessWatch* watch) {
  watch_ = watch;
  watched = watch != nullptr;
  // An access that check() has to see may have a span already.
  forget_spans();
}

/// Reports accesses that bookkeeping by address misses: one memory at two addresses, and rewritten
/// code.
void MemoryPort::check(uint64_t address, const hsa::Translation& translation, bool write) {
  if (translation.pa != address) watch_->depends_on_order("an access by a translated address");
  if (write && memory_->space().translate(0, address, hsa::Access::Execute).ok()) {
    watch_->depends_on_order("a store to executable memory");
  }
}

/// Span around the address that translates alike and is contiguous in the host, inside the window
/// of `window` bytes around it: empty when the access itself is not.
wave::SoftTlb::Span MemoryPort::span_around(uint64_t address, unsigned bytes, uint64_t window,
                                            hsa::Access access, const hsa::Translation& t) {
  const uint64_t length = std::min(t.bytes, window - address % window);
  if (length < bytes) return {};
  uint64_t before = address % window;
  if (before != 0) {
    const hsa::Translation b = memory_->space().translate(0, address - before, access);
    if (!b.ok() || b.bytes < before + length || b.pa != t.pa - before) before = 0;
  }
  uint8_t* host = memory_->backing().host_pointer(t.pa - before, before + length);
  if (host == nullptr && before != 0) {
    before = 0;
    host = memory_->backing().host_pointer(t.pa, length);
  }
  if (host == nullptr) return {};
  return {address - before, address + length, host};
}

/// Before the first access of a kind to a mapped range. True: loads from it are reported.
bool MemoryPort::is_noted(uint64_t address, bool write) {
  const hsa::AddressSpace::Range* range = memory_->space().find(0, address);
  return range == nullptr || watch_->uses(range->va, write);
}

/// A store of few bytes that is not in one piece may end in another range.
void MemoryPort::change_last(uint64_t address, unsigned bytes) {
  is_noted(address, true);
  is_noted(address + bytes - 1, true);
}

uint8_t* MemoryPort::find_span(uint64_t address, unsigned bytes, bool write) {
  const auto access = write ? hsa::Access::Write : hsa::Access::Read;
  const hsa::Translation t = memory_->space().translate(0, address, access);
  if (t.ok() && watched) check(address, t, write);
  if (!t.ok() || t.bytes < bytes) return nullptr;
  const bool noted = watched && is_noted(address, write);
  // The largest window that is all there, which a gather over a whole buffer needs. It translates
  // in one way, so that check() has seen all of it.
  constexpr uint64_t kLeast = uint64_t{1} << kShift;
  Span span;
  for (uint64_t window = kWidest; window >= kLeast; window /= 4) {
    const Span wider = span_around(address, bytes, window, access, t);
    if (wider.end - wider.first > span.end - span.first || !span.holds(address, bytes))
      span = wider;
  }
  if (!span.holds(address, bytes)) return nullptr;
  span.noted = noted;
  if (view_ == nullptr || view_->stays()) keep_span(span, address, write);
  return span.host + (address - span.first);
}

/// Notes where the access failed.
bool MemoryPort::good(const hsa::AccessResult& result) {
  failed_ = result;
  return result.ok();
}

bool MemoryPort::load(uint64_t address, void* out, unsigned bytes) {
  if (const uint8_t* host = host_of(address, bytes, false)) {
    if (watched && !is_unnoted(address, bytes)) touch(address, bytes, false);
    std::memcpy(out, host, bytes);
    return true;
  }
  if (watched) touch(address, bytes, false);
  return good(memory_->read(address, out, bytes));
}

bool MemoryPort::store(uint64_t address, const void* data, unsigned bytes) {
  if (uint8_t* host = host_of(address, bytes, true)) {
    if (watched) touch(address, bytes, true);
    std::memcpy(host, data, bytes);
    return true;
  }
  if (watched) {
    change_last(address, bytes);
    touch(address, bytes, true);
  }
  return good(memory_->write(address, data, bytes));
}

/// False: the address faults.
bool MemoryPort::update(const MemoryOp& op, uint64_t address, const hsa::Backing::Update& change,
                        uint64_t& old) {
  if (watched && address % op.bytes == 0) {
    if (host_of(address, op.bytes, true) == nullptr) change_last(address, op.bytes);
    watch_->atomic(address, op.bytes, op.atomic, op.kind == MemoryKind::AtomicReturn);
  }
  return good(memory_->update(address, op.bytes, change, &old));
}

void MemoryPort::fault(MemoryReply& reply, unsigned lane) {
  if (reply.faulted == 0) first_fault_ = failed_;
  reply.faulted |= uint64_t{1} << lane;
}

void MemoryPort::perform(const MemoryOp& op, const wave::Mode& mode, std::vector<uint8_t>& lds,
                         MemoryReply& reply) {
  refresh();
  switch (op.space) {
    case MemorySpace::Scalar:
      scalar(op, reply);
      break;
    case MemorySpace::Lds:
      wave::access_share(op, op.exec, mode, lds, reply);
      break;
    case MemorySpace::Gds:
      if (watched) watch_->depends_on_order("an access to GDS");
      gds_.resize(kGdsBytes);
      wave::access_share(op, op.exec, mode, gds_, reply);
      break;
    case MemorySpace::Global:
      if (op.sampling != nullptr) {
        sample(*op.sampling, reply);
        break;
      }
      if (op.transfer == wave::LdsTransfer::FromLds) {
        store_from_lds(op, lds, reply);
        break;
      }
      if (op.flat_lds != 0) {
        wave::access_share(op, op.exec & op.flat_lds, mode, lds, reply);
      }
      global(op, op.exec & ~op.flat_lds, reply);
      if (op.transfer == wave::LdsTransfer::ToLds) {
        // Every lane's dword, those that failed a range check of memory as 0.
        for_lanes(op.exec | op.out_of_range, [&](unsigned lane) {
          const uint32_t value = wave::loaded_value(op, reply, lane, 0, 0, false);
          if (op.address[1][lane] + 4 > lds.size()) return;
          std::memcpy(&lds[op.address[1][lane]], &value, 4);
        });
      }
      break;
  }
  if (view_ != nullptr && op.kind == MemoryKind::Store) view_->stored();
}

void MemoryPort::sample(wave::Sampling& sampling, MemoryReply& reply) {
  for (wave::Sampling::Fetch& fetch : sampling.fetches) {
    if (!load(fetch.address, fetch.raw, sampling.bytes)) fault(reply, fetch.lane);
  }
}

void MemoryPort::store_from_lds(const MemoryOp& op, const std::vector<uint8_t>& lds,
                                MemoryReply& reply) {
  MemoryOp filled = op;
  for_lanes(op.exec, [&](unsigned lane) {
    if (op.address[1][lane] + 4 > lds.size()) return;
    std::memcpy(&filled.data[0][lane], &lds[op.address[1][lane]], 4);
    reply.data[0][lane] = filled.data[0][lane];
  });
  global(filled, op.exec, reply);
}

bool MemoryPort::global_contiguous(const MemoryOp& op, uint64_t lanes, MemoryReply& reply) {
  if (lanes != ~uint64_t{0} || op.bytes != 4 || op.accesses != 1 || op.swizzled != 0) return false;
  const uint64_t first = op.address[0][0];
  for (unsigned lane = 1; lane < wave::kLanes; ++lane) {
    if (op.address[0][lane] != first + 4u * lane) return false;
  }
  constexpr unsigned kBytes = 4 * wave::kLanes;
  if (op.kind == MemoryKind::Load) {
    const uint8_t* host = host_of(first, kBytes, false);
    if (host == nullptr) return false;
    if (watched && !is_unnoted(first, kBytes)) touch(first, kBytes, false);
    std::memcpy(reply.data[0], host, kBytes);
    return true;
  }
  if (op.kind == MemoryKind::Store) {
    uint8_t* host = host_of(first, kBytes, true);
    if (host == nullptr) return false;
    if (watched) touch(first, kBytes, true);
    std::memcpy(host, op.data[0], kBytes);
    return true;
  }
  return false;
}

void MemoryPort::global(const MemoryOp& op, uint64_t lanes, MemoryReply& reply) {
  if (global_contiguous(op, lanes, reply)) return;
  uint8_t bytes[16] = {};
  for_lanes(lanes, [&](unsigned lane) {
    const uint64_t address = op.address[0][lane];
    if (!is_plain(op, lane)) {
      global_pieces(op, lane, reply);
      return;
    }
    switch (op.kind) {
      case MemoryKind::Load:
        std::memset(bytes, 0, sizeof bytes);
        if (!load(address, bytes, op.bytes)) fault(reply, lane);
        scatter_lane(reply.data, 0, lane, op.bytes, bytes);
        break;
      case MemoryKind::Store:
        gather_lane(op.data, 0, lane, op.bytes, bytes);
        if (!store(address, bytes, op.bytes)) fault(reply, lane);
        break;
      case MemoryKind::Atomic:
      case MemoryKind::AtomicReturn: {
        uint64_t old = 0;
        const auto change = [&](uint64_t before) {
          const bool flush = wave::flushes_in_l2(op.instruction->target);
          return wave::apply_atomic(op.atomic, before, lane_operand(op, lane),
                                    lane_compare(op, lane), op.bytes * 8u, flush, flush);
        };
        if (!update(op, address, change, old)) fault(reply, lane);
        reply.data[0][lane] = base::lo32(old);
        reply.data[1][lane] = base::hi32(old);
        break;
      }
    }
  });
}

/// A lane whose bytes are not in one piece. Atomics on such lanes are on private memory, which
/// nobody else sees: a load and a store will do.
void MemoryPort::global_pieces(const MemoryOp& op, unsigned lane, MemoryReply& reply) {
  uint8_t bytes[16] = {};
  if (op.kind != MemoryKind::Store) {
    wave::for_access_pieces(op, 0, lane, [&](uint64_t address, unsigned first, unsigned count) {
      if (!load(address, bytes + first, count)) fault(reply, lane);
    });
    scatter_lane(reply.data, 0, lane, op.bytes, bytes);
  }
  if (op.kind == MemoryKind::Load) return;
  if (op.kind == MemoryKind::Store) {
    gather_lane(op.data, 0, lane, op.bytes, bytes);
  } else {
    uint64_t old = 0;
    std::memcpy(&old, bytes, op.bytes);
    const bool flush = wave::flushes_in_l2(op.instruction->target);
    const uint64_t value = wave::apply_atomic(op.atomic, old, lane_operand(op, lane),
                                              lane_compare(op, lane), op.bytes * 8u, flush, flush);
    std::memcpy(bytes, &value, op.bytes);
  }
  wave::for_access_pieces(op, 0, lane, [&](uint64_t address, unsigned first, unsigned count) {
    if (!store(address, bytes + first, count)) fault(reply, lane);
  });
}

/// The lane mask of a scalar operation counts dwords; those in range are the first ones.
void MemoryPort::scalar(const MemoryOp& op, MemoryReply& reply) {
  if (op.exec == 0) return;
  const uint64_t address = op.address[0][0];
  const unsigned bytes = 4u * static_cast<unsigned>(__builtin_popcountll(op.exec));
  switch (op.kind) {
    case MemoryKind::Load:
      if (!load(address, reply.scalar_data, bytes)) {
        std::fill(std::begin(reply.scalar_data), std::end(reply.scalar_data), 0);
        fault(reply, 0);
      }
      break;
    case MemoryKind::Store:
      if (!store(address, op.scalar_data, bytes)) fault(reply, 0);
      break;
    case MemoryKind::Atomic:
    case MemoryKind::AtomicReturn: {
      const uint64_t data =
          op.bytes == 8 ? base::join32(op.scalar_data[0], op.scalar_data[1]) : op.scalar_data[0];
      uint64_t old = 0;
      const auto change = [&](uint64_t before) {
        return base::apply_integer_atomic(op.atomic, before, data, lane_compare(op, 0),
                                          op.bytes * 8u);
      };
      if (!update(op, address, change, old)) fault(reply, 0);
      reply.scalar_data[0] = base::lo32(old);
      reply.scalar_data[1] = base::hi32(old);
      break;
    }
  }
}

}  // namespace cuvette::golden
