// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/loose/address_view.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "compute_unit/group_request.h"
#include "wave/memory/sampling.h"
#include "wave/memory/share_access.h"

namespace cuvette::compute_unit::loose {

using machine::Cycle;
using memory::kBlockBytes;
using wave::kLanes;
using wave::MemoryKind;
using wave::MemoryOp;

namespace {

/// Calls act(lane) for the set bits in ascending order.
template <class Act>
void for_lanes(uint64_t lanes, Act act) {
  for (; lanes != 0; lanes &= lanes - 1) act(static_cast<unsigned>(__builtin_ctzll(lanes)));
}

}  // namespace

AddressView::AddressView(const hsa::AddressSpace& space, uint32_t vmid, DirectMemory& memory,
                         isa::Target target, unsigned lanes_per_window)
    : space_(space),
      vmid_(vmid),
      memory_(memory),
      window_(std::max(1u, lanes_per_window)),
      program_(*this, target) {
  watched = true;
  grants_atomics = memory.grants_atomics();
}

void AddressView::refresh(Cycle now) {
  now_ = now;
  if (mapped_ == space_.generation() && granted_ == memory_.generation()) return;
  forget_spans();
  mapped_ = space_.generation();
  granted_ = memory_.generation();
}

std::string AddressView::near_buffer(uint64_t address) const {
  const std::string place = space_.place_of(vmid_, address, 0);
  return place.empty() ? place : ", " + place;
}

/// The part of a granted region, inside an aligned window around the address, that translates
/// alike.
uint8_t* AddressView::find_span(uint64_t address, unsigned bytes, bool write) {
  const auto access = write ? hsa::Access::Write : hsa::Access::Read;
  const hsa::Translation t = space_.translate(vmid_, address, access);
  if (!t.ok() || t.bytes < bytes) return nullptr;
  const DirectMemory::Region region = memory_.region(t.pa, write);
  if (region.host == nullptr || bytes - 1 > region.last - t.pa) return nullptr;
  latency_ = region.latency;
  const uint64_t behind = std::min(t.bytes, region.last - t.pa + 1);
  Span span{address, address + behind, region.host + (t.pa - region.first)};
  for (uint64_t window = kWidest; window > kBlockBytes; window /= 4) {
    const uint64_t before = address % window;
    if (before > t.pa - region.first) continue;
    const hsa::Translation b = space_.translate(vmid_, address - before, access);
    if (!b.ok() || b.bytes < before + bytes || b.pa != t.pa - before) continue;
    span.first -= before;
    span.host -= before;
    break;
  }
  if (space_.stays(vmid_)) keep_span(span, address, write);
  return span.host + (address - span.first);
}

bool AddressView::read(uint64_t pa, void* out, size_t bytes) const {
  auto* to = static_cast<uint8_t*>(out);
  while (bytes != 0) {
    const uint64_t inside = pa % kBlockBytes;
    const size_t n = std::min<size_t>(bytes, kBlockBytes - inside);
    memory::MemReq request;
    request.op = memory::MemOp::Read;
    request.time = now_;
    request.address = pa - inside;
    request.byte_mask = base::low_mask(static_cast<unsigned>(n)) << inside;
    memory::MemResp response;
    memory_.request(request, response);
    if (response.status != memory::MemStatus::Ok) return false;
    std::memcpy(to, response.data.data() + inside, n);
    to += n;
    pa += n;
    bytes -= n;
  }
  return true;
}

size_t AddressView::fetch(uint64_t pc, uint32_t* words, size_t count) const {
  size_t got = 0;
  while (got < count) {
    const auto t = space_.translate(vmid_, pc + 4 * got, hsa::Access::Execute);
    if (!t.ok()) break;
    // Block by block: the last instruction may end where memory does.
    const size_t here = std::min<uint64_t>(
        {count - got, std::max<uint64_t>(1, t.bytes / 4), (kBlockBytes - t.pa % kBlockBytes) / 4});
    if (!read(t.pa, words + got, 4 * here)) break;
    got += here;
  }
  return got;
}

unsigned AddressView::peek(uint64_t pc, uint32_t* words, unsigned count) const {
  unsigned got = 0;
  for (; got < count; ++got) {
    const auto t = space_.translate(vmid_, pc + 4 * got, hsa::Access::Execute);
    if (!t.ok() || !memory_.peek(t.pa, words + got, 4)) break;
  }
  return got;
}

void AddressView::note_block(uint64_t block) {
  auto& blocks = touched_.blocks;
  const uint64_t bit = uint64_t{1} << block % 64;
  if ((seen_ & bit) != 0 && std::find(blocks.rbegin(), blocks.rend(), block) != blocks.rend())
    return;
  seen_ |= bit;
  blocks.push_back(block);
}

void AddressView::touch(uint64_t address, unsigned bytes, bool) {
  const uint64_t last = (address + bytes - 1) / kBlockBytes;
  for (uint64_t b = address / kBlockBytes; b <= last; ++b) note_block(b);
}

/// Lanes that are all in 64 blocks around that of the first one, none of them in two: each block is
/// noted once. False: they are not.
bool AddressView::touch_near(uint64_t first, const uint32_t (&offset)[kLanes], uint64_t lanes,
                             unsigned bytes) {
  constexpr uint32_t kNear = kBlockBytes * kLanes / 2;
  const uint32_t some = offset[__builtin_ctzll(lanes)];
  const uint32_t other = offset[63 - __builtin_clzll(lanes)];
  if (other - some + kNear >= 2 * kNear || (bytes & (bytes - 1)) != 0) return false;
  // Relative to `from` everything fits in 32 bits, or is too far away.
  const uint64_t from = (first + some) / kBlockBytes - kLanes / 2;
  const auto origin = static_cast<uint32_t>(first - from * kBlockBytes);
  uint64_t all = 0;
  uint32_t bits = 0;  // of all places
  const auto add = [&](unsigned lane) {
    const uint32_t at = origin + offset[lane];
    all |= uint64_t{1} << (at / kBlockBytes % kLanes);
    bits |= at;
  };
  if (lanes == ~uint64_t{0}) {
    for (unsigned lane = 0; lane < kLanes; ++lane) add(lane);
  } else {
    for_lanes(lanes, add);
  }
  if (bits >= 2 * kNear || (bits & (bytes - 1)) != 0) return false;
  for_lanes(all, [&](unsigned block) { note_block(from + block); });
  return true;
}

void AddressView::touch_lanes(uint64_t first, const uint32_t (&offset)[kLanes], uint64_t lanes,
                              unsigned bytes, bool) {
  if (touch_near(first, offset, lanes, bytes)) return;
  uint64_t last = ~uint64_t{0};
  for_lanes(lanes, [&](unsigned lane) {
    const uint64_t address = first + offset[lane];
    const uint64_t block = address / kBlockBytes, end = (address + bytes - 1) / kBlockBytes;
    if (block == last && end == last) return;
    note_block(block);
    if (end != block) note_block(end);
    last = end;
  });
}

void AddressView::touch_atomic(uint64_t address, unsigned, base::AtomicOp, bool) {
  touched_.blocks.push_back(address / kBlockBytes);
}

/// As the micro-ops do it.
void AddressView::note(const MemoryOp& op) {
  if (op.sampling != nullptr) {
    for (const auto& fetch : op.sampling->fetches) note_block(fetch.address / kBlockBytes);
    return;
  }
  if (op.space == wave::MemorySpace::Scalar) {
    if (op.exec == 0) return;
    touch(op.address[0][0], 4 * static_cast<unsigned>(__builtin_popcountll(op.exec)), false);
    return;
  }
  for_lanes(op.exec & ~op.flat_lds, [&](unsigned lane) {
    if (is_atomic(op.kind)) return touch_atomic(op.address[0][lane], 0, op.atomic, false);
    for (unsigned byte = 0; byte < op.bytes; byte += 4) {
      const unsigned last = std::min(byte + 3u, op.bytes - 1u);
      note_block(op.byte_address(0, lane, byte) / kBlockBytes);
      note_block(op.byte_address(0, lane, last) / kBlockBytes);
    }
  });
}

void AddressView::send(const Group& group, MemoryOp& op, wave::MemoryReply& reply, Result& result) {
  memory::MemReq request;
  fill_request(op, requests_, group, request);
  request.time = now_;
  memory::MemResp response;
  memory_.request(request, response);
  if (response.status == memory::MemStatus::Fault && result.fault == hsa::Fault::None) {
    result.fault = hsa::Fault::NotBacked;
    result.address = group.address;
  }
  take_response(requests_, group, response, op, reply);
  const DirectMemory::Region region = memory_.region(group.address, op.kind != MemoryKind::Load);
  if (region.host == nullptr) result.answered = std::max(result.answered, response.time);
}

AddressView::Result AddressView::perform(MemoryOp& op, std::vector<uint8_t>& lds, OnFault on_fault,
                                         wave::MemoryReply& reply) {
  Result result;
  coalesce(op, space_, vmid_, window_, on_fault, requests_);
  reply.faulted = requests_.left_out;
  if (requests_.fault != hsa::Fault::None) {
    result.fault = requests_.fault;
    result.address = requests_.fault_address;
    return result;
  }
  if (op.violation != 0 && on_fault == OnFault::Stop) return result;
  if ((op.flat_lds & op.exec) != 0) {
    wave::access_share(op, op.exec & op.flat_lds, wave::Mode{op.mode}, lds, reply);
  }
  const auto in_lds = [&](unsigned lane) { return op.address[1][lane] + 4 <= lds.size(); };
  if (op.transfer == wave::LdsTransfer::FromLds) {
    for_lanes(op.exec, [&](unsigned lane) {
      uint32_t value = 0;
      if (in_lds(lane)) std::memcpy(&value, &lds[op.address[1][lane]], 4);
      op.data[0][lane] = reply.data[0][lane] = value;
    });
  }
  note(op);
  for (const Group& group : requests_.groups) send(group, op, reply, result);
  if (op.transfer == wave::LdsTransfer::ToLds && result.fault == hsa::Fault::None) {
    // A lane that failed a range check of memory brings 0.
    for_lanes(op.exec | op.out_of_range, [&](unsigned lane) {
      const uint32_t value = wave::loaded_value(op, reply, lane, 0, 0, false);
      if (in_lds(lane)) std::memcpy(&lds[op.address[1][lane]], &value, 4);
    });
  }
  return result;
}

}  // namespace cuvette::compute_unit::loose
