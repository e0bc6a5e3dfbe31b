// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "isa/target.h"

// Addresses of the texels of tiled images on gfx9, worked out step by step from the coordinates: a
// place in the micro tile, Morton numbers of micro tiles, folded and sliced xor of the bits that
// choose pipe and bank. The facts are those of addrlib (Gfx9Lib), its address from coordinates;
// what is tested uses the same library's equations, so that a mistake has to be made twice.
namespace cuvette::golden::testing {

enum class TileOrder { Z, Standard, Display, Rotated };

/// Properties of a swizzle mode. PRT blocks do not differ by their slice or their neighbours.
struct TileMode {
  unsigned block_log2 = 8;
  TileOrder order = TileOrder::Standard;
  bool prt = false, xors = false;
};

/// Mode by its number; nothing for linear and reserved modes.
std::optional<TileMode> tile_mode(unsigned swizzle_mode);

struct TileExtent {
  uint32_t width = 1, height = 1, depth = 1;
};

/// A surface of one level. Pitch and rows as the descriptor has them, in texels.
struct TiledSurface {
  isa::Target target = isa::Target::Gfx908;
  unsigned swizzle_mode = 0;
  bool volume = false;
  unsigned texel_log2 = 0;  ///< of bytes
  uint32_t pitch = 1, rows = 1;
};

/// Volumes in Z and standard order have blocks with a depth.
bool is_thick(const TiledSurface& surface);
/// A block in texels.
TileExtent tile_block(const TiledSurface& surface);
/// Combinations that the hardware has and addrlib gives equations for.
bool is_tileable(const TiledSurface& surface);
/// Bytes of the first `slices` slices, padded to whole blocks.
uint64_t tiled_bytes(const TiledSurface& surface, uint32_t slices);
/// The base of a descriptor below the block that is xored instead of added; 0 without xor.
uint64_t tile_xor_mask(const TiledSurface& surface);
/// Bytes from the start of its block to the texel (x, y) of a slice, channels mixed and the bits of
/// `base` xored where the mode does so.
uint64_t tile_offset(const TiledSurface& surface, uint64_t base, uint32_t x, uint32_t y,
                     uint32_t slice);
/// Address of the texel (x, y) of a slice; `base` as the descriptor has it.
uint64_t tile_address(const TiledSurface& surface, uint64_t base, uint32_t x, uint32_t y,
                      uint32_t slice);

}  // namespace cuvette::golden::testing
