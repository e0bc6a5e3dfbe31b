// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Images with mip levels: the expected addresses by themselves, places worked out by hand,
// information on levels, descriptors that are refused.
#include <algorithm>

#include <gmock/gmock.h>

#include "golden_levels.h"
#include "test_vectors.h"

namespace cuvette::golden::testing {
namespace {

using isa::Target;
using ::testing::HasSubstr;

constexpr Target k900 = Target::Gfx900, k906 = Target::Gfx906, k908 = Target::Gfx908;

std::vector<unsigned> tiled_modes() {
  std::vector<unsigned> all = level_modes();
  all.erase(all.begin());
  return all;
}

TileExtent any_size(const LevelledSurface& s, Random& random) {
  const TileExtent block = s.swizzle_mode == 0 ? TileExtent{32, 8, 3} : tile_block(tiles_of(s));
  const bool thick = s.volume && block.depth > 1;
  const auto side = [&](uint32_t unit) {
    // Often just at a number of blocks, where rounding matters.
    const uint32_t blocks = between(random, 1, 9);
    if (between(random, 0, 2) == 0) return between(random, 1, unit);
    if (between(random, 0, 1) == 0) return between(random, 1, blocks * unit);
    return blocks * unit + 1 - between(random, 0, 2);
  };
  return {side(block.width), side(block.height), thick ? side(block.depth) : between(random, 1, 3)};
}

/// No block of an image is of two levels, but for the tail, and none is outside of it.
TEST(TileLevels, LevelsHaveBlocksOfTheirOwn) {
  Random random(2);
  unsigned images = 0, tails = 0, longest[3] = {};
  for (unsigned round = 0; round < 120; ++round) {
    for (unsigned mode : level_modes()) {
      for (unsigned type : {kArray, kVolume}) {
        LevelImage i = level_image(k906, mode, type, 1u << between(random, 0, 4));
        LevelledSurface& s = i.surface;
        s.size = any_size(s, random);
        const unsigned levels = levels_to_one_texel(s);
        if (!is_levelled(s) || levels < 2) continue;
        set_size(i, s.size, between(random, 2, levels));
        const TileExtent all = chain_blocks(s);
        const TileExtent block = level_block(s);
        std::vector<uint8_t> taken(size_t{all.width} * all.height * all.depth);
        bool tail = false;
        for (unsigned level = 0; level < s.levels; ++level) {
          const LevelPlace p = level_place(s, level);
          const TileExtent size = level_size(s, level);
          ASSERT_LE(p.first.width + p.blocks.width, all.width) << i.name();
          ASSERT_LE(p.first.height + p.blocks.height, all.height) << i.name();
          ASSERT_LE(p.first.depth + p.blocks.depth, all.depth) << i.name();
          ASSERT_LE(size.width, p.blocks.width * block.width) << i.name();
          ASSERT_LE(size.height, p.blocks.height * block.height) << i.name();
          ASSERT_LE(size.depth, p.blocks.depth * block.depth) << i.name();
          if (p.in_tail) {
            const TileExtent most = tail_extent(s);
            ASSERT_LE(size.width, most.width) << i.name();
            ASSERT_LE(size.height, most.height) << i.name();
          }
          if (tail) continue;
          for (uint32_t z = 0; z < p.blocks.depth; ++z) {
            for (uint32_t y = 0; y < p.blocks.height; ++y) {
              for (uint32_t x = 0; x < p.blocks.width; ++x) {
                const uint32_t row = (p.first.depth + z) * all.height + p.first.height + y;
                ASSERT_EQ(taken[size_t{row} * all.width + p.first.width + x]++, 0)
                    << i.name() << " level " << level;
              }
            }
          }
          tail = p.in_tail;
        }
        ++images;
        tails += tail;
        ++longest[s.size.width >= std::max(s.size.height, s.size.depth) ? 0
                  : s.size.height >= s.size.depth                       ? 1
                                                                        : 2];
      }
    }
  }
  RecordProperty("images", std::to_string(images));
  EXPECT_GT(images, 3000u);
  RecordProperty("tails", std::to_string(tails));
  EXPECT_GT(tails, 2000u);
  for (unsigned n : longest) EXPECT_GT(n, 100u);
}

/// The same texel by texel and within tails: each in bytes that no other has.
TEST(TileLevels, EveryTexelHasAPlaceOfItsOwn) {
  constexpr uint32_t kMostTexels = 60000;
  const unsigned draws = test::whole() ? 24 : 8;
  Random random(3);
  unsigned images = 0;
  for (Target target : {k900, k908}) {
    for (unsigned mode : level_modes()) {
      for (unsigned type : {kArray, kVolume, kLines}) {
        for (uint32_t bytes : {1u, 2u, 4u, 8u, 12u, 16u}) {
          LevelImage i = level_image(target, mode, type, bytes);
          LevelledSurface& s = i.surface;
          for (unsigned draw = 0; draw < draws; ++draw) {
            s.size = {2, 2, 1};
            if (!is_levelled(s)) break;
            TileExtent size = any_size(s, random);
            if (draw % 2 == 0 && mode != 0) {
              // All of it in the tail.
              const TileExtent tail = tail_extent(s);
              size = {between(random, 1, tail.width), between(random, 1, tail.height),
                      between(random, 1, std::max(3u, tail.depth))};
            }
            if (s.line) size.height = 1;
            s.size = size;
            if (uint64_t{size.width} * size.height * size.depth > kMostTexels) continue;
            if (!is_levelled(s) || levels_to_one_texel(s) < 2) continue;
            set_size(i, size, levels_to_one_texel(s));
            i.base = (uint64_t{7} << 20) | (random() & level_xor_mask(s));
            const uint64_t room = chain_bytes(s);
            const uint32_t unit = bytes == 12 ? 4 : bytes;
            std::vector<uint8_t> taken(room / unit);
            for (unsigned level = 0; level < s.levels; ++level) {
              const TileExtent e = level_size(s, level);
              for (uint32_t n = 0; n < e.width * e.height * e.depth; ++n) {
                const Spot spot = {n % e.width, n / e.width % e.height, n / e.width / e.height,
                                   level};
                const uint64_t offset = i.address(spot) - i.start();
                ASSERT_EQ(offset % unit, 0u) << i.name() << text_of(spot);
                ASSERT_LE(offset + bytes, room) << i.name() << text_of(spot);
                for (uint32_t part = 0; part < bytes; part += unit) {
                  ASSERT_EQ(taken[(offset + part) / unit]++, 0) << i.name() << text_of(spot);
                }
              }
            }
            ++images;
          }
        }
      }
    }
  }
  RecordProperty("images", std::to_string(images));
  EXPECT_GT(images, 104 * draws);
}

/// Worked out with pencil and paper from addrlib (Gfx9Lib). `chain` is what the descriptor says.
struct Place {
  Target target;
  unsigned mode, type;
  uint32_t bytes;
  TileExtent size;
  unsigned levels;
  uint32_t chain;
  Spot spot;
  uint32_t base_xor, offset;
};
constexpr Place kPlaces[] = {
    // 64KB_S, 4 bytes: blocks of 128 x 128, a tail of 64 x 128. Levels of the tail begin at half of
    // the block, half of the rest and so on, from 2 KiB down in steps of 256 bytes.
    {k900, 9, kFlat, 4, {64, 128, 1}, 8, 128, {0, 0, 0, 0}, 0, 0x8000},
    {k900, 9, kFlat, 4, {64, 128, 1}, 8, 128, {0, 0, 0, 1}, 0, 0x4000},
    {k900, 9, kFlat, 4, {64, 128, 1}, 8, 128, {0, 0, 0, 2}, 0, 0x2000},
    {k900, 9, kFlat, 4, {64, 128, 1}, 8, 128, {0, 0, 0, 3}, 0, 0x1000},
    {k900, 9, kFlat, 4, {64, 128, 1}, 8, 128, {0, 0, 0, 4}, 0, 0x800},
    {k900, 9, kFlat, 4, {64, 128, 1}, 8, 128, {0, 0, 0, 5}, 0, 0x600},
    {k900, 9, kFlat, 4, {64, 128, 1}, 8, 128, {0, 0, 0, 6}, 0, 0x500},
    {k900, 9, kFlat, 4, {64, 128, 1}, 8, 128, {0, 0, 0, 7}, 0, 0x400},
    // Nine levels are the most: 256 x 256 bytes in a block, 1 x 1 at 768. (13, 22) of level 3, bits
    // x3:0, y4:0 from bit 4 on.
    {k908, 9, kFlat, 1, {128, 256, 1}, 9, 256, {0, 0, 0, 8}, 0, 0x300},
    {k908, 9, kFlat, 1, {128, 256, 1}, 9, 256, {13, 22, 0, 3}, 0, 0x116d},
    // A tail is one block a layer, however little there is in it.
    {k908, 9, kArray, 4, {5, 3, 9}, 3, 128, {0, 0, 8, 2}, 0, 0x82000},
    // 4KB_S, 4 bytes: 32 x 32, a tail of 16 x 32 at half of the block.
    {k906, 5, kFlat, 4, {16, 32, 1}, 6, 32, {0, 0, 0, 0}, 0, 0x800},
    {k906, 5, kFlat, 4, {16, 32, 1}, 6, 32, {0, 0, 0, 1}, 0, 0x600},
    {k906, 5, kFlat, 4, {16, 32, 1}, 6, 32, {0, 0, 0, 2}, 0, 0x500},
    {k906, 5, kFlat, 4, {16, 32, 1}, 6, 32, {0, 0, 0, 5}, 0, 0x200},
    // One more column: level 0 has a block of its own and so has the tail, below it. (16, 31) is
    // x4 at bit 11, y4 y3 at 10 and 8, y2:0 at 6:4.
    {k906, 5, kFlat, 4, {17, 32, 1}, 5, 64, {16, 31, 0, 0}, 0, 0xd70},
    {k906, 5, kFlat, 4, {17, 32, 1}, 5, 64, {0, 0, 0, 1}, 0, 0x1800},
    // Wide, 4 x 2 blocks: level 1 (2 x 1) below, at row 2; level 2 (1 x 1) beside it; the tail
    // below that, at row 3. Four rows of four blocks a layer.
    {k908, 9, kArray, 4, {512, 256, 2}, 10, 512, {128, 0, 0, 1}, 0, 0x90000},
    {k908, 9, kArray, 4, {512, 256, 2}, 10, 512, {0, 0, 0, 2}, 0, 0xa0000},
    {k908, 9, kArray, 4, {512, 256, 2}, 10, 512, {0, 0, 0, 3}, 0, 0xe8000},
    {k908, 9, kArray, 4, {512, 256, 2}, 10, 512, {0, 0, 0, 4}, 0, 0xe4000},
    {k908, 9, kArray, 4, {512, 256, 2}, 10, 512, {0, 0, 1, 0}, 0, 0x100000},
    // The same with three levels only: nothing is in row 3, and it is not there.
    {k908, 9, kArray, 4, {512, 256, 2}, 3, 384, {0, 0, 1, 0}, 0, 0xc0000},
    // Tall, 2 x 5 blocks: level 1 (1 x 3) at column 2, level 2 (1 x 2) under it at row 3, the tail
    // in column 3. Four columns.
    {k900, 9, kArray, 4, {256, 640, 2}, 10, 512, {0, 0, 0, 1}, 0, 0x20000},
    {k900, 9, kArray, 4, {256, 640, 2}, 10, 512, {0, 128, 0, 1}, 0, 0x60000},
    {k900, 9, kArray, 4, {256, 640, 2}, 10, 512, {0, 0, 0, 2}, 0, 0xe0000},
    {k900, 9, kArray, 4, {256, 640, 2}, 10, 512, {0, 0, 0, 3}, 0, 0xf8000},
    {k900, 9, kArray, 4, {256, 640, 2}, 10, 512, {0, 0, 1, 0}, 0, 0x140000},
    // Odd numbers of blocks, 9 x 3: 5 x 2, 3 x 1, 2 x 1, 1 x 1, tail. Level 1 at (0, 3), 2 at
    // (5, 3), 3 at (5, 4), 4 at (7, 4), 5 at (8, 4). (x, y) within a block: x4:0 at 11, 9, 7, 3, 2.
    {k906, 5, kFlat, 4, {260, 70, 1}, 9, 160, {129, 34, 0, 1}, 0, (4 * 9 + 4) * 0x1000 + 0x24},
    {k906, 5, kFlat, 4, {260, 70, 1}, 9, 160, {64, 0, 0, 2}, 0, (3 * 9 + 7) * 0x1000},
    {k906, 5, kFlat, 4, {260, 70, 1}, 9, 160, {31, 0, 0, 3}, 0, (4 * 9 + 5) * 0x1000 + 0xa8c},
    {k906, 5, kFlat, 4, {260, 70, 1}, 9, 160, {0, 1, 0, 4}, 0, (4 * 9 + 7) * 0x1000 + 0x10},
    {k906, 5, kFlat, 4, {260, 70, 1}, 9, 160, {0, 0, 0, 5}, 0, (4 * 9 + 8) * 0x1000 + 0x800},
    {k906, 5, kFlat, 4, {260, 70, 1}, 9, 160, {0, 0, 0, 8}, 0, (4 * 9 + 8) * 0x1000 + 0x400},
    // 64KB_S, 3D, 4 bytes: blocks of 32 x 32 x 16, a tail of half the width. Longest in depth, five
    // blocks: level 1 (3) at row 1, level 2 (2) at slice 3 of it, the tail at row 2. Three rows.
    {k908, 9, kVolume, 4, {32, 32, 80}, 7, 96, {0, 0, 0, 1}, 0, 0x10000},
    {k908, 9, kVolume, 4, {32, 32, 80}, 7, 96, {0, 0, 16, 1}, 0, 0x40000},
    {k908, 9, kVolume, 4, {32, 32, 80}, 7, 96, {0, 0, 0, 2}, 0, 0xa0000},
    {k908, 9, kVolume, 4, {32, 32, 80}, 7, 96, {0, 0, 0, 3}, 0, 0xb8000},
    // As wide as high, 2 x 2: levels are lined up in width. Level 1 at (0, 2), the tail at (1, 2).
    {k906, 5, kFlat, 4, {64, 64, 1}, 7, 96, {0, 0, 0, 1}, 0, 0x4000},
    {k906, 5, kFlat, 4, {64, 64, 1}, 7, 96, {0, 0, 0, 2}, 0, 0x5800},
    // As wide as deep, 3 x 1 x 3: in width. Nine blocks a slice of them; level 1 (2 x 1 x 2) at row
    // 1, level 2 beside it at column 2, the tail below that one.
    {k900, 9, kVolume, 4, {96, 32, 48}, 7, 96, {0, 0, 16, 1}, 0, 0xc0000},
    {k900, 9, kVolume, 4, {96, 32, 48}, 7, 96, {0, 0, 0, 2}, 0, 0x50000},
    {k900, 9, kVolume, 4, {96, 32, 48}, 7, 96, {0, 0, 0, 3}, 0, 0x88000},
    // As high as deep, 1 x 3 x 3: in height. Level 1 (1 x 2 x 2) at column 1, the tail below it.
    {k900, 9, kVolume, 4, {32, 96, 48}, 7, 64, {0, 0, 16, 1}, 0, 0x70000},
    {k900, 9, kVolume, 4, {32, 96, 48}, 7, 64, {0, 0, 0, 2}, 0, 0x58000},
    // 4KB_S, 3D, bytes: 16 x 16 x 16, a tail of half the height.
    {k900, 5, kVolume, 1, {16, 8, 16}, 5, 16, {0, 0, 0, 0}, 0, 0x800},
    {k900, 5, kVolume, 1, {16, 8, 16}, 5, 16, {0, 0, 0, 3}, 0, 0x400},
    {k900, 5, kVolume, 1, {16, 9, 16}, 5, 32, {0, 0, 0, 1}, 0, 0x1800},
    // 4KB_D, 3D, 4 bytes: thin, 3 x 2 blocks a slice and two more rows; every level has its slices
    // where level 0 has its own.
    {k906, 6, kVolume, 4, {96, 64, 5}, 7, 128, {0, 0, 4, 0}, 0, 0x30000},
    {k906, 6, kVolume, 4, {96, 64, 5}, 7, 128, {0, 0, 1, 1}, 0, 0x12000},
    {k906, 6, kVolume, 4, {96, 64, 5}, 7, 128, {0, 0, 0, 2}, 0, 0x8000},
    {k906, 6, kVolume, 4, {96, 64, 5}, 7, 128, {0, 0, 0, 3}, 0, 0xb800},
    // 64KB_S_X: slice 1 turns the highest pipe bit, 0x800 or 0x1000 bytes, in the tail as well, and
    // so do the bits of the base.
    {k900, 25, kArray, 4, {64, 128, 2}, 8, 128, {0, 0, 1, 1}, 0x500, 0x14d00},
    {k906, 25, kArray, 4, {64, 128, 2}, 8, 128, {0, 0, 1, 1}, 0x500, 0x14d00},
    {k908, 25, kArray, 4, {64, 128, 2}, 8, 128, {0, 0, 1, 1}, 0x500, 0x15500},
    // Bits of the base that the offset in the tail has, too.
    {k908, 25, kFlat, 4, {64, 128, 1}, 8, 128, {0, 0, 0, 0}, 0x8100, 0x100},
    {k900, 21, kFlat, 4, {16, 32, 1}, 6, 32, {0, 0, 0, 1}, 0x300, 0x500},
    // (0, 64) of level 0 in the tail: bit 14, folded onto bit 9 of gfx900 (1 of 0100 mirrored) and
    // of gfx908 to bit 11 (bank bit 1 on pipe bit 3); the offset of the level folds onto nothing.
    {k900, 25, kFlat, 4, {64, 128, 1}, 8, 128, {0, 64, 0, 0}, 0, 0x8000 + 0x4200},
    {k908, 25, kFlat, 4, {64, 128, 1}, 8, 128, {0, 64, 0, 0}, 0, 0x8000 + 0x4800},
    // Linear: rows of 160 bytes take 256; 12 + 6 + 3 + 2 + 1 + 1 rows.
    {k908, 0, kArray, 4, {40, 12, 3}, 6, 25, {0, 0, 2, 3}, 0, 256 * (50 + 21)},
    {k908, 0, kVolume, 4, {40, 12, 8}, 6, 25, {1, 0, 1, 2}, 0, 256 * (25 + 18) + 4},
    // 9 + 5 + 3 + 2 rows, of which levels 1 to 3 have no texel in their last ones.
    {k900, 0, kFlat, 8, {33, 9, 1}, 4, 19, {2, 0, 0, 2}, 0, 512 * 14 + 16},
    // 12 bytes: 22 texels are 264.
    {k900, 0, kFlat, 12, {22, 4, 1}, 3, 7, {3, 1, 0, 1}, 0, 512 * 5 + 36},
    // 1D: a row for each level.
    {k906, 0, kLine, 4, {70, 1, 1}, 7, 7, {5, 0, 0, 3}, 0, 512 * 3 + 20},
    {k906, 0, kLines, 4, {70, 1, 4}, 7, 7, {5, 0, 2, 3}, 0, 512 * 17 + 20},
};

LevelImage image_at(const Place& p, uint64_t base) {
  LevelImage i = level_image(p.target, p.mode, p.type, p.bytes);
  set_size(i, p.size, p.levels);
  i.base = base + p.base_xor;
  return i;
}

TEST(TileLevels, PlacesWorkedOutByHand) {
  const uint64_t base = uint64_t{3} << 20;
  for (const Place& p : kPlaces) {
    const LevelImage i = image_at(p, base);
    EXPECT_EQ(i.surface.chain, p.chain) << i.name();
    EXPECT_EQ(i.address(p.spot) - base, p.offset) << i.name() << ' ' << text_of(p.spot);
  }
}

/// The same places, given to the model.
TEST(GoldenTiledLevels, PlacesWorkedOutByHand) {
  for (const Place& p : kPlaces) {
    TiledBench m(p.target);
    const LevelImage i = image_at(p, m.base);
    bind(m, i.descriptor());
    const Texel texel = {0x39, 0x3a, 0x3b, 0x3c};
    ASSERT_TRUE(m.memory.write(m.base + p.offset, texel.data(), p.bytes));
    set_spot(m, 0, p.type, p.spot);
    m.wave.state.s.set_exec(1);
    fill_results(m, 0x77);
    m.run(m.row("image_load_mip", i.dmask(), i.is_array()));
    for (unsigned c = 0; c < p.bytes / 4; ++c) {
      EXPECT_EQ(m.wave.v[20 + c][0], texel[c]) << i.name() << ' ' << text_of(p.spot);
    }
    if (p.bytes < 4) {
      EXPECT_EQ(m.wave.v[20][0], 0x39u) << i.name() << ' ' << text_of(p.spot);
    }
    if (HasFailure()) return;
  }
}

TEST(GoldenTiledLevels, ResourceInformation) {
  TiledBench m(k908);
  // Lanes ask for levels 0 to 3 of a view of levels 2 to 4.
  const auto ask = [&](LevelImage i) {
    i.base = m.base;
    i.base_level = 2;
    i.last_level = 4;
    bind(m, i.descriptor());
    m.wave.state.s.set_exec(0xf);
    for (unsigned lane = 0; lane < 4; ++lane) m.wave.v[2][lane] = lane;
    m.run(m.row("image_get_resinfo", 15, i.is_array()));
  };
  LevelImage i = level_image(k908, 27, kArray, 4);
  set_size(i, {300, 150, 7}, 9);
  i.first = 2;
  ask(i);
  const uint32_t layers[4][4] = {{75, 37, 5, 3}, {37, 18, 5, 3}, {18, 9, 5, 3}, {0, 0, 0, 3}};
  for (unsigned lane = 0; lane < 4; ++lane) {
    for (unsigned c = 0; c < 4; ++c) EXPECT_EQ(m.wave.v[20 + c][lane], layers[lane][c]) << lane;
  }
  i = level_image(k908, 25, kVolume, 4);
  set_size(i, {20, 150, 70}, 8);
  ask(i);
  const uint32_t slices[4][4] = {{5, 37, 17, 3}, {2, 18, 8, 3}, {1, 9, 4, 3}, {0, 0, 0, 3}};
  for (unsigned lane = 0; lane < 4; ++lane) {
    for (unsigned c = 0; c < 4; ++c) EXPECT_EQ(m.wave.v[20 + c][lane], slices[lane][c]) << lane;
  }
}

/// MAX_MIP below the last level of the view: the view says how many there are.
TEST(GoldenTiledLevels, ViewsMakeLevels) {
  for (Target target : kImageTargets) {
    for (unsigned mode : tiled_modes()) {
      // One level begins the block, the first of several is in the tail.
      for (unsigned last : {0u, 1u, 4u}) {
        for (unsigned max_mip : {0u, 1u, 4u}) {
          TiledBench m(target);
          LevelImage i = level_image(target, mode, kFlat, 4);
          set_size(i, {16, 16, 1}, 5);
          i.base = m.base;
          i.last_level = last;
          i.max_mip = max_mip;
          bind(m, i.descriptor());
          const uint32_t half = 1u << (tile_mode(mode)->block_log2 - 1);
          m.set_word(0, 0x100);
          m.set_word(half, 0x200);
          m.wave.state.s.set_exec(1);
          m.run(m.row("image_load", 1, false));
          EXPECT_EQ(m.wave.v[20][0], last == 0 && max_mip == 0 ? 0x100u : 0x200u) << i.name();
          if (HasFailure()) return;
        }
      }
    }
  }
}

struct Refused {
  std::string name;
  Image image;
  uint64_t base_offset = 0;
};

/// Levels where there are none; what is refused without levels, with them.
std::vector<Refused> refused_images() {
  std::vector<Refused> all;
  const auto add = [&](const std::string& name, unsigned mode, unsigned type, unsigned format = 4,
                       uint64_t base_offset = 0) -> Image& {
    Refused r;
    r.name = name + ", mode " + std::to_string(mode) + ", type " + std::to_string(type);
    r.image.swizzle_mode = mode;
    r.image.type = type;
    r.image.data_format = format;
    r.image.number_format = 4;
    r.image.width = r.image.height = 32;
    r.image.pitch = 256;
    r.image.max_mip = r.image.last_level = 2;
    r.base_offset = base_offset;
    all.push_back(r);
    return all.back().image;
  };
  const auto add_levels = [&](const std::string& name, unsigned mode, unsigned type, uint32_t width,
                              uint32_t height, uint32_t depth) {
    // Levels of the resource, of the view, of both.
    for (unsigned which = 1; which < 4; ++which) {
      Image& i = add(name, mode, type);
      i.width = width;
      i.height = height;
      i.depth = depth;
      i.max_mip = which & 1;
      i.last_level = which >> 1;
    }
  };
  for (unsigned mode = 1; mode < 32; ++mode) {
    const std::optional<TileMode> m = tile_mode(mode);
    for (unsigned type : {kLine, kLines}) add("1D", mode, type);
    for (unsigned type : {kFlat, kVolume, kCube, kArray}) {
      if (!m) {
        add("reserved", mode, type);
      } else if (m->block_log2 == 8) {
        add_levels("256 bytes", mode, type, 32, 32, 6);
      } else if (type == kVolume && m->order == TileOrder::Rotated) {
        add("rotated 3D", mode, type);
      } else {
        add("12 bytes", mode, type, 13);
        if (m->order == TileOrder::Rotated || (m->order == TileOrder::Z && type != kVolume)) {
          add("16 bytes", mode, type, 14);
        }
      }
    }
    if (!m || m->block_log2 == 8 || m->order != TileOrder::Display) continue;
    add_levels("deep", mode, kVolume, 8, 8, 8);
    add_levels("deep", mode, kVolume, 7, 8, 9);
    add_levels("deep", mode, kVolume, 40, 3, 40);
    add_levels("deep", mode, kVolume, 1, 1, 2);
  }
  return all;
}

TEST(GoldenTiledLevels, RefusalsNameTheDescriptor) {
  const std::vector<Refused> all = refused_images();
  for (Target target : kImageTargets) {
    TiledBench m(target);
    bind(m, SamplerFields{});
    for (const Refused& r : all) {
      Image i = r.image;
      i.base = m.base + r.base_offset;
      bind(m, i);
      for (const char* row : {"image_load", "image_load_mip", "image_store_mip", "image_sample_l",
                              "image_atomic_add"}) {
        const bool atomic = std::string(row) == "image_atomic_add";
        if (atomic && i.data_format != 4) continue;  // refused for its size
        EXPECT_THAT(m.refusal(m.row(row, 1, i.type == kArray || i.type == kLines)),
                    HasSubstr("T# swizzle mode (bits 120:116)"))
            << name_of(target) << ": " << r.name << ", " << row;
      }
      if (HasFailure()) return;
    }
  }
  EXPECT_EQ(all.size(), 300u);
}

/// Just short of what is refused, and bases inside of a block.
TEST(GoldenTiledLevels, WhatIsNotRefused) {
  for (Target target : kImageTargets) {
    TiledBench m(target);
    m.wave.state.s.set_exec(1);
    const auto load = [&](const LevelImage& i) {
      bind(m, i.descriptor());
      const Spot s = {0, 0, 0, 1};
      const uint32_t want = 0x1234;
      ASSERT_TRUE(m.memory.write_value(i.address(s), want));
      set_spot(m, 0, i.type, s);
      m.run(m.row("image_load_mip", 1, false));
      EXPECT_EQ(m.wave.v[20][0], want) << i.name();
    };
    for (unsigned mode : tiled_modes()) {
      const TileOrder order = tile_mode(mode)->order;
      LevelImage i = level_image(target, mode, kVolume, 4);
      i.base = m.base;
      if (order == TileOrder::Display) {
        set_size(i, {8, 9, 8}, 3);
        load(i);
        set_size(i, {40, 3, 39}, 3);
        load(i);
      } else if (order != TileOrder::Rotated) {
        set_size(i, {8, 8, 8}, 3);
        load(i);
        set_size(i, {1, 1, 2}, 2);
        load(i);
      }
      i = level_image(target, mode, kFlat, 4);
      set_size(i, {30, 20, 1}, 3);
      for (uint64_t bit = 256; bit < uint64_t{1} << tile_mode(mode)->block_log2; bit *= 2) {
        i.base = m.base + bit;
        if (tile_mode(mode)->xors) {
          load(i);
        } else {
          bind(m, i.descriptor());
          EXPECT_THAT(m.refusal(m.row("image_load_mip", 1, false)), HasSubstr("T#")) << i.name();
        }
      }
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace cuvette::golden::testing
