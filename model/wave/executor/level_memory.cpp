// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/executor/level_memory.h"

#include <cstring>

#include "wave/executor/level_piece.h"

namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

struct Words {
  alignas(64) uint32_t row[4][kLanes];
};

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

/// One dword of every lane.
CUVETTE_INLINE void gather(const uint8_t* host, const uint32_t* at, uint32_t* row) {
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const uint32_t* const from = at + part * kWidth;
    uint32_t* const to = row + part * kWidth;
    if (is_run(from)) {
      store(to, load(host + from[0]));
      continue;
    }
    if (is_one(from)) {
      store(to, broadcast(word_at(host + from[0])));
      continue;
    }
#if CUVETTE_VECTOR_BYTES == 64
    store(to, as<Bits>(_mm512_i32gather_epi32(as<__m512i>(load(from)), host, 1)));
#elif CUVETTE_VECTOR_BYTES == 32
    store(to, as<Bits>(_mm256_i32gather_epi32(reinterpret_cast<const int*>(host),
                                              as<__m256i>(load(from)), 1)));
#else
    for (unsigned n = 0; n < kWidth; ++n) to[n] = word_at(host + from[n]);
#endif
  }
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
  if (piece.consecutive) {
    Small values[kLanes];
    copy_bytes<sizeof values>(values, piece.host);
    CUVETTE_LANE_LOOP
    for (unsigned lane = 0; lane < kLanes; ++lane) row[lane] = values[lane];
    return;
  }
  if (piece.roomy) {
    gather(piece.host, piece.at, row);
    CUVETTE_WORD_LOOP
    for (unsigned lane = 0; lane < kLanes; ++lane) row[lane] = static_cast<Small>(row[lane]);
    return;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    Small value;
    std::memcpy(&value, piece.host + piece.at[lane], sizeof value);
    row[lane] = value;
  }
}
template <class Small>
CUVETTE_INLINE void store_small(const Piece& piece, const uint32_t* row) {
  if (piece.consecutive) {
    Small values[kLanes];
    CUVETTE_LANE_LOOP
    for (unsigned lane = 0; lane < kLanes; ++lane) values[lane] = static_cast<Small>(row[lane]);
    copy_bytes<sizeof values>(piece.host, values);
    return;
  }
  for (uint64_t rest = piece.exec; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    const auto value = static_cast<Small>(row[lane]);
    std::memcpy(piece.host + piece.at[lane], &value, sizeof value);
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

CUVETTE_LEVEL void load_piece(const Piece& piece, unsigned bytes, uint32_t plane, Words& words) {
  const unsigned dwords = (bytes + 3) / 4;
  if (piece.same) {
    for (unsigned d = 0; d < dwords; ++d) {
      const uint32_t value = load_part(piece.host + d * plane, bytes);
      CUVETTE_UNROLL
      for (unsigned part = 0; part < kParts; ++part) {
        store(words.row[d] + part * kWidth, broadcast(value));
      }
    }
    return;
  }
  if (bytes == 1) return load_small<uint8_t>(piece, words.row[0]);
  if (bytes == 2) return load_small<uint16_t>(piece, words.row[0]);
  if (piece.consecutive && bytes == 4) {
    copy_bytes<sizeof words.row[0]>(words.row[0], piece.host);
    return;
  }
  if (piece.consecutive && bytes == 8) return load_pieces<2>(piece.host, words.row);
  if (piece.consecutive && bytes == 12) return load_pieces<3>(piece.host, words.row);
  if (piece.consecutive && bytes == 16) return load_pieces<4>(piece.host, words.row);
  for (unsigned d = 0; d < dwords; ++d) gather(piece.host + d * plane, piece.at, words.row[d]);
}

CUVETTE_LEVEL void store_piece(const Piece& piece, unsigned bytes, uint32_t plane,
                               const Words& words) {
  const unsigned dwords = (bytes + 3) / 4;
  if (piece.same) {  // the last lane counts
    const auto lane = 63 - static_cast<unsigned>(__builtin_clzll(piece.exec));
    for (unsigned d = 0; d < dwords; ++d) {
      store_part(piece.host + d * plane, words.row[d][lane], bytes);
    }
    return;
  }
  if (bytes == 1) return store_small<uint8_t>(piece, words.row[0]);
  if (bytes == 2) return store_small<uint16_t>(piece, words.row[0]);
  if (piece.consecutive) {
    if (dwords == 1) copy_bytes<sizeof words.row[0]>(piece.host, words.row[0]);
    if (dwords == 2) store_pieces<2>(piece.host, words.row);
    if (dwords == 3) store_pieces<3>(piece.host, words.row);
    if (dwords == 4) store_pieces<4>(piece.host, words.row);
    return;
  }
#if CUVETTE_VECTOR_BYTES == 64
  if (dwords == 1) {  // lanes in ascending order: the last of two stores to one place counts
    CUVETTE_UNROLL
    for (unsigned part = 0; part < kParts; ++part) {
      const unsigned first = part * kWidth;
      _mm512_mask_i32scatter_epi32(piece.host, mask_of(piece.exec, first),
                                   as<__m512i>(load(piece.at + first)),
                                   as<__m512i>(load(words.row[0] + first)), 1);
    }
    return;
  }
#endif
  for (uint64_t rest = piece.exec; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    uint8_t* const to = piece.host + piece.at[lane];
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

/// Tells who watches.
CUVETTE_LEVEL void touch(const Addresses& a, Context& c, unsigned bytes, bool write) {
  if (a.lds || !c.memory->watched) return;
  const unsigned unit = a.plane == 4 ? bytes : std::min(bytes, 4u);
  const uint64_t step = a.plane;
  for (unsigned done = 0; done < bytes; done += unit) {
    c.memory->touch_lanes(a.base + done / 4 * step, a.delta, a.exec, unit, write);
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

CUVETTE_INLINE void write_back(const MemoryShape& shape, const WaveState& wave, const Addresses& a,
                               const MemoryShape::Rows& to, const Words& words) {
  uint32_t* const rows = to.at(wave);
  for (unsigned d = 0; d < shape.dwords(); ++d) {
    CUVETTE_UNROLL
    for (unsigned part = 0; part < kParts; ++part) {
      const unsigned first = part * kWidth;
      uint32_t* const row = rows + d * kLanes + first;
      const Bits old = load(row);
      const Bits loaded = keep(mask_of(a.exec, first), load(words.row[d] + first));
      const Bits x = extended(loaded, old, shape.extend, shape.bytes, wave.sramecc);
      store(row, blend(mask_of(a.exec | a.zeros, first), old, x));
    }
  }
}

/// Consecutive dwords straight to their register.
CUVETTE_INLINE void write_words(const MemoryShape& shape, const WaveState& wave, const Addresses& a,
                                const uint8_t* host) {
  uint32_t* const row = shape.data[0].at(wave);
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const unsigned first = part * kWidth;
    const Bits loaded = keep(mask_of(a.exec, first), load(host + 4 * first));
    store(row + first, blend(mask_of(a.exec | a.zeros, first), load(row + first), loaded));
  }
}

}  // namespace

CUVETTE_LEVEL bool load_lanes(const MicroOp& p, WaveState& wave, Context& c) {
  const MemoryShape& shape = *p.memory;
  if (c.memory == nullptr) return false;
  if (wave.s.exec() == 0) return true;
  const unsigned bytes = shape.bytes;
  Addresses a[2];
  Words words[2];
  for (unsigned n = 0; n < shape.accesses; ++n) {
    if (!find_addresses(p, wave, n, a[n])) return false;
    if (a[n].exec == 0) continue;
    Location at;
    if (!locate(shape, wave, c, a[n], false, at)) return false;
    touch(a[n], c, bytes, false);
    if (!at.in_piece) {
      load_places(at.places, a[n].exec, bytes, a[n].plane, words[n]);
    } else if (at.piece.consecutive && bytes == 4 && shape.accesses == 1) {
      write_words(shape, wave, a[n], at.piece.host);
      return true;
    } else {
      load_piece(at.piece, bytes, a[n].plane, words[n]);
    }
  }
  for (unsigned n = 0; n < shape.accesses; ++n) {
    write_back(shape, wave, a[n], shape.data[n], words[n]);
  }
  return true;
}

namespace {

/// Both accesses of a lane come before those of the next lane. Whether it makes no difference.
CUVETTE_INLINE bool are_apart(const Addresses (&a)[2], unsigned bytes) {
  const Range range = range_of(a[0].delta, a[0].exec), other = range_of(a[1].delta, a[1].exec);
  const unsigned first = first_lane(a[0].exec);
  return range.largest + bytes <= other.least || other.largest + bytes <= range.least ||
         (are_consecutive(a[0].delta, a[0].exec, 2 * bytes) &&
          a[1].delta[first] - a[0].delta[first] == bytes);
}
/// Two-address stores to LDS, lane after lane.
CUVETTE_LEVEL bool store_pairs(const MemoryShape& shape, const WaveState& wave, Context& c,
                               const Addresses (&a)[2]) {
  const unsigned bytes = shape.bytes;
  const uint64_t lds_bytes = lds_bytes_of(wave, c);
  for (unsigned n = 0; n < 2; ++n) {
    if (uint64_t{range_of(a[n].delta, a[n].exec).largest} + bytes > lds_bytes) return false;
  }
  for (uint64_t rest = a[0].exec; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_lane(rest);
    for (unsigned n = 0; n < 2; ++n) {
      const uint32_t* const from = shape.data[n].at(wave) + lane;
      for (unsigned d = 0; 4 * d < bytes; ++d) {
        std::memcpy(c.lds + a[n].delta[lane] + 4 * d, from + d * kLanes, 4);
      }
    }
  }
  return true;
}

}  // namespace

CUVETTE_LEVEL bool store_lanes(const MicroOp& p, WaveState& wave, Context& c) {
  const MemoryShape& shape = *p.memory;
  if (c.memory == nullptr) return false;
  if (wave.s.exec() == 0) return true;
  const unsigned bytes = shape.bytes, dwords = shape.dwords();
  Addresses a[2];
  Location at[2];
  for (unsigned n = 0; n < shape.accesses; ++n) {
    if (!find_addresses(p, wave, n, a[n])) return false;
  }
  if (shape.accesses == 2 && !are_apart(a, bytes)) return store_pairs(shape, wave, c, a);
  for (unsigned n = 0; n < shape.accesses; ++n) {
    if (a[n].exec != 0 && !locate(shape, wave, c, a[n], true, at[n])) return false;
  }
  for (unsigned n = 0; n < shape.accesses; ++n) {
    if (a[n].exec == 0) continue;
    Words words;
    const uint32_t* const rows = shape.data[n].at(wave);
    for (unsigned d = 0; d < dwords; ++d) {
      copy_bytes<sizeof words.row[0]>(words.row[d], rows + d * kLanes);
    }
    if (shape.high) {
      CUVETTE_UNROLL
      for (unsigned part = 0; part < kParts; ++part) {
        store(words.row[0] + part * kWidth, load(words.row[0] + part * kWidth) >> 16);
      }
    }
    touch(a[n], c, bytes, true);
    if (at[n].in_piece) {
      store_piece(at[n].piece, bytes, a[n].plane, words);
    } else {
      store_places(at[n].places, a[n].exec, bytes, a[n].plane, words);
    }
  }
  return true;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
