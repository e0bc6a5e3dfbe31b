// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/executor/level_address.h"
#include "wave/lanes/integer_ops.h"

// Where the lanes of an access are in the host, and what kind of access that makes, on one level.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

/// An access whose enabled lanes are all in one piece of host memory.
struct Piece {
  uint8_t* host = nullptr;          ///< of the lane with the least address
  alignas(64) uint32_t at[kLanes];  ///< of the lanes, from there, unless `same` or `consecutive`
                                    ///< says it; 0 for disabled ones
  uint64_t exec = 0;
  bool same = false;         ///< one address
  bool consecutive = false;  ///< lane after lane, all 64 of them may be touched
  bool roomy = false;        ///< a dword may be read at each lane's address

  /// Where a lane is; `unit`: bytes of one.
  uint8_t* of(unsigned lane, unsigned unit) const {
    if (same) return host;
    return host + (consecutive ? lane * unit : at[lane]);
  }
};

CUVETTE_INLINE bool is_full(uint64_t exec) {
  return exec == ~uint64_t{0};
}

/// Whether enabled lanes are `unit` bytes from one another, as far as lanes go.
CUVETTE_INLINE bool are_consecutive(const uint32_t* at, uint64_t exec, uint32_t unit) {
  const unsigned first = first_lane(exec);
  uint64_t differs = 0;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    Bits own{};
    CUVETTE_UNROLL
    for (unsigned n = 0; n < kWidth; ++n) own[n] = n;
    const Bits wanted = (own + (part * kWidth - first)) * unit + at[first];
    differs |= lanes_of(as<Signed>(load(at + part * kWidth) != wanted)) << (part * kWidth);
  }
  return (differs & exec) == 0;
}

/// Whether the lanes of a part are a dword from one another.
CUVETTE_INLINE bool is_run(const uint32_t* at) {
  Bits own{};
  CUVETTE_UNROLL
  for (unsigned n = 0; n < kWidth; ++n) own[n] = 4 * n;
  return lanes_of(as<Signed>(load(at) != own + at[0])) == 0;
}

/// Whether the lanes of a part are at one place.
CUVETTE_INLINE bool is_one(const uint32_t* at) {
  return lanes_of(as<Signed>(load(at) != broadcast(at[0]))) == 0;
}

/// How far an access reaches.
struct Reach {
  Range range;
  bool consecutive;
};
/// `unit`: bytes of a lane, 0 when they are not in one piece.
CUVETTE_INLINE Reach reach_of(const Addresses& a, unsigned unit) {
  if (unit == 0 || !are_consecutive(a.delta, a.exec, unit))
    return {range_of(a.delta, a.exec), false};
  const Range range{a.delta[first_lane(a.exec)],
                    a.delta[63 - static_cast<unsigned>(__builtin_clzll(a.exec))]};
  // Around 2^32 the last lane is below the first one.
  if (range.largest < range.least) return {range_of(a.delta, a.exec), false};
  return {range, true};
}

/// GLOBAL only refuses the shared aperture (Vega ISA 9.4).
CUVETTE_INLINE bool is_allowed(const MemoryShape& shape, const WaveState& wave, const Addresses& a,
                               const Range& range) {
  return shape.space != MemoryShape::Space::Global ||
         (!is_in_aperture(a.base + range.least, wave.alloc.shared_aperture) &&
          !is_in_aperture(a.base + range.largest, wave.alloc.shared_aperture));
}

/// Lanes that are not enabled may be read, too, where there is something: where lane 0 would be.
CUVETTE_INLINE uint8_t* host_of_all(const Addresses& a, Context& c, uint64_t lds_bytes,
                                    uint64_t first, unsigned unit) {
  const uint64_t before = uint64_t{first_lane(a.exec)} * unit;
  const uint64_t start = first - before, all = uint64_t{kLanes} * unit;
  if (!a.lds) return c.memory->host_of(start, static_cast<unsigned>(all), false);
  return first >= before && start + all <= lds_bytes ? c.lds + start : nullptr;
}

/// Finds the piece; `extent`: bytes from the first to the last of a lane. False: there is none, or
/// the LDS ends before.
CUVETTE_INLINE bool find_piece(const Addresses& a, const Reach& reach, Context& c,
                               uint64_t lds_bytes, unsigned unit, unsigned extent, bool write,
                               Piece& out) {
  const Range& range = reach.range;
  const uint64_t first = a.base + range.least;
  const uint64_t bytes = uint64_t{range.largest - range.least} + extent;
  out.exec = a.exec;
  out.same = range.least == range.largest;
  out.consecutive = false;
  if (reach.consecutive && !out.same && !is_full(a.exec) && !write) {
    out.host = host_of_all(a, c, lds_bytes, first, unit);
    out.consecutive = out.host != nullptr;
    if (out.consecutive) return true;
  }
  const unsigned rest = unit < 4 && !write ? 4 - unit : 0;  // of a dword
  if (a.lds) {
    if (first + bytes > lds_bytes) return false;
    out.host = c.lds + first;
    out.roomy = first + bytes + rest <= lds_bytes;
  } else {
    if (bytes > SoftTlb::kWidest - rest) return false;
    out.host = c.memory->host_of(first, static_cast<unsigned>(bytes) + rest, write);
    out.roomy = out.host != nullptr;
    if (!out.roomy && rest != 0) {
      out.host = c.memory->host_of(first, static_cast<unsigned>(bytes), write);
    }
    if (out.host == nullptr) return false;
  }
  out.consecutive = reach.consecutive && is_full(a.exec);
  if (out.consecutive || out.same) return true;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Bits x = load(a.delta + part * kWidth) - range.least;
    store(out.at + part * kWidth, keep(mask_of(a.exec, part * kWidth), x));
  }
  return true;
}

/// Lanes in several pieces of the host's memory: where each of them is.
struct Places {
  uint8_t* host[kLanes];
};
CUVETTE_LEVEL inline bool find_places(const Addresses& a, Context& c, unsigned extent, bool write,
                                      Places& out) {
  if (a.lds) return false;
  for (uint64_t rest = a.exec; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    out.host[lane] = c.memory->host_of(a.base + a.delta[lane], extent, write);
    if (out.host[lane] == nullptr) return false;
  }
  return true;
}

/// The lanes of one access in the host's memory.
struct Location {
  Range range;
  bool in_piece = false;
  Piece piece;
  Places places;  ///< where they are in several pieces
};
CUVETTE_INLINE uint64_t lds_bytes_of(const WaveState& wave, const Context& c) {
  return std::min<uint64_t>(c.lds_bytes, wave.alloc.lds_bytes);
}
/// At least one lane is enabled. False: the access is the reference's, and nothing has been done.
CUVETTE_INLINE bool locate(const MemoryShape& shape, const WaveState& wave, Context& c,
                           const Addresses& a, bool write, Location& out) {
  const bool whole = a.plane == 4;  // the bytes of a lane are next to each other
  const unsigned unit = whole ? shape.bytes : std::min<unsigned>(shape.bytes, 4);
  const unsigned extent = whole ? shape.bytes : (shape.dwords() - 1) * a.plane + unit;
  const Reach reach = reach_of(a, unit == shape.bytes ? unit : 0);
  if (!is_allowed(shape, wave, a, reach.range)) return false;
  out.range = reach.range;
  out.in_piece = find_piece(a, reach, c, lds_bytes_of(wave, c), unit, extent, write, out.piece);
  return out.in_piece || find_places(a, c, extent, write, out.places);
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
