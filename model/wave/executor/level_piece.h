// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/executor/level_address.h"
#include "wave/lanes/integer_ops.h"

// Host addresses of the lanes of an access, and the kind of access that they make, on one level.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

/// Arrangement of the enabled lanes of an access.
enum class Spread : uint8_t {
  One,        ///< at one address
  Run,        ///< element after element, as far as lanes go
  Scattered,  ///< otherwise
};

/// An access whose enabled lanes are all in one span of host memory.
struct Piece {
  Spread spread = Spread::Scattered;  ///< Run: all 64 lanes may be touched
  bool roomy = false;                 ///< a dword may be read at each lane's address
  uint8_t* host = nullptr;  ///< of all lanes, of lane 0, or of that with the least address
  Bits at[kParts];          ///< Scattered: of the lanes, from there; 0 for disabled ones
};

CUVETTE_INLINE bool is_full(uint64_t exec) {
  return exec == ~uint64_t{0};
}
CUVETTE_INLINE unsigned last_lane(uint64_t lanes) {
  return 63 - static_cast<unsigned>(__builtin_clzll(lanes));
}

/// True if the lanes of a part are a dword from one another.
CUVETTE_INLINE bool is_run(Bits at) {
  return lanes_of(as<Signed>(at - load(lane_steps(4)) != broadcast(at[0]))) == 0;
}
/// True if the lanes of a part are at one place.
CUVETTE_INLINE bool is_one(Bits at) {
  return lanes_of(as<Signed>(at != broadcast(at[0]))) == 0;
}

/// Arrangement of the lanes and range of the access. `steps`: from lane 0 to each when they are
/// element after element.
CUVETTE_INLINE Spread reach_of(const Addresses& a, const uint32_t* steps, Range& range) {
  const unsigned first = first_lane(a.exec);
  const uint32_t zero = a.start - steps[first];
  uint64_t moved = 0, off = 0;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const unsigned at = part * kWidth;
    moved |= lanes_of(as<Signed>(a.delta[part] != a.start)) << at;
    off |= lanes_of(as<Signed>(a.delta[part] - load(steps + at) != zero)) << at;
  }
  range.least = range.largest = a.start;
  if ((moved & a.exec) == 0) return Spread::One;
  const uint32_t end = zero + steps[last_lane(a.exec)];
  // Around 2^32 the last lane is below the first one.
  if ((off & a.exec) == 0 && end >= a.start) {
    range.largest = end;
    return Spread::Run;
  }
  range_of(a.delta, a.exec, range.least, range.largest);
  return Spread::Scattered;
}

template <Space Kind>
CUVETTE_INLINE bool is_lds(const Addresses& a) {
  return Kind == Space::Lds || (Kind == Space::Flat && a.lds);
}

/// GLOBAL only refuses the shared aperture (Vega ISA 9.4).
template <Space Kind>
CUVETTE_INLINE bool is_allowed(const WaveState& wave, const Addresses& a, const Range& range) {
  return Kind != Space::Global ||
         (!is_in_aperture(a.base + range.least, wave.alloc.shared_aperture) &&
          !is_in_aperture(a.base + range.largest, wave.alloc.shared_aperture));
}

/// Host address of device memory or LDS; null: not in one piece, or not there.
template <Space Kind>
CUVETTE_INLINE uint8_t* host_of(const WaveState& wave, Context& c, const Addresses& a,
                                uint64_t address, uint64_t bytes, bool write) {
  if (!is_lds<Kind>(a)) return c.memory->host_of(address, static_cast<unsigned>(bytes), write);
  const uint64_t end = std::min<uint64_t>(c.lds_bytes, wave.alloc.lds_bytes);
  return address <= end && bytes <= end - address ? c.lds + address : nullptr;
}

/// Bytes that an access takes of each lane.
struct Element {
  unsigned unit = 0;    ///< bytes next to each other
  unsigned extent = 0;  ///< from the first byte to behind the last one
};
CUVETTE_INLINE Element element_of(const MemoryShape& shape, const Addresses& a) {
  if (a.plane == 4) return {shape.bytes, shape.bytes};
  const unsigned unit = std::min<unsigned>(shape.bytes, 4);
  return {unit, (shape.dwords() - 1) * a.plane + unit};
}

template <Space Kind>
CUVETTE_INLINE bool find_piece(const WaveState& wave, Context& c, const Addresses& a,
                               const Element& element, Spread spread, const Range& range,
                               bool write, Piece& out) {
  const uint64_t least = a.base + range.least;
  out.spread = spread;
  if (spread == Spread::Run && !write && !is_full(a.exec)) {
    // Lanes that are not enabled may be read, too, where there is something.
    const uint64_t before = lane_steps(element.unit)[first_lane(a.exec)];
    const uint64_t bytes = uint64_t{kLanes - 1} * element.unit + element.extent;
    out.host = host_of<Kind>(wave, c, a, least - before, bytes, false);
    if (out.host != nullptr) return true;
  }
  const uint64_t bytes = uint64_t{range.largest - range.least} + element.extent;
  const unsigned rest = element.unit < 4 && !write ? 4 - element.unit : 0;  // of a dword
  if (bytes > SoftTlb::kWidest - rest) return false;
  out.host = host_of<Kind>(wave, c, a, least, bytes + rest, write);
  out.roomy = out.host != nullptr;
  if (!out.roomy && rest != 0) out.host = host_of<Kind>(wave, c, a, least, bytes, write);
  if (out.host == nullptr) return false;
  if (spread == Spread::One) return true;
  if (spread == Spread::Run && is_full(a.exec)) return true;
  out.spread = Spread::Scattered;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    out.at[part] = keep(mask_of(a.exec, part * kWidth), a.delta[part] - range.least);
  }
  return true;
}

/// Lanes in several pieces of the host's memory: where each of them is.
struct Places {
  uint8_t* host[kLanes];
};
/// Device memory. False: not all of it is there.
CUVETTE_LEVEL inline bool find_places(uint64_t base, const Row64& delta, uint64_t exec, Context& c,
                                      unsigned extent, bool write, Places& out) {
  for (; exec != 0; exec &= exec - 1) {
    const unsigned lane = first_lane(exec);
    out.host[lane] = c.memory->host_of(base + delta.word[lane], extent, write);
    if (out.host[lane] == nullptr) return false;
  }
  return true;
}

/// Lanes of one access in the host's memory. Lanes outside of `piece` are in a Places.
struct Location {
  Range range;
  Spread spread;
  bool in_piece = false;
  Piece piece;
};
/// At least one lane is enabled. False: the access is the reference's, and nothing has been done.
template <Space Kind>
CUVETTE_INLINE bool locate(const MemoryShape& shape, const WaveState& wave, Context& c,
                           const Addresses& a, bool write, Location& out, Places& places) {
  const Element element = element_of(shape, a);
  out.spread = reach_of(a, lane_steps(element.unit), out.range);
  if (!is_allowed<Kind>(wave, a, out.range)) return false;
  out.in_piece = find_piece<Kind>(wave, c, a, element, out.spread, out.range, write, out.piece);
  if (out.in_piece) return true;
  return !is_lds<Kind>(a) &&
         find_places(a.base, row_of(a.delta), a.exec, c, element.extent, write, places);
}

/// Tells who watches of a load or store of `unit` bytes a lane, at once of the parts that are one
/// place or one run.
CUVETTE_LEVEL inline void tell(Context& c, unsigned unit, uint64_t base, const Row64& delta,
                               uint64_t exec, bool write) {
  uint64_t first_byte = 0, end = 0;  // a run that may go on
  const auto tell_run = [&] {
    if (end != first_byte)
      c.memory->touch(first_byte, static_cast<unsigned>(end - first_byte), write);
  };
  for (unsigned first = 0; first < kLanes; first += kWidth) {
    const uint64_t part = (~uint64_t{0} >> (kLanes - kWidth)) << first;
    if ((exec & part) != part) continue;
    const Bits at = load(delta.word + first);
    const uint32_t bytes = delta.word[first + kWidth - 1] - at[0] + unit;
    const Bits moved = at - load(lane_steps(unit));
    const bool run = lanes_of(as<Signed>(moved != broadcast(at[0]))) == 0 && bytes >= unit;
    if (!run && !is_one(at)) continue;
    exec &= ~part;
    const uint64_t address = base + at[0];
    if (address != end) {
      tell_run();
      first_byte = address;
    }
    end = address + bytes;
  }
  tell_run();
  if (exec != 0) c.memory->touch_lanes(base, delta.word, exec, unit, write);
}
template <Space Kind>
CUVETTE_INLINE void touch(Context& c, const MemoryShape& shape, const Addresses& a,
                          const Location& at, bool write) {
  if (is_lds<Kind>(a) || !c.memory->watched) return;
  const uint64_t least = a.base + at.range.least;
  const uint32_t extent = element_of(shape, a).extent;
  const uint64_t bytes = uint64_t{at.range.largest - at.range.least} + extent;
  if (!write && c.memory->is_unnoted(least, bytes)) return;
  const uint64_t gaps = a.exec >> first_lane(a.exec);  // bits above the first one that is 0
  const bool apart = at.spread == Spread::Run && (gaps & (gaps + 1)) != 0;
  const bool planes = a.plane != 4 && shape.bytes > 4;  // the dwords of a lane lie apart
  if (at.spread == Spread::Scattered || planes || apart) {
    const Row64 delta = row_of(a.delta);
    uint64_t lanes = a.exec;
    for (uint64_t rest = at.in_piece || write ? 0 : lanes; rest != 0; rest &= rest - 1) {
      const unsigned lane = first_lane(rest);
      if (!c.memory->is_unnoted(a.base + delta.word[lane], extent)) continue;
      lanes &= ~(uint64_t{1} << lane);
    }
    if (!planes) return tell(c, shape.bytes, a.base, delta, lanes, write);
    for (unsigned n = 0; n < shape.bytes / 4; ++n) {
      tell(c, 4, a.base + n * uint64_t{a.plane}, delta, lanes, write);
    }
    return;
  }
  c.memory->touch(least, static_cast<unsigned>(bytes), write);
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
