// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "isa/target.h"

// Positions of the texels of images that are not linear (facts: addrlib, Gfx9Lib). The image is cut
// into blocks, one after the other; each bit of an address inside a block is an exclusive or of
// bits of the coordinates.
namespace cuvette::wave::memory {

/// T# bits 120:116.
struct SwizzleMode {
  /// Order of the bits of the coordinates.
  enum class Order : uint8_t { Z, Standard, Display, Rotated };
  /// Mixing of memory channels: none, within a block, or by what is outside of it, too.
  enum class Mixed : uint8_t { No, Within, Across };

  unsigned block_bits = 0;  ///< log2 of its bytes
  Order order = Order::Standard;
  Mixed mixed = Mixed::No;
};
/// Null: linear, or reserved.
std::optional<SwizzleMode> swizzle_mode(unsigned code);

/// Texels of a resource in each direction.
struct TileExtent {
  uint32_t width = 1, height = 1, depth = 1;
};

/// Levels of a resource, cut into blocks. Levels smaller than half a block are in one block,
/// the tail, together with all smaller levels.
struct TileChain {
  static constexpr unsigned kMostLevels = 16;
  /// Place of a level, in blocks.
  struct Level {
    uint32_t x = 0, y = 0, slice = 0;  ///< its first block
    uint32_t tail = 0;                 ///< bytes from there
  };
  uint32_t pitch = 1, rows = 1;  ///< blocks of a slice, all levels together
  std::array<Level, kMostLevels> levels{};
};

/// Address computation of a swizzle mode for texels of one size.
class TileLayout {
 public:
  /// Texels of 2^`texel_bits` bytes; `solid`: of a 3D image. Null: there is no such layout.
  static std::optional<TileLayout> make(const SwizzleMode& mode, unsigned texel_bits, bool solid,
                                        isa::Target target);

  /// The blocks of a resource of one level, or of `levels` of them. `pitch`, in texels: of one
  /// level; of several, what is stored in its place, the rows of a slice or, when it is taller
  /// than wide in blocks and no deeper, its pitch.
  TileChain chain(const TileExtent& size, unsigned levels, uint32_t pitch) const;
  /// Address of a texel of a level. The bits of `base` inside a block are exclusive ored to the
  /// address where channels are mixed.
  uint64_t address(uint64_t base, const TileChain& chain, uint32_t level, uint32_t x, uint32_t y,
                   uint32_t slice) const;
  /// True if a resource of this size may have levels.
  bool has_levels(const TileExtent& size) const;
  /// True if images may begin there.
  bool fits(uint64_t base) const {
    return mode_.mixed != SwizzleMode::Mixed::No || base % (uint64_t{1} << mode_.block_bits) == 0;
  }

 private:
  static constexpr unsigned kMostBits = 16;
  /// Bits of x, y and slice.
  struct Bits {
    uint32_t x = 0, y = 0, slice = 0;
    void operator^=(const Bits& other) {
      x ^= other.x;
      y ^= other.y;
      slice ^= other.slice;
    }
  };
  class Maker;
  TileExtent blocks(const TileExtent& size) const;
  bool in_tail(const TileExtent& size) const;

  SwizzleMode mode_;
  unsigned texel_bits_ = 0;
  bool solid_ = false;  ///< of a 3D image
  bool thick_ = false;  ///< blocks have several slices
  std::array<Bits, kMostBits> bits_{};
  unsigned width_bits_ = 0, height_bits_ = 0, depth_bits_ = 0;  ///< of a block
};

}  // namespace cuvette::wave::memory
