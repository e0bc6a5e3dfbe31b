// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/coalesce.h"

#include <algorithm>
#include <bit>

#include "base/bits.h"
#include "wave/memory/sampling.h"

namespace cuvette::compute_unit {
namespace {

using memory::kBlockBytes;
using wave::MemoryKind;
using wave::MemoryOp;
using wave::MemorySpace;

memory::Mtype mtype_of(hsa::MemoryType type) {
  switch (type) {
    case hsa::MemoryType::NonCoherent:
      return memory::Mtype::NonCoherent;
    case hsa::MemoryType::ReadWrite:
      return memory::Mtype::ReadWrite;
    case hsa::MemoryType::CoherentlyCached:
      return memory::Mtype::CoherentlyCached;
    case hsa::MemoryType::Uncached:
      return memory::Mtype::Uncached;
  }
  return memory::Mtype::ReadWrite;
}

hsa::Access access_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::Load:
      return hsa::Access::Read;
    case MemoryKind::Store:
      return hsa::Access::Write;
    default:
      return hsa::Access::ReadWrite;
  }
}

/// Translations of one operation: neighbouring lanes mostly hit the same range.
class Translator {
 public:
  Translator(const hsa::AddressSpace& space, uint32_t vmid, hsa::Access access)
      : space_(space), vmid_(vmid), access_(access) {}

  const hsa::Translation& at(uint64_t va) {
    if (!held_.ok() || va < first_ || va - first_ >= length_) {
      held_ = space_.translate(vmid_, va, access_);
      first_ = va;
      length_ = held_.bytes;
      first_pa_ = held_.pa;
    }
    held_.pa = first_pa_ + (va - first_);
    held_.bytes = length_ - (va - first_);
    return held_;
  }

 private:
  const hsa::AddressSpace& space_;
  uint32_t vmid_;
  hsa::Access access_;
  hsa::Translation held_{0, 0, hsa::MemoryType::NonCoherent, hsa::Fault::Unmapped};
  uint64_t first_ = 0, length_ = 0, first_pa_ = 0;
};

class Coalescer {
 public:
  Coalescer(const MemoryOp& op, const hsa::AddressSpace& space, uint32_t vmid, OnFault on_fault,
            Coalesced& out)
      : op_(op),
        translate_(space, vmid, access_of(op.kind)),
        on_fault_(on_fault),
        out_(out),
        pieced_(op.swizzled | op.partial[0] | op.partial[1] | op.partial[2] | op.partial[3]) {}

  bool failed() const { return out_.fault != hsa::Fault::None; }

  /// From now on requests are of this window.
  void open_window(uint32_t window) {
    window_ = window;
    first_group_ = out_.groups.size();
  }

  /// Bytes [first, first + count) of an item at contiguous addresses from `va` on.
  void add_run(uint64_t va, unsigned item, unsigned first, unsigned count) {
    if (!translates(va, item, count)) return;
    while (count != 0) {
      const unsigned n = std::min(count, room_at(va));
      add_piece(va, item, first, n, 1);
      va += n;
      first += n;
      count -= n;
    }
  }

  void add_atomic(uint64_t va, unsigned lane) {
    if (va % op_.bytes != 0) return fail(hsa::Fault::Misaligned, va, lane);
    const hsa::Translation& t = translate_.at(va);
    if (!t.ok()) return fail(t.fault, va, lane);
    if (t.bytes < op_.bytes) return fail(hsa::Fault::Unmapped, va + t.bytes, lane);
    const auto inside = static_cast<unsigned>(t.pa % kBlockBytes);
    Group g;
    g.address = t.pa;
    g.byte_mask = base::low_mask(op_.bytes) << inside;
    g.mtype = mtype_of(t.type);
    g.window = window_;
    g.first_piece = g.last_piece = static_cast<uint32_t>(out_.pieces.size());
    out_.pieces.push_back(
        {static_cast<uint16_t>(lane), 0, op_.bytes, static_cast<uint8_t>(inside)});
    out_.groups.push_back(g);
  }

  /// Fetches of a sampled image from number `fetch` on that belong to lanes below `end`. The number
  /// of the first that does not.
  size_t add_fetches(size_t fetch, unsigned end) {
    const auto& fetches = op_.sampling->fetches;
    for (; fetch < fetches.size() && fetches[fetch].lane < end && !failed(); ++fetch) {
      add_run(fetches[fetch].address, static_cast<unsigned>(fetch), 0, op_.sampling->bytes);
    }
    return fetch;
  }

  /// Lanes of `lanes` below `end` from the first one on, as many as lie one behind the other.
  uint64_t add_lanes(uint64_t lanes, unsigned end) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    if (base::bit(pieced_, lane)) {
      add_pieces(lane);
      return lanes & (lanes - 1);
    }
    // Elements that are whole in one block are one piece.
    const uint64_t va = op_.address[0][lane];
    unsigned bytes = op_.bytes, last = lane + 1;
    const unsigned room = translate_.at(va).ok() ? room_at(va) : 0;
    while (last < end && bytes + op_.bytes <= room && base::bit(lanes & ~pieced_, last) &&
           op_.address[0][last] == va + bytes) {
      bytes += op_.bytes;
      ++last;
    }
    if (bytes <= room) {
      add_piece(va, lane, 0, op_.bytes, last - lane);
    } else {
      add_run(va, lane, 0, op_.bytes);
    }
    return lanes & ~base::low_mask(last);
  }

 private:
  void add_pieces(unsigned lane) {
    for (unsigned first = 0; first < op_.bytes && !failed();) {
      if (!op_.byte_in_range(0, lane, first)) {
        ++first;
        continue;
      }
      const uint64_t va = op_.byte_address(0, lane, first);
      unsigned count = 1;
      while (first + count < op_.bytes && op_.byte_in_range(0, lane, first + count) &&
             op_.byte_address(0, lane, first + count) == va + count) {
        ++count;
      }
      add_run(va, lane, first, count);
      first += count;
    }
  }

  /// All bytes can be reached; else the item fails.
  bool translates(uint64_t va, unsigned item, uint64_t count) {
    while (count != 0) {
      const hsa::Translation& t = translate_.at(va);
      if (!t.ok()) {
        fail(t.fault, va, lane_of(item));
        return false;
      }
      const uint64_t n = std::min(count, t.bytes);
      va += n;
      count -= n;
    }
    return true;
  }
  /// Bytes from `va` on in the same block and translation.
  unsigned room_at(uint64_t va) {
    const hsa::Translation& t = translate_.at(va);
    return static_cast<unsigned>(std::min<uint64_t>(kBlockBytes - t.pa % kBlockBytes, t.bytes));
  }
  /// Into the request of the window for this block.
  void add_piece(uint64_t va, unsigned item, unsigned first, unsigned count, unsigned items) {
    const hsa::Translation& t = translate_.at(va);
    const memory::Mtype mtype = mtype_of(t.type);
    const auto inside = static_cast<unsigned>(t.pa % kBlockBytes);
    const auto piece = static_cast<uint32_t>(out_.pieces.size());
    out_.pieces.push_back({static_cast<uint16_t>(item), static_cast<uint8_t>(first),
                           static_cast<uint8_t>(count), static_cast<uint8_t>(inside),
                           static_cast<uint8_t>(items)});
    size_t g = out_.groups.size();
    while (g != first_group_ &&
           (out_.groups[g - 1].address != t.pa - inside || out_.groups[g - 1].mtype != mtype)) {
      --g;
    }
    if (g == first_group_) {
      out_.groups.push_back({t.pa - inside, 0, mtype, window_, piece, piece});
      g = out_.groups.size();
    } else {
      out_.pieces[out_.groups[g - 1].last_piece].next = piece;
    }
    out_.groups[g - 1].last_piece = piece;
    out_.groups[g - 1].byte_mask |= base::low_mask(count * items) << inside;
  }
  unsigned lane_of(unsigned item) const {
    return op_.sampling != nullptr ? op_.sampling->fetches[item].lane : item;
  }
  void fail(hsa::Fault fault, uint64_t va, unsigned lane) {
    if (on_fault_ == OnFault::LeaveOut) {
      out_.left_out |= uint64_t{1} << lane;
      return;
    }
    out_.fault = fault;
    out_.fault_address = va;
  }

  const MemoryOp& op_;
  Translator translate_;
  OnFault on_fault_;
  Coalesced& out_;
  uint64_t pieced_;  // lanes whose bytes are not in one piece, or not all in range
  uint32_t window_ = 0;
  size_t first_group_ = 0;  // of the window
};

/// Bit i of exec is dword i of the one access.
void coalesce_scalar(const MemoryOp& op, Coalescer& c) {
  if (is_atomic(op.kind)) {
    if (op.exec != 0) c.add_atomic(op.address[0][0], 0);
    return;
  }
  // Dwords in range are the first ones.
  const auto dwords = static_cast<unsigned>(__builtin_popcountll(op.exec));
  c.add_run(op.address[0][0], 0, 0, 4 * dwords);
}

}  // namespace

void coalesce(const MemoryOp& op, const hsa::AddressSpace& space, uint32_t vmid,
              unsigned lanes_per_window, OnFault on_fault, Coalesced& out) {
  out.groups.clear();
  out.pieces.clear();
  out.fault = hsa::Fault::None;
  out.left_out = 0;
  Coalescer c(op, space, vmid, on_fault, out);
  if (op.space == MemorySpace::Scalar) {
    coalesce_scalar(op, c);
    return;
  }
  if (op.space != MemorySpace::Global) return;
  const uint64_t lanes = op.sampling != nullptr ? 0 : op.exec & ~op.flat_lds;
  uint32_t window = 0;
  size_t fetch = 0;
  for (unsigned first = 0; first < wave::kLanes; first += lanes_per_window, ++window) {
    const unsigned end = std::min(first + lanes_per_window, wave::kLanes);
    c.open_window(window);
    if (op.sampling != nullptr) fetch = c.add_fetches(fetch, end);
    uint64_t left = lanes & base::low_mask(end) & ~base::low_mask(first);
    while (left != 0 && !c.failed()) {
      if (is_atomic(op.kind)) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        c.add_atomic(op.address[0][lane], lane);
        left &= left - 1;
      } else {
        left = c.add_lanes(left, end);
      }
    }
    if (c.failed()) return;
  }
}

bool lies_apart(const wave::MemoryOp& op) {
  const bool atomic = is_atomic(op.kind);
  if (!atomic || op.space != wave::MemorySpace::Global) return false;
  for (uint64_t lanes = op.exec & op.swizzled & ~op.flat_lds; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(lanes));
    const unsigned last = op.bytes - 1u;
    if (op.byte_address(0, lane, last) != op.byte_address(0, lane, 0) + last) return true;
  }
  return false;
}

}  // namespace cuvette::compute_unit
