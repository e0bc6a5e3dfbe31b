// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/coalesce.h"

#include <algorithm>

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

/// A piece and the block it is in, before grouping.
struct Segment {
  uint64_t block = 0;
  memory::Mtype mtype = memory::Mtype::ReadWrite;
  Piece piece;
};

class Coalescer {
 public:
  Coalescer(const MemoryOp& op, const hsa::AddressSpace& space, uint32_t vmid, OnFault on_fault,
            Coalesced& out)
      : op_(op), translate_(space, vmid, access_of(op.kind)), on_fault_(on_fault), out_(out) {}

  bool failed() const { return out_.fault != hsa::Fault::None; }

  /// Bytes [first, first + count) of an item at contiguous addresses from `va` on.
  void add_run(uint64_t va, unsigned item, unsigned first, unsigned count) {
    const size_t before = segments_.size();
    while (count != 0 && !failed()) {
      const hsa::Translation& t = translate_.at(va);
      if (!t.ok()) {
        segments_.resize(before);
        return fail(t.fault, va, lane_of(item));
      }
      const auto inside = static_cast<unsigned>(t.pa % kBlockBytes);
      const auto n =
          static_cast<unsigned>(std::min<uint64_t>({count, kBlockBytes - inside, t.bytes}));
      Segment s;
      s.block = t.pa - inside;
      s.mtype = mtype_of(t.type);
      s.piece = {static_cast<uint16_t>(item), static_cast<uint8_t>(first), static_cast<uint8_t>(n),
                 static_cast<uint8_t>(inside)};
      segments_.push_back(s);
      va += n;
      first += n;
      count -= n;
    }
  }

  void add_atomic(uint64_t va, unsigned lane, uint32_t window) {
    if (va % op_.bytes != 0) return fail(hsa::Fault::Misaligned, va, lane);
    const hsa::Translation& t = translate_.at(va);
    if (!t.ok()) return fail(t.fault, va, lane);
    if (t.bytes < op_.bytes) return fail(hsa::Fault::Unmapped, va + t.bytes, lane);
    const auto inside = static_cast<unsigned>(t.pa % kBlockBytes);
    Group g;
    g.address = t.pa;
    g.byte_mask = base::low_mask(op_.bytes) << inside;
    g.mtype = mtype_of(t.type);
    g.window = window;
    g.first_piece = static_cast<uint32_t>(out_.pieces.size());
    g.pieces = 1;
    out_.pieces.push_back(
        {static_cast<uint16_t>(lane), 0, op_.bytes, static_cast<uint8_t>(inside)});
    out_.groups.push_back(g);
  }

  /// Makes groups of what add_run has gathered.
  void close_window(uint32_t window) {
    for (size_t s = 0; s < segments_.size(); ++s) {
      if (segments_[s].piece.count == 0) continue;
      Group g;
      g.address = segments_[s].block;
      g.mtype = segments_[s].mtype;
      g.window = window;
      g.first_piece = static_cast<uint32_t>(out_.pieces.size());
      for (size_t other = s; other < segments_.size(); ++other) {
        Piece& p = segments_[other].piece;
        if (segments_[other].block != g.address || segments_[other].mtype != g.mtype) continue;
        if (p.count == 0) continue;
        g.byte_mask |= base::low_mask(p.count) << p.offset;
        out_.pieces.push_back(p);
        ++g.pieces;
        p.count = 0;  // taken
      }
      out_.groups.push_back(g);
    }
    segments_.clear();
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

  void add_lane(unsigned lane) {
    if (!base::bit(op_.swizzled, lane) && !partial(lane)) {
      add_run(op_.address[0][lane], lane, 0, op_.bytes);
      return;
    }
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

 private:
  bool partial(unsigned lane) const {
    return base::bit(op_.partial[0] | op_.partial[1] | op_.partial[2] | op_.partial[3], lane);
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
  std::vector<Segment> segments_;
};

bool is_atomic(MemoryKind kind) {
  return kind == MemoryKind::Atomic || kind == MemoryKind::AtomicReturn;
}

/// Bit i of exec is dword i of the one access.
void coalesce_scalar(const MemoryOp& op, Coalescer& c) {
  if (is_atomic(op.kind)) {
    if (op.exec != 0) c.add_atomic(op.address[0][0], 0, 0);
    return;
  }
  // Dwords in range are the first ones.
  const auto dwords = static_cast<unsigned>(__builtin_popcountll(op.exec));
  c.add_run(op.address[0][0], 0, 0, 4 * dwords);
  c.close_window(0);
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
    if (op.sampling != nullptr) fetch = c.add_fetches(fetch, end);
    for (unsigned lane = first; lane < end; ++lane) {
      if (!base::bit(lanes, lane)) continue;
      if (is_atomic(op.kind)) {
        c.add_atomic(op.address[0][lane], lane, window);
      } else {
        c.add_lane(lane);
      }
      if (c.failed()) return;
    }
    if (c.failed()) return;
    c.close_window(window);
  }
}

bool lies_apart(const wave::MemoryOp& op) {
  const bool atomic =
      op.kind == wave::MemoryKind::Atomic || op.kind == wave::MemoryKind::AtomicReturn;
  if (!atomic || op.space != wave::MemorySpace::Global) return false;
  for (uint64_t lanes = op.exec & op.swizzled & ~op.flat_lds; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(lanes));
    const unsigned last = op.bytes - 1u;
    if (op.byte_address(0, lane, last) != op.byte_address(0, lane, 0) + last) return true;
  }
  return false;
}

}  // namespace cuvette::compute_unit
