// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/traffic/lds_traffic.h"

#include <iterator>
#include <set>

#include "ip/traffic/memory_coverage.h"
#include "isa/row.h"
#include "wave/memory/form.h"

namespace cuvette::ip::traffic {

using machine::Cycle;
using wave::kLanes;
using wave::MemoryKind;

std::string text(const LdsOperation& o) {
  static constexpr const char* kKinds[] = {"load", "store", "atomic", "atomic with return"};
  std::string out = kKinds[static_cast<unsigned>(o.kind)];
  if (o.is_atomic()) out += " " + text_of(o.atomic);
  out += ", " + std::to_string(o.bytes) + " bytes";
  if (o.accesses == 2) out += " at two addresses";
  if (o.operand_in_lds) out += ", operand in the memory";
  return out;
}

std::vector<LdsOperation> operations_of(isa::Target target) {
  std::set<LdsOperation> found;
  for (const isa::Row& row : isa::rows()) {
    const bool reaches = row.format == isa::Format::Ds || row.format == isa::Format::Flat;
    if (!reaches || !row.on(target)) continue;
    const wave::memory::Form* form = wave::memory::find_form(row.semantic);
    if (form == nullptr) continue;  // moves between lanes, GWS
    found.insert({form->kind, form->atomic, form->bytes, form->accesses, form->src2});
  }
  return {found.begin(), found.end()};
}

uint32_t LdsRequests::dword() {
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

uint64_t LdsRequests::lanes() {
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
void LdsRequests::place(lds::Request& r) {
  const uint32_t window = 1u << (3 + draw(10));
  const uint32_t first = draw(4) == 0 ? draw(lds::kBytes) : draw(1024);
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
  base_ = draw(4) * draw(lds::kBytes / 4);
  limit_ = draw(8) == 0 ? draw(first + 2 * window) : lds::kBytes;
  if (draw(32) == 0) limit_ = dword();
  r.base = base_;
  r.limit = limit_;
}

lds::Request LdsRequests::make(const LdsOperation& o) {
  lds::Request r;
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

lds::Request LdsRequests::fill() {
  const uint32_t base = base_, limit = limit_;
  lds::Request r = make({MemoryKind::Store, base::AtomicOp::Swap, 16, 1, false});
  r.base = base_ = base;
  r.limit = limit_ = limit;
  r.exec = ~uint64_t{0};
  const uint32_t first = draw(1024);
  for (unsigned l = 0; l < kLanes; ++l) r.offset[0][l] = first + 16 * l;
  return r;
}

LdsTraffic::LdsTraffic(lds::Lds& lds, isa::Target target, const Options& options)
    : lds_(lds), options_(options), maker_(options.seed), operations_(operations_of(target)) {
  const std::vector<uint8_t> zeros(lds::kBytes);
  lds_.poke(0, zeros.data(), lds::kBytes);
  for (const LdsOperation& o : operations_) coverage_[text(o)] = 0;
  for (const char* lanes : {"lanes: all", "lanes: none", "lanes: some"}) coverage_[lanes] = 0;
}

bool LdsTraffic::step(Cycle now) {
  if (requests_.size() < options_.requests && lds_.request.can_push(now)) {
    const LdsOperation& o = operations_[requests_.size() % operations_.size()];
    requests_.push_back(maker_.make(o));
    const uint64_t exec = requests_.back().exec;
    ++coverage_[text(o)];
    ++coverage_[exec == 0 ? "lanes: none" : exec == ~uint64_t{0} ? "lanes: all" : "lanes: some"];
    lds_.request.push(requests_.back(), now + 1);
  }
  return answers_.size() < options_.requests;
}

void LdsTraffic::follow(Cycle now) {
  while (now % 1024 < 512 && lds_.response.front(now) != nullptr) {
    answers_.push_back(lds_.response.pop(now));
  }
}

}  // namespace cuvette::ip::traffic
