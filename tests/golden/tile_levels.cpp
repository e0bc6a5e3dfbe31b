// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "tile_levels.h"

#include <algorithm>
#include <bit>

namespace cuvette::golden::testing {
namespace {

constexpr uint32_t kLinearAlign = 256;
constexpr TileExtent kOrigin = {0, 0, 0};

uint32_t units(uint32_t value, uint32_t unit) {
  return (value + unit - 1) / unit;
}
TileExtent units(const TileExtent& e, const TileExtent& unit) {
  return {units(e.width, unit.width), units(e.height, unit.height), units(e.depth, unit.depth)};
}
bool within(const TileExtent& e, const TileExtent& limit) {
  return e.width <= limit.width && e.height <= limit.height && e.depth <= limit.depth;
}

/// Halved and rounded up `times` times, which is the same as divided at once.
uint32_t halved_up(uint32_t value, unsigned times) {
  return units(value, 1u << times);
}

bool is_linear(const LevelledSurface& s) {
  return s.swizzle_mode == 0;
}
bool is_deep(const LevelledSurface& s) {
  return !is_linear(s) && is_thick(tiles_of(s));
}

/// Blocks of a tiled level. Its size in blocks is that of the level before it, halved and rounded
/// up, which may be more than its texels need. Thin blocks: one for each slice.
TileExtent blocks_of(const LevelledSurface& s, unsigned level) {
  const TileExtent whole = units(s.size, tile_block(tiles_of(s)));
  return {halved_up(whole.width, level), halved_up(whole.height, level),
          is_deep(s) ? halved_up(whole.depth, level) : level_size(s, level).depth};
}

/// Level 0 by its texels, the others where half of the blocks of the level before fit.
unsigned first_in_tail(const LevelledSurface& s) {
  TileExtent tail = tail_extent(s);
  if (!is_deep(s)) tail.depth = s.size.depth;
  if (within(s.size, tail)) return 0;
  const TileExtent block = tile_block(tiles_of(s));
  unsigned level = 1;
  for (;; ++level) {
    TileExtent b = blocks_of(s, level - 1);
    b.width *= block.width;
    b.height *= block.height;
    b.depth = is_deep(s) ? b.depth * block.depth : 1;
    if (within(b, {2 * tail.width, 2 * tail.height, 2 * tail.depth})) return level;
  }
}

/// Levels 1 and 3 lie beside the one before, all others are lined up along the longest side.
struct Axes {
  uint32_t TileExtent::* beside;
  uint32_t TileExtent::* along;
};
Axes axes(const LevelledSurface& s) {
  TileExtent b = blocks_of(s, 0);
  if (!is_deep(s)) b.depth = 1;
  if (b.width >= b.height && b.width >= b.depth) return {&TileExtent::height, &TileExtent::width};
  if (b.height >= b.depth) return {&TileExtent::width, &TileExtent::height};
  return {&TileExtent::height, &TileExtent::depth};
}

/// Half of the block, half of what is left, and so on; the last 2 KiB in steps of 256 bytes.
uint32_t tail_offset(unsigned block_log2, unsigned index) {
  const unsigned halves = block_log2 - 11;
  return index < halves ? 1u << (block_log2 - 1 - index) : 256 * (6 - (index - halves));
}

uint32_t linear_rows(const LevelledSurface& s, unsigned level) {
  return s.line ? 1 : halved_up(s.size.height, level);
}

}  // namespace

TiledSurface tiles_of(const LevelledSurface& s) {
  TiledSurface t;
  t.target = s.target;
  t.swizzle_mode = s.swizzle_mode;
  t.volume = s.volume;
  t.texel_log2 = static_cast<unsigned>(std::countr_zero(s.texel_bytes));
  return t;
}

bool is_levelled(const LevelledSurface& s) {
  if (is_linear(s)) return true;
  const std::optional<TileMode> mode = tile_mode(s.swizzle_mode);
  if (s.line || !mode || mode->block_log2 == 8 || !std::has_single_bit(s.texel_bytes)) return false;
  // Levels of thin volumes cannot be lined up in depth.
  if (s.volume && mode->order == TileOrder::Display && s.size.depth >= s.size.width &&
      s.size.depth >= s.size.height) {
    return false;
  }
  return is_tileable(tiles_of(s));
}

TileExtent level_block(const LevelledSurface& s) {
  return is_linear(s) ? TileExtent{s.size.width, 1, 1} : tile_block(tiles_of(s));
}

TileExtent tail_extent(const LevelledSurface& s) {
  TileExtent e = tile_block(tiles_of(s));
  const bool small = tile_mode(s.swizzle_mode)->block_log2 == 12;
  (is_deep(s) && small ? e.height : e.width) /= 2;
  return e;
}

TileExtent level_size(const LevelledSurface& s, unsigned level) {
  const auto halved = [level](uint32_t value) { return std::max(value >> level, 1u); };
  return {halved(s.size.width), halved(s.size.height),
          s.volume ? halved(s.size.depth) : s.size.depth};
}

unsigned levels_to_one_texel(const LevelledSurface& s) {
  const uint32_t depth = s.volume ? s.size.depth : 1;
  return static_cast<unsigned>(std::bit_width(std::max({s.size.width, s.size.height, depth})));
}

LevelPlace level_place(const LevelledSurface& s, unsigned level) {
  LevelPlace p;
  p.first = kOrigin;
  if (is_linear(s)) {
    for (unsigned n = 0; n < level; ++n) p.first.height += linear_rows(s, n);
    p.blocks = {1, linear_rows(s, level), level_size(s, level).depth};
    return p;
  }
  const unsigned tail = first_in_tail(s);
  const Axes a = axes(s);
  for (unsigned n = 0; n < std::min(level, tail); ++n) {
    uint32_t TileExtent::* const axis = n == 0 || n == 2 ? a.beside : a.along;
    p.first.*axis += blocks_of(s, n).*axis;
  }
  p.in_tail = level >= tail;
  p.blocks = p.in_tail ? TileExtent{1, 1, is_deep(s) ? 1 : level_size(s, level).depth}
                       : blocks_of(s, level);
  if (p.in_tail) {
    p.tail_offset = tail_offset(tile_mode(s.swizzle_mode)->block_log2, level - tail);
  }
  return p;
}

bool chain_is_height(const LevelledSurface& s) {
  return is_linear(s) || axes(s).beside == &TileExtent::height;
}

uint32_t least_chain(const LevelledSurface& s) {
  uint32_t TileExtent::* const axis = chain_is_height(s) ? &TileExtent::height : &TileExtent::width;
  uint32_t end = 0;
  for (unsigned level = 0; level < s.levels; ++level) {
    const LevelPlace p = level_place(s, level);
    end = std::max(end, p.first.*axis + p.blocks.*axis);
  }
  return end * level_block(s).*axis;
}

TileExtent chain_blocks(const LevelledSurface& s) {
  const TileExtent block = level_block(s);
  TileExtent all = units(s.size, block);
  if (chain_is_height(s)) {
    all.height = units(s.chain, block.height);
  } else {
    all.width = units(s.chain, block.width);
  }
  return all;
}

uint64_t chain_bytes(const LevelledSurface& s) {
  const TileExtent all = chain_blocks(s);
  const uint64_t count = uint64_t{all.height} * all.depth * all.width;
  if (!is_linear(s)) return count << tile_mode(s.swizzle_mode)->block_log2;
  return count * kLinearAlign * units(s.size.width * s.texel_bytes, kLinearAlign);
}

uint64_t level_xor_mask(const LevelledSurface& s) {
  return is_linear(s) ? 0 : tile_xor_mask(tiles_of(s));
}

uint64_t level_address(const LevelledSurface& s, uint64_t base, unsigned level, uint32_t x,
                       uint32_t y, uint32_t slice) {
  const LevelPlace p = level_place(s, level);
  const TileExtent all = chain_blocks(s), block = level_block(s);
  const uint64_t row = uint64_t{p.first.depth + slice / block.depth} * all.height + p.first.height +
                       y / block.height;
  if (is_linear(s)) {
    const uint64_t pitch = kLinearAlign * units(s.size.width * s.texel_bytes, kLinearAlign);
    return base + row * pitch + x * s.texel_bytes;
  }
  const uint64_t index = row * all.width + p.first.width + x / block.width;
  const TiledSurface tiles = tiles_of(s);
  // A level of the tail is in bytes below its offset, which is therefore added like another xor.
  const uint64_t offset = tile_offset(tiles, base, x, y, slice) ^ p.tail_offset;
  return (base & ~tile_xor_mask(tiles)) + (index << tile_mode(s.swizzle_mode)->block_log2) + offset;
}

}  // namespace cuvette::golden::testing
