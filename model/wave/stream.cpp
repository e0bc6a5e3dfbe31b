// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/stream.h"

#include <algorithm>

#include "wave/lanes/lane0.h"
#include "wave/lanes/plain.h"
#include "wave/lanes/steady_place.h"
#include "wave/scalar/scalar.h"

namespace cuvette::wave {
namespace {

using isa::Operand;
using isa::OperandKind;

/// Whether a piece writes the register at an offset in the file.
bool writes_vgpr(const Prepared& p, uint32_t offset) {
  return std::any_of(
      std::begin(p.instruction->dst), std::end(p.instruction->dst), [offset](const Operand& d) {
        return d.kind == OperandKind::Vgpr && offset >= Prepared::offset_of(d.index) &&
               offset < Prepared::offset_of(d.index + d.dwords);
      });
}

bool writes_sgpr(const Prepared& p, unsigned first, unsigned count) {
  return std::any_of(std::begin(p.instruction->dst), std::end(p.instruction->dst),
                     [first, count](const Operand& d) {
                       // Pairs begin at even codes.
                       const unsigned begin = d.dwords > 1 ? d.index & ~1u : d.index;
                       return d.kind == OperandKind::Sgpr && begin < first + count &&
                              first < begin + d.dwords;
                     });
}

/// Whether an access may be done with the base that holds when the group begins.
bool keeps_base(const StreamGroup& g, const Prepared& access) {
  return (access.sources & lanes::kMemoryScalar) == 0 ||
         std::none_of(g.others.begin(), g.others.end(),
                      [&](const Prepared& p) { return writes_sgpr(p, access.src[1], 2); });
}
bool addresses_with(const Prepared& access, const Prepared& writer) {
  const bool wide = (access.sources & lanes::kMemoryWide) != 0;
  return writes_vgpr(writer, access.src[0]) ||
         (wide && writes_vgpr(writer, access.src[0] + static_cast<uint32_t>(sizeof(LaneRow))));
}
/// And with the VGPRs, behind the loads and others that the group has so far.
bool keeps_address(const StreamGroup& g, const Prepared& access) {
  const auto spoils = [&access](const Prepared& p) { return addresses_with(access, p); };
  return std::none_of(g.load, g.load + g.loads, spoils) &&
         std::none_of(g.others.begin(), g.others.end(), spoils);
}

}  // namespace

bool is_steady(const Prepared& p, bool store) {
  const isa::Format format = p.instruction->row->format;
  if (format != isa::Format::Global && format != isa::Format::Flat) return false;
  // In a stream nobody looks at the address without the offset, which FLAT is judged by.
  if (format == isa::Format::Flat && p.instruction->mem.offset != 0) return false;
  return p.run == lanes::host_rows()->steady_memory(1, store, false);
}

bool is_direct_scalar(const Prepared& p) {
  const Prepared::Run quick = scalar::find_quick(p.instruction->row->semantic);
  return quick != nullptr && quick == p.run;
}

bool is_scalar_sum(const Prepared& p) {
  using S = isa::SemanticId;
  constexpr S kSums[] = {S::s_add_u32,  S::s_sub_u32,  S::s_add_i32, S::s_sub_i32,
                         S::s_addc_u32, S::s_subb_u32, S::s_mov_b32};
  return is_direct_scalar(p) && std::find(std::begin(kSums), std::end(kSums),
                                          p.instruction->semantic()) != std::end(kSums);
}

namespace {

constexpr uint32_t kSpan = kLanes * 4;  // bytes of an access

/// What is known of host memory around an address; host null: nothing.
HostWindows::Window window_at(HostWindows& memory, uint64_t address, bool store) {
  if (memory.window(address, 1, store) == nullptr) return {};
  const HostWindows::Window* const w = memory.known_piece(address, 1, store);
  return w != nullptr ? *w : HostWindows::Window{};
}

}  // namespace

HostWindows::Window StreamPieces::find(uint64_t address, uint64_t low, uint64_t high,
                                       bool store) const {
  HostWindows::Window all = window_at(memory_, address, store);
  const auto goes_on = [&all](const HostWindows::Window& w) {
    // Compared as numbers: it may be another piece of the host's memory.
    return w.host != nullptr && reinterpret_cast<uintptr_t>(w.host) - w.first ==
                                    reinterpret_cast<uintptr_t>(all.host) - all.first;
  };
  if (all.host == nullptr) return all;
  while (all.end < high) {
    const HostWindows::Window next = window_at(memory_, all.end, store);
    if (!goes_on(next)) break;
    all.end = next.end;
  }
  while (all.first > low) {
    const HostWindows::Window before = window_at(memory_, all.first - 1, store);
    if (!goes_on(before)) break;
    all = {before.first, all.end, before.host};
  }
  return all;
}

HostWindows::Window StreamPieces::around(uint64_t address, uint64_t low, uint64_t high,
                                         bool store) {
  for (const Found& f : found_) {
    if (f.store == store && f.piece.first <= low && high <= f.piece.end) return f.piece;
  }
  const HostWindows::Window piece = find(address, low, high, store);
  found_[next_++ % kMost] = {piece, store};
  return piece;
}

uint64_t find_place(const Prepared& access, const WaveState& wave, StreamPieces& pieces,
                    uint64_t first, int64_t step, uint64_t most, StreamPlace& place) {
  constexpr uint64_t kFourGiB = uint64_t{1} << 32;
  if (!lanes::is_beside_apertures(access, wave, first, kSpan)) return 0;
  const bool store = !access.instruction->row->has(isa::kLoad);
  // Addresses of lanes keep their upper half.
  const uint64_t above = (first | (kFourGiB - 1)) - (first + kSpan - 1);
  const uint64_t below = first % kFourGiB;
  const uint64_t stride = step < 0 ? -static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
  const uint64_t reach = step < 0 ? below : above;
  if (stride != 0) most = std::min(most, reach / stride + 1);
  const uint64_t way = most == 0 ? 0 : (most - 1) * stride;
  const uint64_t low = step < 0 ? first - way : first;
  const uint64_t high = (step < 0 ? first : first + way) + kSpan;
  const HostWindows::Window piece = pieces.around(first, low, high, store);
  if (piece.host == nullptr || piece.end - first < kSpan) return 0;
  place = {piece.host + (first - piece.first), step};
  if (stride == 0) return most;
  const uint64_t room = step > 0 ? piece.end - kSpan - first : first - piece.first;
  return std::min(most, room / stride + 1);
}

bool add_load(StreamGroup& g, const Prepared& p) {
  const bool again = std::any_of(g.load, g.load + g.loads,
                                 [&p](const Prepared& load) { return load.dst == p.dst; });
  if (again || g.loads == StreamGroup::kMostLoads) return false;
  g.load[g.loads++] = p;
  return true;
}

bool add_op(StreamGroup& g, const Prepared& p) {
  g.op = p;
  bool uses = false;
  for (uint8_t n = 0; n < g.loads; ++n) {
    if (g.load[n].dst == p.dst) g.replaced = n;
    for (unsigned s = 0; s < 3; ++s) {
      // Accumulators are source 2, beyond the operands.
      const bool source = s < p.sources || (s == 2 && p.src[2] == p.dst);
      if (!source || base::bit(p.scalars, s) || p.src[s] != g.load[n].dst) continue;
      g.from[s] = n;
      uses = true;
    }
  }
  return uses;
}

std::optional<StreamGroup> find_stream(std::span<const Prepared> steady) {
  StreamGroup g;
  bool may_load = true;  // nothing so far declines but loads
  for (const Prepared& p : steady) {
    g.pieces.push_back(p);
    if (is_steady(p, false)) {
      if (!may_load || !keeps_address(g, p) || !add_load(g, p)) return std::nullopt;
    } else if (is_direct_scalar(p)) {
      g.others.push_back(p);
    } else if (lanes::lane0_kind(p.run) != lanes::Lane0Kind::None) {
      may_load = false;
      g.others.push_back(p);
    } else {
      break;
    }
  }
  const size_t before = g.pieces.size();
  if (g.loads == 0 || before + 1 > steady.size()) return std::nullopt;
  const Prepared& op = g.pieces.back();
  if (!std::all_of(g.load, g.load + g.loads,
                   [&g](const Prepared& p) { return keeps_base(g, p); }) ||
      lanes::stream_rows(op).row == nullptr || !add_op(g, op)) {
    return std::nullopt;
  }
  g.store = steady[before];
  if (!is_steady(g.store, true) || g.store.src[2] != g.op.dst || !keeps_base(g, g.store) ||
      !keeps_address(g, g.store) || addresses_with(g.store, g.op)) {
    return std::nullopt;
  }
  g.pieces.push_back(g.store);
  return g;
}

Prepared stream_piece(const StreamGroup& group) {
  Prepared p = group.op;
  p.run = lanes::stream_rows(group.op).row;
  p.stream = &group;
  return p;
}

bool run_pieces(const StreamGroup& group, WaveState& wave, HostSlice& slice) {
  for (const Prepared& p : group.pieces) {
    if (p.run(p, wave, slice)) continue;
    slice.pieces_done = static_cast<size_t>(&p - group.pieces.data());
    return false;
  }
  return true;
}

}  // namespace cuvette::wave
