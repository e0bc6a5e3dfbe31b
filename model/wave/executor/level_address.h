// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "wave/executor/memory_shape.h"
#include "wave/lanes/level.h"
#include "wave/memory/buffer_resource.h"
#include "wave/operand.h"

// Addresses of vector loads and stores on one host level (behaviour: memory/flat.cpp,
// memory/buffer.cpp, memory/lds.cpp). Accesses that they refuse are executed by the reference.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

using Space = MemoryShape::Space;

/// The addresses of one access: base + delta, in kParts pieces.
struct Addresses {
  uint64_t base = 0;
  Bits delta[kParts];
  uint32_t start = 0;  ///< delta of the first lane of `exec`
  uint64_t exec = 0;   ///< lanes that access memory
  uint64_t zeros = 0;  ///< lanes out of range: loads give 0
  uint32_t plane = 4;  ///< bytes from a dword of a lane to its next one
  bool lds = false;    ///< in the work-group's allocation
};

CUVETTE_INLINE unsigned first_lane(uint64_t lanes) {
  return static_cast<unsigned>(__builtin_ctzll(lanes));
}

/// Bit per lane whose word is above a limit.
CUVETTE_INLINE uint64_t lanes_above(const uint32_t* row, uint32_t limit) {
  uint64_t lanes = 0;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    lanes |= lanes_of(as<Signed>(load(row + part * kWidth) > limit)) << (part * kWidth);
  }
  return lanes;
}
/// Bit per lane whose word is another one.
CUVETTE_INLINE uint64_t lanes_other(const uint32_t* row, uint32_t word) {
  uint64_t lanes = 0;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    lanes |= lanes_of(as<Signed>(load(row + part * kWidth) != word)) << (part * kWidth);
  }
  return lanes;
}

CUVETTE_INLINE bool is_in_aperture(uint64_t address, uint64_t aperture) {
  return aperture != 0 && address >> 32 == aperture >> 32;
}

/// A register's words, each with `add` on it.
CUVETTE_INLINE void add_row(Addresses& out, const uint32_t* from, uint32_t add) {
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    out.delta[part] = load(from + part * kWidth) + add;
  }
  out.start = from[first_lane(out.exec)] + add;
}
/// The pieces as a row.
struct Row64 {
  alignas(64) uint32_t word[kLanes];
};
CUVETTE_INLINE Row64 row_of(const Bits (&pieces)[kParts]) {
  Row64 row;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) store(row.word + part * kWidth, pieces[part]);
  return row;
}

/// Least and largest of the enabled lanes.
struct Range {
  uint32_t least, largest;
};
CUVETTE_INLINE void range_of(const Bits (&pieces)[kParts], uint64_t exec, uint32_t& from,
                             uint32_t& to) {
  Bits least = broadcast(~0u), largest{};
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Mask mask = mask_of(exec, part * kWidth);
    const Bits x = pieces[part];
    const Bits low = blend(mask, broadcast(~0u), x), high = keep(mask, x);
    least = low < least ? low : least;
    largest = high > largest ? high : largest;
  }
#if CUVETTE_VECTOR_BYTES == 64
  from = _mm512_reduce_min_epu32(as<__m512i>(least));
  to = _mm512_reduce_max_epu32(as<__m512i>(largest));
#else
  from = least[0];
  to = largest[0];
  for (unsigned n = 1; n < kWidth; ++n) {
    from = std::min<uint32_t>(from, least[n]);
    to = std::max<uint32_t>(to, largest[n]);
  }
#endif
}

/// Places byte offsets of a lane's private memory: dword n of all lanes together, then n + 1.
CUVETTE_INLINE bool place_in_scratch(const WaveState& wave, unsigned bytes, uint32_t fixed,
                                     const uint32_t* low, Addresses& out) {
  constexpr uint32_t kPlane = 4 * kLanes, kMost = 1u << 24;
  const uint64_t start = wave.target >= isa::Target::Gfx942 ? wave.alloc.scratch_base
                                                            : wave.s.pair(isa::kFlatScratchLo);
  const uint32_t limit =
      wave.alloc.scratch_bytes_per_lane == 0 ? kMost : wave.alloc.scratch_bytes_per_lane;
  if (start % 4 != 0 || limit > kMost || bytes > limit) return false;
  uint64_t good = 0;
  const uint32_t inside = bytes >= 4 ? 0 : 4 - bytes;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Bits own = load(lane_steps(4) + part * kWidth);
    const Bits offset = load(low + part * kWidth) + fixed;
    good |= lanes_of(as<Signed>(offset <= limit - bytes) & as<Signed>((offset & 3) <= inside))
            << (part * kWidth);
    out.delta[part] = (offset >> 2) * kPlane + own + (offset & 3);
  }
  const unsigned first = first_lane(out.exec);
  const uint32_t offset = low[first] + fixed;
  out.start = (offset >> 2) * kPlane + 4 * first + (offset & 3);
  out.base = start;
  out.plane = kPlane;
  return (out.exec & ~good) == 0;
}

/// FLAT: the upper half of the address decides what it means.
CUVETTE_INLINE bool place_flat(const WaveState& wave, const MemoryShape& shape, uint64_t base,
                               const uint32_t* low, Addresses& out) {
  const bool shared = is_in_aperture(base, wave.alloc.shared_aperture);
  const bool priv = is_in_aperture(base, wave.alloc.private_aperture);
  const auto offset = static_cast<uint32_t>(shape.offset[0]);
  // The offset must not leave the segment (decision D54); it is not negative.
  add_row(out, low, 0);
  Range range;
  range_of(out.delta, out.exec, range.least, range.largest);
  const uint64_t end = uint64_t{range.largest} + offset + shape.bytes;
  if (shape.offset[0] < 0) return false;
  if (shared || priv) {
    if (end > uint64_t{1} << 32) return false;
  } else if (is_in_aperture(base + end - 1, wave.alloc.shared_aperture) ||
             is_in_aperture(base + end - 1, wave.alloc.private_aperture)) {
    return false;
  }
  if (priv) return place_in_scratch(wave, shape.bytes, offset, low, out);
  if (shared) add_row(out, low, offset);
  out.base = shared ? 0 : base + offset;
  out.lds = shared;
  return !shared || end <= wave.alloc.lds_bytes;
}

/// A buffer access that the descriptor allows for in 32 bits; state: as in address_buffer().
struct BufferFields {
  uint32_t fixed, stride, shift, lanes;  ///< lanes: the thread id is added
  uint32_t first, all;  ///< offsets below have their first dword, all of it in range
  uint32_t indices;     ///< indices below are in range
  bool swizzle;
};

CUVETTE_INLINE bool address_buffer(const WaveState& wave, const MemoryShape& shape,
                                   Addresses& out) {
  constexpr uint32_t kFar = 1u << 24;
  const memory::Resource r =
      memory::read_resource(wave, static_cast<unsigned>(shape.scalar), false);
  const uint32_t scalar_offset = read_scalar32(wave, *shape.soffset);
  const unsigned bytes = shape.bytes;
  out.base = r.base + scalar_offset;
  if (r.unbound || out.base % 4 != 0) return false;
  static constexpr LaneRow kNone{};
  const uint32_t* const offsets = shape.has_address ? shape.address.at(wave) : kNone.data();
  const uint32_t* const indices = shape.has_index ? shape.index.at(wave) : kNone.data();
  // All in 32 bits, as long as offsets and indices are small.
  const bool strided = r.stride != 0 && (shape.has_index || r.add_tid);
  const uint64_t far = (lanes_above(offsets, kFar) |
                        (strided ? lanes_above(indices, r.swizzle ? 0x3ff : 0x3fff) : 0));
  if ((far & out.exec) != 0 || (strided && r.stride > 0x7fff)) return false;
  BufferFields f{};
  f.fixed = static_cast<uint32_t>(shape.offset[0]);
  f.stride = r.stride;
  f.shift = static_cast<unsigned>(__builtin_ctz(r.index_stride));
  f.lanes = r.add_tid ? 1 : 0;
  f.swizzle = r.swizzle;
  f.indices = f.first = f.all = ~0u;
  const auto check = memory::check_of(r, shape.has_index);
  if (check == memory::Check::Index) f.indices = r.num_records;
  if (check == memory::Check::Offset) {
    const int64_t room = int64_t{r.num_records} - scalar_offset;
    f.first = static_cast<uint32_t>(std::max<int64_t>(room - std::min(bytes, 4u) + 1, 0));
    f.all = static_cast<uint32_t>(std::max<int64_t>(room - bytes + 1, 0));
  }
  uint64_t first = 0, all = 0, crossing = 0;
  const uint32_t align = bytes >= 4 ? ~3u : ~0u;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const unsigned at = part * kWidth;
    const Bits offset = load(offsets + at) + f.fixed;
    const Bits records = load(indices + at);
    const Bits index = records + load(lane_steps(f.lanes) + at);
    Bits place = index * f.stride + offset;
    if (f.swizzle) {
      place = ((((index >> f.shift) * f.stride + (offset & ~3u)) << f.shift) +
               (index & ((1u << f.shift) - 1)) * 4) +
              (offset & 3);
    }
    const Signed listed = as<Signed>(records < f.indices) | as<Signed>(broadcast(f.indices) == ~0u);
    first |= lanes_of(listed & as<Signed>(offset < f.first)) << at;
    all |= lanes_of(listed & as<Signed>(offset < f.all)) << at;
    if (bytes < 4) crossing |= lanes_of(as<Signed>((place & 3) > 4 - bytes)) << at;
    out.delta[part] = place & align;
  }
  out.zeros = out.exec & ~first;
  out.exec &= first;
  if (r.swizzle) out.plane = 4 * r.index_stride;
  if (out.exec != 0) out.start = row_of(out.delta).word[first_lane(out.exec)];
  return (out.exec & ((r.swizzle ? crossing : 0) | ~all)) == 0;
}

CUVETTE_INLINE bool address_scratch(const WaveState& wave, const MemoryShape& shape,
                                    const uint32_t* low, Addresses& out) {
  const uint32_t base = shape.scalar >= 0 ? wave.s.sgpr[static_cast<unsigned>(shape.scalar)] : 0;
  const int64_t fixed = int64_t{shape.offset[0]} + base;
  constexpr int64_t kFar = 1 << 28;
  if (fixed < 0 || fixed > kFar || (lanes_above(low, kFar) & out.exec) != 0) return false;
  return place_in_scratch(wave, shape.bytes, static_cast<uint32_t>(fixed), low, out);
}

/// The addresses of access `n`; a lane is enabled. False: nothing has been done.
template <Space Kind>
CUVETTE_INLINE bool find_addresses(const MemoryShape& shape, const WaveState& wave, unsigned n,
                                   Addresses& out) {
  static constexpr LaneRow kNone{};
  const uint32_t* const low = shape.has_address ? shape.address.at(wave) : kNone.data();
  out.exec = wave.s.exec();
  if constexpr (Kind == Space::Lds) {
    out.lds = true;
    add_row(out, low, static_cast<uint32_t>(shape.offset[n]));
    return true;
  }
  if constexpr (Kind == Space::Buffer) return address_buffer(wave, shape, out);
  if constexpr (Kind == Space::Scratch) return address_scratch(wave, shape, low, out);
  uint64_t base = 0;
  if (shape.wide) {
    const uint32_t* const high = low + kLanes;
    const uint32_t same = high[first_lane(out.exec)];
    if ((lanes_other(high, same) & out.exec) != 0) return false;
    base = uint64_t{same} << 32;
  }
  if constexpr (Kind == Space::Flat) return place_flat(wave, shape, base, low, out);
  add_row(out, low, 0);
  out.base = base + static_cast<uint64_t>(int64_t{shape.offset[0]}) +
             (shape.scalar >= 0 ? wave.s.pair(static_cast<unsigned>(shape.scalar)) : 0);
  return true;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
