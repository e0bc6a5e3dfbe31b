// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/executor/level_memory.h"

#include <cstring>
#include <limits>

#include "wave/executor/level_piece.h"

namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

struct Words {
  alignas(64) uint32_t row[4][kLanes];
};

template <class Put>
CUVETTE_INLINE void put_words(const Words& words, unsigned dwords, const Put& put) {
  for (unsigned d = 0; d < dwords; ++d) {
    CUVETTE_UNROLL
    for (unsigned part = 0; part < kParts; ++part) {
      put(d, part, load(words.row[d] + part * kWidth));
    }
  }
}

template <size_t Bytes>
CUVETTE_INLINE void copy_bytes(void* to, const void* from) {
  auto* const out = static_cast<uint8_t*>(to);
  const auto* const in = static_cast<const uint8_t*>(from);
  CUVETTE_UNROLL
  for (size_t n = 0; n < Bytes; n += sizeof(Bits)) store(out + n, load(in + n));
}

CUVETTE_INLINE uint32_t word_at(const uint8_t* from) {
  uint32_t x;
  __builtin_memcpy(&x, from, 4);
  return x;
}

/// A dword of the lanes of a part.
CUVETTE_INLINE Bits gather(const uint8_t* host, Bits at) {
  if (is_run(at)) return load(host + at[0]);
  if (is_one(at)) return broadcast(word_at(host + at[0]));
#if CUVETTE_VECTOR_BYTES == 64
  return as<Bits>(_mm512_i32gather_epi32(as<__m512i>(at), host, 1));
#elif CUVETTE_VECTOR_BYTES == 32
  return as<Bits>(_mm256_i32gather_epi32(reinterpret_cast<const int*>(host), as<__m256i>(at), 1));
#else
  Bits x;
  for (unsigned n = 0; n < kWidth; ++n) x[n] = word_at(host + at[n]);
  return x;
#endif
}

/// A dword anywhere in the host's memory.
struct __attribute__((packed, may_alias)) Anywhere {
  uint32_t word;
};

template <unsigned Dwords>
CUVETTE_INLINE void load_pieces(const uint8_t* host, uint32_t (*row)[kLanes]) {
  const auto* const words = reinterpret_cast<const Anywhere*>(host);
  CUVETTE_LANE_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned d = 0; d < Dwords; ++d) row[d][lane] = words[lane * Dwords + d].word;
  }
}
template <unsigned Dwords>
CUVETTE_INLINE void store_pieces(uint8_t* host, const uint32_t (*row)[kLanes]) {
  auto* const words = reinterpret_cast<Anywhere*>(host);
  CUVETTE_LANE_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned d = 0; d < Dwords; ++d) words[lane * Dwords + d].word = row[d][lane];
  }
}
template <class Small>
CUVETTE_INLINE void load_small(const Piece& piece, uint32_t* row) {
  if (piece.spread == Spread::Run) {
    Small values[kLanes];
    copy_bytes<sizeof values>(values, piece.host);
    CUVETTE_LANE_LOOP
    for (unsigned lane = 0; lane < kLanes; ++lane) row[lane] = values[lane];
    return;
  }
  if (piece.roomy) {
    CUVETTE_UNROLL
    for (unsigned part = 0; part < kParts; ++part) {
      store(row + part * kWidth,
            gather(piece.host, piece.at[part]) & std::numeric_limits<Small>::max());
    }
    return;
  }
  const Row64 at = row_of(piece.at);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    Small value;
    std::memcpy(&value, piece.host + at.word[lane], sizeof value);
    row[lane] = value;
  }
}
template <class Small>
CUVETTE_INLINE void store_small(const Piece& piece, uint64_t exec, const uint32_t* row) {
  if (piece.spread == Spread::Run) {
    Small values[kLanes];
    CUVETTE_LANE_LOOP
    for (unsigned lane = 0; lane < kLanes; ++lane) values[lane] = static_cast<Small>(row[lane]);
    copy_bytes<sizeof values>(piece.host, values);
    return;
  }
  const Row64 at = row_of(piece.at);
  for (; exec != 0; exec &= exec - 1) {
    const unsigned lane = first_lane(exec);
    const auto value = static_cast<Small>(row[lane]);
    std::memcpy(piece.host + at.word[lane], &value, sizeof value);
  }
}

/// The bytes of a lane in a dword of its data; copies of a known size are one instruction.
CUVETTE_INLINE uint32_t load_part(const uint8_t* from, unsigned bytes) {
  uint32_t value = 0;
  if (bytes >= 4) {
    std::memcpy(&value, from, 4);
  } else if (bytes == 2) {
    std::memcpy(&value, from, 2);
  } else {
    value = *from;
  }
  return value;
}
CUVETTE_INLINE void store_part(uint8_t* to, uint32_t value, unsigned bytes) {
  if (bytes >= 4) {
    std::memcpy(to, &value, 4);
  } else if (bytes == 2) {
    std::memcpy(to, &value, 2);
  } else {
    *to = static_cast<uint8_t>(value);
  }
}

/// Bytes or shorts.
CUVETTE_INLINE void load_narrow(const Piece& piece, unsigned bytes, uint32_t* row) {
  if (piece.spread == Spread::One) {
    const Bits value = broadcast(load_part(piece.host, bytes));
    CUVETTE_UNROLL
    for (unsigned part = 0; part < kParts; ++part) store(row + part * kWidth, value);
  } else if (bytes == 1) {
    load_small<uint8_t>(piece, row);
  } else {
    load_small<uint16_t>(piece, row);
  }
}

/// Dwords, to `put` piece by piece.
template <class Put>
CUVETTE_INLINE void load_wide(const Piece& piece, unsigned dwords, uint32_t plane, const Put& put) {
  if (piece.spread == Spread::Run && dwords != 1 && plane == 4) {
    Words words;
    if (dwords == 2) load_pieces<2>(piece.host, words.row);
    if (dwords == 3) load_pieces<3>(piece.host, words.row);
    if (dwords == 4) load_pieces<4>(piece.host, words.row);
    return put_words(words, dwords, put);
  }
  for (unsigned d = 0; d < dwords; ++d) {
    const uint8_t* const host = piece.host + d * plane;
    if (piece.spread == Spread::One) {
      const Bits value = broadcast(word_at(host));
      CUVETTE_UNROLL
      for (unsigned part = 0; part < kParts; ++part) put(d, part, value);
    } else if (piece.spread == Spread::Run) {
      CUVETTE_UNROLL
      for (unsigned part = 0; part < kParts; ++part) {
        put(d, part, load(host + part * sizeof(Bits)));
      }
    } else {
      CUVETTE_UNROLL
      for (unsigned part = 0; part < kParts; ++part) put(d, part, gather(host, piece.at[part]));
    }
  }
}

CUVETTE_INLINE void store_piece(const Piece& piece, uint64_t exec, unsigned bytes, uint32_t plane,
                                const Words& words) {
  const unsigned dwords = (bytes + 3) / 4;
  if (piece.spread == Spread::One) {  // the last lane counts
    for (unsigned d = 0; d < dwords; ++d) {
      store_part(piece.host + d * plane, words.row[d][last_lane(exec)], bytes);
    }
    return;
  }
  if (bytes == 1) return store_small<uint8_t>(piece, exec, words.row[0]);
  if (bytes == 2) return store_small<uint16_t>(piece, exec, words.row[0]);
  if (piece.spread == Spread::Run) {
    if (plane != 4 || dwords == 1) {
      for (unsigned d = 0; d < dwords; ++d) {
        copy_bytes<sizeof words.row[0]>(piece.host + d * plane, words.row[d]);
      }
    } else if (dwords == 2) {
      store_pieces<2>(piece.host, words.row);
    } else if (dwords == 3) {
      store_pieces<3>(piece.host, words.row);
    } else {
      store_pieces<4>(piece.host, words.row);
    }
    return;
  }
#if CUVETTE_VECTOR_BYTES == 64
  if (dwords == 1) {  // lanes in ascending order: the last of two stores to one place counts
    CUVETTE_UNROLL
    for (unsigned part = 0; part < kParts; ++part) {
      const unsigned first = part * kWidth;
      const auto x = as<__m512i>(load(words.row[0] + first));
      const Mask mask = mask_of(exec, first);
      if (is_run(piece.at[part])) {
        _mm512_mask_storeu_epi32(piece.host + piece.at[part][0], mask, x);
      } else {
        _mm512_mask_i32scatter_epi32(piece.host, mask, as<__m512i>(piece.at[part]), x, 1);
      }
    }
    return;
  }
#endif
  const Row64 at = row_of(piece.at);
  for (; exec != 0; exec &= exec - 1) {
    const unsigned lane = first_lane(exec);
    uint8_t* const to = piece.host + at.word[lane];
    for (unsigned d = 0; d < dwords; ++d) std::memcpy(to + d * plane, &words.row[d][lane], 4);
  }
}

CUVETTE_LEVEL void load_places(const Places& places, uint64_t exec, unsigned bytes, uint32_t plane,
                               Words& words) {
  for (; exec != 0; exec &= exec - 1) {
    const unsigned lane = first_lane(exec);
    for (unsigned d = 0; 4 * d < bytes; ++d) {
      words.row[d][lane] = load_part(places.host[lane] + d * plane, bytes);
    }
  }
}
CUVETTE_LEVEL void store_places(const Places& places, uint64_t exec, unsigned bytes, uint32_t plane,
                                const Words& words) {
  for (; exec != 0; exec &= exec - 1) {
    const unsigned lane = first_lane(exec);
    for (unsigned d = 0; 4 * d < bytes; ++d) {
      store_part(places.host[lane] + d * plane, words.row[d][lane], bytes);
    }
  }
}

/// Loaded words as register bits (memory/complete.cpp).
CUVETTE_INLINE Bits extended(Bits x, Bits old, LoadExtend extend, unsigned bytes, bool ecc) {
  const Bits zero = bytes == 1 ? x & 0xff : x & 0xffff;
  const auto byte = as<Bits>(as<Signed>(x << 24) >> 24);
  const auto half = as<Bits>(as<Signed>(x << 16) >> 16);
  switch (extend) {
    case LoadExtend::None:
      return x;
    case LoadExtend::ZeroByte:
    case LoadExtend::ZeroShort:
      return zero;
    case LoadExtend::SignByte:
      return byte;
    case LoadExtend::SignShort:
      return half;
    case LoadExtend::D16Low:
    case LoadExtend::D16SignedLow: {
      const Bits low = (extend == LoadExtend::D16Low ? zero : byte) & 0xffff;
      return ecc ? low : (old & 0xffff0000) | low;
    }
    case LoadExtend::D16High:
    case LoadExtend::D16SignedHigh: {
      const Bits high = (extend == LoadExtend::D16High ? zero : byte) << 16;
      return ecc ? high : (old & 0xffff) | high;
    }
  }
  return x;
}

/// Destination of loaded data: lanes that access memory, and those out of range, which get 0.
struct Target {
  uint32_t* rows;
  uint64_t exec, zeros;
  CUVETTE_INLINE uint32_t* row(unsigned d, unsigned part) const {
    return rows + d * kLanes + part * kWidth;
  }
  CUVETTE_INLINE Bits loaded(unsigned part, Bits x) const {
    return keep(mask_of(exec, part * kWidth), x);
  }
  CUVETTE_INLINE void put(unsigned d, unsigned part, Bits x) const {
    uint32_t* const to = row(d, part);
    store(to, blend(mask_of(exec | zeros, part * kWidth), load(to), x));
  }
  CUVETTE_INLINE void operator()(unsigned d, unsigned part, Bits x) const {
    put(d, part, loaded(part, x));
  }
};

/// The data of one access to its registers.
template <Space Kind>
CUVETTE_INLINE void load_access(const MemoryShape& shape, const WaveState& wave, Context& c,
                                const Addresses& a, const Location& at, const Places& places,
                                const Target& to) {
  const unsigned bytes = shape.bytes;
  if (a.exec != 0) touch<Kind>(c, shape, a, at, false);
  if (a.exec != 0 && at.in_piece && bytes >= 4) {
    return load_wide(at.piece, shape.dwords(), a.plane, to);
  }
  Words words;
  if (a.exec != 0 && at.in_piece) {
    load_narrow(at.piece, bytes, words.row[0]);
  } else {
    load_places(places, a.exec, bytes, a.plane, words);
  }
  if (bytes >= 4) return put_words(words, shape.dwords(), to);
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Bits x = to.loaded(part, load(words.row[0] + part * kWidth));
    to.put(0, part, extended(x, load(to.row(0, part)), shape.extend, bytes, wave.sramecc));
  }
}

}  // namespace

template <Space Kind>
CUVETTE_LEVEL bool load_lanes(const MicroOp& p, WaveState& wave, Context& c) {
  const MemoryShape& shape = *p.memory;
  if (c.memory == nullptr) return false;
  if (wave.s.exec() == 0) return true;
  Addresses a;
  Location at;
  Places places;
  if (!find_addresses<Kind>(shape, wave, 0, a)) return false;
  if (a.exec != 0 && !locate<Kind>(shape, wave, c, a, false, at, places)) return false;
  load_access<Kind>(shape, wave, c, a, at, places, {shape.data[0].at(wave), a.exec, a.zeros});
  return true;
}

CUVETTE_LEVEL bool load_pairs(const MicroOp& p, WaveState& wave, Context& c) {
  constexpr Space kLds = Space::Lds;
  const MemoryShape& shape = *p.memory;
  if (c.memory == nullptr) return false;
  if (wave.s.exec() == 0) return true;
  Addresses a, b;
  Location at_a, at_b;
  Places none;
  if (!find_addresses<kLds>(shape, wave, 0, a) || !find_addresses<kLds>(shape, wave, 1, b) ||
      !locate<kLds>(shape, wave, c, a, false, at_a, none) ||
      !locate<kLds>(shape, wave, c, b, false, at_b, none)) {
    return false;
  }
  load_access<kLds>(shape, wave, c, a, at_a, none, {shape.data[0].at(wave), a.exec, 0});
  load_access<kLds>(shape, wave, c, b, at_b, none, {shape.data[1].at(wave), b.exec, 0});
  return true;
}

namespace {

/// The data of one access from its registers.
template <Space Kind>
CUVETTE_INLINE void store_access(const MemoryShape& shape, const WaveState& wave, Context& c,
                                 unsigned n, const Addresses& a, const Location& at,
                                 const Places& places) {
  const unsigned bytes = shape.bytes;
  const uint32_t* const rows = shape.data[n].at(wave);
  Words words;
  for (unsigned d = 0; d < shape.dwords(); ++d) {
    copy_bytes<sizeof words.row[0]>(words.row[d], rows + d * kLanes);
  }
  if (shape.high) {
    CUVETTE_UNROLL
    for (unsigned part = 0; part < kParts; ++part) {
      store(words.row[0] + part * kWidth, load(words.row[0] + part * kWidth) >> 16);
    }
  }
  touch<Kind>(c, shape, a, at, true);
  if (at.in_piece) {
    store_piece(at.piece, a.exec, bytes, a.plane, words);
  } else {
    store_places(places, a.exec, bytes, a.plane, words);
  }
}

/// Both accesses of a lane come before those of the next lane. True if that order makes no
/// difference.
CUVETTE_INLINE bool are_apart(const Addresses& a, const Location& at_a, const Addresses& b,
                              const Location& at_b, unsigned bytes) {
  if (at_a.range.largest + bytes <= at_b.range.least ||
      at_b.range.largest + bytes <= at_a.range.least) {
    return true;
  }
  Range range;
  return b.start - a.start == bytes && reach_of(a, lane_steps(2 * bytes), range) == Spread::Run;
}
/// Lane after lane.
CUVETTE_LEVEL void store_in_turn(const MemoryShape& shape, const WaveState& wave, uint8_t* lds,
                                 const Row64& a, const Row64& b) {
  for (uint64_t rest = wave.s.exec(); rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    for (unsigned n = 0; n < 2; ++n) {
      const uint32_t* const from = shape.data[n].at(wave) + lane;
      uint8_t* const to = lds + (n == 0 ? a : b).word[lane];
      for (unsigned d = 0; 4 * d < shape.bytes; ++d) std::memcpy(to + 4 * d, from + d * kLanes, 4);
    }
  }
}

}  // namespace

template <Space Kind>
CUVETTE_LEVEL bool store_lanes(const MicroOp& p, WaveState& wave, Context& c) {
  const MemoryShape& shape = *p.memory;
  if (c.memory == nullptr) return false;
  if (wave.s.exec() == 0) return true;
  Addresses a;
  Location at;
  Places places;
  if (!find_addresses<Kind>(shape, wave, 0, a)) return false;
  if (a.exec == 0) return true;
  if (!locate<Kind>(shape, wave, c, a, true, at, places)) return false;
  store_access<Kind>(shape, wave, c, 0, a, at, places);
  return true;
}

CUVETTE_LEVEL bool store_pairs(const MicroOp& p, WaveState& wave, Context& c) {
  constexpr Space kLds = Space::Lds;
  const MemoryShape& shape = *p.memory;
  if (c.memory == nullptr) return false;
  if (wave.s.exec() == 0) return true;
  Addresses a, b;
  Location at_a, at_b;
  Places none;
  if (!find_addresses<kLds>(shape, wave, 0, a) || !find_addresses<kLds>(shape, wave, 1, b) ||
      !locate<kLds>(shape, wave, c, a, true, at_a, none) ||
      !locate<kLds>(shape, wave, c, b, true, at_b, none)) {
    return false;
  }
  if (are_apart(a, at_a, b, at_b, shape.bytes)) {
    store_access<kLds>(shape, wave, c, 0, a, at_a, none);
    store_access<kLds>(shape, wave, c, 1, b, at_b, none);
  } else {
    store_in_turn(shape, wave, c.lds, row_of(a.delta), row_of(b.delta));
  }
  return true;
}

void put_memory(LevelTable& table) {
  table.load = {load_lanes<Space::Global>, load_lanes<Space::Flat>, load_lanes<Space::Scratch>,
                load_lanes<Space::Buffer>, load_lanes<Space::Lds>};
  table.store = {store_lanes<Space::Global>, store_lanes<Space::Flat>, store_lanes<Space::Scratch>,
                 store_lanes<Space::Buffer>, store_lanes<Space::Lds>};
  table.load_pairs = load_pairs;
  table.store_pairs = store_pairs;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
