// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "wave/memory/form.h"

// DS instructions that move data between lanes through the LDS crossbar and touch no memory
// (Vega ISA 12.15; isa_notes 27, 28; decisions.md D7).
namespace cuvette::wave::memory {
namespace {

unsigned lane_of(const LaneRow& address, unsigned lane, int32_t offset) {
  return (address[lane] + static_cast<uint32_t>(offset)) / 4 % kLanes;
}

/// Push: every enabled lane sends its value; the highest sender wins, lanes nobody sent to get 0.
void permute(const WaveState& wave, const isa::Instruction& i, LaneRow& out) {
  const LaneRow& address = source_row(wave, *find_source(i, isa::Role::Addr));
  const LaneRow& data = source_row(wave, *find_source(i, isa::Role::Data0));
  const uint64_t exec = wave.s.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (base::bit(exec, lane)) out[lane_of(address, lane, i.mem.offset)] = data[lane];
  }
}

/// Pull: every lane fetches; a disabled lane gives 0.
void bpermute(const WaveState& wave, const isa::Instruction& i, LaneRow& out) {
  const LaneRow& address = source_row(wave, *find_source(i, isa::Role::Addr));
  const LaneRow& data = source_row(wave, *find_source(i, isa::Role::Data0));
  const uint64_t exec = wave.s.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned from = lane_of(address, lane, i.mem.offset);
    out[lane] = base::bit(exec, from) ? data[from] : 0;
  }
}

/// offset[15]: quad permute, two bits per lane of the quad in offset[7:0]; otherwise inside groups
/// of 32: ((lane & and) | or) ^ xor with the masks in offset[4:0], [9:5], [14:10].
unsigned swizzle_source(unsigned lane, uint32_t offset) {
  if (base::bit(offset, 15)) return (lane & ~3u) | (offset >> 2 * (lane & 3) & 3);
  const unsigned inside = lane & 31;
  const unsigned moved = ((inside & offset) | (offset >> 5 & 31)) ^ (offset >> 10 & 31);
  return (lane & 32) | (moved & 31);
}
void swizzle(const WaveState& wave, const isa::Instruction& i, LaneRow& out) {
  const LaneRow& data = source_row(wave, *find_source(i, isa::Role::Addr));
  const uint64_t exec = wave.s.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned from = swizzle_source(lane, static_cast<uint32_t>(i.mem.offset));
    out[lane] = base::bit(exec, from) ? data[from] : 0;
  }
}

}  // namespace

bool is_lane_move(Id id) {
  return id == Id::ds_permute_b32 || id == Id::ds_bpermute_b32 || id == Id::ds_swizzle_b32;
}

bool move_lanes(const WaveState& wave, const isa::Instruction& i, LaneRow& out) {
  out.fill(0);
  switch (i.semantic()) {
    case Id::ds_permute_b32:
      permute(wave, i, out);
      return true;
    case Id::ds_bpermute_b32:
      bpermute(wave, i, out);
      return true;
    case Id::ds_swizzle_b32:
      swizzle(wave, i, out);
      return true;
    default:
      return false;
  }
}

bool make_lane_move(const WaveState& wave, const isa::Instruction& i, MemoryOp& op) {
  if (!is_lane_move(i.semantic())) return false;
  LaneRow moved;
  move_lanes(wave, i, moved);
  std::copy(moved.begin(), moved.end(), op.data[0]);
  op.space = MemorySpace::Lds;
  op.kind = MemoryKind::Load;
  op.counts_lgkm = true;
  op.lgkm = 1;
  op.dst_kind = i.dst[0].kind;
  op.dst = i.dst[0].index;
  op.dst_dwords = 1;
  op.moved = vector_in_range(wave, op.dst_kind, op.dst) ? wave.s.exec() : 0;
  return true;
}

}  // namespace cuvette::wave::memory
