// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tile_address.h"

// Addresses of the mip levels of an image on gfx9, linear and tiled, again step by step (facts from
// addrlib, Gfx9Lib). Levels of a tiled image are rectangles of blocks: those that fit into half a
// block share one, the tail.
namespace cuvette::golden::testing {

struct LevelledSurface {
  isa::Target target = isa::Target::Gfx908;
  unsigned swizzle_mode = 0;  ///< 0 is linear
  bool volume = false;
  bool line = false;  ///< 1D
  uint32_t texel_bytes = 4;
  TileExtent size;  ///< of level 0; depth: slices or layers
  unsigned levels = 2;
  /// Word of the descriptor in place of the pitch: the height of all levels together or their
  /// pitch, chain_is_height().
  uint32_t chain = 1;
};

/// A level in blocks, which begins `first` blocks from the start of the image. Linear images have
/// blocks of one row, as wide as the image.
struct LevelPlace {
  TileExtent first, blocks;
  bool in_tail = false;
  uint32_t tail_offset = 0;  ///< bytes from the start of the tail's block
};

TiledSurface tiles_of(const LevelledSurface& surface);
/// Combinations that addrlib allows an image of several levels.
bool is_levelled(const LevelledSurface& surface);
/// A block in texels; of linear images a row.
TileExtent level_block(const LevelledSurface& surface);
/// Largest level that is in the tail, in texels. Tiled images only.
TileExtent tail_extent(const LevelledSurface& surface);
/// Depth is halved for volumes only.
TileExtent level_size(const LevelledSurface& surface, unsigned level);
unsigned levels_to_one_texel(const LevelledSurface& surface);

LevelPlace level_place(const LevelledSurface& surface, unsigned level);
bool chain_is_height(const LevelledSurface& surface);
/// The least value of `chain` that all levels fit in.
uint32_t least_chain(const LevelledSurface& surface);
/// All levels in blocks, `chain` counted.
TileExtent chain_blocks(const LevelledSurface& surface);
uint64_t chain_bytes(const LevelledSurface& surface);
/// The bits of the base that are xored, see tile_xor_mask().
uint64_t level_xor_mask(const LevelledSurface& surface);
/// Address of the texel (x, y) of a slice of a level; `base` as the descriptor has it.
uint64_t level_address(const LevelledSurface& surface, uint64_t base, unsigned level, uint32_t x,
                       uint32_t y, uint32_t slice);

}  // namespace cuvette::golden::testing
