// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "tile_address.h"

#include <algorithm>

namespace cuvette::golden::testing {
namespace {

constexpr unsigned kInterleaveLog2 = 8, kPipesLog2 = 2, kBanksLog2 = 4;

constexpr TileExtent kThinMicro[] = {{16, 16}, {16, 8}, {8, 8}, {8, 4}, {4, 4}};  // 256 bytes
constexpr TileExtent kThickMicro[] = {
    {16, 8, 8}, {8, 8, 8}, {8, 8, 4}, {8, 4, 4}, {4, 4, 4}};  // 1 KiB

/// `count` bits of a value from bit `first` on.
uint64_t field(uint64_t value, unsigned first, unsigned count) {
  return value >> first & ((uint64_t{1} << count) - 1);
}

uint64_t reversed(uint64_t value, unsigned count) {
  uint64_t result = 0;
  for (unsigned n = 0; n < count; ++n) result = result << 1 | field(value, n, 1);
  return result;
}

/// Bits of `low` at even places, of `high` at odd ones.
uint64_t morton(uint64_t low, uint64_t high, unsigned bits) {
  uint64_t result = 0;
  for (unsigned n = bits; n-- > 0;) {
    result = result << 2 | field(high, n, 1) << 1 | field(low, n, 1);
  }
  return result;
}
uint64_t morton(uint64_t low, uint64_t middle, uint64_t high, unsigned bits) {
  uint64_t result = 0;
  for (unsigned n = bits; n-- > 0;) {
    result = result << 3 | field(high, n, 1) << 2 | field(middle, n, 1) << 1 | field(low, n, 1);
  }
  return result;
}

/// Every second bit, from bit 0 on.
uint64_t even_bits(uint64_t value, unsigned count) {
  uint64_t result = 0;
  for (unsigned n = 0; n < count; ++n) result |= field(value, 2 * n, 1) << n;
  return result;
}

/// Lowest bits, chosen by the bits above: mirrored onto them, one at a time or in pairs.
uint64_t folded(uint64_t value, unsigned count, bool thick) {
  const uint64_t low = field(value, 0, count), above = value >> count;
  if (!thick) return low ^ reversed(above, count);
  return low ^ reversed(even_bits(above, count), count) ^
         reversed(even_bits(above >> 1, count), count);
}

struct XorBits {
  unsigned pipe = 0, bank = 0;
};
XorBits xor_bits(isa::Target target, unsigned block_log2) {
  const unsigned engines_log2 = target == isa::Target::Gfx908 ? 3 : 2;
  const unsigned available = block_log2 - kInterleaveLog2;
  XorBits b;
  b.pipe = std::min(available, kPipesLog2 + engines_log2);
  b.bank = std::min(available - b.pipe, kBanksLog2);
  return b;
}

uint64_t standard_micro(uint32_t x, uint32_t y, unsigned log2) {
  const uint64_t column = uint64_t{x} << log2;
  // Rows of 16 bytes, four of them; then what the tile is larger than 16 bytes by 4.
  uint64_t rest = 0;
  if (log2 == 0) {
    rest = field(y, 2, 2);
  } else if (log2 < 3) {
    rest = field(y, 2, 1) | field(column, 4, 1) << 1;
  } else {
    rest = field(column, 4, 2);
  }
  return field(column, 0, 4) | field(y, 0, 2) << 4 | rest << 6;
}

/// Bit 4 of the place is taken by one coordinate bit; what was from there on moves up.
uint64_t with_bit_4(uint64_t place, uint64_t bit) {
  return field(place, 0, 4) | bit << 4 | field(place, 4, 3) << 5;
}

uint64_t display_micro(uint32_t x, uint32_t y, unsigned log2) {
  if (log2 == 4) return morton(field(x, 0, 2), field(y, 0, 2), 2) << 4;
  const uint64_t texel =
      field(x, 0, 3) | field(y, 1, 2) << 3 | field(x, 3, 1) << 5 | field(y, 3, 1) << 6;
  return with_bit_4(texel << log2, field(y, 0, 1));
}

uint64_t rotated_micro(uint32_t x, uint32_t y, unsigned log2) {
  const uint64_t texel =
      field(y, 0, 3) | field(x, 1, 2) << 3 | field(x, 3, 1) << 5 | field(y, 3, 1) << 6;
  const uint64_t place = with_bit_4(texel << log2, field(x, 0, 1));
  // Tiles of 8-byte texels have four rows only: no room for bit 2 of y.
  return log2 == 3 ? field(place, 0, 6) | field(x, 1, 2) << 6 : place;
}

/// Place in the block and, above it, the blocks of an endless surface without pitch.
uint64_t thin_place(const TiledSurface& s, TileOrder order, uint32_t x, uint32_t y) {
  const unsigned log2 = s.texel_log2;
  if (order == TileOrder::Z) {
    if (log2 % 2 != 0) return morton(x, y, 14) << log2;
    // The first 64 bytes are a square that x begins, the squares are numbered y first.
    const unsigned low = (6 - log2) / 2;
    return (morton(x, y, low) | morton(y >> low, x >> low, 12) << 2 * low) << log2;
  }
  const TileExtent micro = kThinMicro[log2];
  uint64_t place = 0;
  if (order == TileOrder::Rotated) {
    place = rotated_micro(x, y, log2);
  } else if (order == TileOrder::Display && !s.volume) {
    place = display_micro(x, y, log2);
  } else {
    place = standard_micro(x, y, log2);
  }
  return place | morton(y / micro.height, x / micro.width, 12) << 8;
}

uint64_t thick_standard_micro(uint32_t x, uint32_t y, uint32_t z, unsigned log2) {
  const uint64_t quarter =
      field(uint64_t{x} << log2, 0, 4) | field(y, 0, 2) << 4 | field(z, 0, 2) << 6;
  switch (log2) {
    case 0:
    case 1:
      return quarter | field(z, 2, 1) << 8 | field(y, 2, 1) << 9;
    case 2:
      return quarter | field(y, 2, 1) << 8 | field(x, 2, 1) << 9;
    case 3:
      return quarter | field(x, 1, 2) << 8;
    default:
      return quarter | field(x, 0, 2) << 8;
  }
}

uint64_t thick_z_micro(uint32_t x, uint32_t y, uint32_t z, unsigned log2) {
  // 128 bytes in an order of their own; above, one bit each of what is left of z, y and x.
  uint64_t texel = 0;
  unsigned xs = 2, ys = 2, zs = 2;
  switch (log2) {
    case 0:
      texel = morton(x, y, 2) | field(z, 0, 2) << 4 | field(x, 2, 1) << 6;
      xs = 3;
      break;
    case 1:
      texel = morton(x, y, 2) | field(z, 0, 2) << 4;
      break;
    case 2:
      texel = morton(x, y, 1) | field(x, 1, 1) << 2 | field(z, 0, 1) << 3 | field(y, 1, 1) << 4;
      zs = 1;
      break;
    case 4:
      texel = morton(x, y, 1) | field(z, 0, 1) << 2;
      xs = ys = zs = 1;
      break;
    default:
      texel = morton(x, y, 1) | field(z, 0, 1) << 2 | field(x, 1, 1) << 3;
      ys = zs = 1;
      break;
  }
  return texel << log2 | morton(z >> zs, y >> ys, x >> xs, 1) << 7;
}

uint64_t thick_place(const TiledSurface& s, TileOrder order, uint32_t x, uint32_t y, uint32_t z) {
  const TileExtent micro = kThickMicro[s.texel_log2];
  const uint64_t place = order == TileOrder::Z ? thick_z_micro(x, y, z, s.texel_log2)
                                               : thick_standard_micro(x, y, z, s.texel_log2);
  return place | morton(z / micro.depth, y / micro.height, x / micro.width, 8) << 10;
}

uint64_t rounded(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit;
}

}  // namespace

std::optional<TileMode> tile_mode(unsigned swizzle_mode) {
  if (swizzle_mode == 0 || swizzle_mode > 27) return std::nullopt;
  TileMode m;
  m.order = static_cast<TileOrder>(swizzle_mode % 4);
  switch (swizzle_mode / 4) {
    case 0:
      m.block_log2 = 8;
      break;
    case 1:
      m.block_log2 = 12;
      break;
    case 2:
      m.block_log2 = 16;
      break;
    case 4:
      m.block_log2 = 16;
      m.prt = m.xors = true;
      break;
    case 5:
      m.block_log2 = 12;
      m.xors = true;
      break;
    case 6:
      m.block_log2 = 16;
      m.xors = true;
      break;
    default:
      return std::nullopt;
  }
  return m;
}

bool is_thick(const TiledSurface& s) {
  const TileOrder order = tile_mode(s.swizzle_mode)->order;
  return s.volume && (order == TileOrder::Z || order == TileOrder::Standard);
}

TileExtent tile_block(const TiledSurface& s) {
  const unsigned block_log2 = tile_mode(s.swizzle_mode)->block_log2;
  if (is_thick(s)) {
    TileExtent e = kThickMicro[s.texel_log2];
    // Doublings beyond 1 KiB come in turn to depth, height and width.
    for (unsigned bit = 10; bit < block_log2; ++bit) {
      (bit % 3 == 1 ? e.depth : bit % 3 == 2 ? e.height : e.width) *= 2;
    }
    return e;
  }
  TileExtent e = kThinMicro[s.texel_log2];
  for (unsigned bit = 8; bit < block_log2; ++bit) (bit % 2 == 0 ? e.height : e.width) *= 2;
  return e;
}

bool is_tileable(const TiledSurface& s) {
  const std::optional<TileMode> mode = tile_mode(s.swizzle_mode);
  if (!mode || s.texel_log2 > 4) return false;
  if (s.volume && (mode->block_log2 == 8 || mode->order == TileOrder::Rotated)) return false;
  return s.texel_log2 < 4 || mode->order == TileOrder::Standard ||
         mode->order == TileOrder::Display || (s.volume && mode->order == TileOrder::Z);
}

uint64_t tiled_bytes(const TiledSurface& s, uint32_t slices) {
  const TileExtent block = tile_block(s);
  return rounded(s.pitch, block.width) * rounded(s.rows, block.height) *
             rounded(slices, block.depth)
         << tile_mode(s.swizzle_mode)->block_log2;
}

uint64_t tile_xor_mask(const TiledSurface& s) {
  const TileMode mode = *tile_mode(s.swizzle_mode);
  if (!mode.xors) return 0;
  const XorBits bits = xor_bits(s.target, mode.block_log2);
  return field(~uint64_t{0}, 0, bits.pipe + bits.bank) << kInterleaveLog2;
}

uint64_t tile_offset(const TiledSurface& s, uint64_t base, uint32_t x, uint32_t y, uint32_t slice) {
  const TileMode mode = *tile_mode(s.swizzle_mode);
  const bool thick = is_thick(s);
  const uint64_t place =
      thick ? thick_place(s, mode.order, x, y, slice) : thin_place(s, mode.order, x, y);
  const uint64_t offset = field(place, 0, mode.block_log2);
  if (!mode.xors) return offset;
  // Neighbouring blocks spread over pipes and banks, except where pages may be put anywhere.
  const uint64_t units = (mode.prt ? offset : place) >> kInterleaveLog2;
  const XorBits bits = xor_bits(s.target, mode.block_log2);
  uint64_t pipe = folded(units, bits.pipe, thick);
  uint64_t bank = folded(units >> bits.pipe, bits.bank, thick);
  if (!thick && !mode.prt) {
    pipe ^= reversed(slice, bits.pipe);
    bank ^= reversed(slice >> bits.pipe, bits.bank);
  }
  return (field(offset, 0, kInterleaveLog2) | (pipe | bank << bits.pipe) << kInterleaveLog2) ^
         (base & tile_xor_mask(s));
}

uint64_t tile_address(const TiledSurface& s, uint64_t base, uint32_t x, uint32_t y,
                      uint32_t slice) {
  const TileExtent block = tile_block(s);
  const uint64_t columns = rounded(s.pitch, block.width), rows = rounded(s.rows, block.height);
  const uint64_t index =
      (slice / block.depth * rows + y / block.height) * columns + x / block.width;
  return (base & ~tile_xor_mask(s)) + (index << tile_mode(s.swizzle_mode)->block_log2) +
         tile_offset(s, base, x, y, slice);
}

}  // namespace cuvette::golden::testing
