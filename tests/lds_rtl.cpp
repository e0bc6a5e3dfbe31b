// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "lds_rtl.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/bits.h"
#include "isa/row.h"
#include "wave/memory/form.h"

namespace cuvette::lds::testing {

using wave::kLanes;
using wave::MemoryKind;

std::string text(const Operation& o) {
  static constexpr const char* kKinds[] = {"load", "store", "atomic", "atomic with return"};
  std::string out = kKinds[static_cast<unsigned>(o.kind)];
  if (o.is_atomic()) out += " " + std::to_string(static_cast<unsigned>(o.atomic));
  out += ", " + std::to_string(o.bytes) + " bytes";
  if (o.accesses == 2) out += " at two addresses";
  if (o.operand_in_lds) out += ", operand in the memory";
  return out;
}

std::vector<Operation> operations_of(isa::Target target) {
  std::set<Operation> found;
  for (const isa::Row& row : isa::rows()) {
    const bool reaches = row.format == isa::Format::Ds || row.format == isa::Format::Flat;
    if (!reaches || !row.on(target)) continue;
    const wave::memory::Form* form = wave::memory::find_form(row.semantic);
    if (form == nullptr) continue;  // moves between lanes, GWS
    found.insert({form->kind, form->atomic, form->bytes, form->accesses, form->src2});
  }
  return {found.begin(), found.end()};
}

uint32_t RequestMaker::dword() {
  static constexpr uint32_t kCorners[] = {
      0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
      0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
      0x7f800001, 0xffa00000, 0x7ff00000, 0xfff00000, 0x7ff80000, 0x7ff00001, 0x000fffff,
      0x00100000, 0x3ff00000, 0x7fefffff, 0x7c007c00, 0xfc003c00, 0x7e000001, 0x03ff8400,
      0x7c013c00, 0x00013c01, 0x7f803f80, 0xff807f7f, 0x007f8080, 0x7f813f80, 0xffffffff,
      0x7fffffff, 0x3f803f81, 0x3dcc3dcd};
  const uint32_t bits = static_cast<uint32_t>(rng_());
  switch (draw(4)) {
    case 0:
      return kCorners[draw(std::size(kCorners))];
    case 1:  // near a power of two, so that sums cancel and round
      return (bits & 0x80000000) | 0x3f000000 | (bits & 0x01ffffff);
    default:
      return bits;
  }
}

uint64_t RequestMaker::lanes() {
  switch (draw(6)) {
    case 0:
      return rng_() & rng_();
    case 1:
      return uint64_t{1} << draw(64);
    case 2:
      return draw(8) == 0 ? 0 : rng_() & 0xffff;
    default:
      return ~uint64_t{0};
  }
}

/// Bases and offsets: in a window of a few bytes up to the whole allocation.
void RequestMaker::place(Request& r) {
  const uint32_t window = 1u << (3 + draw(10));
  const uint32_t first = draw(4) == 0 ? draw(kBytes) : draw(1024);
  const uint32_t aligned = draw(3) == 0 ? 1 : draw(2) == 0 ? r.bytes & -r.bytes : 4;
  const uint32_t stride = draw(4) == 0 ? 4 * draw(40) : r.bytes;
  const unsigned shape = draw(4);
  for (auto& row : r.offset) {
    const uint32_t start = first + draw(2) * draw(window);
    for (unsigned l = 0; l < kLanes; ++l) {
      uint32_t at = start + (shape == 0 ? stride * l : shape == 1 ? 0 : draw(window));
      at = at / aligned * aligned;
      if (draw(64) == 0) at = dword();  // anywhere
      row[l] = at;
    }
  }
  base_ = draw(4) * draw(kBytes / 4);
  limit_ = draw(8) == 0 ? draw(first + 2 * window) : kBytes;
  if (draw(32) == 0) limit_ = dword();
  r.base = base_;
  r.limit = limit_;
}

Request RequestMaker::make(const Operation& o) {
  Request r;
  r.id = ++id_;
  r.simd = static_cast<uint8_t>(draw(4));
  r.slot = static_cast<uint8_t>(draw(10));
  r.kind = o.kind;
  r.atomic = o.atomic;
  r.flush_in = draw(2) != 0;
  r.flush_out = draw(2) != 0;
  r.operand_in_lds = o.operand_in_lds;
  r.accesses = o.accesses;
  r.bytes = o.bytes;
  r.exec = lanes();
  place(r);
  for (auto& row : r.data) {
    for (uint32_t& value : row) value = dword();
  }
  for (auto& row : r.compare) {
    for (uint32_t& value : row) value = draw(2) == 0 ? dword() : r.data[draw(2)][draw(kLanes)];
  }
  return r;
}

Request RequestMaker::fill() {
  const uint32_t base = base_, limit = limit_;
  Request r = make({MemoryKind::Store, base::AtomicOp::Swap, 16, 1, false});
  r.base = base_ = base;
  r.limit = limit_ = limit;
  r.exec = ~uint64_t{0};
  const uint32_t first = draw(1024);
  for (unsigned l = 0; l < kLanes; ++l) r.offset[0][l] = first + 16 * l;
  return r;
}

Cost cost_of(const Request& r) {
  // The words of each bank: a set, or for atomic operations all of them (docs/lds.md, Timing).
  Cost total;
  const bool atomic = r.kind >= MemoryKind::Atomic;
  const unsigned places = r.operand_in_lds ? 2 : r.accesses;
  for (unsigned which = 0; which < places; ++which) {
    for (unsigned group = 0; group < kLanes; group += 32) {
      std::map<uint32_t, std::multiset<uint32_t>> banks;
      uint32_t count = 0;
      for (unsigned l = group; l < group + 32; ++l) {
        const uint64_t offset = r.offset[which][l];
        const bool fits = offset + r.bytes <= r.limit && r.base + offset + r.bytes <= 65536;
        if (!base::bit(r.exec, l) || !fits) continue;
        for (uint32_t k = 0; k < (r.bytes + 3u) / 4; ++k) {
          const auto word = static_cast<uint32_t>((r.base + offset) / 4 + k);
          auto& bank = banks[word % 32];
          if (!atomic && bank.count(word) != 0) continue;
          bank.insert(word);
          ++count;
        }
      }
      uint32_t busiest = 0;
      for (const auto& bank : banks) {
        busiest = std::max(busiest, static_cast<uint32_t>(bank.second.size()));
      }
      total.busy += busiest;
      total.conflict += busiest - (count + 31) / 32;
    }
  }
  return total;
}

void Schedule::clock(const Request* taken, bool given) {
  if (!serves_ && !whole_.empty() && due_.size() < kSlots) {
    const Whole& w = whole_.front();
    serves_ = true;
    ends_ = now_ + std::max(1u, w.cost.busy) - 1;
    if (w.atomic) ends_ = std::max(ends_, now_ + kAtomicLanes);
    due_.push_back(now_ + kLatency + w.cost.conflict);
  }
  if (serves_ && ends_ == now_) {
    whole_.pop_front();
    serves_ = false;
  }
  if (taken != nullptr && ++taken_ == kBeats) {
    whole_.push_back({cost_of(*taken), taken->kind >= MemoryKind::Atomic});
    taken_ = 0;
  }
  if (given && ++given_ == kBeats) {
    due_.pop_front();
    given_ = 0;
  }
  ++now_;
}

}  // namespace cuvette::lds::testing
